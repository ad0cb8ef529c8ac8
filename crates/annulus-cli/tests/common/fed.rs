//! A program that is given its whole input.

use std::{
    io::Write,
    process::{Command, Output, Stdio},
};

/// Runs a program with this on its standard input.
pub(crate) fn fed(program: &mut Command, input: impl AsRef<[u8]>) -> Output {
    let mut child =
        program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A program that has had enough closes the pipe; what it says tells whether that was right.
    let _ = child.stdin.take().unwrap().write_all(input.as_ref());
    child.wait_with_output().unwrap()
}
