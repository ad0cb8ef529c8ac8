//! `annulus-bench`: what Annulus costs, measured with both sides in the loop, next to what the hardware
//! allows.
//!
//! # What it promises
//!
//! * Ours and the limits take turns in one run, so their ratio means something on a machine that is shared.
//! * No figure without work: a run fails unless the kernel processed exactly what was sent.
//! * A candidate that fails costs no other one its figures. It is reported, and the exit code tells.
//!
//! # What it does not do
//!
//! It does not pin threads or change the machine's settings, and it asserts no maximum time: marks are
//! reported, not enforced. Only what must never be (16 bytes that arrive torn) fails a run.

mod bus;
mod clock;
mod cuda;
mod harness;
mod kernels;
mod launched;
mod limit;
mod machine;
mod opencl;
mod processor;
mod report;
mod suite;

use std::{
    io::{self, IsTerminal, Write},
    process::ExitCode,
    time::Instant,
};

use clap::{Parser, ValueEnum};

use crate::{
    harness::{Failure, Outcome, measure},
    report::Report,
    suite::{Config, Length, SUITES, Suite},
};

/// Where kernels run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BackendName {
    /// The CPU backend.
    Cpu,
    /// The first OpenCL device.
    Opencl,
    /// The first NVIDIA GPU. Where slots can be sealed, `rtt` and `stream` measure open ones beside them.
    Cuda,
    /// The first NVIDIA GPU, with open slots.
    CudaOpen,
}

impl BackendName {
    /// Whether any number of kernels can run at the same time.
    fn shares_workers(self) -> bool {
        match self {
            Self::Cpu => true,
            Self::Opencl | Self::Cuda | Self::CudaOpen => false,
        }
    }

    /// Whether a launch may ask for sealed slots.
    fn may_seal(self) -> bool {
        self == Self::Cuda && annulus_ring::sealed::is_offered()
    }

    /// Whether kernels run on an NVIDIA GPU.
    fn is_cuda(self) -> bool {
        matches!(self, Self::Cuda | Self::CudaOpen)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Opencl => "opencl",
            Self::Cuda => "cuda",
            Self::CudaOpen => "cuda-open",
        }
    }
}

/// Measures Annulus, both sides in the loop, next to bare limits of the hardware.
///
/// Candidates named `annulus…` are ours; those named `limit…` are two threads and cache lines, nothing else.
/// Both take turns in every round, so trust the column "× limit" before the times.
#[derive(Debug, Parser)]
#[command(name = "annulus-bench", version, after_help = AFTER_HELP)]
struct Arguments {
    /// Suites to run, or `all` for all of them, or `list` to say what there is
    #[arg(value_name = "SUITE", required = true, value_parser = suite_names())]
    suites: Vec<String>,

    /// Short runs: each suite in two minutes or less
    #[arg(long)]
    quick: bool,

    /// Runs so short that they only show that everything works: the figures mean nothing
    #[arg(long, hide = true, conflicts_with = "quick")]
    trial: bool,

    /// One JSON object per line. A figure: suite, case, candidate, unit, median, min, max, runs, and
    /// limit_ratio where there is a limit. A mark: suite, case, candidate, verdict (reached, missed, broken),
    /// value, goal, text. A candidate that failed: suite, case, candidate, failed
    #[arg(long)]
    json: bool,

    /// Rounds [default: 11, or 5 with --quick]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    runs: Option<u32>,

    /// Only cases whose name contains this
    #[arg(long, value_name = "TEXT")]
    case: Option<String>,

    /// Where kernels run
    #[arg(long, value_enum, default_value = "cpu")]
    backend: BackendName,

    /// The OpenCL device: the first whose name or platform contains this, upper or lower case
    #[arg(long, value_name = "NAME")]
    device: Option<String>,

    /// OpenCL kernels run in epochs even where they could stay
    #[arg(long)]
    epochs: bool,
}

const AFTER_HELP: &str = "\
Examples:
  annulus-bench list                       what there is
  annulus-bench rtt                        round trips, beside a bare ping-pong of two threads
  annulus-bench stream --case 'of 64'      only the streams in batches of 64
  annulus-bench all --quick --json         everything, briefly, for a program to read

Progress goes to standard error. Exit codes: 0 done, whether marks were reached or not; 1 a candidate failed, or found what must
never be, while the others went on; 2 wrong arguments.
Build with --release: figures of debug builds mean nothing.";

fn suite_names() -> clap::builder::PossibleValuesParser {
    SUITES.iter().map(|suite| suite.name).chain(["all", "list"]).collect::<Vec<_>>().into()
}

fn main() -> ExitCode {
    let begun = Instant::now();
    let outcome = suite::measured_process(begun).unwrap_or_else(|| run(&Arguments::parse()));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read the results has gone.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("annulus-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn is_broken_pipe(error: &Failure) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    let asked = |name: &str| arguments.suites.iter().any(|suite| suite == name);
    if asked("list") {
        let mut out = io::stdout().lock();
        SUITES.iter().try_for_each(|suite| writeln!(out, "{:<20} {}", suite.name, suite.about))?;
        return Ok(());
    }
    if cfg!(debug_assertions) {
        eprintln!("annulus-bench: this is a debug build; its figures mean nothing. Use --release.");
    }
    let length = match (arguments.trial, arguments.quick) {
        (true, _) => Length::Trial,
        (_, true) => Length::Quick,
        _ => Length::Full,
    };
    let rounds = arguments.runs.map_or(if length == Length::Full { 11 } else { 5 }, |runs| runs as usize);
    let config = Config { backend: arguments.backend, length };
    if asked("micro") && !arguments.backend.is_cuda() {
        return Err("micro measures an NVIDIA device: add --backend cuda".into());
    }
    for (name, value) in
        [(launched::DEVICE, arguments.device.as_deref()), (launched::EPOCHS, arguments.epochs.then_some("1"))]
    {
        if let Some(value) = value {
            // SAFETY: the process has one thread so far, and nothing of C runs.
            unsafe { std::env::set_var(name, value) };
        }
    }
    if arguments.backend.is_cuda() {
        // Before anything initialises CUDA: a candidate without Annulus may be the first.
        for (name, value) in annulus_cuda::DRIVER_VARIABLES {
            if std::env::var_os(name).is_none() {
                // SAFETY: as above.
                unsafe { std::env::set_var(name, value) };
            }
        }
    }
    let mut report = Report::new(io::stdout(), arguments.json);
    report.header(arguments.backend.name(), rounds, length != Length::Full)?;
    let mut progress = Progress::new();
    let mut wrong = 0;
    for suite in SUITES.iter().filter(|suite| asked("all") || asked(suite.name)) {
        wrong += run_suite(suite, config, rounds, arguments.case.as_deref(), &mut report, &mut progress)?;
    }
    match wrong {
        0 => Ok(()),
        1 => Err("1 candidate failed, or broke what must hold: see above".into()),
        _ => Err(format!("{wrong} candidates failed, or broke what must hold: see above").into()),
    }
}

/// Measures and reports a suite's cases; how many things went wrong.
fn run_suite(
    suite: &Suite,
    config: Config,
    rounds: usize,
    wanted: Option<&str>,
    report: &mut Report<impl Write>,
    progress: &mut Progress,
) -> Result<usize, Failure> {
    report.suite(suite)?;
    let mut wrong = 0;
    for case in (suite.cases)(config) {
        if wanted.is_some_and(|wanted| !case.name.contains(wanted)) {
            continue;
        }
        let measured = measure(suite.name, case, rounds, &mut |text| progress.show(text));
        progress.clear();
        for failed in &measured.failures {
            eprintln!(
                "annulus-bench: {}: {}: {}: {}",
                suite.name, failed.case, failed.candidate, failed.failed
            );
        }
        for verdict in measured.verdicts.iter().filter(|verdict| verdict.verdict == Outcome::Broken) {
            eprintln!("annulus-bench: {}: {}: {}", suite.name, verdict.case, verdict.text);
        }
        wrong += measured.wrong();
        report.case(&measured)?;
    }
    Ok(wrong)
}

/// One line on standard error that overwrites itself on a terminal; elsewhere a line for each case.
struct Progress {
    terminal: bool,
    last_case: String,
}

impl Progress {
    fn new() -> Self {
        Self { terminal: io::stderr().is_terminal(), last_case: String::new() }
    }

    fn show(&mut self, text: &str) {
        if self.terminal {
            eprint!("\r\x1b[K{text}");
            return;
        }
        let case = text.split(": round").next().unwrap_or(text);
        if case != self.last_case {
            self.last_case = case.to_owned();
            eprintln!("{case}");
        }
    }

    fn clear(&mut self) {
        if self.terminal {
            eprint!("\r\x1b[K");
        }
    }
}
