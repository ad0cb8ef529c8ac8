//! Why the program ends early, and how that is told.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

/// What ended the program.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line asks for something that cannot be; exit code 2.
    Usage(String),
    /// The data, a file or the machine is at fault; exit code 1.
    Fault(String),
    /// The reader of standard output has gone, as in `annulus … | head -1`: nothing is wrong, and nothing is
    /// printed.
    ClosedPipe,
}

impl Failure {
    /// Any fault that can tell what it is.
    pub(crate) fn fault(error: impl fmt::Display) -> Self {
        Self::Fault(error.to_string())
    }

    /// A failed write to standard output.
    pub(crate) fn stdout(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::ClosedPipe,
            _ => Self::Fault(format!("cannot write to standard output: {error}")),
        }
    }

    /// Tells it on standard error and gives the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        let (message, code) = match self {
            Self::Usage(message) => (message, 2),
            Self::Fault(message) => (message, 1),
            Self::ClosedPipe => return ExitCode::SUCCESS,
        };
        // If even standard error is gone, the exit code still reports the failure.
        let _ = writeln!(io::stderr(), "annulus: {message}");
        ExitCode::from(code)
    }
}
