//! One of the queues in front of a ring: its messages, in the order in which they leave.

use super::{LaneOptions, store::Store};
use crate::window::Window;

/// A queue. All its memory is allocated when it is made.
pub(super) struct Lane {
    pub(super) options: LaneOptions,
    pub(super) store: Store,
    pub(super) window: Option<Window>,
    pub(super) closed: bool,
    /// How many messages it ever accepted, and how many of these were handed over.
    pub(super) accepted: u64,
    pub(super) handed_over: u64,
    /// How many messages waited when those who wait for space were last told.
    pub(super) was: usize,
}

impl Lane {
    pub(super) fn new(options: LaneOptions, size: usize) -> Self {
        let store = Store::new(options.capacity, size, options.priority);
        let window = options.window.map(Window::new);
        Self { options, store, window, closed: false, accepted: 0, handed_over: 0, was: 0 }
    }

    /// Whether the next message has expired at this time.
    #[inline]
    pub(super) fn has_expired(&self, now: u64) -> bool {
        let Some(lifetime) = self.options.expiry else { return false };
        self.store.next_at().is_some_and(|at| now.saturating_sub(at) >= lifetime)
    }
}
