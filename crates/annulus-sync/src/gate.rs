//! An entrance that can be closed for some producers while others still enter elsewhere.
//!
//! A ring that is closed refuses everybody. If only some of its producers are to be
//! refused, the ring stays open, and these producers pass the gate first. A producer
//! counts itself in, fences, and looks whether the gate is closed. The closer marks the
//! gate closed, fences, and then waits until nobody is inside. One of the two fences comes
//! first (`SYNC: gate`): either the producer sees that it is closed, or the closer sees the producer, and
//! waits until it has left. Leaving releases what was done inside to the closer (`SYNC: gate-left`). So
//! after [`Gate::close`] has returned, nobody is inside, and all that was done inside is visible.

use crate::{AtomicBool, AtomicUsize, Ordering, fence, yield_now};

/// The gate; see the module.
#[derive(Debug)]
pub struct Gate {
    closed: AtomicBool,
    inside: AtomicUsize,
}

/// A producer inside the gate, until this is dropped. The closer waits meanwhile, so a producer must not wait
/// for anything while inside.
#[derive(Debug)]
pub struct Entered<'a> {
    gate: &'a Gate,
}

impl Gate {
    /// An open gate.
    pub fn new() -> Self {
        Self { closed: AtomicBool::new(false), inside: AtomicUsize::new(0) }
    }

    /// Enters. `None` if the gate is closed; it never opens again.
    #[inline]
    pub fn enter(&self) -> Option<Entered<'_>> {
        self.inside.fetch_add(1, Ordering::Relaxed);
        let entered = Entered { gate: self };
        // SYNC: gate
        fence(Ordering::SeqCst);
        (!self.closed.load(Ordering::Relaxed)).then_some(entered)
    }

    /// Closes the gate, and waits until nobody is inside.
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
