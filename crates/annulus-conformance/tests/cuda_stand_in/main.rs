//! The libraries that stand in for NVIDIA's, through cudarc: a kernel that stays answers messages that are
//! sent while it runs, what CUDA's manual says holds, and what a GPU would hang on is found.
#![cfg(target_os = "linux")]

/// A call of CUDA's.
macro_rules! cuda {
    ($call:expr) => {{
        // SAFETY: out-parameters are live, handles come from the driver, and sizes are those of what is
        // pointed to; where a test breaks that, the stand-in is asked to notice.
        unsafe { $call }
    }};
}

mod driver;
mod meaning;
mod misuse;
mod registered;
mod resident;
mod waiting;

use std::process::Command;

use annulus_conformance::cuda;

/// Loads the stand-in; false, and says why, if there is none.
fn has_stand_in() -> bool {
    cuda::stand_in().inspect_err(|error| println!("skipped: no stand-in for CUDA: {error}")).is_ok()
}

/// Which test the child runs.
const CASE: &str = "ANNULUS_STAND_IN_CASE";

/// Runs a case in a process of its own, with these variables; gives whether it succeeded, and what it said.
fn child(case: &str, variables: &[(&str, &str)]) -> (bool, String) {
    let mut command = Command::new("timeout");
    command.arg("60").arg(std::env::current_exe().unwrap());
    command.args(["--exact", "in_a_child", "--ignored", "--nocapture"]).env(CASE, case);
    let names = variables.iter().map(|(name, value)| (format!("ANNULUS_STAND_IN_{name}"), value));
    let output = command.envs(names).output().unwrap();
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The case ends with a message of the stand-in that says this.
fn is_found(case: &str, variables: &[(&str, &str)], words: &str) {
    let (succeeded, said) = child(case, variables);
    assert!(
        !succeeded && said.contains("annulus stand-in: ") && said.contains(words),
        "{case} {variables:?}: {said}"
    );
}

/// The case runs to its end.
fn succeeds(case: &str, variables: &[(&str, &str)]) {
    let (succeeded, said) = child(case, variables);
    assert!(succeeded, "{case}: {said}");
}

/// One of the variables that the child was started with.
fn setting(name: &str) -> Option<String> {
    std::env::var(format!("ANNULUS_STAND_IN_{name}")).ok()
}

/// What a test runs in a process of its own: its name, and how.
type Case = (&'static str, fn());

/// Runs the case that the environment names: not a test of its own.
#[test]
#[ignore = "the other tests run it"]
fn in_a_child() {
    cuda::stand_in().unwrap();
    let name = std::env::var(CASE).expect("run by the other tests");
    let cases = [meaning::CASES, misuse::CASES, registered::CASES, resident::CASES, waiting::CASES];
    let case = cases.into_iter().flatten().find(|(case, _)| *case == name);
    case.unwrap_or_else(|| panic!("no case is called {name}")).1();
}
