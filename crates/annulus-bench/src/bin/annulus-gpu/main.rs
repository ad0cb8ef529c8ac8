//! `annulus-gpu`: checks and measures the CUDA backend on this machine's NVIDIA GPU, in an order that suits
//! an hour with one.
//!
//! # What it promises
//!
//! * Nothing passes without a GPU: without a device that runs a kernel nothing else is run, and suites fail
//!   where they would skip.
//! * A step that hangs is ended and recorded, the device is asked whether it still answers, and the other
//!   steps go on.
//! * Whatever has ended is on disk. The same command goes on where the last run stopped: with the same length
//!   of runs, version and device, since other results are another run's.
//! * On Linux the process of a step ends with it, however it ends. (What that process has started itself does
//!   not; none of ours starts anything that uses the device.) That nobody reads what it prints any more ends nothing.
//! * At the limit what runs is ended. Later than that come only the end of a process that does not go at once (13
//!   seconds at most, then it is left alone), a question to the device (15), and ones to `nvidia-smi` (10).
//!
//! # What it does not do
//!
//! It changes no setting of the device, and never resets it.
//!
//! # Files, in the folder that `--out` names
//!
//! | file | |
//! |---|---|
//! | `results.jsonl` | the record: a line for the machine, each step, case, figure, mark and failure |
//! | `report.txt` | the same for people, written anew after each step |
//! | `log.txt` | all that the steps printed |

#[path = "../../bus.rs"]
mod bus;
mod compiler;
mod device;
mod process;
#[path = "../../processor.rs"]
mod processor;
mod record;
mod report;
mod smi;
mod steps;
mod suite;

use std::{
    io::{self, Write},
    path::PathBuf,
    process::ExitCode,
    time::{Duration, Instant},
};

use clap::{Parser, Subcommand};

use serde_json::Value;

use crate::{process::Programs, record::Record, smi::Smi, steps::Run};

/// Why something could not be done, in words.
pub(crate) type Failure = Box<dyn std::error::Error>;

/// Prints a line for whoever waits. That nobody does any more is no reason to end: what matters is on disk.
pub(crate) fn say(line: &str) {
    let _ = writeln!(io::stdout(), "{line}");
}

/// Checks and measures the CUDA backend on this machine's NVIDIA GPU
///
/// Without options: the first steps (--first), the conformance suite, the language's suite, and every
/// benchmark. What is recorded in the folder is not run again: the same command goes on where it was stopped.
#[derive(Debug, Parser)]
#[command(name = "annulus-gpu", version, after_help = AFTER_HELP, args_conflicts_with_subcommands = true)]
struct Arguments {
    /// Only the first steps: what matters most, from the driver to round trips. Nothing of them begins after
    /// three minutes, and what runs then is ended
    #[arg(long)]
    first: bool,

    /// Only this suite; may be said again
    #[arg(long, value_name = "NAME", value_parser = suite_names())]
    suite: Vec<String>,

    /// Of the suites of tests (conformance, language) only cases whose name contains this; may be said again.
    /// So a machine of several cores runs parts of a suite beside each other, each with its own --out
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,

    /// Where results go
    #[arg(long, value_name = "DIR", default_value = "gpu-results")]
    out: PathBuf,

    /// Begin anew: forget what is recorded in the folder
    #[arg(long)]
    again: bool,

    /// Run a second time what is recorded and did not pass: failed, crashed or hung. What passed is not run
    /// again. Other programs need no option: a commit, or changes to it, that are not those of the record count
    /// as another run, of which nothing is recorded
    #[arg(long, conflicts_with = "again")]
    again_failed: bool,

    /// End after so many seconds: what runs then is ended, and begins anew when the same command goes on
    /// later; it exits with 3 until all is done. A process that the driver holds, a device or an nvidia-smi that
    /// does not answer may add about a minute [default: none; with --first alone 180]
    #[arg(long, value_name = "SECONDS")]
    limit: Option<u64>,

    /// A case of a suite counts as hung after so many seconds without a word
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    seconds_per_case: u64,

    /// Short runs of the benchmarks
    #[arg(long)]
    quick: bool,

    /// Runs so short that they only show that every step works, and two cases of each suite of tests: what is
    /// tried without a GPU. Each step may take six times as long, since the machine may be busy
    #[arg(long, conflicts_with = "quick")]
    rehearse: bool,

    /// Where the programs lie [default: the folder of this program]
    #[arg(long, value_name = "DIR")]
    bin: Option<PathBuf>,

    #[command(subcommand)]
    child: Option<Child>,
}

/// What a process of its own does, so that it can be ended where the driver hangs.
#[derive(Debug, Subcommand)]
enum Child {
    /// Print what the driver and the first device say, as JSON
    Device,
    /// Compile and load a kernel in each of its forms
    Code,
    /// Start kernels that stay one by one, and say how many begin
    StayTogether {
        /// How many are started
        most: u32,
    },
    /// Send so many messages through a kernel that stays, and check each answer
    Check {
        /// How many
        messages: u64,
    },
}

impl Arguments {
    /// What tells benchmarks how long to run; nothing for their full length.
    fn length(&self) -> Option<&'static str> {
        match (self.rehearse, self.quick) {
            (true, _) => Some("--trial"),
            (_, true) => Some("--quick"),
            _ => None,
        }
    }
}

const AFTER_HELP: &str = "\
Examples:
  annulus-gpu --first                               the first steps
  annulus-gpu --suite conformance --limit 540       nine minutes of it; say it again to go on
  annulus-gpu --suite conformance --only epochs::   a part of it
  annulus-gpu --suite rtt --suite stream --quick    two benchmarks, briefly
  setsid annulus-gpu >/dev/null 2>&1 &              all of it, also when the terminal goes; collect gpu-results/ later

Exit codes: 0 everything passed; 1 something failed, or there is no device; 2 wrong arguments; 3 stopped by the limit before the end.";

fn suite_names() -> clap::builder::PossibleValuesParser {
    steps::SUITES.to_vec().into()
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = match &arguments.child {
        Some(Child::Device) => device::describe().map(|()| ExitCode::SUCCESS),
        Some(Child::Code) => device::load_code().map(|()| ExitCode::SUCCESS),
        Some(Child::StayTogether { most }) => device::stay_together(*most).map(|()| ExitCode::SUCCESS),
        Some(Child::Check { messages }) => device::check(*messages).map(|()| ExitCode::SUCCESS),
        None => execute(&arguments),
    };
    outcome.unwrap_or_else(|error| {
        let _ = writeln!(io::stderr(), "annulus-gpu: {error}");
        ExitCode::FAILURE
    })
}

fn execute(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let programs = Programs::find(arguments.bin.clone())?;
    let mut record = Record::open(&arguments.out, arguments.again)?;
    if arguments.again_failed {
        record.forgive();
    }
    let patience = if arguments.rehearse { 6 } else { 1 };
    let everything = !arguments.first && arguments.suite.is_empty();
    let of_first =
        (arguments.first && arguments.suite.is_empty()).then_some(steps::FIRST_SECONDS * u64::from(patience));
    let limit = arguments.limit.or(of_first).map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut suites: Vec<&str> = Vec::new();
    if arguments.first || everything {
        suites.push(steps::FIRST);
    }
    match everything {
        true => suites.extend(steps::SUITES.iter().filter(|name| **name != steps::LONG)),
        false => suites.extend(arguments.suite.iter().map(String::as_str)),
    }
    let mut run = Run {
        programs,
        record,
        limit,
        patience,
        length: arguments.length(),
        seconds_per_case: arguments.seconds_per_case,
        only: arguments.only.clone(),
        without_case: Vec::new(),
        has_case: false,
        smi: Smi::new(None),
        gpu: Value::Null,
        not_reached: Vec::new(),
    };
    let end = run.all(&suites)?;
    say(&format!("\n{}", run.record.folder().join(report::NAME).display()));
    Ok(ExitCode::from(end as u8))
}
