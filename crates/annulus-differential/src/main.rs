//! Runs as many random handlers as one likes, and makes those that fail small.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    time::Instant,
};

use annulus_differential::generate::{Choices, block_handler, handler, handler_by_ways, handler_of_several};
use clap::{Parser, Subcommand};

/// Random handlers: what they say as Rust, beside what they are lowered to, on the host and on an OpenCL
/// device.
///
/// The handlers are compiled by `cargo test`, so this must run inside the project's folder.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Run the handlers of a range of seeds, going on where an earlier run was interrupted.
    Run {
        /// The first seed
        #[arg(long, default_value_t = 0)]
        first: u64,
        /// How many seeds
        #[arg(long, default_value_t = 10_000)]
        count: u64,
        /// How many are compiled together
        #[arg(long, default_value_t = 500)]
        together: u64,
        /// Where it is written down which seeds are done; delete it to begin anew
        #[arg(long, default_value = "target/differential.txt")]
        done: PathBuf,
        /// Build the handlers so that overflow fails
        #[arg(long)]
        checked: bool,
        /// Handlers that a whole block runs
        #[arg(long)]
        blocks: bool,
        /// Handlers with two outboxes and a reply
        #[arg(long, conflicts_with = "blocks")]
        several: bool,
        /// Handlers that send to themselves, ask, or send to peers, by topics or along rows
        #[arg(long, conflicts_with_all = ["blocks", "several"])]
        ways: bool,
    },
    /// Make a failing handler as small as can be, and print it.
    Shrink {
        /// Its seed
        seed: u64,
        /// Build the handlers so that overflow fails
        #[arg(long)]
        checked: bool,
        /// A handler that a whole block runs
        #[arg(long)]
        blocks: bool,
        /// One with two outboxes and a reply
        #[arg(long, conflicts_with = "blocks")]
        several: bool,
        /// One that sends to itself, asks, or sends to peers, by topics or along rows
        #[arg(long, conflicts_with_all = ["blocks", "several"])]
        ways: bool,
    },
    /// Print a handler.
    Show {
        /// Its seed
        seed: u64,
        /// A handler that a whole block runs
        #[arg(long)]
        blocks: bool,
        /// One with two outboxes and a reply
        #[arg(long, conflicts_with = "blocks")]
        several: bool,
        /// One that sends to itself, asks, or sends to peers, by topics or along rows
        #[arg(long, conflicts_with_all = ["blocks", "several"])]
        ways: bool,
    },
}

/// Which handlers.
#[derive(Clone, Copy)]
struct Kind {
    /// Those that a whole block runs, and not those of single threads.
    blocks: bool,
    /// Those with two outboxes and a reply.
    several: bool,
    /// Those that send by other ways than plain outboxes.
    ways: bool,
    /// Overflow fails.
    checked: bool,
}

impl Kind {
    /// How their names begin.
    fn prefix(self) -> &'static str {
        match self {
            Self { blocks: true, .. } => "block_",
            Self { several: true, .. } => "several_",
            Self { ways: true, .. } => "way_",
            _ => "random_",
        }
    }

    /// The handler that these choices make.
    fn handler(self, name: &str, choices: &mut Choices) -> String {
        if self.blocks {
            let (source, threads) = block_handler(name, choices);
            format!("// A block of {threads} threads.\n{source}")
        } else if self.several {
            handler_of_several(name, choices)
        } else if self.ways {
            handler_by_ways(name, choices)
        } else {
            handler(name, choices)
        }
    }
}

fn main() -> ExitCode {
    let result = match Arguments::parse().what {
        What::Run { first, count, together, done, checked, blocks, several, ways } => {
            run(first, count, together, &done, Kind { blocks, several, ways, checked })
        }
        What::Shrink { seed, checked, blocks, several, ways } => {
            shrink(seed, Kind { blocks, several, ways, checked })
        }
        What::Show { seed, blocks, several, ways } => {
            let kind = Kind { blocks, several, ways, checked: false };
            println!("{}", kind.handler(&format!("{}{seed}", kind.prefix()), &mut Choices::random(seed)));
            Ok(true)
        }
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("annulus-differential: {error}");
            ExitCode::from(2)
        }
    }
}

/// What makes overflow an error.
const CHECKS: [&str; 2] = ["overflow-checks", "debug-assertions"];

/// What a test run said.
struct Report {
    passed: bool,
    output: String,
}

/// Runs the tests for these handlers: a range of seeds, or a file of choices.
fn test(handlers: &str, kind: Kind) -> Result<Report, String> {
    let mut cargo = Command::new("cargo");
    for setting in CHECKS.iter().filter(|_| kind.checked) {
        cargo.args(["--config", &format!("profile.dev.package.annulus-differential.{setting}=true")]);
    }
    // None of the others.
    let only = |is_wanted: bool| if is_wanted { handlers } else { "0..0" };
    let output = cargo
        .args(["test", "--quiet", "-p", "annulus-differential", "--test", "agree", "--", "--nocapture"])
        .env("ANNULUS_HANDLERS", only(!kind.blocks && !kind.several && !kind.ways))
        .env("ANNULUS_SEVERAL", only(kind.several))
        .env("ANNULUS_WAYS", only(kind.ways))
        .env("ANNULUS_BLOCKS", only(kind.blocks))
        .env("RUST_BACKTRACE", "0")
        .output()
        .map_err(|error| format!("`cargo` does not start: {error}"))?;
    let text =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    Ok(Report { passed: output.status.success(), output: text })
}

impl Report {
    /// The numbers of the handlers of this kind that are named where something failed.
    fn failed(&self, prefix: &str) -> BTreeSet<u64> {
        let mut failed = BTreeSet::new();
        for line in self.output.lines().filter(|line| line.contains("differs") || line.contains("error")) {
            for part in line.split(prefix).skip(1) {
                let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
                failed.extend(digits.parse::<u64>());
            }
        }
        failed
    }
}

fn run(first: u64, count: u64, together: u64, done: &Path, kind: Kind) -> Result<bool, String> {
    if together == 0 {
        return Err("--together is 0: at least one handler is compiled at a time".into());
    }
    let start = Instant::now();
    let known: BTreeSet<u64> = match fs::read_to_string(done) {
        Ok(text) => text.lines().filter_map(|line| line.parse().ok()).collect(),
        Err(_) => BTreeSet::new(),
    };
    let mut known = known;
    let mut failures = Vec::new();
    for begin in (first..first + count).step_by(together as usize) {
        let end = (begin + together).min(first + count);
        if (begin..end).all(|seed| known.contains(&seed)) {
            println!("{begin}..{end}: done before");
            continue;
        }
        let report = test(&format!("{begin}..{end}"), kind)?;
        let seconds = start.elapsed().as_secs();
        if report.passed {
            println!("{begin}..{end}: agree  [{seconds} s]");
            known.extend(begin..end);
            write_down(done, &known)?;
        } else {
            let failed = report.failed(kind.prefix());
            println!("{begin}..{end}: {failed:?} fail  [{seconds} s]");
            let path = done.with_extension(format!("{begin}.log"));
            fs::write(&path, &report.output).map_err(|error| format!("{}: {error}", path.display()))?;
            println!("    {} says how; `shrink SEED` makes them small", path.display());
            failures.push(begin);
        }
    }
    match failures.len() {
        0 => println!("{count} handlers agree"),
        failed => println!("{failed} ranges fail"),
    }
    Ok(failures.is_empty())
}

fn write_down(done: &Path, known: &BTreeSet<u64>) -> Result<(), String> {
    let text: String = known.iter().map(|seed| format!("{seed}\n")).collect();
    fs::write(done, text).map_err(|error| format!("{}: {error}", done.display()))
}

/// How many smaller handlers are tried at once.
const TRIES: usize = 48;

fn shrink(seed: u64, kind: Kind) -> Result<bool, String> {
    let made = |mut choices: Choices| {
        kind.handler("shrunk", &mut choices);
        choices
    };
    let mut best = made(Choices::random(seed));
    if fails(&[best.made().to_vec()], kind)?.is_none() {
        println!("the handler of seed {seed} agrees");
        return Ok(true);
    }
    // Which of the simpler ones is tried next: those before it did not help since the last that did.
    let mut next = 0;
    loop {
        let parts = best.parts().into_iter().map(|part| best.without_part(part));
        let lists = simpler(best.made()).into_iter().map(Choices::of);
        let mut tries: Vec<Vec<u64>> = Vec::new();
        for simpler in parts.chain(lists).map(made) {
            let simpler = simpler.made().to_vec();
            if size(&simpler) < size(best.made()) && !tries.contains(&simpler) {
                tries.push(simpler);
            }
        }
        let count = tries.len();
        tries.rotate_left(next % count.max(1));
        let mut found = None;
        for (chunk, tries) in tries.chunks(TRIES).enumerate() {
            eprintln!("{} choices; trying {} of {count} simpler handlers", best.made().len(), tries.len());
            if let Some(index) = fails(tries, kind)? {
                next = (next + chunk * TRIES + index) % count;
                found = Some(tries[index].clone());
                break;
            }
        }
        match found {
            Some(list) => best = made(Choices::of(list)),
            None => break,
        }
    }
    println!("{}", kind.handler("shrunk", &mut Choices::of(best.made().to_vec())));
    Ok(false)
}

/// How far a list is from the simplest.
fn size(list: &[u64]) -> (usize, u64) {
    (list.len(), list.iter().sum())
}

/// Lists with some choices left out, or made 0.
fn simpler(list: &[u64]) -> Vec<Vec<u64>> {
    let mut simpler = Vec::new();
    for size in [8, 1] {
        for begin in (0..list.len()).step_by(size) {
            let end = (begin + size).min(list.len());
            simpler.push([&list[..begin], &list[end..]].concat());
            if list[begin..end].iter().any(|&choice| choice != 0) {
                let zeros = vec![0; end - begin];
                simpler.push([&list[..begin], &zeros, &list[end..]].concat());
            }
        }
    }
    simpler
}

/// The first of these handlers that fails.
fn fails(lists: &[Vec<u64>], kind: Kind) -> Result<Option<usize>, String> {
    let path = std::env::temp_dir().join(format!("annulus-differential-{}.txt", std::process::id()));
    let text: String = lists
        .iter()
        .map(|list| list.iter().map(u64::to_string).collect::<Vec<_>>().join(" ") + "\n")
        .collect();
    fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    let report = test(&path.to_string_lossy(), kind)?;
    let _ = fs::remove_file(&path);
    let failed = report.failed("shrunk_");
    if !report.passed && failed.is_empty() {
        return Err(format!("the tests fail without naming a handler:\n{}", report.output));
    }
    Ok(failed.first().map(|&index| index as usize))
}
