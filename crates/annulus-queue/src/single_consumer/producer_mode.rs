//! One sender or several: how a sender gets a ticket, and how a queue is closed.

use crate::{
    padded::Padded,
    slab::{Apart, Packing},
};
use annulus_sync::{AtomicU64, Ordering, barrier, event::Event};

/// How many senders a queue has: [`One`] or [`Many`].
pub trait ProducerMode: sealed::Protocol {}

/// One sender, which cannot be cloned.
#[derive(Debug)]
pub struct One {
    /// `OPEN`, `CLOSING`, or the first ticket that was not accepted.
    end: Padded<AtomicU64>,
}

/// Several senders.
#[derive(Debug)]
pub struct Many {
    /// Twice the next ticket to send, plus [`CLOSED`]. Only grows, and not at all once closed.
    tail: Padded<AtomicU64>,
}

impl ProducerMode for One {}
impl ProducerMode for Many {}

/// Why a receiver finds no published message at the next ticket.
#[derive(Clone, Copy, PartialEq, Eq)]
#[doc(hidden)]
pub enum Nothing {
    /// No message was sent.
    Yet,
    /// No message will be sent.
    Ever,
    /// A message was sent and is being copied in.
    Visible,
}

/// The position of a sender.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct Position {
    /// The next ticket, if the sender is the only one.
    pub(super) tail: u64,
    /// The sender may use tickets below this without loading `head`. Zero once it knows that the queue is
    /// closed.
    pub(super) limit: u64,
}

pub(super) mod sealed {
    use super::*;

    pub trait Protocol: Packing + Sized + Send + Sync + 'static {
        /// Whether a claimed ticket cannot be taken back, so that giving it up leaves a void.
        const CLAIM_IS_FINAL: bool;

        fn new() -> Self;

        /// A ticket below `position.limit`, if one look shows that there is one.
        fn claim(&self, position: &mut Position) -> Option<u64>;

        /// The next ticket, to check for space; `None` if closed.
        fn next(&self, position: &Position) -> Option<u64>;

        /// Records that the tickets below `end` were published.
        fn passed(&self, position: &mut Position, end: u64);

        /// Called after all tickets below `end` were published, if the event that announces them was found
        /// alerted. Returns the first ticket that was not accepted, or `end`. The messages from there on
        /// belong to the sender again.
        fn settle(&self, end: u64) -> u64;

        /// Closes the queue, called by a sender that has sent all tickets below `tail`. Returns whether it
        /// was open.
        fn close_sending(&self, tail: u64) -> bool;

        /// Closes the queue, called by the receiver. Returns whether it was open, and the first ticket that
        /// the receiver must not read. A sender that publishes checks `announced_by` next. `published` finds
        /// the first ticket that is not published.
        fn close_receiving(&self, announced_by: &Event, published: impl FnOnce() -> u64) -> (bool, u64);

        fn is_closed(&self) -> bool;

        /// The reason why no message is published at `head`.
        fn nothing_at(&self, head: u64) -> Nothing;

        /// How many tickets were accepted so far. Never less than an earlier value of `head`. `published`
        /// finds the first ticket that is not published.
        fn sent(&self, published: impl FnOnce() -> u64) -> u64;
    }
}

const OPEN: u64 = u64::MAX;
const CLOSING: u64 = OPEN - 1;

impl One {
    /// Decides `end`, unless it is decided already. Returns the decided value.
    fn decide(&self, end: u64) -> u64 {
        // SYNC: single-consumer-close
        match self.end.compare_exchange(CLOSING, end, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => end,
            Err(decided) => decided,
        }
    }

    /// Moves `OPEN → CLOSING`. Returns whether it was open.
    fn begin_closing(&self) -> bool {
        // SYNC: single-consumer-close
        self.end.compare_exchange(OPEN, CLOSING, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }
}

/// Small messages share stamps, and a stamp covers all tickets before it: the only sender publishes in order.
impl Packing for One {
    const SHARES: bool = true;

    #[inline(always)]
    fn is_published(stamp: u64, ticket: u64) -> bool {
        stamp > ticket
    }
}

impl sealed::Protocol for One {
    const CLAIM_IS_FINAL: bool = false;

    fn new() -> Self {
        Self { end: Padded(AtomicU64::new(OPEN)) }
    }

    #[inline(always)]
    fn claim(&self, position: &mut Position) -> Option<u64> {
        (position.tail < position.limit).then_some(position.tail)
    }

    fn next(&self, position: &Position) -> Option<u64> {
        // SYNC: single-consumer-close (acquire)
        (self.end.load(Ordering::Acquire) == OPEN).then_some(position.tail)
    }

    #[inline(always)]
    fn passed(&self, position: &mut Position, end: u64) {
        position.tail = end;
    }

    fn settle(&self, end: u64) -> u64 {
        // SYNC: single-consumer-close (acquire)
        if self.end.load(Ordering::Acquire) == OPEN { end } else { self.decide(end).min(end) }
    }

    fn close_sending(&self, tail: u64) -> bool {
        let was_open = self.begin_closing();
        self.decide(tail);
        was_open
    }

    fn close_receiving(&self, announced_by: &Event, published: impl FnOnce() -> u64) -> (bool, u64) {
        let was_open = self.begin_closing();
        // SYNC: single-consumer-close. Whoever sees the alert after its own fence, or by this one, sees
        // `CLOSING` too.
        announced_by.alert();
        barrier::heavy();
        (was_open, self.decide(published()))
    }

    fn is_closed(&self) -> bool {
        // SYNC: single-consumer-close (acquire)
        self.end.load(Ordering::Acquire) != OPEN
    }

    fn nothing_at(&self, head: u64) -> Nothing {
        // SYNC: single-consumer-close. The sender published all tickets below before it closed.
        match self.end.load(Ordering::Acquire) {
            OPEN | CLOSING => Nothing::Yet,
            end if end == head => Nothing::Ever,
            _ => Nothing::Visible,
        }
    }

    fn sent(&self, published: impl FnOnce() -> u64) -> u64 {
        let published = published();
        // SYNC: single-consumer-close (acquire)
        match self.end.load(Ordering::Acquire) {
            OPEN | CLOSING => published,
            end => published.min(end),
        }
    }
}

/// The bit of `tail` that means closed. Above it, each ticket adds two.
const CLOSED: u64 = 1;
const TICKET: u64 = 2;

impl Packing for Many {
    const SHARES: bool = Apart::SHARES;

    #[inline(always)]
    fn is_published(stamp: u64, ticket: u64) -> bool {
        Apart::is_published(stamp, ticket)
    }
}

impl sealed::Protocol for Many {
    const CLAIM_IS_FINAL: bool = true;

    fn new() -> Self {
        Self { tail: Padded(AtomicU64::new(0)) }
    }

    #[inline(always)]
    fn claim(&self, position: &mut Position) -> Option<u64> {
        let tail = self.tail.load(Ordering::Relaxed);
        // SYNC: tickets
        let moved = tail & CLOSED == 0
            && tail / TICKET < position.limit
            && self
                .tail
                .compare_exchange_weak(tail, tail + TICKET, Ordering::AcqRel, Ordering::Relaxed)
                .is_ok();
        moved.then_some(tail / TICKET)
    }

    fn next(&self, _: &Position) -> Option<u64> {
        let tail = self.tail.load(Ordering::Relaxed);
        (tail & CLOSED == 0).then_some(tail / TICKET)
    }

    #[inline(always)]
    fn passed(&self, _: &mut Position, _: u64) {}

    fn settle(&self, end: u64) -> u64 {
        end
    }

    fn close_sending(&self, _: u64) -> bool {
        // SYNC: tickets
        self.tail.fetch_or(CLOSED, Ordering::AcqRel) & CLOSED == 0
    }

    fn close_receiving(&self, _: &Event, _: impl FnOnce() -> u64) -> (bool, u64) {
        // No more tickets can be claimed, so the receiver may read all of them.
        (self.close_sending(0), u64::MAX)
    }

    fn is_closed(&self) -> bool {
        // SYNC: tickets (acquire)
        self.tail.load(Ordering::Acquire) & CLOSED != 0
    }

    fn nothing_at(&self, head: u64) -> Nothing {
        // SYNC: tickets
        let tail = self.tail.load(Ordering::Acquire);
        if tail / TICKET != head {
            Nothing::Visible
        } else if tail & CLOSED == 0 {
            Nothing::Yet
        } else {
            Nothing::Ever
        }
    }

    fn sent(&self, _: impl FnOnce() -> u64) -> u64 {
        // SYNC: tickets
        self.tail.load(Ordering::Acquire) / TICKET
    }
}
