//! One of the queues in front of a ring: its messages, in the order in which they leave.

use annulus_ring::ring::Header;

use super::{Bytes, LaneOptions, store::Store};
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
    /// How many messages waited when those who wait for space were last told; and from the first refusal on,
    /// those that have come since.
    pub(super) was: usize,
    /// A sender that waits for space was refused.
    pub(super) refused: bool,
}

impl Lane {
    pub(super) fn new(options: LaneOptions, size: usize) -> Self {
        let store = Store::new(options.capacity, size, options.priority);
        let window = options.window.map(Window::new);
        Self { options, store, window, closed: false, accepted: 0, handed_over: 0, was: 0, refused: false }
    }

    /// The bytes that `new` allocates.
    pub(super) fn bytes(options: &LaneOptions, size: usize) -> usize {
        let store = Store::bytes(options.capacity, size, options.priority);
        store.saturating_add(options.window.map_or(0, Window::bytes))
    }

    /// One more message waits. It may be that of a sender that was told of a place: the place that it takes is
    /// none that another one was told of. So if a message leaves at the same time, its place must be told, too.
    #[inline]
    pub(super) fn push(&mut self, priority: u8, message: &Bytes, header: Header) {
        self.store.push(priority, message, header);
        self.passed(1);
    }

    /// So many messages have come, and some may have left at once: a sender that was told of a place and did not
    /// keep it leaves it to the next one who waits.
    #[inline]
    pub(super) fn passed(&mut self, messages: usize) {
        if self.refused {
            self.was += messages;
        }
    }

    /// Whether the next message has expired at this time.
    #[inline]
    pub(super) fn has_expired(&self, now: u64) -> bool {
        let Some(lifetime) = self.options.expiry else { return false };
        self.store.next_at().is_some_and(|at| now.saturating_sub(at) >= lifetime)
    }
}
