//! A barrier for parties that take their turns in step and give their thread back while they wait.
//!
//! *Parties* take turns. No party begins its next turn before all have ended this one. A party is
//!
//! * *in its turn*: it is about to take its turn, takes it, or sleeps because it finds nothing to do;
//! * *waiting*: it has come to the barrier and is on no schedule. The last party to come schedules all that
//!   wait;
//! * *gone*, for good.
//!
//! One word counts the parties that have come and those that are not gone. Each
//! change of it is a read-modify-write that releases and acquires, so the
//! word's changes are one chain: whoever comes last sees what all did in
//! their turns (`SYNC: step`), and schedules them after it.
//!
//! A party that sleeps must come as soon as another one has. The first to come calls all others
//! ([`WakeFlag::wake`](crate::wake_flag::WakeFlag::wake)), which fences. A party that parks fences, and then
//! checks whether another one [has come](PhaseBarrier::has_begun). One of the two fences comes first: either
//! the caller sees the sleeper, or the sleeper sees that a party came. This stays visible until the sleeper
//! comes itself.

use crate::{AtomicU64, Ordering};

/// The barrier; see the module.
#[derive(Debug)]
pub struct PhaseBarrier {
    /// Lower half: how many have come. Upper half: how many are not gone; never less than the lower half.
    word: AtomicU64,
}

/// What a party must do when it has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// It is the first: it calls the parties that sleep, and waits.
    First,
    /// It waits.
    Later,
    /// It is the last, and the next step has begun: it schedules the parties that wait, and does not wait
    /// itself.
    Last,
}

const COME: u64 = 1;
const PRESENT: u64 = 1 << 32;

impl PhaseBarrier {
    /// A barrier for `parties` parties, none of which has come.
    pub fn new(parties: u32) -> Self {
        Self { word: AtomicU64::new(u64::from(parties) * PRESENT) }
    }

    /// Called by a party that has ended its turn. Must not be called by one that waits or is gone.
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

    /// Called by a party that goes for good. Returns whether it was the last one that the others waited for;
    /// then it schedules those that wait, as after [`Arrival::Last`]. Must not be called by a party that
    /// waits.
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

    /// Whether a party has come and waits for the others. Called by a party that parks, after a fence; see
    /// the module.
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
