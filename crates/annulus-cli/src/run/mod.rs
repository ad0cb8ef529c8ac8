//! `annulus run JOB`: ready-made jobs that put a ring kernel to work; and the kernels of a topology.

mod alerts;
mod anomalies;
mod batch;
mod csv_input;
mod detect;
mod engine;
mod feed;
mod feeding;
mod in_flight;
mod input_error;
mod kernel_engine;
pub(crate) mod lines;
mod pace;
mod pipeline;
mod progress;
#[cfg(test)]
mod reference;
mod series;
mod shapes;
mod source;
mod summary;
pub(crate) mod topology;
mod trial;
mod watch;

use std::{
    io::{self, Write},
    path::PathBuf,
    time::Duration,
};

pub(crate) use engine::LaunchReport;
pub(crate) use shapes::{example, shape};
pub(crate) use trial::{Trial, try_out};

use annulus::{Backend, RegisteredKernel};
use clap::{Args, Subcommand};

use crate::{failure::Failure, follow::Follow, top::seconds, values};
use topology::Launch;
use watch::Watch;

/// Run a ready-made job on a ring kernel, or the kernels of a topology in TOML
///
/// A topology's kernels are those of this program. Messages are JSON lines on standard input, for the kernel to which
/// no other sends; what kernels send to the host comes out as JSON lines: {"from": KERNEL, "output": {…}}. At the end
/// of the input all of it is drained, sources before their targets. `annulus graph` draws the file.
///
/// SIGINT (Ctrl-C) and SIGTERM end the input: what was read is sent and handled, within --limit from then on, unless the
/// kernels stand still in a cycle. A second one ends the program at once.
///
/// Messages that a kernel has set for later, to itself, are not waited for: if some were still to come when it ends they are
/// lost, and its line at the end tells how many.
///
/// Exit codes: 0 done, also after a signal; 1 the data or the machine is at fault, or messages failed, were for unknown actors,
/// or were left: not sent, or not handled within --limit; 2 the command line is; 130 and 143 a second signal ended it.
#[derive(Args)]
#[command(
    arg_required_else_help = true,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true
)]
#[command(subcommand_value_name = "JOB", subcommand_help_heading = "Jobs")]
pub(crate) struct Run {
    /// List the jobs, and the kernels that `annulus send` knows
    #[arg(long)]
    list: bool,

    /// Launch the kernels of this file
    #[arg(value_name = "TOPOLOGY.toml", value_parser = topology::file)]
    topology: Option<PathBuf>,

    /// Send to this kernel of the topology
    #[arg(long, value_name = "NAME", requires = "topology")]
    to: Option<String>,

    /// Where the topology's kernels run
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = values::handling_backend())]
    backend: Backend,

    /// How long the topology's kernels may take to drain at the end, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    limit: Duration,

    #[command(flatten)]
    watch: Watch,

    #[command(flatten)]
    follow: Follow,

    #[command(subcommand)]
    job: Option<Job>,
}

#[derive(Subcommand)]
enum Job {
    Anomalies(Box<anomalies::Anomalies>),
}

impl Run {
    /// `command` is the whole command line.
    pub(crate) fn execute(self, command: &clap::Command) -> Result<(), Failure> {
        match self.job {
            Some(Job::Anomalies(job)) => job.execute(),
            None => match self.topology {
                Some(file) => {
                    let Self { backend, to, limit, watch, follow, .. } = self;
                    Launch { file, backend, to, limit, watch, follow }.execute()
                }
                None if self.follow.is_asked() => {
                    Err(Failure::Usage("--otlp follows the messages of a topology: name its file".into()))
                }
                None if self.watch.is_asked() => Err(Failure::Usage(
                    "--top, --metrics and --dashboard watch the kernels of a topology: name its file".into(),
                )),
                None => list(command),
            },
        }
    }
}

/// Prints one line per job, its name and what it does; then the kernels that `annulus send` knows.
fn list(command: &clap::Command) -> Result<(), Failure> {
    let jobs = command.find_subcommand("run").into_iter().flat_map(clap::Command::get_subcommands);
    let lines: String = jobs
        .map(|job| format!("  {:<12} {}\n", job.get_name(), job.get_about().cloned().unwrap_or_default()))
        .collect();
    let kernels: String = RegisteredKernel::all().into_iter().map(shapes::described).collect();
    let text = format!("Jobs, for `annulus run`:\n{lines}\nKernels, for `annulus send`:\n{kernels}");
    io::stdout().write_all(text.as_bytes()).map_err(Failure::stdout)
}
