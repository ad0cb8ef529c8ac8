//! `annulus-gpu`, as it is run on a machine with a GPU: from an empty folder, with nothing but the system's
//! own path. Libraries that stand in for NVIDIA's take the GPU's place, and where a test is about what goes
//! wrong, a script takes a suite's.
#![cfg(target_os = "linux")]

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::Value;

/// A folder of this test's own with the programs in it, which goes when the value does.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, programs: &[&str]) -> Self {
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
    fn script(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn run(&self, stand_in: Option<&Path>, arguments: &[&str]) -> Output {
        self.run_program("annulus-gpu", stand_in, arguments)
    }

    fn run_program(&self, program: &str, stand_in: Option<&Path>, arguments: &[&str]) -> Output {
        let mut command = Command::new(self.0.join(program));
        command.args(arguments).current_dir(&self.0).env_clear().env("PATH", "/usr/bin:/bin");
        if let Some(libraries) = stand_in {
            command.env("LD_LIBRARY_PATH", libraries);
        }
        command.output().unwrap()
    }

    fn records(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.0.join("gpu-results/results.jsonl")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn report(&self) -> String {
        fs::read_to_string(self.0.join("gpu-results/report.txt")).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const GPU: &str = env!("CARGO_BIN_EXE_annulus-gpu");
const BENCH: &str = env!("CARGO_BIN_EXE_annulus-bench");
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../test-gpu");

/// Where the libraries lie that stand in for NVIDIA's; says why not where they cannot be built.
fn stand_in() -> Option<&'static Path> {
    annulus_conformance::cuda::build().inspect_err(|why| println!("skipped: {why}")).ok()
}

fn all(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// What `cases` of the record's suite came to.
fn outcomes(records: &[Value]) -> Vec<(&str, &str)> {
    let cases = records.iter().filter(|line| line["record"] == "case");
    cases.map(|line| (line["case"].as_str().unwrap(), line["outcome"].as_str().unwrap())).collect()
}

/// What `./test-gpu` does with these arguments, here.
fn script(arguments: &[&str]) -> Output {
    Command::new(SCRIPT).args(arguments).output().unwrap()
}

/// What a bundle's folder has, in a folder of its own that has nothing else.
fn unpacked(name: &str, bundle: &Path) -> Folder {
    let folder = Folder::new(name, &[]);
    let mut tar = Command::new("tar");
    let unpacked =
        tar.args(["--strip-components=1", "-xzf"]).arg(bundle).arg("-C").arg(&folder.0).output().unwrap();
    assert!(unpacked.status.success(), "{}", all(&unpacked));
    let mut inside: Vec<_> =
        fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    inside.sort();
    assert_eq!(inside, ["bin", "test-gpu"]);
    folder
}

/// The bundle is packed and unpacked, and run by its own script. The programs are those of this build.
#[test]
fn the_first_steps_pass_and_are_not_run_again() {
    let Some(libraries) = stand_in() else { return };
    let made = Folder::new("made", &[GPU, BENCH]);
    let bundle = made.0.with_extension("tar.gz");
    let packed = script(&["--pack", bundle.to_str().unwrap(), "--from", made.0.to_str().unwrap()]);
    assert!(packed.status.success(), "{}", all(&packed));
    let folder = unpacked("first", &bundle);
    fs::remove_file(&bundle).unwrap();
    first_steps(&folder, libraries);
}

/// A bundle that `./test-gpu --pack` has made, in release; `--try` runs this.
#[test]
#[ignore = "`./test-gpu --pack FILE --try` runs it: a release build takes minutes"]
fn a_bundle_passes_its_first_steps() {
    let bundle = std::env::var_os("ANNULUS_BUNDLE").expect("ANNULUS_BUNDLE names the bundle");
    let libraries = stand_in().expect("the stand-in is what the bundle is tried on");
    let folder = unpacked("bundle", Path::new(&bundle));
    first_steps(&folder, libraries);
    println!("{}", folder.report());
}

fn first_steps(folder: &Folder, libraries: &Path) {
    let output = folder.run_program("test-gpu", Some(libraries), &["--first", "--rehearse"]);
    assert_eq!(output.status.code(), Some(0), "{}\n{}", all(&output), folder.report());
    let records = folder.records();
    assert_eq!(records[0]["device"]["device"], "Annulus stand-in");
    assert!(records[0]["environment"].as_array().unwrap().contains(&"CUDA_MODULE_LOADING=EAGER".into()));
    let steps: Vec<_> = records.iter().filter(|line| line["record"] == "step").collect();
    assert_eq!(steps.len(), 7, "{steps:?}");
    for (suite, least) in [("micro", 24), ("rtt", 20), ("stream of lines", 3), ("poll", 4)] {
        let figures =
            records.iter().filter(|line| line["record"] == "figure" && line["step"] == suite).count();
        assert!(figures >= least, "{figures} figures of {suite}\n{}", folder.report());
    }
    let torn = records.iter().find(|line| line["case"] == "units of 16 bytes torn").unwrap();
    assert_eq!(torn["median"], 0.0);
    let managed: Vec<_> = records.iter().filter(|line| line["candidate"] == "limit, managed").collect();
    assert!(
        managed.len() >= 3 && managed.iter().all(|line| line["median"].as_f64() > Some(0.0)),
        "{managed:?}"
    );
    assert!(folder.report().contains("first: 1,000,000 messages"));
    // Three files, and a second run does nothing but ask the device.
    assert_eq!(fs::read_dir(folder.0.join("gpu-results")).unwrap().count(), 3);
    let again = folder.run_program("test-gpu", Some(libraries), &["--first", "--rehearse"]);
    assert_eq!(again.status.code(), Some(0), "{}", all(&again));
    assert_eq!(folder.records().len(), records.len() + 1);
}

#[test]
fn nothing_passes_without_a_device() {
    let folder = Folder::new("nothing", &[GPU, BENCH]);
    let output = folder.run(None, &[]);
    assert_eq!(output.status.code(), Some(1));
    let said = all(&output);
    assert!(said.contains("there is no NVIDIA GPU that runs kernels here"), "{said}");
    let records = folder.records();
    assert_eq!(records.len(), 1, "{records:?}");
    assert_eq!(records[0]["outcome"], "failed");
    assert!(folder.report().contains("No device ran a kernel."));
}

/// A suite of four cases: one fails, one hangs (and cannot be ended politely), one says that it skipped
/// itself.
const SUITE: &str = r#"#!/bin/sh
if [ "$1" = --list ]; then
    for case in good bad stuck skips; do echo "persistent::a::$case: test"; done
    echo "persistent::a::a_hundred_kernels: test"
    exit 0
fi
trap '' TERM
echo "$@" >>calls
shift 3
failures= successes= code=0
for case in "$@"; do
    printf 'test %s ... ' "$case"
    case $case in
        *bad) echo FAILED; code=101 failures="---- $case stdout ----
1 is not 2" ;;
        *stuck) while :; do sleep 1; done ;;
        *skips) echo ok; successes="---- $case stdout ----
skipped: skips on cuda: it has no device" ;;
        *) echo ok ;;
    esac
done
printf '\nsuccesses:\n\n%s\n\nfailures:\n\n%s\n' "$successes" "$failures"
exit $code
"#;

#[test]
fn a_case_that_hangs_is_recorded_and_the_others_go_on() {
    let Some(libraries) = stand_in() else { return };
    let folder = Folder::new("hangs", &[GPU, BENCH]);
    folder.script("cuda", SUITE);
    let output = folder.run(Some(libraries), &["--suite", "conformance", "--seconds-per-case", "1"]);
    assert_eq!(output.status.code(), Some(1), "{}", all(&output));
    let records = folder.records();
    let found = outcomes(&records);
    let expected = [
        ("persistent::a::good", "passed"),
        ("persistent::a::bad", "failed"),
        ("persistent::a::stuck", "hung"),
        ("persistent::a::skips", "skipped"),
        ("persistent::a::a_hundred_kernels", "passed"),
    ];
    assert_eq!(found, expected, "{}", all(&output));
    // The one that hung, then those behind it, then what may hang.
    let calls = fs::read_to_string(folder.0.join("calls")).unwrap();
    assert_eq!(calls.lines().count(), 3, "{calls}");
    assert!(
        calls.lines().nth(1).is_some_and(|call| call.ends_with("1 --show-output persistent::a::skips")),
        "{calls}"
    );
    let report = folder.report();
    assert!(report.contains("Cases of conformance: 1 failed, 1 hung, 2 passed, 1 skipped"), "{report}");
    // What is recorded is not run again; `--again` forgets it.
    let before = records.len();
    let more = folder.run(Some(libraries), &["--suite", "conformance"]);
    assert_eq!((more.status.code(), folder.records().len()), (Some(1), before + 1));
    assert_eq!(fs::read_to_string(folder.0.join("calls")).unwrap(), calls);
}

#[test]
fn a_limit_stops_between_steps() {
    let Some(libraries) = stand_in() else { return };
    let folder = Folder::new("limit", &[GPU, BENCH]);
    let output = folder.run(Some(libraries), &["--first", "--rehearse", "--limit", "0"]);
    assert_eq!(output.status.code(), Some(3), "{}", all(&output));
    assert!(folder.records().iter().all(|line| line["record"] == "machine"));
}
