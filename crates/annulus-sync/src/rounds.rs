//! Rounds of parties that take their turns in step, by what they say when they come to the
//! [barrier](crate::phase_barrier).
//!
//! Each party has a queue. A *round* is what lay in the queues when it began. What parties send to each other in a
//! round comes behind its end, and is of the next one (the bulk-synchronous model). So a party takes what lies before
//! the *end* of its part, and what lies behind it waits.
//!
//! # States
//!
//! A party's part of the round is *open* while something is left of it, or something waits to be delivered that was
//! sent in it. Else it is *closed*. A closed part stays closed until the next round begins.
//!
//! ```text
//!  step 1: all say closed, some party that it has more ─▶ step 2: each notes how much lies in its queue ─▶ the round begins
//! ```
//!
//! The round is over in a step in which each party says that its part is closed, and some party that it has more. In the
//! next step nobody takes anything, since nothing is left of any part; so nobody sends anything to a party. What was sent
//! before is there: all came to a barrier behind it. Each party *notes* how much lies in its queue. With the step
//! after that the round begins, and what each has noted is its part.
//!
//! The note is not taken in the step in which all say *closed*: one that comes to it later may have sent something in
//! its last turn of the round. And what was sent from outside, and then made known to the last one, is in the queues of
//! all when they note. So messages that were sent before a kernel was made active are of one round.
//!
//! # Words and writers
//!
//! | word | written by | read by |
//! |---|---|---|
//! | `open`, `more` | a party, before it comes to the barrier; then whoever opens the barrier, back to none | whoever opens the barrier |
//! | `word`: how many rounds were decided, and whether the last step decided one or was open | whoever opens the barrier, before it schedules the others | each party, before its turn |
//!
//! All accesses are relaxed. A vote comes before its party's arrival, and all arrivals before what the last one does
//! (`SYNC: step`); what that one decides comes before the others are scheduled.
//!
//! # Parties that sleep
//!
//! A party that finds nothing sleeps, and comes when another one has come. Who [must come](Part::comes) by itself?
//! Whoever has more, unless the last step was open: then some party said so. That one takes the rest of its part in turns
//! after which it comes, so the others need not ask.
//!
//! A party that goes for good after it has said *open* calls nobody, and others that have more would sleep. So all parties
//! go together, as the blocks of a kernel do, which is terminated as a whole.

use crate::{AtomicBool, AtomicU64, Ordering};

/// What the parties say of a round, and how many rounds there were; see the module.
#[derive(Debug)]
pub struct Rounds {
    open: AtomicBool,
    more: AtomicBool,
    /// The rounds that were decided, times 4; 2 more if the last step decided one, and 1 more if it was open.
    word: AtomicU64,
}

/// What a party says of its part of the round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vote {
    /// Something is left of it, or it notes what the next one has.
    Open,
    /// Nothing is, and nothing waits for the next one.
    Closed,
    /// Nothing is, and something waits for the next one.
    More,
}

/// What came of the votes of the last step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How many rounds were decided.
    pub decided: u64,
    /// How many of them have begun: for one that was decided in the last step parties still note what it has.
    pub begun: u64,
    /// Whether some party said that its part is open.
    pub is_open: bool,
}

impl Rounds {
    /// None has begun.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Self { open: AtomicBool::new(false), more: AtomicBool::new(false), word: AtomicU64::new(0) }
    }

    /// Called by a party, before it comes to the barrier.
    pub fn vote(&self, vote: Vote) {
        match vote {
            Vote::Open => self.open.store(true, Ordering::Relaxed),
            Vote::Closed => {}
            Vote::More => self.more.store(true, Ordering::Relaxed),
        }
    }

    /// Called by whoever has opened the barrier, before it schedules those that wait.
    pub fn decide(&self) {
        let is_open = self.open.load(Ordering::Relaxed);
        let begins = !is_open && self.more.load(Ordering::Relaxed);
        let decided = self.outcome().decided + u64::from(begins);
        self.open.store(false, Ordering::Relaxed);
        self.more.store(false, Ordering::Relaxed);
        self.word.store(decided << 2 | u64::from(begins) << 1 | u64::from(is_open), Ordering::Relaxed);
    }

    /// Called by a party before its turn, and by anybody who wants to know how many there were.
    pub fn outcome(&self) -> Outcome {
        let word = self.word.load(Ordering::Relaxed);
        let decided = word >> 2;
        Outcome { decided, begun: decided - (word >> 1 & 1), is_open: word & 1 != 0 }
    }
}

/// What a party knows of its part. Positions count what its queue has ever had, from 0, and so the first round ends there.
#[derive(Debug, Default)]
pub struct Part {
    /// Behind the last of this round.
    end: u64,
    /// What it has noted, if a round is decided and has not begun; else `None`.
    noted: Option<u64>,
    decided: u64,
    begun: u64,
    /// Whether the last step was open.
    is_open: bool,
}

impl Part {
    /// How much is left of the round for a party that is at `position`.
    #[inline]
    pub fn left(&self, position: u64) -> u64 {
        self.end - position
    }

    /// How many rounds have begun.
    #[inline]
    pub fn begun(&self) -> u64 {
        self.begun
    }

    /// What the party says when it comes to the barrier: it is at `position`, and its queue has had `there` until now.
    /// `wants` is false for a party that takes nothing now: it takes part in a round, and begins none.
    pub fn vote(&mut self, position: u64, there: u64, wants: bool) -> Vote {
        // Behind a step in which all said *closed*.
        let notes = self.decided != self.begun;
        self.noted = notes.then_some(there);
        match (notes || self.left(position) != 0, there > self.end && wants) {
            (true, _) => Vote::Open,
            (false, true) => Vote::More,
            (false, false) => Vote::Closed,
        }
    }

    /// Called before a turn, with what came of the last step. Returns whether a round has begun.
    pub fn follow(&mut self, outcome: Outcome) -> bool {
        self.is_open = outcome.is_open;
        self.decided = outcome.decided;
        let Some(noted) = self.noted.take() else { return false };
        (self.begun, self.end) = (self.decided, noted);
        true
    }

    /// Whether a party that finds nothing comes to the barrier though no other one has come; `has_more` says
    /// that it would take what lies behind the end.
    pub fn comes(&self, position: u64, has_more: bool) -> bool {
        self.left(position) == 0 && has_more && !self.is_open
    }
}
