//! `annulus export`: metrics of what runs on this machine.

use std::io::{self, Write};

use annulus_observe::Observer;
use clap::Args;

use crate::{failure::Failure, top::printable};

/// Print the metrics of this user's processes, as Prometheus reads them
///
/// The processes need no preparation, and do nothing for it: see `annulus top`. Each metric has the labels process,
/// pid, backend and kernel. A program can show more of its own kernels: see the guide on health and metrics.
#[derive(Args)]
#[command(after_long_help = CODES)]
pub(crate) struct Export {
    /// Only this process
    #[arg(long, value_name = "NUMBER")]
    pid: Option<u32>,

    /// Metrics of each shard instead of each kernel
    #[arg(long)]
    shards: bool,
}

const CODES: &str = "\
Exit codes:
  0  also if nothing runs
  1  standard output cannot be written
  2  the command line is wrong";

impl Export {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let observer = Observer::of_machine(self.pid).per_shard(self.shards).build();
        // Health takes two looks.
        observer.health();
        let sight = observer.look();
        for file in &sight.unreadable {
            // If even standard error is gone, the metrics are told all the same.
            let _ = writeln!(io::stderr(), "annulus: {}", printable(file));
        }
        let text = observer.prometheus();
        io::stdout().write_all(text.as_bytes()).map_err(Failure::stdout)
    }
}
