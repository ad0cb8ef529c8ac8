//! A way in that can be closed for some, while others still come in elsewhere.
//!
//! A ring that is closed refuses everybody. Where only some of its producers are to be refused, the ring
//! stays open, and these pass here first. A producer counts itself in, fences, and looks whether the gate
//! is closed; who closes says so, fences, and then waits until nobody is inside. One of the two fences comes
//! first (`SYNC: gate`): either the producer sees that it is closed, or the closer sees the producer, and
//! waits until it has left. Leaving releases what was done inside to the closer (`SYNC: gate-left`). So
//! after [`Gate::close`] has returned nobody does anything inside, and all that was done there is visible.

use crate::{AtomicBool, AtomicUsize, Ordering, fence, yield_now};

/// The way in; see the module.
#[derive(Debug)]
pub struct Gate {
    closed: AtomicBool,
    inside: AtomicUsize,
}

/// Somebody inside, until this is dropped. Whoever closes waits meanwhile, so nobody waits for anything
/// inside.
#[derive(Debug)]
pub struct Entered<'a> {
    gate: &'a Gate,
}

impl Gate {
    /// An open one.
    pub fn new() -> Self {
        Self { closed: AtomicBool::new(false), inside: AtomicUsize::new(0) }
    }

    /// Goes in; `None` if it is closed, for good.
    #[inline]
    pub fn enter(&self) -> Option<Entered<'_>> {
        self.inside.fetch_add(1, Ordering::Relaxed);
        let entered = Entered { gate: self };
        // SYNC: gate
        fence(Ordering::SeqCst);
        (!self.closed.load(Ordering::Relaxed)).then_some(entered)
    }

    /// Closes it, and waits until nobody is inside any more.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        // SYNC: gate
        fence(Ordering::SeqCst);
        // SYNC: gate-left (acquire; all writes of the word are read-modify-writes, so who came and left in
        // between breaks no chain)
        while self.inside.load(Ordering::Acquire) != 0 {
            yield_now();
        }
    }
}

impl Default for Gate {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Entered<'_> {
    #[inline]
    fn drop(&mut self) {
        // SYNC: gate-left (release)
        self.gate.inside.fetch_sub(1, Ordering::Release);
    }
}
