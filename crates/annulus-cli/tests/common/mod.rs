//! `annulus send`, run by tests.

use std::{
    io::Write,
    process::{Command, Output, Stdio},
};

/// What the program is told to send to a kernel.
pub(crate) const KERNEL: [&str; 6] =
    ["send", "anomalies", "--actors", "8", "--bind", r#"limits={"threshold": 3}"#];

/// Runs the program with this on its standard input.
pub(crate) fn run(arguments: &[&str], input: impl AsRef<[u8]>) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_annulus"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that has had enough closes the pipe; what it says tells whether that was right.
    let _ = child.stdin.take().unwrap().write_all(input.as_ref());
    child.wait_with_output().unwrap()
}
