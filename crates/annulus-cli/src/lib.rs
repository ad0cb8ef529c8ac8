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
//! Exit codes: 0 done (also when whoever reads standard output has gone), 1 the data or the machine is at
//! fault, or a kernel did not handle messages that it was sent, 2 the command line is.

mod autopsy;
mod check;
mod cli;
mod completions;
mod dead_letters;
mod devices;
mod doctor;
mod dump;
mod emit;
mod export;
mod failure;
mod flags;
mod follow;
mod format;
mod graph;
mod input;
mod msgpack;
mod profile;
mod run;
mod send;
mod signals;
mod told;
mod top;
mod values;
mod why;

use std::{
    env,
    io::{self, Write},
    process::ExitCode,
};

use annulus::LIFECYCLE_TARGET;
use clap::{CommandFactory, FromArgMatches};
use tracing::Level;
use tracing_subscriber::{filter::Targets, prelude::*};

use cli::{Cli, Command};

/// Does what the command line says. Prints of kernels, and warnings about their lifecycle, go to standard
/// error, unless the program has its own subscriber. `ANNULUS_LOG` chooses other events, as `target=level`
/// with commas in between: `annulus::lifecycle=debug`.
pub fn main() -> ExitCode {
    let matches = cli::command().get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let told = tracing_subscriber::fmt::layer().with_writer(|| told::Told).without_time();
    // A program that has a subscriber keeps it.
    let _ = tracing_subscriber::registry().with(told.with_filter(events())).try_init();
    let outcome = match cli.command {
        Command::Run(run) => run.execute(&Cli::command()),
        Command::Graph(graph) => graph.execute(),
        Command::Send(send) => send.execute(),
        Command::Dump(dump) => dump.execute(),
        Command::Emit(emit) => emit.execute(),
        Command::Devices(devices) => devices.execute(),
        Command::Top(top) => top.execute(),
        Command::Why(why) => why.execute(),
        Command::Profile(profile) => profile.execute(),
        Command::Export(export) => export.execute(),
        Command::Autopsy(autopsy) => autopsy.execute(),
        Command::Doctor(doctor) => doctor.execute(),
        Command::Check(check) => check.execute(),
        Command::Completions(completions) => completions.execute(Cli::command()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// The events that are shown: prints, warnings, and what the environment asks for.
fn events() -> Targets {
    let usual = Targets::new().with_default(Level::INFO).with_target(LIFECYCLE_TARGET, Level::WARN);
    match env::var("ANNULUS_LOG").map(|said| said.parse::<Targets>()) {
        Ok(Ok(said)) => usual.with_targets(said),
        Ok(Err(error)) => {
            let _ = writeln!(io::stderr(), "annulus: ANNULUS_LOG: {error}: write target=level");
            usual
        }
        Err(_) => usual,
    }
}
