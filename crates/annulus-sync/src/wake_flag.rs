//! A wake flag: a runner, which one thread at a time runs, goes to sleep without missing a call.
//!
//! A *runner* is scheduled, runs as long as it finds work, and parks. A *caller* makes work, then calls. One
//! word, `asleep`:
//!
//! * *awake* (false): the runner is scheduled or running, on exactly one thread. Callers do nothing more.
//! * *asleep* (true): the runner is on no schedule. The first caller that swaps the word to false schedules
//!   it; the others do nothing more.
//!
//! The runner swaps the word to *asleep*, fences, and looks for work once more (`SYNC: wake-flag`); a caller
//! makes work, fences, and loads the word. One of the two fences comes first: either the caller sees
//! *asleep*, or the runner sees the work. If both do, the swap decides who goes on, so there is never more
//! than one runner. The swap also hands the runner's memory from thread to thread.

use crate::{AtomicBool, Ordering, fence};

/// Whether a runner is asleep; see the module.
#[derive(Debug)]
pub struct WakeFlag {
    asleep: AtomicBool,
}

impl WakeFlag {
    /// A runner that is asleep: the first call schedules it.
    pub fn new() -> Self {
        Self { asleep: AtomicBool::new(true) }
    }

    /// Called after making work. Returns whether the caller must schedule the runner.
    ///
    /// Costs a fence and a load as long as the runner is awake.
    #[inline]
    #[must_use = "the runner sleeps on unless it is scheduled"]
    pub fn wake(&self) -> bool {
        // SYNC: wake-flag
        fence(Ordering::SeqCst);
        self.asleep.load(Ordering::Relaxed) && self.claim()
    }

    /// Whether the runner is asleep, for a caller that has made work and fenced: then the runner may have told before what it
    /// waits for. If it is awake, it looks for work once more before it sleeps.
    // SYNC: wake-flag
    #[inline]
    pub fn is_asleep(&self) -> bool {
        // SYNC: runner-handed-on (acquire)
        self.asleep.load(Ordering::Acquire)
    }

    /// Called by the runner: goes to sleep. The runner must then look for work once more. If it finds some,
    /// it calls [`claim`](Self::claim), which says whether it may go on. It must not touch its data before
    /// that.
    pub fn park(&self) {
        // A swap, though a store would do: every write of the word is then a link of one chain of
        // read-modify-writes.
        // SYNC: runner-handed-on (release)
        self.asleep.swap(true, Ordering::AcqRel);
        // SYNC: wake-flag
        fence(Ordering::SeqCst);
    }

    /// Wakes the runner. Returns whether this call woke it; then the caller must run or schedule it.
    #[must_use = "the runner sleeps on unless it is scheduled"]
    pub fn claim(&self) -> bool {
        // SYNC: runner-handed-on (acquire)
        self.asleep.swap(false, Ordering::AcqRel)
    }
}

impl Default for WakeFlag {
    fn default() -> Self {
        Self::new()
    }
}
