//! Reports a frequent change only once somebody has begun to wait for it.
//!
//! A waiter marks the change as [watched](Watched::watch), registers with an [`Event`](crate::event::Event),
//! which fences, and looks at its condition; then it sleeps. A thread that makes the change fences, looks
//! whether it is watched, and only then notifies the event. One of the two fences comes
//! first (`SYNC: watched`): either the waiter's look sees the change, or the one who made it sees that it is
//! watched, and that the waiter has registered.
//!
//! The word never goes back to *not watched*. It saves work where nobody ever waits for the change: the
//! lookup of one or several events.

use crate::{AtomicBool, Ordering, fence};

/// Whether somebody waits, or has waited; see the module.
#[derive(Debug)]
pub struct Watched(AtomicBool);

impl Watched {
    /// Not watched: nobody has waited so far.
    pub fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    /// Before registering with the event, whose fence stands between this and the look at the condition
    /// (`SYNC: watched`).
    pub fn watch(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Called after a change: calls `tell` if the change is watched.
    pub fn tell(&self, tell: impl FnOnce()) {
        // SYNC: watched
        fence(Ordering::SeqCst);
        self.tell_behind_fence(tell);
    }

    /// [`tell`](Self::tell), where a SeqCst fence stands between the change and this in any case: an event's,
    /// or a wake flag's (`SYNC: watched`).
    #[inline]
    pub fn tell_behind_fence(&self, tell: impl FnOnce()) {
        if self.0.load(Ordering::Relaxed) {
            tell();
        }
    }
}

impl Default for Watched {
    fn default() -> Self {
        Self::new()
    }
}
