//! Whole projects: which files are read, what is put right, what editors get.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use annulus_check::{Checked, Level, Options, Problem, check, find, fix, json, short};
use serde_json::Value;

/// A folder that is gone at the end.
struct Project(PathBuf);

impl Project {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let at = std::env::temp_dir().join(format!("annulus-check-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&at);
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\nannulus = \"0.1\"\n\n[workspace]\n"
        );
        let project = Self(at);
        project.write("Cargo.toml", &manifest);
        for (path, text) in files {
            project.write(path, text);
        }
        project
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn options(&self) -> Options {
        Options { manifest_path: Some(self.0.join("Cargo.toml")), ..Options::default() }
    }

    fn check(&self) -> Vec<Checked> {
        let (files, problems) = check(&self.options()).unwrap();
        assert_eq!(problems, []);
        files
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn places(files: &[Checked]) -> Vec<String> {
    let lines = files
        .iter()
        .flat_map(|file| short(&file.source, &file.findings).lines().map(str::to_owned).collect::<Vec<_>>());
    // Without the message.
    lines.map(|line| line.split(": ").take(2).collect::<Vec<_>>().join(": ")).collect()
}

const BLOCKS: &str = "async fn wait(kernel: &KernelHandle<detect>) { kernel.drained_blocking() }\n";

#[test]
fn files_are_those_that_the_compiler_reads() {
    let project = Project::new(
        "files",
        &[
            (
                "src/lib.rs",
                "mod a;\nmod b { mod c; }\n#[path = \"elsewhere/d.rs\"] mod d;\n#[cfg(test)] mod tests;\nmod generated;\n",
            ),
            ("src/a.rs", "mod e;\n"),
            ("src/a/e.rs", BLOCKS),
            ("src/b/c/mod.rs", "mod f;\n"),
            ("src/b/c/f.rs", BLOCKS),
            ("src/elsewhere/d.rs", BLOCKS),
            ("src/tests.rs", BLOCKS),
            ("src/nobody.rs", BLOCKS),
            ("examples/shown.rs", BLOCKS),
            ("benches/quick.rs", BLOCKS),
            ("tests/all.rs", BLOCKS),
            ("build.rs", "fn main() {}"),
        ],
    );
    let expected = |paths: &[&str]| {
        paths.iter().map(|path| format!("{path}:1:55: warning[AN07]")).collect::<BTreeSet<_>>()
    };
    let found: BTreeSet<_> = places(&project.check()).into_iter().collect();
    let always =
        ["src/a/e.rs", "src/b/c/f.rs", "src/elsewhere/d.rs", "examples/shown.rs", "benches/quick.rs"];
    assert_eq!(found, expected(&always));
    let (with_tests, _) = check(&Options { tests: true, ..project.options() }).unwrap();
    let found: BTreeSet<_> = places(&with_tests).into_iter().collect();
    assert_eq!(found, expected(&[&always[..], &["src/tests.rs", "tests/all.rs"]].concat()));
}

#[test]
fn what_cannot_be_checked_is_told() {
    let project =
        Project::new("broken", &[("src/lib.rs", "mod wrong;\nfn right() {}\n"), ("src/wrong.rs", "fn (\n")]);
    let (files, problems) = check(&project.options()).unwrap();
    assert_eq!(files.len(), 1);
    assert!(problems[0].to_string().starts_with("src/wrong.rs:1:4: "), "{}", problems[0]);
    let nobody = Options { packages: vec!["nobody".into()], ..project.options() };
    assert_eq!(check(&nobody).err(), Some(Problem::NoPackage("nobody".into())));
    project.write("Cargo.toml", "[package]\nname = \"broken\"\nversion = \"0.1.0\"\n[workspace]\n");
    assert_eq!(check(&project.options()).err(), Some(Problem::NotUsed));
    project.write("Cargo.toml", "no manifest");
    assert!(matches!(check(&project.options()), Err(Problem::Project(_))));
}

/// A file may begin with a mark or a line for the shell, and have the line ends of other systems.
#[test]
fn places_are_right_in_every_file() {
    let files = [
        ("src/bin/mark.rs", format!("\u{feff}{BLOCKS}")),
        ("src/bin/shell.rs", format!("#!/usr/bin/env run\n{BLOCKS}")),
        ("src/bin/ends.rs", format!("// ä\r\n{}", BLOCKS.replace('\n', "\r\n"))),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let project = Project::new("places", &files);
    for file in project.check() {
        let [finding] = &file.findings[..] else { panic!("{}", file.source.shown) };
        assert_eq!(&file.source.text[finding.span.clone()], "drained_blocking", "{}", file.source.shown);
    }
}

#[test]
fn levels_are_as_asked() {
    let project = Project::new("levels", &[("src/lib.rs", BLOCKS)]);
    let blocking = find("AN07").unwrap();
    let level =
        |options: Options| check(&options).unwrap().0[0].findings.first().map(|finding| finding.level);
    assert_eq!(level(project.options()), Some(Level::Warning));
    assert_eq!(level(Options { deny: vec![blocking], ..project.options() }), Some(Level::Error));
    assert_eq!(
        level(Options { deny: vec![find("AN01").unwrap()], ..project.options() }),
        Some(Level::Warning)
    );
    assert_eq!(level(Options { deny_warnings: true, ..project.options() }), Some(Level::Error));
    assert_eq!(level(Options { allow: vec![blocking], ..project.options() }), None);
}

/// what may be put right by itself is, and only that.
#[test]
fn a07_safe_fixes_are_made_and_others_are_not() {
    let text = "\
async fn all(kernel: &KernelHandle<detect>, one: Reading) -> Result<(), Any> {
    let _ = kernel.send_blocking(one)?;
    println!(\"{}\", kernel.recv_blocking()?.value);
    kernel.drained_blocking(); // annulus: allow(tight_poll)
    Ok(())
}
// annulus: allow(tight_poll) long ago
fn watch(telemetry: &Telemetry, kernel: &KernelHandle<detect>) {
    let _ = kernel.try_send(Reading { value: 1.0 });
}
";
    let expected = "\
async fn all(kernel: &KernelHandle<detect>, one: Reading) -> Result<(), Any> {
    let _ = kernel.send(one).await?;
    println!(\"{}\", kernel.recv_blocking()?.value);
    kernel.drained().await;
    Ok(())
}
fn watch(telemetry: &Telemetry, kernel: &KernelHandle<detect>) {
    let _ = kernel.try_send(Reading { value: 1.0 });
}
";
    let project = Project::new("fixes", &[("src/lib.rs", text)]);
    let files = project.check();
    let fixed = fix(&files[0]).unwrap().unwrap();
    assert_eq!((fixed.count, fixed.text.as_str()), (4, expected));
    let path = project.0.join("src/lib.rs");
    assert_eq!(fs::read_to_string(&path).unwrap(), expected);
    // What was read is no longer what is there.
    let changed = fix(&files[0]).unwrap_err().to_string();
    assert!(changed.contains("it has changed meanwhile"), "{changed}");
    let left = project.check();
    assert_eq!(places(&left), ["src/lib.rs:3:27: warning[AN07]", "src/lib.rs:8:13: warning[AN08]"]);
    assert_eq!(fix(&left[0]).unwrap(), None);
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "nothing is left beside it");
}

/// Names of fields, of all objects within.
fn shape(value: &Value, at: &str, shapes: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                shapes.insert(format!("{at}.{name}"));
                shape(value, &format!("{at}.{name}"), shapes);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| shape(value, &format!("{at}[]"), shapes)),
        _ => {}
    }
}

/// editors read what Cargo and the compiler write; ours has the same fields.
#[test]
fn a07_json_is_that_of_the_compiler() {
    let compiler =
        Project::new("compiler", &[("src/lib.rs", "pub fn f() { let mut a = 1; println!(\"{a}\"); }\n")]);
    let output = Command::new("rustc")
        .args(["--edition=2024", "--crate-type=lib", "--error-format=json", "--emit=metadata", "--out-dir"])
        .arg(&compiler.0)
        .arg(compiler.0.join("src/lib.rs"))
        .output()
        .unwrap();
    let theirs: Value =
        serde_json::from_slice(output.stderr.split(|&byte| byte == b'\n').next().unwrap()).unwrap();
    assert_eq!(
        theirs["children"][1]["spans"][0]["suggestion_applicability"], "MachineApplicable",
        "{theirs}"
    );

    let project = Project::new("json", &[("src/lib.rs", BLOCKS)]);
    let files = project.check();
    let lines = json(&files[0]);
    let ours: Value = serde_json::from_str(&lines[0]).unwrap();
    let (mut wanted, mut found) = (BTreeSet::new(), BTreeSet::new());
    shape(&theirs, "", &mut wanted);
    shape(&ours["message"], "", &mut found);
    assert_eq!(found, wanted);

    assert_eq!(ours["reason"], "compiler-message");
    assert_eq!(ours["target"]["name"], "json");
    assert_eq!(ours["manifest_path"], project.0.join("Cargo.toml").to_str().unwrap());
    let message = &ours["message"];
    assert_eq!(
        (&message["level"], &message["code"]["code"]),
        (&"warning".into(), &"annulus::blocking_in_async".into())
    );
    let edit = &message["children"][1]["spans"][0];
    assert_eq!(edit["suggested_replacement"], "drained().await");
    assert_eq!(edit["suggestion_applicability"], "MachineApplicable");
    let place =
        ["line_start", "column_start", "byte_start", "byte_end"].map(|name| edit[name].as_u64().unwrap());
    assert_eq!(place, [1, 55, 54, 72]);
    assert_eq!(edit["text"][0]["text"], BLOCKS.trim_end());
}

/// Nothing is found where nothing is wrong: examples, the guide's programs, benchmarks, the command.
#[test]
fn the_repositorys_own_programs_are_clean() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let manifest = root.join("Cargo.toml");
    if !root.join("crates/annulus-bench").exists() {
        return println!("skipped: this is a package, without its repository");
    }
    let packages = ["annulus", "annulus-bench", "annulus-cli", "annulus-guide"].map(Into::into).to_vec();
    let options = Options { manifest_path: Some(manifest), packages, tests: true, ..Options::default() };
    let (files, problems) = check(&options).unwrap();
    assert_eq!(problems, []);
    assert!(files.len() > 100, "{} files", files.len());
    assert_eq!(places(&files), Vec::<String>::new());
}
