//! The `annulus` command.
//!
//! Exit codes: 0 done (also when whoever reads standard output has gone), 1 the data or the machine is at fault, 2 the
//! command line is.

mod cli;
mod failure;
mod run;

use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Command};

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Run(run) => run.execute(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
