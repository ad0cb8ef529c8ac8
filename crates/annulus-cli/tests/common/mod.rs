//! `annulus send`, run by tests.

mod fed;

use std::process::{Command, Output};

/// What the program is told to send to a kernel.
pub(crate) const KERNEL: [&str; 6] =
    ["send", "anomalies", "--actors", "8", "--bind", r#"limits={"threshold": 3}"#];

/// Runs the program with this on its standard input.
pub(crate) fn run(arguments: &[&str], input: impl AsRef<[u8]>) -> Output {
    fed::fed(Command::new(env!("CARGO_BIN_EXE_annulus")).args(arguments), input)
}
