//! Runs a program of the guide: `cargo run -p annulus-guide -- NAME`. Without a name it lists them.
//!
//! The programs are one binary, since linking each by itself would take longer than running them all.

use std::process::ExitCode;

/// Where rustfmt finds the programs. They are compiled below, each in a module of its own, as whole files with a
/// `main`.
#[cfg(any())]
#[path = "../programs/all.rs"]
mod all;

macro_rules! programs {
    ($($name:ident),+ $(,)?) => {
        $(
            mod $name {
                // The ban on atomics is this repository's own, for its protocols; the chapters say what the
                // programs do.
                #![allow(clippy::disallowed_types, missing_docs)]
                include!(concat!("../programs/", stringify!($name), ".rs"));

                pub(super) fn run() -> Result<(), String> {
                    main().map_err(|error| error.to_string())
                }
            }
        )+

        /// The programs by their files' names.
        const PROGRAMS: &[(&str, fn() -> Result<(), String>)] = &[$((stringify!($name), $name::run)),+];
    };
}

programs!(
    actors,
    addresses,
    any,
    asks,
    barriers,
    bridged,
    calls,
    consumer,
    coordinator,
    deployment,
    failures,
    filter,
    getting_started,
    grid,
    holds,
    memory,
    messages,
    modes,
    order,
    pipeline_calls,
    queues,
    replies,
    rows,
    search,
    sending,
    stalled,
    state,
    telemetry,
    testing,
    timers,
    topics,
    traces,
    turns,
    upgrade,
    with_tokio,
);

fn main() -> ExitCode {
    let Some(name) = std::env::args().nth(1) else {
        PROGRAMS.iter().for_each(|(name, _)| println!("{name}"));
        return ExitCode::SUCCESS;
    };
    let Some((_, run)) = PROGRAMS.iter().find(|(known, _)| *known == name) else {
        eprintln!("error: the guide has no program `{name}`: run without a name to list them");
        return ExitCode::FAILURE;
    };
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
