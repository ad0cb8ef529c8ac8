//! `annulus run JOB`: ready-made jobs that put a ring kernel to work.

mod alerts;
mod anomalies;
mod batch;
mod csv_input;
mod detect;
mod engine;
mod feed;
mod in_flight;
mod input_error;
mod kernel_engine;
mod lines;
mod pace;
mod pipeline;
mod progress;
#[cfg(test)]
mod reference;
mod series;
mod source;
mod summary;

use std::io::{self, Write};

use clap::{Args, CommandFactory, Subcommand};

use crate::cli::Cli;
use crate::failure::Failure;

/// Run a ready-made job on a ring kernel
#[derive(Args)]
#[command(
    arg_required_else_help = true,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true
)]
#[command(subcommand_value_name = "JOB", subcommand_help_heading = "Jobs")]
pub(crate) struct Run {
    /// List the jobs
    #[arg(long)]
    list: bool,

    #[command(subcommand)]
    job: Option<Job>,
}

#[derive(Subcommand)]
enum Job {
    Anomalies(Box<anomalies::Anomalies>),
}

impl Run {
    pub(crate) fn execute(self) -> Result<(), Failure> {
        match self.job {
            Some(Job::Anomalies(job)) => job.execute(),
            None => list(),
        }
    }
}

/// Prints one line per job: its name and what it does.
fn list() -> Result<(), Failure> {
    let command = Cli::command();
    let jobs = command.find_subcommand("run").into_iter().flat_map(clap::Command::get_subcommands);
    let lines: String = jobs
        .map(|job| format!("{:<12} {}\n", job.get_name(), job.get_about().cloned().unwrap_or_default()))
        .collect();
    io::stdout().write_all(lines.as_bytes()).map_err(Failure::stdout)
}
