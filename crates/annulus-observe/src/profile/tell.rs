//! A profile for people, and for flame graphs.

use std::fmt::{self, Write as _};

use annulus_runtime::for_people;

use super::{KernelProfile, Profile, ShardProfile, margin};
use crate::Phase;

/// Phases as they are printed: what does the work first.
const ORDER: [Phase; 10] = [
    Phase::InHandler,
    Phase::Publishing,
    Phase::Looking,
    Phase::Asleep,
    Phase::StalledOnHost,
    Phase::StalledOnKernel,
    Phase::AtBarrier,
    Phase::Inactive,
    Phase::Ended,
    Phase::Unknown,
];

/// Prints for people: for each kernel its shards by phases, and its hottest keys. Names stand as in the process.
impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "process {}, {}, {}: {} looks in {}",
            self.pid,
            self.backend,
            self.executable,
            self.looks,
            for_people(self.elapsed)
        )?;
        if self.missed > self.looks / 10 {
            let missed = self.missed;
            writeln!(
                f,
                "  {missed} looks were missed: this machine is busy, and shares lean towards looking and asleep"
            )?;
        }
        if self.kernels.is_empty() {
            writeln!(f, "  no kernels")?;
        }
        self.kernels.iter().try_for_each(|kernel| kernel.fmt(f))
    }
}

impl fmt::Display for KernelProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (messages, elapsed) = (self.messages(), self.elapsed());
        write!(f, "  `{}`: {messages} messages", self.name)?;
        if !elapsed.is_zero() {
            write!(f, ", {:.0} a second", messages as f64 / elapsed.as_secs_f64())?;
        }
        let looks = self.shards.iter().map(ShardProfile::all_looks).max().unwrap_or(0);
        writeln!(f, "; {looks} looks, so shares are right to ± {:.1} points", margin(looks) * 100.0)?;
        let shown: Vec<Phase> = ORDER.into_iter().filter(|&phase| self.looks(phase) != 0).collect();
        write!(f, "    shard   ")?;
        shown
            .iter()
            .try_for_each(|phase| write!(f, "{:>width$}", phase.to_string(), width = width(*phase)))?;
        writeln!(f, "   per message")?;
        // The busiest first.
        let mut shards: Vec<(usize, &ShardProfile)> = self.shards.iter().enumerate().collect();
        shards.sort_by_key(|(index, shard)| (std::cmp::Reverse(shard.looks(Phase::InHandler)), *index));
        for &(index, shard) in shards.iter().take(Profile::SHARDS) {
            write!(f, "    {index:<8}")?;
            for &phase in &shown {
                write!(f, "{:>width$.1} %", shard.share(phase) * 100.0, width = width(phase) - 2)?;
            }
            match shard.time_of_a_message(elapsed) {
                Some(time) => writeln!(f, "   {}", for_people(time))?,
                None => writeln!(f, "   -")?,
            }
        }
        if shards.len() > Profile::SHARDS {
            writeln!(f, "    ({} other shards)", shards.len() - Profile::SHARDS)?;
        }
        if shards.len() > 1 {
            write!(f, "    all     ")?;
            for &phase in &shown {
                write!(f, "{:>width$.1} %", self.share(phase) * 100.0, width = width(phase) - 2)?;
            }
            writeln!(f)?;
        }
        self.keys(f)
    }
}

impl KernelProfile {
    fn keys(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut hottest = self.hottest();
        if hottest.is_empty() {
            return Ok(());
        }
        hottest.retain(|hot| hot.at_least >= Profile::HOT && hot.looks >= Profile::LOOKS);
        if hottest.is_empty() {
            return writeln!(f, "    no key stands out");
        }
        writeln!(f, "    hottest keys, by shares of the time in handlers:")?;
        for hot in hottest.iter().take(Profile::KEYS) {
            let (least, most) = (hot.at_least * 100.0, hot.at_most * 100.0);
            write!(f, "      {:<20} {least:.1}", hot.key)?;
            if most - least >= 0.05 {
                write!(f, " to {most:.1}")?;
            }
            f.write_str(" %")?;
            if self.shards.len() > 1 {
                write!(f, ", shard {}", hot.shard)?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Columns of a phase: its name and three more, at least those of `100.0 %`.
fn width(phase: Phase) -> usize {
    phase.to_string().len().max(7) + 3
}

impl Profile {
    /// How many shards of each kernel `Display` prints.
    pub const SHARDS: usize = 16;

    /// How many keys of each kernel `Display` prints at most.
    pub const KEYS: usize = 10;

    /// The least share of a key that `Display` prints.
    pub const HOT: f64 = 0.01;

    /// The least looks that met a key that `Display` prints: fewer are chance.
    pub const LOOKS: u64 = 10;

    /// The looks as *folded stacks*, a line for each with its count: process, kernel, shard, phase, and the key where
    /// it is known. What flame graphs are drawn from, by `flamegraph.pl`, `inferno-flamegraph` or speedscope.
    ///
    /// ```
    /// let nothing = annulus_observe::profile::Profiler::new().profile();
    /// assert_eq!(nothing.folded(), "");
    /// ```
    pub fn folded(&self) -> String {
        let mut text = String::new();
        let program = self.executable.rsplit('/').next().unwrap_or_default();
        for kernel in &self.kernels {
            for (index, shard) in kernel.shards.iter().enumerate() {
                let stack = format!("{} {};{};shard {index}", frame(program), self.pid, frame(&kernel.name));
                for phase in ORDER {
                    let mut looks = shard.looks(phase);
                    let hottest = shard.keys.hottest();
                    // What is certain is given to the keys; the rest stays with the handler.
                    let keys = hottest.iter().filter(|hot| kernel.has_keys && hot.at_least > 0);
                    for hot in keys.filter(|_| phase == Phase::InHandler) {
                        looks -= hot.at_least;
                        // Writing to a string cannot fail.
                        let _ = writeln!(text, "{stack};{phase};key {} {}", hot.key, hot.at_least);
                    }
                    if looks != 0 {
                        let _ = writeln!(text, "{stack};{phase} {looks}");
                    }
                }
            }
        }
        text
    }
}

/// A name as a frame of a stack: the format has no way to write some characters.
fn frame(name: &str) -> String {
    name.chars().map(|c| if c == ';' || c.is_control() { '_' } else { c }).collect()
}
