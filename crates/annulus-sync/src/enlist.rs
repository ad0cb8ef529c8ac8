//! A thing that stands on a list as long as somebody waits at it, and not twice.
//!
//! Whoever begins to wait counts itself in `waiting`, then swaps `listed` to true; if it was false, it puts
//! the thing on the list. Whoever goes through the list takes a thing off when nobody waits: it swaps
//! `listed` to false, then looks at `waiting` once more. If somebody waits by now, it swaps `listed` to true
//! again, and keeps the thing unless somebody else has done so: then that one puts it on the list.
//!
//! Of the two first swaps one comes first (`SYNC: waits`). If it is the waiter's, the other acquires what it
//! released, and finds it counted. Else the waiter's swap finds *false*, or that the other one has kept the
//! thing.

use crate::{AtomicBool, AtomicUsize, Ordering};

/// How many wait, and whether the thing is on the list; see the module.
#[derive(Debug)]
pub struct Enlisted {
    waiting: AtomicUsize,
    listed: AtomicBool,
}

/// Somebody who waits, while this lives.
#[derive(Debug)]
pub struct Waiting<'a>(&'a Enlisted);

impl Enlisted {
    /// Nobody waits, and it is on no list.
    pub fn new() -> Self {
        Self { waiting: AtomicUsize::new(0), listed: AtomicBool::new(false) }
    }

    /// Somebody begins to wait. Calls `enlist` if the thing is to be put on the list.
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

    /// By who goes through the list, and has found that nobody waits: whether the thing stays on it all the
    /// same. If not, it is to be taken off.
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
