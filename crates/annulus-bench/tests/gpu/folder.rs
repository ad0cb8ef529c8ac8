//! A folder with programs, and how they are run there.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::Value;

/// A folder of this test's own with the programs in it, which goes when the value does.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str, programs: &[&str]) -> Self {
        let path = std::env::temp_dir().join(format!("annulus-gpu-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        for program in programs {
            let to = path.join(Path::new(program).file_name().unwrap());
            fs::hard_link(program, &to).or_else(|_| fs::copy(program, &to).map(drop)).unwrap();
        }
        Self(path)
    }

    /// A program of the folder that is a script.
    pub(crate) fn script(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub(crate) fn run(&self, stand_in: Option<&Path>, arguments: &[&str]) -> Output {
        self.run_program("annulus-gpu", stand_in, arguments)
    }

    pub(crate) fn run_program(&self, program: &str, stand_in: Option<&Path>, arguments: &[&str]) -> Output {
        self.command(program, stand_in, arguments).output().unwrap()
    }

    pub(crate) fn command(&self, program: &str, stand_in: Option<&Path>, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.0.join(program));
        // The folder's own commands come before the system's.
        let path = format!("{}/commands:/usr/bin:/bin", self.0.display());
        command.args(arguments).current_dir(&self.0).env_clear().env("PATH", path);
        if let Some(libraries) = stand_in {
            command.env("LD_LIBRARY_PATH", libraries);
        }
        command
    }

    pub(crate) fn records(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.0.join("gpu-results/results.jsonl")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    pub(crate) fn report(&self) -> String {
        fs::read_to_string(self.0.join("gpu-results/report.txt")).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(crate) const GPU: &str = env!("CARGO_BIN_EXE_annulus-gpu");
pub(crate) const BENCH: &str = env!("CARGO_BIN_EXE_annulus-bench");

/// Where the libraries lie that stand in for NVIDIA's; says why not where they cannot be built.
pub(crate) fn stand_in() -> Option<&'static Path> {
    annulus_conformance::cuda::build().inspect_err(|why| println!("skipped: {why}")).ok()
}

pub(crate) fn all(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// What `cases` of the record's suite came to.
pub(crate) fn outcomes(records: &[Value]) -> Vec<(&str, &str)> {
    let cases = records.iter().filter(|line| line["record"] == "case");
    cases.map(|line| (line["case"].as_str().unwrap(), line["outcome"].as_str().unwrap())).collect()
}
