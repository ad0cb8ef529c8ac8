//! What is run, in which order, and for how long at most.

use std::{
    mem,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use serde_json::{Value, json};

use crate::{
    Failure,
    process::{End, Limit, Programs, Ran},
    processor::processor,
    record::{CUT, Ended, Key, Record},
    report, say,
    smi::Smi,
    suite,
};

/// The first steps.
pub(crate) const FIRST: &str = "first";
/// So many seconds they take at most, unless more is said.
pub(crate) const FIRST_SECONDS: u64 = 180;
/// What takes long, and is run only when it is asked for.
pub(crate) const LONG: &str = "long";

/// All suites, in the order in which they are run. Behind the others come kernels of blocks that wait for each other's threads,
/// which may not end, and kernels that are ended while they work, which may not end then.
pub(crate) const SUITES: [&str; 15] = [
    "conformance",
    "language",
    "micro",
    "rtt",
    "launch-vs-resident",
    "stream",
    "k2k",
    "poll",
    "costs",
    "backpressure",
    "serialize",
    "idle",
    COOPERATE,
    THRESHOLDS,
    LONG,
];

const COOPERATE: &str = "cooperate";
const THRESHOLDS: &str = "thresholds";

/// How a run ended: the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed = 0,
    Failed = 1,
    /// The limit came first.
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

/// So long beyond the limit the device may take to answer.
const BEYOND_LIMIT: Duration = Duration::from_secs(15);

/// What the device says, and whether it answers.
fn device_step() -> Step {
    Step::new("device", "annulus-gpu", &["device"], 60)
}

/// What matters most comes first; what could hang the device, last. Together they may take longer than the
/// three minutes: what was not reached is told, and the same command goes on there.
fn first(length: Option<&'static str>) -> Vec<Step> {
    let is_trial = length == Some(TRIAL);
    let own = |name, arguments: &[&str], seconds| Step::new(name, "annulus-gpu", arguments, seconds);
    let bench = |name, arguments: &[&str], seconds| {
        let runs = if is_trial { "1" } else { "3" };
        Step::bench(name, &[arguments, &[length.unwrap_or("--quick"), "--runs", runs]].concat(), seconds)
    };
    let (all, kernels) = if is_trial { ("20000", "4") } else { ("1000000", "120") };
    vec![
        own("machine code loads", &["code"], 60),
        own("1 message", &["check", "1"], 30),
        own("1,000 messages", &["check", "1000"], 20),
        own("1,000,000 messages", &["check", all], 30),
        bench("rtt", &["rtt"], 45),
        // Its last cases look for torn units as long as they may.
        bench("micro", &["micro"], 60),
        bench("stream of lines", &["stream", "--case", "64-byte lines, 1 "], 45),
        bench("poll", &["poll"], 30),
        own("kernels that stay", &["stay-together", kernels], 45),
    ]
}

/// What makes a benchmark so short that it only shows that it works.
const TRIAL: &str = "--trial";

/// A suite of `annulus-bench`. One that may not end gets less time: several times what it takes.
fn benchmark(name: &str, length: Option<&'static str>) -> Step {
    let may_not_end = [COOPERATE, THRESHOLDS].contains(&name);
    match (length, may_not_end) {
        (Some(length), true) => Step::bench(name, &[name, length], 120),
        (Some(length), false) => Step::bench(name, &[name, length], 240),
        (None, true) => Step::bench(name, &[name], 300),
        (None, false) => Step::bench(name, &[name], 540),
    }
}

/// A run over suites.
pub(crate) struct Run {
    pub(crate) programs: Programs,
    pub(crate) record: Record,
    /// When everything ends.
    pub(crate) limit: Option<Instant>,
    /// Factor of each step's own limit: more than 1 where no GPU hurries, and the machine may be busy.
    pub(crate) patience: u32,
    /// What tells benchmarks how long to run.
    pub(crate) length: Option<&'static str>,
    /// So long a case of a suite may take.
    pub(crate) seconds_per_case: u64,
    /// Of a suite's cases only those whose name contains one of these; all if there is none.
    pub(crate) only: Vec<String>,
    /// Suites that have no such case.
    pub(crate) without_case: Vec<String>,
    /// Whether a suite has one.
    pub(crate) has_case: bool,
    pub(crate) smi: Smi,
    /// What `nvidia-smi` said last.
    pub(crate) gpu: Value,
    /// Suites and steps that the limit kept from being run.
    pub(crate) not_reached: Vec<String>,
}

impl Run {
    /// Runs what of the suites is not recorded yet.
    ///
    /// # Errors
    ///
    /// If there is no device, or it no longer answers; if no suite has a case that was asked for; or if something
    /// cannot be written.
    pub(crate) fn all(&mut self, suites: &[&str]) -> Result<Outcome, Failure> {
        let ended = self.begin().and_then(|()| suites.iter().try_for_each(|name| self.suite(name)));
        if !self.not_reached.is_empty() {
            let names = self.not_reached.join("; ");
            say(&format!("\nnot reached before the limit: {names}\nthe same command goes on there"));
            self.record.add(json!({ "record": "limit", "not_reached": self.not_reached }))?;
        }
        report::write(&self.record)?;
        ended?;
        if !self.without_case.is_empty() {
            let suites = self.without_case.join(" and ");
            let have = if self.without_case.len() == 1 { "has" } else { "have" };
            let none = format!("{suites} {have} no case whose name contains {}", self.only.join(" or "));
            if !self.has_case && self.not_reached.is_empty() {
                return Err(format!("{none}: name the suite that has one with --suite").into());
            }
            say(&none);
        }
        Ok(match (self.not_reached.is_empty(), self.record.is_clean(suites)) {
            (false, _) => Outcome::Unfinished,
            (true, false) => Outcome::Failed,
            (true, true) => Outcome::Passed,
        })
    }

    /// The machine, and its device: without one that keeps kernels nothing is run.
    fn begin(&mut self) -> Result<(), Failure> {
        let ran = self.ask_device()?;
        let is_object = |line: &Value| line["device"].is_string();
        let mut lines = ran.output.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let Some(device) = lines.find(is_object) else {
            let why = why(&ran);
            let ended = Ended { outcome: "failed", seconds: ran.time.as_secs_f64(), why: Some(&why) };
            self.record.add_step("device", "device", &ended, [Value::Null, Value::Null])?;
            return Err(format!("there is no NVIDIA GPU that runs kernels here: {why}").into());
        };
        let name = device["device"].as_str().unwrap_or_default();
        let bus = device["bus"].as_str();
        let commit = self.programs.commit();
        let version = env!("CARGO_PKG_VERSION");
        self.smi = Smi::new(bus);
        self.record.set_key(Key {
            length: self.length.map_or("full", |length| length.trim_start_matches("--")),
            version: commit.as_ref().map_or(version.to_owned(), |commit| format!("{version} ({commit})")),
            gpu: bus.map_or(name.to_owned(), |bus| format!("{name} at {bus}")),
        });
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let variables = self.programs.variables().iter();
        let variables: Vec<_> =
            variables.map(|(name, value)| format!("{name}={}", value.to_string_lossy())).collect();
        say(name);
        self.record.add(json!({
            "record": "machine",
            "unix_time": now,
            "commit": commit,
            "processor": processor(),
            "threads": std::thread::available_parallelism().map_or(1, usize::from),
            "environment": variables,
            "device": device,
            "nvidia_smi": self.smi.machine(),
        }))?;
        self.gpu = self.smi.step();
        if ran.end == End::Exited(0) {
            return Ok(());
        }
        let why = why(&ran);
        let ended = Ended { outcome: "failed", seconds: ran.time.as_secs_f64(), why: Some(&why) };
        self.record.add_step("device", "device", &ended, [Value::Null, self.gpu.clone()])?;
        Err(format!("this NVIDIA GPU is not used as it is: {why}").into())
    }

    /// Runs a suite, as far as there is time.
    fn suite(&mut self, name: &str) -> Result<(), Failure> {
        let steps = match name {
            FIRST => first(self.length),
            "conformance" => return self.cases(name, "cuda"),
            "language" => return self.cases(name, "on_device"),
            LONG => vec![Step::new(
                "100,000,000 messages",
                "cuda",
                &["--exact", "every_message_comes_back_once", "--nocapture"],
                540,
            )],
            bench => vec![benchmark(bench, self.length)],
        };
        for step in steps {
            if !self.record.has_step(name, &step.name) && (self.is_late() || !self.step(name, &step)?) {
                self.not_reached.push(format!("{name}: {}", step.name));
            }
        }
        Ok(())
    }

    fn cases(&mut self, name: &str, program: &str) -> Result<(), Failure> {
        if self.is_late() || !suite::run(self, name, program)? {
            self.not_reached.push(format!("cases of {name}"));
        }
        Ok(())
    }

    /// Whether it is only to show that every step works.
    pub(crate) fn rehearses(&self) -> bool {
        self.length == Some(TRIAL)
    }

    /// Whether no step may begin any more.
    pub(crate) fn is_late(&self) -> bool {
        self.limit.is_some_and(|limit| Instant::now() >= limit)
    }

    /// Runs a step; whether it was left to come to its end.
    fn step(&mut self, suite: &str, step: &Step) -> Result<bool, Failure> {
        let ran = self.call(step)?;
        for line in ran.output.lines() {
            if let Ok(mut line @ Value::Object(_)) = serde_json::from_str::<Value>(line) {
                line["record"] = kind(&line).into();
                // The benchmark's own name of its suite.
                line["bench"] = line["suite"].take();
                line["suite"] = suite.into();
                line["step"] = step.name.as_str().into();
                self.record.add(line)?;
            }
        }
        let outcome = outcome(&ran);
        let why = (outcome != "passed").then(|| why(&ran));
        let ended = Ended { outcome, seconds: ran.time.as_secs_f64(), why: why.as_deref() };
        let around = self.around();
        self.record.add_step(suite, &step.name, &ended, around)?;
        tell(suite, &step.name, outcome, ran.time, why.as_deref());
        if !matches!(outcome, "passed" | CUT) {
            self.probe()?;
        }
        report::write(&self.record)?;
        Ok(outcome != CUT)
    }

    /// What `nvidia-smi` said before what has just ended, and says now.
    pub(crate) fn around(&mut self) -> [Value; 2] {
        let now = self.smi.step();
        [mem::replace(&mut self.gpu, now.clone()), now]
    }

    fn call(&mut self, step: &Step) -> Result<Ran, Failure> {
        let limit = Limit { cut: self.limit, ..Limit::of(step.limit * self.patience) };
        self.programs.run(step.program, &step.arguments, limit, self.record.log())
    }

    /// Runs a program of a suite.
    pub(crate) fn program(
        &mut self,
        program: &str,
        arguments: &[String],
        limit: Limit,
    ) -> Result<Ran, Failure> {
        self.programs.run(program, arguments, limit, self.record.log())
    }

    /// What the device says. It may take a little longer than the limit.
    fn ask_device(&mut self) -> Result<Ran, Failure> {
        let step = device_step();
        let left = self.limit.map(|limit| limit.saturating_duration_since(Instant::now()));
        let time = left.map_or(step.limit, |left| step.limit.min(left + BEYOND_LIMIT));
        let limit = Limit::of(time * self.patience);
        self.programs.run(step.program, &step.arguments, limit, self.record.log())
    }

    /// Whether the device still answers, after something went wrong. It is asked even where the limit has
    /// come.
    ///
    /// # Errors
    ///
    /// If it does not: nothing that is run after this would tell anything.
    pub(crate) fn probe(&mut self) -> Result<(), Failure> {
        let ran = self.ask_device()?;
        if ran.end == End::Exited(0) {
            return Ok(());
        }
        let why = why(&ran);
        let ended = Ended { outcome: "failed", seconds: ran.time.as_secs_f64(), why: Some(&why) };
        let around = self.around();
        self.record.add_step("device", "after a failure", &ended, around)?;
        Err(format!("the device does not answer any more: {why}").into())
    }
}

/// What a line of JSON that a step printed tells.
fn kind(line: &Value) -> &'static str {
    let has = |name: &str| line.get(name).is_some();
    match () {
        () if has("verdict") => "mark",
        () if has("failed") => "failure",
        () if has("median") => "figure",
        () => "note",
    }
}

/// A word for how a program ended.
pub(crate) fn outcome(ran: &Ran) -> &'static str {
    match ran.end {
        End::Exited(0) => "passed",
        End::Exited(_) => "failed",
        End::Crashed(_) => "crashed",
        End::TookTooLong | End::Stuck => "hung",
        End::Cut => CUT,
    }
}

/// Why a program did not pass: how it ended, and the last that it said.
pub(crate) fn why(ran: &Ran) -> String {
    let how = match ran.end {
        End::Exited(code) => format!("exit code {code}"),
        End::Crashed(signal) => format!("ended by signal {signal}"),
        End::TookTooLong => format!("ended after {:.0} s", ran.time.as_secs_f64()),
        End::Cut => format!("the limit came after {:.0} s of it", ran.time.as_secs_f64()),
        End::Stuck => format!("cannot be ended after {:.0} s: the driver holds it", ran.time.as_secs_f64()),
    };
    let lines: Vec<_> = ran.output.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = lines[lines.len().saturating_sub(3)..].join(" / ");
    if last.is_empty() { how } else { format!("{how}: {last}") }
}

/// A line for whoever waits.
pub(crate) fn tell(suite: &str, step: &str, outcome: &str, time: Duration, why: Option<&str>) {
    say(&format!("{outcome:<7} {:>6.1} s  {suite}: {step}", time.as_secs_f64()));
    if let Some(why) = why {
        say(&format!("                  {why}"));
    }
}
