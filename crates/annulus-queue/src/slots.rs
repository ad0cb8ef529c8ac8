//! The bounded array that many producers and many consumers share without a lock.
//!
//! It follows Dmitry Vyukov's bounded MPMC queue, and adds tickets of 63 bits, a close bit, eviction by the
//! producer, and messages that are written in place.
//!
//! # Protocol
//!
//! Every message has a **ticket**: the nth message ever sent has ticket n, and lies in slot `n mod capacity`.
//!
//! | word | meaning | written by |
//! |---|---|---|
//! | `tail` | twice the next ticket to send, plus 1 once closed | producers, by compare-exchange from an *open* word; `close` |
//! | `head` | the next ticket to take | consumers, and producers that evict; by compare-exchange |
//! | a slot's `stamp` | see below | the slot's owner |
//!
//! A slot that serves ticket `t` goes through these stamps; between them it is *owned* by the one thread that
//! moved a ticket:
//!
//! ```text
//!  t            free: whoever moves `tail` from t to t+1 owns it, writes the message, and stores t+1; or writes none,
//!               and stores t+1 with the bit VOID
//!  t+1          published: whoever moves `head` from t to t+1 owns it, reads the message, and stores t+capacity
//!  t+1, VOID    withdrawn: whoever moves `head` from t to t+1 owns it, reads nothing, and stores t+capacity
//!  t+capacity   free for the next lap (a capacity of 2 or more keeps this apart from t+1)
//! ```
//!
//! **Visible only when written, reused only when read.** Publishing is a release store that the consumer
//! acquires before it takes (`SYNC: slot-published`); freeing is a release store that the next lap's producer
//! acquires before it writes (`SYNC: slot-freed`). Each ticket is moved once, so each slot has one owner at a
//! time. Tickets of 63 bits are never used twice: at a billion messages a second they last 292 years.
//!
//! **Full** is `tail - head = capacity`, exactly: a producer that finds its slot not free compares the
//! tickets. If they say that there is space, a consumer has taken the message and is still copying it out,
//! and the producer waits for that copy. **Empty** is `tail = head`; a consumer that finds its slot
//! unpublished although the tickets differ waits for the producer's copy. These waits spin, then yield. They
//! end as soon as the peer runs for the length of one `memcpy`. User code runs only between a *reservation*
//! and its commit. So a consumer waits only for a while, and then reports that the queue is empty, which is
//! true for all messages that it can see.
//!
//! **Close is a bit of `tail`**, so one word orders tickets and the close: all tickets moved before the close
//! are received, and none can move after it.
//!
//! **Evicting** (`claim_evicting`): the producer first moves `tail`, even if the array is full. So it owns
//! ticket `t` for certain, even if the queue is closed after that. If the message of ticket `t - capacity` is
//! still there, the producer moves `head` past it. This makes it the owner of exactly the slot that it needs,
//! and it swaps the messages. `head` moves by one, so exactly the oldest message leaves. If a consumer was
//! faster, no message needs to leave. Producers that find the array full at the same time have successive
//! tickets and evict in that order. Meanwhile `tail - head` may exceed the capacity by the number of such
//! producers; the messages present never do. An evicting producer can only wait for a message that is being
//! copied, so a queue with evicting producers allows no reservations; hence it has no void slots either.
//!
//! **Claiming and moving the message are separate steps**, so that a refused message was never moved, and an
//! accepted message is moved once.
//!
//! **Waking.** Callers look for waiters after they have stored a stamp and made a light barrier; waiters
//! register, make a heavy one, and look again (`barrier`).

use std::mem::MaybeUninit;

use crate::{
    outcome::{TryRecvError, TrySendError},
    pace::room,
    padded::Padded,
    slab::{Apart, Slab},
};
use annulus_sync::{AtomicU64, Ordering, wait::Backoff};

/// The bit of `tail` that means closed. Above it, each ticket adds two.
const CLOSED: u64 = 1;
const TICKET: u64 = 2;

/// The bit of a stamp that says: its ticket has no message.
const VOID: u64 = 1 << 63;

pub(crate) struct Slots<T> {
    /// The next ticket to take. Only grows; never passes the ticket of `tail`.
    head: Padded<AtomicU64>,
    /// Twice the next ticket to send, plus [`CLOSED`]. Only grows, and not at all once closed.
    tail: Padded<AtomicU64>,
    slab: Slab<T, Apart>,
}

/// Why a send gets no ticket.
pub(crate) enum NoTicket {
    Full,
    Closed,
}

impl From<NoTicket> for TrySendError<()> {
    fn from(reason: NoTicket) -> Self {
        match reason {
            NoTicket::Full => Self::Full(()),
            NoTicket::Closed => Self::Closed(()),
        }
    }
}

/// A ticket to send with. Its slot belongs to the holder, and everybody behind it waits until it is published
/// or withdrawn.
#[must_use]
pub(crate) struct Claim(u64);

/// A taken ticket. Its slot, with the message, belongs to the holder until this is dropped, which frees the
/// slot.
///
/// A guard, so that the message can be read directly into the place where it is returned, before the slot is
/// freed. No compiler may remove a copy in between.
#[must_use = "its message is forgotten unless it is read"]
pub(crate) struct Taken<'a, T> {
    slots: &'a Slots<T>,
    ticket: u64,
}

impl<T> Taken<'_, T> {
    /// The message.
    ///
    /// # Safety
    /// Called once.
    #[inline(always)]
    pub(crate) unsafe fn message(&self) -> T {
        // SAFETY: the thread that made this moved `head` past the ticket when its slot was published. So it
        // owns the slot, with its message, until this is dropped. The caller reads the message once.
        unsafe { self.slots.slab.slot(self.ticket).read() }
    }
}

impl<T> Drop for Taken<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        self.slots.free(self.ticket);
    }
}

impl<T> Slots<T> {
    /// `capacity` is a power of two, two or more; options are validated before they come here.
    pub(crate) fn new(capacity: usize) -> Self {
        assert!(capacity >= 2, "a stamp tells two laps apart only where there are two slots");
        Self { head: Padded(AtomicU64::new(0)), tail: Padded(AtomicU64::new(0)), slab: Slab::new(capacity) }
    }

    /// The bytes that slots for `capacity` messages allocate.
    pub(crate) const fn bytes(capacity: usize) -> usize {
        Slab::<T, Apart>::bytes(capacity)
    }

    #[inline]
    pub(crate) fn capacity(&self) -> usize {
        self.slab.capacity()
    }

    /// A ticket, if one look shows that there is one. If not, [`claim`](Self::claim) says why.
    #[inline]
    pub(crate) fn claim_at_once(&self) -> Option<Claim> {
        let tail = self.tail.load(Ordering::Relaxed);
        let ticket = tail / TICKET;
        // SYNC: slot-freed
        let free = self.slab.slot(ticket).stamp.load(Ordering::Acquire) == ticket;
        (free && tail & CLOSED == 0 && self.move_tail(tail)).then_some(Claim(ticket))
    }

    /// [`claim_at_once`](Self::claim_at_once) without a compare-exchange.
    ///
    /// # Safety
    /// Nobody else claims meanwhile.
    #[inline]
    pub(crate) unsafe fn claim_alone(&self) -> Option<Claim> {
        let tail = self.tail.load(Ordering::Relaxed);
        let ticket = tail / TICKET;
        // SYNC: slot-freed
        let free = self.slab.slot(ticket).stamp.load(Ordering::Acquire) == ticket;
        if !free || tail & CLOSED != 0 {
            return None;
        }
        // SYNC: tickets. Whoever closes meanwhile without being the sender sees to it that the sender closes
        // again.
        self.tail.store(tail + TICKET, Ordering::Release);
        Some(Claim(ticket))
    }

    /// Whether there is [`room`].
    pub(crate) fn looks_roomy(&self) -> bool {
        let ticket = self.tail.load(Ordering::Relaxed) / TICKET + room(self.capacity()) - 1;
        self.slab.slot(ticket).stamp.load(Ordering::Relaxed) == ticket
    }

    /// Whether [`take_at_once`](Self::take_at_once) would succeed. A waiting receiver polls this. It only
    /// reads words that producers do not write until they publish.
    #[inline]
    pub(crate) fn looks_published(&self) -> bool {
        let ticket = self.head.load(Ordering::Relaxed);
        self.slab.slot(ticket).stamp.load(Ordering::Relaxed) & !VOID == ticket + 1
    }

    /// Whether a [`take`](Self::take) would return something other than `Empty`.
    pub(crate) fn has_next(&self) -> bool {
        let mut backoff = Backoff::new();
        loop {
            let ticket = self.head.load(Ordering::Relaxed);
            let stamp = self.slab.slot(ticket).stamp.load(Ordering::Relaxed) & !VOID;
            if stamp == ticket + 1 {
                return true;
            }
            if stamp <= ticket {
                // No message is published: none was sent (yet or ever), or one is being copied in.
                return self.tail.load(Ordering::Relaxed) == ticket * TICKET + CLOSED;
            }
            // Another consumer took this ticket.
            backoff.spin();
        }
    }

    /// Whether a [`claim`](Self::claim) would return something other than `Full`.
    pub(crate) fn has_space(&self) -> bool {
        let tail = self.tail.load(Ordering::Relaxed);
        tail & CLOSED != 0 || tail / TICKET < self.head.load(Ordering::Relaxed) + self.capacity() as u64
    }

    /// A ticket, if there is space.
    pub(crate) fn claim(&self) -> Result<Claim, NoTicket> {
        let mut backoff = Backoff::new();
        loop {
            let tail = self.tail.load(Ordering::Relaxed);
            if tail & CLOSED != 0 {
                return Err(NoTicket::Closed);
            }
            let ticket = tail / TICKET;
            // SYNC: slot-freed
            let stamp = self.slab.slot(ticket).stamp.load(Ordering::Acquire);
            if stamp == ticket {
                if self.move_tail(tail) {
                    return Ok(Claim(ticket));
                }
                backoff.spin();
            } else if stamp & !VOID < ticket {
                // The message of the previous lap is still in the slot: it waits, or is being copied out.
                if self.head.load(Ordering::Relaxed) + self.capacity() as u64 <= ticket {
                    return Err(NoTicket::Full);
                }
                backoff.snooze();
            } else {
                // Another producer took this ticket.
                backoff.spin();
            }
        }
    }

    /// Writes the message of a claimed ticket and makes it visible.
    #[inline]
    pub(crate) fn publish(&self, Claim(ticket): Claim, message: T) {
        let slot = self.slab.slot(ticket);
        // SAFETY: the holder of the claim moved `tail` past the ticket for which the slot was free, so it
        // owns the slot. Free slots hold no message.
        unsafe { slot.write(message) };
        // SYNC: slot-published
        slot.stamp.store(ticket + 1, Ordering::Release);
    }

    /// The place of a claimed ticket's message.
    #[inline]
    pub(crate) fn place<'a>(&'a self, claim: &'a mut Claim) -> &'a mut MaybeUninit<T> {
        // SAFETY: the holder of the claim owns the slot, as in `publish`. The claim is borrowed for as long
        // as the reference.
        unsafe { self.slab.slot(claim.0).place() }
    }

    /// Makes the message of a claimed ticket visible, after it was written through [`place`](Self::place).
    ///
    /// # Safety
    /// The message was written through [`place`](Self::place).
    #[inline]
    pub(crate) unsafe fn publish_written(&self, Claim(ticket): Claim) {
        // SYNC: slot-published
        self.slab.slot(ticket).stamp.store(ticket + 1, Ordering::Release);
    }

    /// Gives up a claimed ticket: consumers skip it. A message that was written to its place is forgotten,
    /// not dropped.
    pub(crate) fn withdraw(&self, Claim(ticket): Claim) {
        // SYNC: slot-published
        self.slab.slot(ticket).stamp.store((ticket + 1) | VOID, Ordering::Release);
    }

    /// A ticket, and whether the oldest message must leave its slot; `None` if closed.
    #[inline(always)]
    pub(crate) fn claim_evicting(&self) -> Option<(Claim, bool)> {
        let mut backoff = Backoff::new();
        let ticket = loop {
            let tail = self.tail.load(Ordering::Relaxed);
            if tail & CLOSED != 0 {
                return None;
            }
            if self.move_tail(tail) {
                break tail / TICKET;
            }
            backoff.spin();
        };
        Some(self.evict_for(ticket))
    }

    /// [`claim_evicting`](Self::claim_evicting) without a compare-exchange of `tail`.
    ///
    /// # Safety
    /// Nobody else claims meanwhile.
    #[inline(always)]
    pub(crate) unsafe fn claim_evicting_alone(&self) -> Option<(Claim, bool)> {
        let tail = self.tail.load(Ordering::Relaxed);
        if tail & CLOSED != 0 {
            return None;
        }
        // SYNC: tickets
        self.tail.store(tail + TICKET, Ordering::Release);
        Some(self.evict_for(tail / TICKET))
    }

    /// Frees the slot of a ticket that this thread moved `tail` past.
    #[inline(always)]
    fn evict_for(&self, ticket: u64) -> (Claim, bool) {
        let mut backoff = Backoff::new();
        let slot = self.slab.slot(ticket);
        loop {
            // SYNC: slot-freed, slot-published
            let stamp = slot.stamp.load(Ordering::Acquire);
            if stamp == ticket {
                return (Claim(ticket), false);
            }
            // In the first lap slots are free. So this is a later lap, and there is a ticket one lap before.
            let oldest = ticket - self.capacity() as u64;
            if stamp == oldest + 1 && self.move_head(oldest) {
                return (Claim(ticket), true);
            }
            // Another thread is copying a message in or out, or another producer must evict first.
            backoff.snooze();
        }
    }

    /// The message that must leave the slot of a claimed ticket.
    ///
    /// # Safety
    /// [`claim_evicting`](Self::claim_evicting) returned that it must, and this is called once.
    #[inline(always)]
    pub(crate) unsafe fn evicted(&self, claim: &Claim) -> T {
        // SAFETY: this thread moved `head` past the ticket for which the slot was published, so it owns the
        // slot, with its message. The message is read once.
        unsafe { self.slab.slot(claim.0).read() }
    }

    /// Takes the oldest message's ticket, if one look shows that there is one. If not, [`take`](Self::take)
    /// says why.
    #[inline]
    pub(crate) fn take_at_once(&self) -> Option<Taken<'_, T>> {
        let ticket = self.head.load(Ordering::Relaxed);
        // SYNC: slot-published
        let published = self.slab.slot(ticket).stamp.load(Ordering::Acquire) == ticket + 1;
        (published && self.move_head(ticket)).then(|| Taken { slots: self, ticket })
    }

    /// Takes the oldest message's ticket if it is below `limit`. If it is not, acts as if there were none.
    /// Waits for a message that is being copied in until `backoff` is spent. Calls `skipped` for every void
    /// ticket that leaves before it.
    pub(crate) fn take(
        &self,
        limit: u64,
        mut backoff: Backoff,
        mut skipped: impl FnMut(),
    ) -> Result<Taken<'_, T>, TryRecvError> {
        loop {
            let ticket = self.head.load(Ordering::Relaxed);
            if ticket >= limit {
                return Err(TryRecvError::Empty);
            }
            // SYNC: slot-published
            let stamp = self.slab.slot(ticket).stamp.load(Ordering::Acquire);
            if stamp & !VOID == ticket + 1 {
                if !self.move_head(ticket) {
                    backoff.spin();
                } else if stamp & VOID == 0 {
                    return Ok(Taken { slots: self, ticket });
                } else {
                    self.free(ticket);
                    skipped();
                }
            } else if stamp & !VOID <= ticket {
                // No message is published: none was sent, or one is being copied in.
                let tail = self.tail.load(Ordering::Relaxed);
                if tail / TICKET == ticket {
                    let closed = tail & CLOSED != 0;
                    return Err(if closed { TryRecvError::Closed } else { TryRecvError::Empty });
                }
                if backoff.is_spent() {
                    // The sender with this ticket was stopped by the system, or still holds a reservation. It
                    // will wake the waiters.
                    return Err(TryRecvError::Empty);
                }
                backoff.snooze();
            } else {
                // Another consumer took this ticket.
                backoff.spin();
            }
        }
    }

    /// Gives the slot of a ticket to the next lap. This thread took the ticket, and has read its message if
    /// there was one.
    #[inline]
    fn free(&self, ticket: u64) {
        // SYNC: slot-freed
        self.slab.slot(ticket).stamp.store(ticket + self.capacity() as u64, Ordering::Release);
    }

    /// Closes the array. Returns whether it was open. No ticket moves after that, in the order of `tail`.
    pub(crate) fn close(&self) -> bool {
        // SYNC: tickets
        self.tail.fetch_or(CLOSED, Ordering::AcqRel) & CLOSED == 0
    }

    pub(crate) fn is_closed(&self) -> bool {
        // SYNC: tickets (acquire)
        self.tail.load(Ordering::Acquire) & CLOSED != 0
    }

    /// How many tickets were taken or evicted so far.
    pub(crate) fn taken(&self) -> u64 {
        // SYNC: tickets
        self.head.load(Ordering::Acquire)
    }

    /// How many tickets were sent so far. Never less than what an earlier `taken` of this thread returned.
    pub(crate) fn sent(&self) -> u64 {
        // SYNC: tickets
        self.tail.load(Ordering::Acquire) / TICKET
    }

    /// Moves the word `tail` forward by one ticket if it still has the value `tail`, which must be open.
    #[inline]
    fn move_tail(&self, tail: u64) -> bool {
        // SYNC: tickets
        self.tail.compare_exchange_weak(tail, tail + TICKET, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Moves `head` past `ticket` if it is there.
    #[inline]
    fn move_head(&self, ticket: u64) -> bool {
        // SYNC: tickets
        self.head.compare_exchange_weak(ticket, ticket + 1, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }
}

impl<T> Drop for Slots<T> {
    /// Uses the stamps, since a forgotten reservation leaves its slot unpublished for ever, with messages
    /// behind it.
    fn drop(&mut self) {
        let tickets = self.taken()..self.sent();
        // SAFETY: a stamp of the ticket plus one says that its message is in the slot, and no consumer has
        // moved `head` past it. Nobody else has the slots any more.
        unsafe { self.slab.drop_published(tickets) };
    }
}
