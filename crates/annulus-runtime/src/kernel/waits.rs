//! How many sends wait for space in a kernel's queues. Who looks after them is the watcher.

use annulus_sync::{AtomicBool, AtomicUsize, Ordering};

/// The sends that wait for space in a kernel's queues.
#[derive(Default)]
pub(crate) struct Waits {
    pub(crate) waiting: AtomicUsize,
    pub(crate) watched: AtomicBool,
}

/// A send that waits, while this lives.
pub(crate) struct Waiting<'a>(pub(crate) &'a Waits);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        // SYNC: waits
        self.0.waiting.fetch_sub(1, Ordering::SeqCst);
    }
}
