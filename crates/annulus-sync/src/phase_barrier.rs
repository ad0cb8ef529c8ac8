//! A barrier for those that take their turns in step, and give their thread back while they wait.
//!
//! *Parties* take turns; none begins its next one before all have ended this one. A party is
//!
//! * *at it*: it is about to take its turn, takes it, or sleeps because it finds nothing to do;
//! * *waiting*: it has come to the barrier, and is on no schedule. Whoever comes last schedules all who wait;
//! * *gone*, for good.
//!
//! One word counts those that have come and those that are not gone. Each change of it is a read-modify-write
//! that releases and acquires, so the word's changes are one chain: whoever comes last sees what all did in
//! their turns (`SYNC: step`), and schedules them after it.
//!
//! A party that sleeps must come as soon as another one has. Who comes first calls all others
//! ([`WakeFlag::wake`](crate::wake_flag::WakeFlag::wake)), which fences; one that parks fences, and asks then
//! whether somebody [has come](PhaseBarrier::has_begun). One of the two fences comes first: either the caller
//! sees the sleeper, or the sleeper sees that somebody came. That stays so until the sleeper comes itself.

use crate::{AtomicU64, Ordering};

/// The barrier; see the module.
#[derive(Debug)]
pub struct PhaseBarrier {
    /// How many have come, in the lower half; how many are not gone, in the upper one, which is never less.
    word: AtomicU64,
}

/// What a party's coming means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// Nobody had come before: it calls those that sleep, and waits.
    First,
    /// It waits.
    Later,
    /// All have come, and the next step has begun: it schedules those that wait, and does not wait itself.
    Last,
}

const COME: u64 = 1;
const PRESENT: u64 = 1 << 32;

impl PhaseBarrier {
    /// A barrier for so many parties, none of which has come.
    pub fn new(parties: u32) -> Self {
        Self { word: AtomicU64::new(u64::from(parties) * PRESENT) }
    }

    /// A party has ended its turn. Not for one that waits or is gone.
    #[must_use = "others wait for what it says"]
    pub fn arrive(&self) -> Arrival {
        let mut arrival = Arrival::Later;
        self.change(|word| {
            let come = word % PRESENT + COME;
            let is_last = come == word / PRESENT;
            arrival = match come {
                _ if is_last => Arrival::Last,
                COME => Arrival::First,
                _ => Arrival::Later,
            };
            if is_last { word - word % PRESENT } else { word + COME }
        });
        arrival
    }

    /// A party goes for good; whether it was the last for whom others waited: it schedules those that wait,
    /// as who comes last does. Not for one that waits.
    #[must_use = "others wait for what it says"]
    pub fn leave(&self) -> bool {
        let mut opens = false;
        self.change(|word| {
            let (come, left) = (word % PRESENT, word / PRESENT - 1);
            opens = come != 0 && come == left;
            if opens { left * PRESENT } else { word - PRESENT }
        });
        opens
    }

    /// Whether somebody has come, and the others are waited for. After a fence, by a party that parks;
    /// see the module.
    #[inline]
    pub fn has_begun(&self) -> bool {
        !self.word.load(Ordering::Relaxed).is_multiple_of(PRESENT)
    }

    fn change(&self, mut change: impl FnMut(u64) -> u64) {
        let mut seen = self.word.load(Ordering::Relaxed);
        loop {
            // SYNC: step (both ends: every change is a link of one chain)
            match self.word.compare_exchange_weak(seen, change(seen), Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => return,
                Err(now) => seen = now,
            }
        }
    }
}
