//! Keeps an entry on a list, at most once, as long as somebody waits at it.
//!
//! A waiter counts itself in `waiting`, then swaps `listed` to true. If `listed` was false, the waiter puts
//! the entry on the list. A thread that goes through the list takes an entry off when nobody waits: it swaps
//! `listed` to false, then looks at `waiting` once more. If somebody waits by now, it swaps `listed` to true
//! again. If `listed` was still false, it keeps the entry; if not, the waiter that set it puts the entry on
//! the list.
//!
//! Of the two first swaps one comes first (`SYNC: waits`). If it is the waiter's, the other acquires what it
//! released, and sees that it is counted. Otherwise the waiter's swap finds *false*, or the other thread has
//! kept the entry.

use crate::{AtomicBool, AtomicUsize, Ordering};

/// How many wait, and whether the entry is on the list; see the module.
#[derive(Debug)]
pub struct Enlisted {
    waiting: AtomicUsize,
    listed: AtomicBool,
}

/// Counts one waiter until it is dropped.
#[derive(Debug)]
pub struct Waiting<'a>(&'a Enlisted);

impl Enlisted {
    /// An entry that is on no list, and at which nobody waits.
    pub fn new() -> Self {
        Self { waiting: AtomicUsize::new(0), listed: AtomicBool::new(false) }
    }

    /// Begins to wait. Calls `enlist` if the entry must be put on the list.
    pub fn wait(&self, enlist: impl FnOnce()) -> Waiting<'_> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        // SYNC: waits (release)
        if !self.listed.swap(true, Ordering::AcqRel) {
            enlist();
        }
        Waiting(self)
    }

    /// Whether somebody waits. Out of date at once.
    pub fn is_waited_at(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) != 0
    }

    /// Called by the thread that goes through the list, after it found that nobody waits. Returns whether the
    /// entry stays on the list all the same. If not, the thread must take it off.
    #[must_use = "it stays on the list, or is taken off"]
    pub fn stays(&self) -> bool {
        // SYNC: waits (acquire)
        self.listed.swap(false, Ordering::AcqRel);
        self.is_waited_at() && !self.listed.swap(true, Ordering::AcqRel)
    }
}

impl Default for Enlisted {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}
