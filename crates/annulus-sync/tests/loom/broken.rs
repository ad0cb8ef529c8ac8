//! What loom says of a protocol of which something was left out.

use std::{
    any::type_name_of_val,
    env,
    process::{Command, Stdio},
};

/// The test that runs the model.
const WHICH: &str = "ANNULUS_BROKEN_MODEL";

/// Runs `model` in a process of its own, where loom must stop it and say `what`. A thread that loom stops in
/// a wait may panic again as it unwinds, which ends the process.
///
/// To be called by a test with a closure of its own: the test is found by the closure's name.
pub(crate) fn fails<F: FnOnce()>(what: &str, model: F) {
    let name = type_name_of_val(&model).replace("::{{closure}}", "");
    let (_, test) = name.split_once("::").expect("a test is a function of the crate");
    if env::var_os(WHICH).is_some_and(|which| which == test) {
        return model();
    }
    let program = env::current_exe().expect("a test program has a path");
    let run = Command::new(program)
        .args(["--exact", test, "--nocapture"])
        .env(WHICH, test)
        .stdin(Stdio::null())
        .output()
        .expect("a program that runs can be run again");
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(!run.status.success(), "loom finds nothing wrong with `{test}`");
    assert!(said.contains(what), "loom says of `{test}` something else than `{what}`:\n{said}");
}
