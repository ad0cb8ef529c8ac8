//! The `annulus` command, as a library: a program that calls [`main`] is the command for its own kernels.
//!
//! ```no_run
//! use annulus::prelude::*;
//!
//! #[derive(RingMessage, Clone, Copy)]
//! #[repr(C)]
//! struct Number {
//!     value: u64,
//! }
//!
//! #[ring_kernel]
//! fn double(number: &Number, out: &Outbox<Number>) {
//!     out.send(Number { value: number.value * 2 });
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     annulus_cli::main() // echo '{"value": 21}' | my-program send double
//! }
//! ```
//!
//! Exit codes: 0 done (also when whoever reads standard output has gone), 1 the data or the machine is at fault, 2 the
//! command line is.

mod cli;
mod devices;
mod emit;
mod failure;
mod run;
mod send;

use std::{io, process::ExitCode};

use clap::Parser;

use cli::{Cli, Command};

/// Does what the command line says. What kernels print goes to standard error, unless the program has a subscriber of its own.
pub fn main() -> ExitCode {
    let prints = tracing_subscriber::fmt().with_writer(io::stderr).without_time().finish();
    // A program that has one keeps it.
    let _ = tracing::subscriber::set_global_default(prints);
    let outcome = match Cli::parse().command {
        Command::Run(run) => run.execute(),
        Command::Send(send) => send.execute(),
        Command::Emit(emit) => emit.execute(),
        Command::Devices(devices) => devices.execute(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
