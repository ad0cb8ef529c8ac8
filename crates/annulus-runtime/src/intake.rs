//! Whether a kernel takes messages of the host, where other kernels send to the same rings.
//!
//! A ring that is closed refuses everybody. A kernel that other kernels can be connected to must refuse the host alone, so its rings stay open until it
//! terminates, and the host's sends pass here first. A sender counts itself in, then looks whether intake is closed; who closes says so, then waits until
//! nobody is in. Both are sequentially consistent (`SYNC: intake`): either the sender sees that it is closed, or the closer sees the sender, and
//! waits for its ticket. So after `close` has returned no send succeeds, and every message that was accepted shows in its ring.

use annulus_queue::sync::{AtomicBool, AtomicUsize, Ordering, yield_now};

/// The host's way in.
pub(crate) struct Intake {
    closed: AtomicBool,
    inside: AtomicUsize,
}

/// A sender on its way to a ticket. It waits for nobody.
pub(crate) struct Entered<'a>(&'a Intake);

impl Intake {
    pub(crate) fn new() -> Self {
        Self { closed: AtomicBool::new(false), inside: AtomicUsize::new(0) }
    }

    /// `None` if it is closed, for good.
    #[inline]
    pub(crate) fn enter(&self) -> Option<Entered<'_>> {
        // SYNC: intake
        self.inside.fetch_add(1, Ordering::SeqCst);
        let entered = Entered(self);
        (!self.closed.load(Ordering::SeqCst)).then_some(entered)
    }

    /// Nobody has entered when this returns, nor will.
    pub(crate) fn close(&self) {
        // SYNC: intake
        self.closed.store(true, Ordering::SeqCst);
        while self.inside.load(Ordering::SeqCst) != 0 {
            yield_now();
        }
    }
}

impl Drop for Entered<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.inside.fetch_sub(1, Ordering::SeqCst);
    }
}
