//! Whether kernels are well, and if not, why.
//!
//! All of it comes from looks at kernels, from inside or from outside, and from the times between them. A
//! [`HealthWatch`] keeps what must be remembered from look to look. It reads no clock: whoever looks says when.
//!
//! | what is seen | state |
//! |---|---|
//! | messages wait, and a shard took none for [`stuck`](HealthLimits::stuck) | unhealthy, with what `why` says |
//! | it is inactive, and messages wait | unhealthy |
//! | its process died while it was watched | unhealthy |
//! | its supervisor has given it up | unhealthy |
//! | its supervisor is launching it again | degraded, and not ready |
//! | nobody receives its outputs for [`stuck`](HealthLimits::stuck), and nothing else waits | degraded |
//! | a ring is fuller than [`full`](HealthLimits::full) | degraded |
//! | messages wait, and it handles fewer than [`slow`](HealthLimits::slow) a second | degraded |
//! | of the messages that it took a greater share than [`failed`](HealthLimits::failed) failed within [`recent`](HealthLimits::recent) | degraded |
//! | something was dropped or lost within [`recent`](HealthLimits::recent) | degraded |
//!
//! All else is healthy: a kernel that is idle, one that is slow and keeps up, one that has ended.

use std::{
    collections::HashMap,
    fmt,
    path::{Path, PathBuf},
    time::Duration,
};

use annulus_abi::vitals::recorder::CAUSES;
use annulus_runtime::{describe_error, for_people, why::Why};

use crate::{Kernel, Liveness, Phase, Process, Shard, ShardState, reason::why_each};

/// Limits of what is healthy. The defaults of the first two are those of the specification (row O-01).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HealthLimits {
    /// A share of a shard's inbound ring, above which the kernel is degraded. 0.9 unless said.
    pub full: f64,
    /// Messages handled in a second, below which a kernel is degraded if more than a tenth of its rings
    /// waits. 1000 unless said; 0 for kernels whose handlers rightly take long.
    pub slow: f64,
    /// How long messages may wait while a shard takes none. A second unless said.
    pub stuck: Duration,
    /// For how long a failure or a loss counts. A minute unless said.
    pub recent: Duration,
    /// A share of the messages of that time which may fail without anything being wrong. 0 unless said: each failure counts. For
    /// kernels whose handlers refuse messages as a matter of course, such as payments without cover, say what share is usual; 1
    /// lets all of them fail. The time goes on with each further failure.
    pub failed: f64,
}

impl Default for HealthLimits {
    fn default() -> Self {
        let (stuck, recent) = (Duration::from_secs(1), Duration::from_secs(60));
        Self { full: 0.9, slow: 1000.0, stuck, recent, failed: 0.0 }
    }
}

/// How well a kernel is, or all of them. Later ones are worse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HealthState {
    /// Nothing is wrong.
    #[default]
    Healthy,
    /// It works, and somebody should look.
    Degraded,
    /// It does not do its work.
    Unhealthy,
}

impl HealthState {
    /// All states, from the best to the worst.
    pub const ALL: [Self; 3] = [Self::Healthy, Self::Degraded, Self::Unhealthy];
}

impl fmt::Display for HealthState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Healthy => "healthy",
            Self::Degraded => "degraded",
            Self::Unhealthy => "unhealthy",
        })
    }
}

/// What is wrong with a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Symptom {
    /// Messages wait, and a shard takes none.
    Stuck,
    /// It is inactive, and messages wait.
    Inactive,
    /// Its process died.
    Dead,
    /// It is to run and does not: its supervisor launches it again, or has given it up.
    Missing,
    /// Nobody receives its outputs.
    NobodyReceives,
    /// A ring is nearly full.
    Full,
    /// Messages wait, and it handles few.
    Slow,
    /// A handler failed, or a key named no actor.
    Failed,
    /// Messages, outputs or dead letters were dropped.
    Lost,
}

/// Why a kernel is not healthy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HealthReason {
    /// How bad it is.
    pub state: HealthState,
    /// What it is.
    pub symptom: Symptom,
    /// What was seen, for people.
    pub evidence: String,
}

/// How well a kernel is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelHealth {
    /// The file of its process; empty for the own process.
    pub file: PathBuf,
    /// The number of its process.
    pub pid: u32,
    /// The number of its launch; 0 if it is [missing](Symptom::Missing).
    pub id: u64,
    /// The name that it runs under.
    pub kernel: String,
    /// What is wrong with it, the worst first.
    pub reasons: Vec<HealthReason>,
    /// How many of its shards are stuck.
    pub stuck_shards: usize,
    /// Whether it takes messages: each of its shards has begun, and is active.
    pub is_active: bool,
}

impl KernelHealth {
    /// Whether it is to run, and does not.
    pub fn is_missing(&self) -> bool {
        self.reasons.iter().any(|reason| reason.symptom == Symptom::Missing)
    }

    /// The worst of its reasons.
    pub fn state(&self) -> HealthState {
        self.reasons.iter().map(|reason| reason.state).max().unwrap_or_default()
    }
}

/// How well all kernels are that were looked at. `Display` prints it for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// The kernels that run, and those that are to run.
    pub kernels: Vec<KernelHealth>,
}

impl Health {
    /// That of the kernel that is worst off.
    pub fn state(&self) -> HealthState {
        self.kernels.iter().map(KernelHealth::state).max().unwrap_or_default()
    }

    /// Whether work can be given to them: all of them have begun and are active, and none is unhealthy.
    pub fn is_ready(&self) -> bool {
        self.state() != HealthState::Unhealthy && self.kernels.iter().all(|kernel| kernel.is_active)
    }
}

impl fmt::Display for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.state())?;
        for kernel in &self.kernels {
            write!(f, "\n{}: {}", kernel.kernel, kernel.state())?;
            for HealthReason { state, evidence, .. } in &kernel.reasons {
                write!(f, "\n  {state}: {}", evidence.replace('\n', "\n    "))?;
            }
        }
        Ok(())
    }
}

/// Judges kernels from look to look. See the [module](self) for what it judges by.
#[derive(Debug, Default)]
pub struct HealthWatch {
    limits: HealthLimits,
    before: Option<(Duration, Vec<Process>)>,
    kernels: HashMap<(PathBuf, u64), Remembered>,
}

/// What must be remembered of a kernel.
#[derive(Debug)]
struct Remembered {
    /// For each shard since when messages wait, and it took none.
    waits_since: Vec<Option<Duration>>,
    /// When a failure was seen last, and how many there were since then.
    failed: Option<(Duration, u64)>,
    /// Messages that it has handled, or failed to, since then.
    taken: u64,
    lost: Option<(Duration, u64)>,
    died: Option<Duration>,
}

/// The counts of a shard that only grow, and do as long as it goes on.
fn progress(shard: &Shard) -> (u64, u64, u64, u64, u32) {
    let taken = shard.accepted.saturating_sub(shard.pending);
    (shard.processed, shard.failed, shard.unknown_actor, taken, shard.state)
}

fn failures(kernel: &Kernel) -> u64 {
    kernel.sum(|shard| shard.failed.saturating_add(shard.unknown_actor))
}

/// What nobody has or gets back any more, or what came back because there was no room.
fn losses(kernel: &Kernel) -> u64 {
    let lost = kernel.sum(|shard| shard.unforwarded.saturating_add(shard.dead_letters_lost));
    // A duplicate is not lost, and what the program cleared it has.
    let is_loss = |cause: &str| !matches!(cause, "duplicate" | "cleared");
    let drops = CAUSES.iter().zip(kernel.drops).filter(|(cause, _)| is_loss(cause)).map(|(_, count)| count);
    drops.fold(lost, u64::saturating_add)
}

impl HealthWatch {
    /// One that has seen nothing yet.
    pub fn new(limits: HealthLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Judges what was seen at a time, given what was seen before. Times are those of any clock that does not
    /// go back. A first look cannot see that something does not move.
    pub fn look(&mut self, at: Duration, processes: &[Process]) -> Health {
        let before = self.before.take();
        let mut health = Health::default();
        let mut seen = HashMap::new();
        let elapsed = before.as_ref().map_or(Duration::ZERO, |(then, _)| at.saturating_sub(*then));
        let earlier_of = |process: &Process| {
            let (_, processes) = before.as_ref()?;
            processes.iter().find(|earlier| earlier.file == process.file)
        };
        // Of one that was not seen before, nothing is known to have lasted.
        let pairs = processes.iter().filter_map(|process| Some((earlier_of(process)?, process)));
        let mut whys = why_each(&pairs.collect::<Vec<_>>(), elapsed).into_iter();
        for process in processes {
            let earlier = earlier_of(process);
            let why = earlier.and_then(|_| whys.next()).unwrap_or_default();
            for kernel in process.kernels.iter().filter(|kernel| !kernel.has_ended) {
                let key = (process.file.clone(), kernel.id);
                let earlier_kernel = earlier
                    .and_then(|earlier| earlier.kernels.iter().find(|earlier| earlier.id == kernel.id));
                let remembered = self.kernels.remove(&key);
                let look =
                    Look { limits: &self.limits, at, elapsed, kernel, earlier: earlier_kernel, why: &why };
                let mut remembered = look.remember(remembered);
                let was_running = earlier.is_some_and(|earlier| earlier.liveness == Liveness::Running);
                if process.liveness == Liveness::Dead && was_running {
                    remembered.died = Some(at);
                }
                let died_now =
                    remembered.died.is_some_and(|died| at.saturating_sub(died) < self.limits.recent);
                if process.liveness == Liveness::Running || died_now {
                    health.kernels.push(look.judge(&remembered, &process.file, process.pid));
                }
                seen.insert(key, remembered);
            }
            health.kernels.extend(missing(process));
        }
        self.kernels = seen;
        self.before = Some((at, processes.to_vec()));
        health
    }

    /// When the last look was.
    pub fn last(&self) -> Option<Duration> {
        self.before.as_ref().map(|(at, _)| *at)
    }
}

/// How well those kernels are that do not run, though their supervisors were to see to it. The program may have launched another
/// one of the name by itself.
fn missing(process: &Process) -> impl Iterator<Item = KernelHealth> {
    let runs = |name: &str| {
        let is_it = |kernel: &Kernel| kernel.name == name && !kernel.has_ended && !kernel.left_behind;
        process.kernels.iter().any(is_it)
    };
    process.missing.iter().filter(move |kernel| !runs(&kernel.name)).map(|kernel| {
        let (state, what) = match kernel.was_given_up {
            true => (HealthState::Unhealthy, "it was given up by its supervisor"),
            false => (HealthState::Degraded, "its supervisor is launching it again"),
        };
        let evidence = format!("{what}, since {}", kernel.cause);
        KernelHealth {
            file: process.file.clone(),
            pid: process.pid,
            id: 0,
            kernel: kernel.name.clone(),
            reasons: vec![HealthReason { state, symptom: Symptom::Missing, evidence }],
            stuck_shards: 0,
            is_active: false,
        }
    })
}

/// One kernel at one look.
struct Look<'a> {
    limits: &'a HealthLimits,
    at: Duration,
    /// Since the look before.
    elapsed: Duration,
    kernel: &'a Kernel,
    earlier: Option<&'a Kernel>,
    why: &'a Why,
}

impl Look<'_> {
    /// What is remembered from now on.
    fn remember(&self, before: Option<Remembered>) -> Remembered {
        let mut remembered = before.unwrap_or(Remembered {
            waits_since: Vec::new(),
            failed: None,
            taken: 0,
            lost: None,
            died: None,
        });
        remembered.waits_since.resize(self.kernel.shards.len(), None);
        for (index, (shard, since)) in self.kernel.shards.iter().zip(&mut remembered.waits_since).enumerate()
        {
            let earlier = self.earlier.and_then(|earlier| earlier.shards.get(index));
            let goes_on = earlier.is_some_and(|earlier| progress(earlier) != progress(shard));
            let waits = self.waits_in(shard) || ShardState::of(shard) == ShardState::StalledOnHost;
            *since = match (goes_on, waits) {
                (false, true) => since.or(Some(self.at)),
                _ => None,
            };
        }
        // What was there at the first look is new to whoever looks.
        let grown =
            |count: fn(&Kernel) -> u64| count(self.kernel).saturating_sub(self.earlier.map_or(0, count));
        for (count, known) in
            [(failures as fn(&Kernel) -> u64, &mut remembered.failed), (losses, &mut remembered.lost)]
        {
            let still = known.filter(|(at, _)| self.at.saturating_sub(*at) < self.limits.recent);
            *known = match (grown(count), still) {
                (0, still) => still,
                (more, still) => Some((self.at, still.map_or(0, |(_, count)| count) + more)),
            };
        }
        let taken = grown(|kernel| kernel.sum(|shard| shard.processed).saturating_add(failures(kernel)));
        remembered.taken =
            if remembered.failed.is_some() { remembered.taken.saturating_add(taken) } else { 0 };
        remembered
    }

    fn judge(&self, remembered: &Remembered, file: &Path, pid: u32) -> KernelHealth {
        let mut reasons = Vec::new();
        let mut tell = |state, symptom, evidence| reasons.push(HealthReason { state, symptom, evidence });
        let stuck = self.stuck(remembered);
        if remembered.died.is_some() {
            tell(
                HealthState::Unhealthy,
                Symptom::Dead,
                format!("process {pid} died: `annulus autopsy {pid}` says what it was at"),
            );
        }
        let pending = self.kernel.waiting();
        if remembered.died.is_none() {
            if self.kernel.state() == ShardState::Inactive && pending != 0 {
                let wait = if pending == 1 { "message waits" } else { "messages wait" };
                let text = format!("it is inactive, and {pending} {wait}: activate it");
                tell(HealthState::Unhealthy, Symptom::Inactive, text);
            } else if let Some((waits, longest)) = self.worst(&stuck, remembered) {
                let text = self.evidence(&stuck, longest);
                match waits {
                    true => tell(HealthState::Unhealthy, Symptom::Stuck, text),
                    false => tell(HealthState::Degraded, Symptom::NobodyReceives, text),
                }
            }
            if let Some(text) = self.fullness() {
                tell(HealthState::Degraded, Symptom::Full, text);
            }
            if let Some(text) = self.slowness().filter(|_| stuck.is_empty()) {
                tell(HealthState::Degraded, Symptom::Slow, text);
            }
        }
        if let Some((_, count)) = remembered.failed
            && count as f64 > self.limits.failed * remembered.taken as f64
        {
            tell(HealthState::Degraded, Symptom::Failed, self.failure(count, remembered.taken));
        }
        if let Some((_, count)) = remembered.lost {
            let text = match count {
                1 => "1 message, output or dead letter was dropped or lost: the status has the cause".into(),
                count => format!(
                    "{count} messages, outputs or dead letters were dropped or lost: the status has the causes"
                ),
            };
            tell(HealthState::Degraded, Symptom::Lost, text);
        }
        reasons.sort_by_key(|reason| std::cmp::Reverse(reason.state));
        KernelHealth {
            file: file.to_owned(),
            pid,
            id: self.kernel.id,
            kernel: self.kernel.name.clone(),
            reasons,
            stuck_shards: stuck.len(),
            is_active: !matches!(
                self.kernel.state(),
                ShardState::Launched | ShardState::Inactive | ShardState::Ended
            ),
        }
    }

    /// The shards that took nothing for too long.
    fn stuck(&self, remembered: &Remembered) -> Vec<usize> {
        let is_long = |since: &Option<Duration>| {
            since.is_some_and(|since| self.at.saturating_sub(since) >= self.limits.stuck)
        };
        let shards = remembered.waits_since.iter().enumerate();
        shards.filter(|(_, since)| is_long(since)).map(|(index, _)| index).collect()
    }

    /// Whether messages wait in a shard. Nobody counts for which shard other kernels have sent over a device's memory: it is the
    /// only one, or the one that is in a handler.
    fn waits_in(&self, shard: &Shard) -> bool {
        let may_be_fed = self.kernel.shards.len() == 1 || Phase::of(shard) == Phase::InHandler;
        shard.waiting() != 0 || self.kernel.linked != 0 && may_be_fed
    }

    /// Whether messages wait in one of these shards, and how long the longest of them has been so.
    fn worst(&self, stuck: &[usize], remembered: &Remembered) -> Option<(bool, Duration)> {
        let since = stuck.iter().filter_map(|&index| remembered.waits_since[index]).min()?;
        let waits = stuck.iter().any(|&index| self.waits_in(&self.kernel.shards[index]));
        Some((waits, self.at.saturating_sub(since)))
    }

    /// What `why` says about the kernel, and for how long it has been so.
    fn evidence(&self, stuck: &[usize], longest: Duration) -> String {
        let name = &self.kernel.name;
        let is_about = |finding: &&annulus_runtime::why::Finding| {
            finding.kernel == *name || finding.waiting.iter().flatten().any(|step| step.kernel == *name)
        };
        let said: Vec<String> = self.why.findings.iter().filter(is_about).map(ToString::to_string).collect();
        let shards: Vec<String> = stuck.iter().map(usize::to_string).collect();
        let shards = format!("shard {} took no message for {}", shards.join(", "), for_people(longest));
        if said.is_empty() { shards } else { format!("{shards}: {}", said.join("\n")) }
    }

    fn fullness(&self) -> Option<String> {
        let limit = self.limits.full * 100.0;
        let of_kernels = self.kernel.linked_fullness();
        if of_kernels > self.limits.full {
            let percent = of_kernels * 100.0;
            let text = format!(
                "{percent:.0} % of the rings that kernels send to are taken, and the limit is {limit:.0} %"
            );
            return Some(text);
        }
        let capacity = self.kernel.queue_capacity.max(1) as f64;
        let shares = self.kernel.shards.iter().map(|shard| shard.waiting() as f64 / capacity);
        let (shard, share) = shares.enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b))?;
        (share > self.limits.full).then(|| {
            let percent = share * 100.0;
            format!("{percent:.0} % of the queue of shard {shard} are taken, and the limit is {limit:.0} %")
        })
    }

    fn slowness(&self) -> Option<String> {
        let earlier = self.earlier.filter(|_| !self.elapsed.is_zero())?;
        let behind = |kernel: &Kernel| kernel.fullness() > 0.1;
        let done = |kernel: &Kernel| kernel.sum(|shard| shard.processed);
        let rate = done(self.kernel).saturating_sub(done(earlier)) as f64 / self.elapsed.as_secs_f64();
        (rate < self.limits.slow && behind(earlier) && behind(self.kernel)).then(|| {
            format!(
                "{rate:.1} messages a second are handled, the limit is {:.0}, and {} wait",
                self.limits.slow,
                self.kernel.waiting()
            )
        })
    }

    fn failure(&self, count: u64, taken: u64) -> String {
        let code = self.kernel.shards.iter().map(|shard| shard.last_error as u16).find(|&code| code != 0);
        let last = code.map(|code| match self.kernel.error_name(code) {
            Some(name) => format!(", the last one with {name} ({code:#06x})"),
            None => format!(", the last one with {code:#06x} ({})", describe_error(code)),
        });
        let limit = match self.limits.failed {
            0.0 => String::new(),
            limit => format!(" of {taken}, and the limit is {:.1} %", limit * 100.0),
        };
        let what = if count == 1 { "message" } else { "messages" };
        format!("{count} {what} failed{limit}{}", last.unwrap_or_default())
    }
}
