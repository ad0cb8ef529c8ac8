//! What is run, in which order, and for how long at most.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::{
    Failure,
    process::{End, Programs, Ran},
    processor::processor,
    record::Record,
    report, suite,
};

/// The first three minutes.
pub(crate) const FIRST: &str = "first";
/// What takes long, and is run only when it is asked for.
pub(crate) const LONG: &str = "long";

/// All suites, in the order in which they are run.
pub(crate) const SUITES: [&str; 10] =
    ["conformance", "language", "micro", "rtt", "launch-vs-resident", "stream", "k2k", "poll", "idle", LONG];

/// How a run ended: the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed = 0,
    Failed = 1,
    /// `--limit` came first.
    Unfinished = 3,
}

/// One program's call.
struct Step {
    name: String,
    program: &'static str,
    arguments: Vec<String>,
    limit: Duration,
}

impl Step {
    fn new(name: &str, program: &'static str, arguments: &[&str], seconds: u64) -> Self {
        let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        Self { name: name.to_owned(), program, arguments, limit: Duration::from_secs(seconds) }
    }

    /// A benchmark, in lines of JSON.
    fn bench(name: &str, arguments: &[&str], seconds: u64) -> Self {
        let all = [arguments, &["--backend", "cuda", "--json"]].concat();
        Self::new(name, "annulus-bench", &all, seconds)
    }
}

/// What the device says, and whether it answers.
fn device_step() -> Step {
    Step::new("device", "annulus-gpu", &["device"], 60)
}

/// What matters most comes first; what could hang the device, last.
fn first(length: Option<&'static str>) -> Vec<Step> {
    let is_trial = length == Some(TRIAL);
    let check = |name, messages: &str, seconds| Step::new(name, "annulus-gpu", &["check", messages], seconds);
    let bench = |name, arguments: &[&str], seconds| {
        let runs = if is_trial { "1" } else { "3" };
        Step::bench(name, &[arguments, &[length.unwrap_or("--quick"), "--runs", runs]].concat(), seconds)
    };
    let all = if is_trial { "20000" } else { "1000000" };
    vec![
        check("1 message", "1", 60),
        check("1,000 messages", "1000", 20),
        check("1,000,000 messages", all, 30),
        bench("micro", &["micro"], 60),
        bench("rtt", &["rtt"], 60),
        bench("stream of lines", &["stream", "--case", "64-byte lines, 1 "], 60),
        bench("poll", &["poll"], 40),
    ]
}

/// What makes a benchmark so short that it only shows that it works.
const TRIAL: &str = "--trial";

fn benchmark(name: &str, length: Option<&'static str>) -> Step {
    match length {
        Some(length) => Step::bench(name, &[name, length], 240),
        None => Step::bench(name, &[name], 540),
    }
}

/// A run over suites.
pub(crate) struct Run {
    pub(crate) programs: Programs,
    pub(crate) record: Record,
    pub(crate) limit: Option<Instant>,
    /// Factor of each step's own limit: more than 1 where no GPU hurries, and the machine may be busy.
    pub(crate) patience: u32,
    /// What tells benchmarks how long to run.
    pub(crate) length: Option<&'static str>,
    /// So long a case of a suite may take.
    pub(crate) seconds_per_case: u64,
}

impl Run {
    /// Runs what of the suites is not recorded yet.
    ///
    /// # Errors
    ///
    /// If there is no device, or it no longer answers; or if something cannot be written.
    pub(crate) fn all(&mut self, suites: &[&str]) -> Result<Outcome, Failure> {
        let ended = self.begin().and_then(|()| {
            for name in suites {
                if !self.suite(name)? {
                    return Ok(Outcome::Unfinished);
                }
            }
            Ok(Outcome::Passed)
        });
        report::write(&self.record)?;
        let outcome = ended?;
        Ok(if outcome == Outcome::Passed && !self.record.is_clean() { Outcome::Failed } else { outcome })
    }

    /// The machine, and its device: without one nothing is run.
    fn begin(&mut self) -> Result<(), Failure> {
        let ran = self.call(&device_step())?;
        let device = ran.output.lines().find_map(|line| serde_json::from_str::<Value>(line).ok());
        let Some(device) = device.filter(|_| ran.end == End::Exited(0)) else {
            let why = why(&ran);
            self.record.add_step(FIRST, "device", "failed", ran.time.as_secs_f64(), Some(&why))?;
            return Err(format!("there is no NVIDIA GPU that runs kernels here: {why}").into());
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let variables = self.programs.variables().iter();
        let variables: Vec<_> =
            variables.map(|(name, value)| format!("{name}={}", value.to_string_lossy())).collect();
        println!("{}", device["device"].as_str().unwrap_or("a device"));
        self.record.add(json!({
            "record": "machine",
            "unix_time": now,
            "version": env!("CARGO_PKG_VERSION"),
            "processor": processor(),
            "threads": std::thread::available_parallelism().map_or(1, usize::from),
            "environment": variables,
            "device": device,
        }))
    }

    /// Runs a suite; whether it came to its end before the limit.
    fn suite(&mut self, name: &str) -> Result<bool, Failure> {
        let steps = match name {
            FIRST => first(self.length),
            "conformance" => return suite::run(self, name, "cuda"),
            "language" => return suite::run(self, name, "on_device"),
            LONG => vec![Step::new(
                "100,000,000 messages",
                "cuda",
                &["--exact", "every_message_comes_back_once", "--nocapture"],
                540,
            )],
            bench => vec![benchmark(bench, self.length)],
        };
        for step in steps {
            if self.record.has_step(name, &step.name) {
                continue;
            }
            if self.is_late() {
                return Ok(false);
            }
            self.step(name, &step)?;
        }
        Ok(true)
    }

    /// Whether no step may begin any more.
    pub(crate) fn is_late(&self) -> bool {
        self.limit.is_some_and(|limit| Instant::now() >= limit)
    }

    fn step(&mut self, suite: &str, step: &Step) -> Result<(), Failure> {
        let ran = self.call(step)?;
        for line in ran.output.lines() {
            if let Ok(mut figure @ Value::Object(_)) = serde_json::from_str::<Value>(line) {
                figure["record"] = "figure".into();
                figure["step"] = step.name.as_str().into();
                self.record.add(figure)?;
            }
        }
        let outcome = outcome(&ran);
        let why = (outcome != "passed").then(|| why(&ran));
        self.record.add_step(suite, &step.name, outcome, ran.time.as_secs_f64(), why.as_deref())?;
        tell(suite, &step.name, outcome, ran.time, why.as_deref());
        if outcome != "passed" {
            self.probe()?;
        }
        report::write(&self.record)
    }

    fn call(&mut self, step: &Step) -> Result<Ran, Failure> {
        self.programs.run(step.program, &step.arguments, step.limit * self.patience, self.record.log())
    }

    /// Runs a program of a suite.
    pub(crate) fn program(
        &mut self,
        program: &str,
        arguments: &[String],
        limit: Duration,
    ) -> Result<Ran, Failure> {
        self.programs.run(program, arguments, limit, self.record.log())
    }

    /// Whether the device still answers, after something went wrong.
    ///
    /// # Errors
    ///
    /// If it does not: nothing that is run after this would tell anything.
    pub(crate) fn probe(&mut self) -> Result<(), Failure> {
        let ran = self.call(&device_step())?;
        if ran.end == End::Exited(0) {
            return Ok(());
        }
        let why = why(&ran);
        self.record.add_step("device", "after a failure", "failed", ran.time.as_secs_f64(), Some(&why))?;
        Err(format!("the device does not answer any more: {why}").into())
    }
}

/// A word for how a program ended.
pub(crate) fn outcome(ran: &Ran) -> &'static str {
    match ran.end {
        End::Exited(0) => "passed",
        End::Exited(_) => "failed",
        End::Crashed(_) => "crashed",
        End::TookTooLong | End::Stuck => "hung",
    }
}

/// Why a program did not pass: how it ended, and the last that it said.
pub(crate) fn why(ran: &Ran) -> String {
    let how = match ran.end {
        End::Exited(code) => format!("exit code {code}"),
        End::Crashed(signal) => format!("ended by signal {signal}"),
        End::TookTooLong => format!("ended after {:.0} s", ran.time.as_secs_f64()),
        End::Stuck => format!("cannot be ended after {:.0} s: the driver holds it", ran.time.as_secs_f64()),
    };
    let lines: Vec<_> = ran.output.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = lines[lines.len().saturating_sub(3)..].join(" / ");
    if last.is_empty() { how } else { format!("{how}: {last}") }
}

/// A line for whoever waits.
pub(crate) fn tell(suite: &str, step: &str, outcome: &str, time: Duration, why: Option<&str>) {
    println!("{outcome:<7} {:>6.1} s  {suite}: {step}", time.as_secs_f64());
    if let Some(why) = why {
        println!("                  {why}");
    }
}
