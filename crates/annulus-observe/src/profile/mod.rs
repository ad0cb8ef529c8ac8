//! What kernels spend their time on, by looking often: shares of time by phase, and the keys that take most of it.
//!
//! A block says what it is at (`At`), and reads no clock. A profile looks many times a second at random moments:
//! the share of the looks that find a shard in a phase is the share of its time. That costs the watched process
//! nothing, works the same on every backend, and is right to within about `1/√looks`.
//!
//! Of kernels whose words are copies, as those of devices are, only new copies count: some 25 a second.

mod hot_keys;
mod pace;
mod tell;
#[cfg(test)]
pub(crate) mod tests;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use annulus_abi::vitals::phase::NAMES;

use crate::{Attached, Kernel, Liveness, Phase, Process, Shard, Unreadable};
pub use hot_keys::{HotKey, HotKeys};
use pace::Pace;

/// Keys that are counted in each shard. Source: this project's choice; what takes more than 1/64 of the time in a
/// shard's handlers is found.
const KEYS: usize = 64;

/// How often kernels are looked for that were launched meanwhile. Source: this project's choice.
const ANEW: Duration = Duration::from_millis(100);

/// Gathers looks at a runtime.
///
/// ```no_run
/// use annulus_observe::profile::Profiler;
/// let file = annulus_observe::files().remove(0);
/// let mut profiler = Profiler::new();
/// for _ in 0..1000 {
///     profiler.look(&annulus_observe::look(&file)?);
///     std::thread::sleep(std::time::Duration::from_millis(1));
/// }
/// println!("{}", profiler.profile());
/// # Ok::<(), annulus_observe::Unreadable>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Profiler {
    profile: Profile,
    kernels: BTreeMap<u64, KernelProfile>,
}

/// What the kernels of a runtime spent their time on.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// The process.
    pub pid: u32,
    /// Its executable.
    pub executable: String,
    /// The runtime's backend.
    pub backend: String,
    /// How many looks there were.
    pub looks: u64,
    /// How many more there would have been if none had come late. A look that comes late tends to meet a block where
    /// it gives up its core: when a tenth is missed, shares lean towards looking and asleep.
    pub missed: u64,
    /// The time from the first to the last one.
    pub elapsed: Duration,
    /// The kernels that were there, in the order of their launches.
    pub kernels: Vec<KernelProfile>,
}

/// What a kernel spent its time on.
#[derive(Clone, Debug)]
pub struct KernelProfile {
    /// Its number in its runtime.
    pub id: u64,
    /// The name that it runs under.
    pub name: String,
    /// Whether its messages have keys, as far as is known.
    pub has_keys: bool,
    /// Its shards.
    pub shards: Vec<ShardProfile>,
    /// When it was first and last looked at, on a clock that serves differences.
    first: u64,
    last: u64,
}

/// What a shard spent its time on.
#[derive(Clone, Debug)]
pub struct ShardProfile {
    /// How many looks found it in each phase, by the phase's number.
    phases: [u64; NAMES.len()],
    /// Messages that it handled meanwhile, failed ones included.
    pub messages: u64,
    /// The keys of messages whose handlers it was found in.
    pub keys: HotKeys,
    /// What it had handled at the first look.
    before: u64,
}

impl Profiler {
    /// Without a look yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in a look. A dead process and kernels that have ended spend no time.
    pub fn look(&mut self, process: &Process) {
        if process.liveness == Liveness::Dead {
            return;
        }
        let profile = &mut self.profile;
        if profile.looks == 0 {
            profile.pid = process.pid;
            profile.executable.clone_from(&process.executable);
            profile.backend.clone_from(&process.backend);
        }
        profile.looks += 1;
        for kernel in process.kernels.iter().filter(|kernel| !kernel.has_ended) {
            let at = kernel.copied_at.unwrap_or(process.now);
            match self.kernels.get_mut(&kernel.id) {
                // The same copy again.
                Some(known) if kernel.copied_at == Some(known.last) => {}
                Some(known) => known.look(kernel, at),
                None => {
                    let mut new = KernelProfile::new(kernel, at);
                    new.look(kernel, at);
                    self.kernels.insert(kernel.id, new);
                }
            }
        }
    }

    /// What they show so far.
    pub fn profile(&self) -> Profile {
        let kernels: Vec<_> = self.kernels.values().cloned().collect();
        let elapsed = kernels.iter().map(KernelProfile::elapsed).max().unwrap_or_default();
        Profile { kernels, elapsed, ..self.profile.clone() }
    }
}

impl KernelProfile {
    fn new(kernel: &Kernel, at: u64) -> Self {
        let shard = |shard: &Shard| ShardProfile {
            phases: [0; NAMES.len()],
            messages: 0,
            keys: HotKeys::new(KEYS),
            before: handled(shard),
        };
        Self {
            id: kernel.id,
            name: kernel.name.clone(),
            has_keys: kernel.keys,
            shards: kernel.shards.iter().map(shard).collect(),
            first: at,
            last: at,
        }
    }

    fn look(&mut self, kernel: &Kernel, at: u64) {
        self.last = at;
        for (known, shard) in self.shards.iter_mut().zip(&kernel.shards) {
            let phase = Phase::of(shard);
            known.phases[phase as usize] += 1;
            known.messages = handled(shard).saturating_sub(known.before);
            // Of several messages at once, nobody knows which takes the time.
            if phase == Phase::InHandler && shard.at.count <= 1 {
                known.keys.add(shard.at.key);
            }
        }
    }

    /// The time from the first to the last look at it.
    pub fn elapsed(&self) -> Duration {
        Duration::from_nanos(self.last.saturating_sub(self.first))
    }

    /// How many looks found a shard of it in a phase, of all shards together.
    pub fn looks(&self, phase: Phase) -> u64 {
        self.shards.iter().map(|shard| shard.looks(phase)).sum()
    }

    /// The share of its shards' time that they were in a phase, 0 to 1.
    pub fn share(&self, phase: Phase) -> f64 {
        share(self.looks(phase), self.shards.iter().map(ShardProfile::all_looks).sum())
    }

    /// Messages that it handled meanwhile, failed ones included.
    pub fn messages(&self) -> u64 {
        self.shards.iter().map(|shard| shard.messages).fold(0, u64::saturating_add)
    }

    /// The keys whose messages took most of the time in the kernel's handlers, with their shards: the least and the
    /// most share of it. Empty if messages have no keys.
    pub fn hottest(&self) -> Vec<HotShare> {
        if !self.has_keys {
            return Vec::new();
        }
        let total = self.shards.iter().map(|shard| shard.keys.total()).sum();
        let mut keys: Vec<HotShare> = Vec::new();
        for (index, shard) in self.shards.iter().enumerate() {
            keys.extend(shard.keys.hottest().iter().map(|hot| HotShare {
                key: hot.key,
                shard: index,
                looks: hot.at_least,
                at_least: share(hot.at_least, total),
                at_most: share(hot.at_most, total),
            }));
        }
        keys.sort_by(|a, b| b.at_least.total_cmp(&a.at_least).then(a.key.cmp(&b.key)));
        keys
    }
}

/// The share of the time in a kernel's handlers that messages of a key took in a shard: within these bounds for the
/// looks that there were.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HotShare {
    /// The key.
    pub key: u64,
    /// The shard.
    pub shard: usize,
    /// How many looks found it, at least.
    pub looks: u64,
    /// From 0 to 1.
    pub at_least: f64,
    /// From 0 to 1.
    pub at_most: f64,
}

impl ShardProfile {
    /// How many looks found it in a phase.
    pub fn looks(&self, phase: Phase) -> u64 {
        self.phases[phase as usize]
    }

    /// How many looks there were.
    pub fn all_looks(&self) -> u64 {
        self.phases.iter().sum()
    }

    /// The share of its time that it was in a phase, 0 to 1.
    pub fn share(&self, phase: Phase) -> f64 {
        share(self.looks(phase), self.all_looks())
    }

    /// The time in the handler for each message, given the whole time; `None` if no message was handled, or no look
    /// met a handler.
    pub fn time_of_a_message(&self, elapsed: Duration) -> Option<Duration> {
        let time = elapsed.as_secs_f64() * self.share(Phase::InHandler);
        (self.messages != 0 && time > 0.0).then(|| Duration::from_secs_f64(time / self.messages as f64))
    }
}

/// How far off a share of so many looks may be, in 95 of 100 cases: 0.02 is two points. Source: the normal
/// approximation of the binomial distribution, for the share that is worst, which is a half.
pub fn margin(looks: u64) -> f64 {
    if looks == 0 { 1.0 } else { (0.98 / (looks as f64).sqrt()).min(1.0) }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn handled(shard: &Shard) -> u64 {
    shard.processed.saturating_add(shard.failed).saturating_add(shard.unknown_actor)
}

/// A process that is profiled.
struct Profiled {
    attached: Attached,
    process: Process,
    /// When all of it was looked at last.
    looked: Instant,
    profiler: Profiler,
}

impl Profiled {
    fn open(file: &Path) -> Result<Self, Unreadable> {
        let mut attached = Attached::open(file)?;
        let process = attached.look()?;
        let mut profiler = Profiler::new();
        profiler.look(&process);
        Ok(Self { attached, process, looked: Instant::now(), profiler })
    }

    /// Looks at the kernels that are known, and now and then for others.
    fn look(&mut self) {
        let again = self.looked.elapsed() < ANEW && self.attached.look_again(&mut self.process).is_ok();
        if !again {
            self.looked = Instant::now();
            // A process that has ended meanwhile spends no more time, and a file that is damaged shows none.
            let Ok(process) = self.attached.look() else { return };
            self.process = process;
        }
        self.profiler.look(&self.process);
    }
}

/// Looks at vitals files for a time, `rate` times a second each, and says what their kernels spent it on: one
/// profile for each file that could be read. Stops early when `is_over` says so.
///
/// A look that comes late is not made up for, so on a busy machine there are fewer: see [`Profile::missed`].
///
/// # Errors
///
/// If a file cannot be read at the first look.
pub fn record(
    files: &[PathBuf],
    time: Duration,
    rate: f64,
    mut is_over: impl FnMut() -> bool,
) -> Result<Vec<Profile>, Unreadable> {
    let mut profiled = Vec::new();
    for file in files {
        profiled.push(Profiled::open(file)?);
    }
    let mut pace = Pace::new(time, rate);
    while let Some(wait) = pace.next_wait() {
        thread::sleep(wait);
        profiled.iter_mut().for_each(Profiled::look);
        if is_over() {
            break;
        }
    }
    let mut profiles: Vec<Profile> = profiled.iter().map(|profiled| profiled.profiler.profile()).collect();
    for profile in &mut profiles {
        profile.missed = ((profile.elapsed.as_secs_f64() * rate) as u64).saturating_sub(profile.looks);
    }
    Ok(profiles)
}
