//! The bounded array that many producers and many consumers share without a lock.
//!
//! After Dmitry Vyukov's bounded MPMC queue, with tickets of 63 bits, a close bit, and eviction by the producer.
//!
//! # Protocol
//!
//! Every message has a **ticket**: the nth message ever sent has ticket n, and lies in slot `n mod capacity`.
//!
//! | word | meaning | written by |
//! |---|---|---|
//! | `tail` | twice the next ticket to send, plus 1 once closed | producers, by compare-exchange from an *open* word; `close` |
//! | `head` | the next ticket to take | whoever takes: consumers, and producers that evict; by compare-exchange |
//! | a slot's `stamp` | see below | whoever owns the slot |
//!
//! A slot that serves ticket `t` goes through these stamps; between them it is *owned* by the one thread that moved a ticket:
//!
//! ```text
//!  t            free: whoever moves `tail` from t to t+1 owns it, writes the message, and stores t+1
//!  t+1          published: whoever moves `head` from t to t+1 owns it, reads the message, and stores t+capacity
//!  t+capacity   free for the next lap (a capacity of 2 or more keeps this apart from t+1)
//! ```
//!
//! **Visible only when written, reused only when read.** Publishing is a release store that the consumer acquires before it
//! takes (`SYNC: slot-published`); freeing is a release store that the next lap's producer acquires before it writes (`SYNC:
//! slot-freed`). Each ticket is moved once, so each slot has one owner at a time. Tickets of 63 bits are never used twice: at
//! a billion messages a second they last 292 years.
//!
//! **Full** is `tail - head = capacity`, exactly: a producer that finds its slot not free compares the tickets. If they say that
//! there is space, a consumer has taken the message and is still copying it out, and the producer waits for that copy. **Empty** is
//! `tail = head`; a consumer that finds its slot unpublished although the tickets differ waits for the producer's copy. These waits
//! spin, then yield; they end as soon as the peer runs for the length of one `memcpy`, and no user code ever runs between a ticket
//! and its stamp. That is the one place where the array is not lock-free.
//!
//! **Close is a bit of `tail`**, so a ticket and the close are ordered by one word: tickets moved before it are all received, and
//! after it none can move.
//!
//! **Evicting** (`push_evicting`): the producer first moves `tail`, full or not, and so owns ticket `t` for certain, close or no
//! close. If the message of ticket `t - capacity` is still there, it moves `head` past it, which makes it the owner of the very slot
//! that it needs, and swaps the messages. `head` moves by one, so what leaves is exactly the oldest; and if a consumer was faster,
//! nothing needs to leave. Producers that find the array full at the same time have successive tickets and evict in that order.
//! Meanwhile `tail - head` may exceed the capacity by the number of such producers; the messages present never do.
//!
//! **Waking.** `tail` and `head` move by SeqCst operations *before* their callers look for waiters, and waiters look at these same
//! words after registering: that is what `Event::notify_after_rmw` asks for.

use std::mem::MaybeUninit;

use crate::{
    outcome::{TryRecvError, TrySendError},
    padded::Padded,
    sync::{AtomicU64, Ordering, UnsafeCell},
    wait::Backoff,
};

/// The bit of `tail` that says closed; tickets count in twos above it.
const CLOSED: u64 = 1;
const TICKET: u64 = 2;

pub(crate) struct Slots<T> {
    /// The next ticket to take. Only grows; never passes the ticket of `tail`.
    head: Padded<AtomicU64>,
    /// Twice the next ticket to send, plus [`CLOSED`]. Only grows, and not at all once closed.
    tail: Padded<AtomicU64>,
    /// A power of two of them, two or more.
    slots: Box<[Slot<T>]>,
}

/// The stamp lies before the message, so both come in one cache line if the message is small.
#[repr(C)]
struct Slot<T> {
    /// The state, as the protocol says. Written by the slot's owner only.
    stamp: AtomicU64,
    /// Holds a message exactly from the store of `t + 1` to the moment when the owner of the taken ticket reads it.
    message: UnsafeCell<MaybeUninit<T>>,
}

// SAFETY: a shared slot gives access to its message only to its owner, and there is one at a time, with a happens-before edge
// from each to the next (`slot-published`, `slot-freed`). So messages only move between threads, which `T: Send` allows.
unsafe impl<T: Send> Sync for Slot<T> {}

impl<T> Slot<T> {
    /// # Safety
    /// The caller owns the slot, and it holds no message.
    #[inline]
    unsafe fn write(&self, message: T) {
        self.message.with_mut(|place| {
            // SAFETY: the place is inside the slot, so it is aligned and lives; the caller owns the slot, so nobody else looks.
            unsafe { place.write(MaybeUninit::new(message)) }
        });
    }

    /// # Safety
    /// The caller owns the slot, it holds a message, and the caller treats it as holding none afterwards.
    #[inline]
    unsafe fn read(&self) -> T {
        self.message.with_mut(|place| {
            // SAFETY: the place is aligned, lives, and holds a message, all by the caller's word; nobody else looks, since the
            // caller owns the slot; and it is read once, since the caller treats it as moved out.
            unsafe { place.cast::<T>().read() }
        })
    }
}

impl<T> Slots<T> {
    /// `capacity` is a power of two, two or more; options are validated before they come here.
    pub(crate) fn new(capacity: usize) -> Self {
        debug_assert!(capacity.is_power_of_two() && capacity >= 2);
        let slots = (0..capacity as u64)
            .map(|ticket| Slot {
                stamp: AtomicU64::new(ticket),
                message: UnsafeCell::new(MaybeUninit::uninit()),
            })
            .collect();
        Self { head: Padded(AtomicU64::new(0)), tail: Padded(AtomicU64::new(0)), slots }
    }

    /// What slots for `capacity` messages allocate, in bytes.
    pub(crate) const fn bytes(capacity: usize) -> usize {
        capacity * size_of::<Slot<T>>()
    }

    pub(crate) fn capacity(&self) -> usize {
        self.slots.len()
    }

    /// Sends if there is space.
    #[inline]
    pub(crate) fn push(&self, message: T) -> Result<(), TrySendError<T>> {
        let mut backoff = Backoff::new();
        loop {
            let tail = self.tail.load(Ordering::Relaxed);
            if tail & CLOSED != 0 {
                return Err(TrySendError::Closed(message));
            }
            let ticket = tail / TICKET;
            let slot = self.slot(ticket);
            // SYNC: slot-freed
            let stamp = slot.stamp.load(Ordering::Acquire);
            if stamp == ticket {
                if self.move_tail(tail) {
                    // SAFETY: this thread moved `tail` past the ticket for which the slot was free, so it owns it; free
                    // slots hold no message.
                    unsafe { slot.write(message) };
                    // SYNC: slot-published
                    slot.stamp.store(ticket + 1, Ordering::Release);
                    return Ok(());
                }
                backoff.spin();
            } else if stamp < ticket {
                // The previous lap's message is still in the slot: waiting, or being copied out.
                if self.head.load(Ordering::Relaxed) + self.capacity() as u64 <= ticket {
                    return Err(TrySendError::Full(message));
                }
                backoff.snooze();
            } else {
                // Another producer had this ticket.
                backoff.spin();
            }
        }
    }

    /// Sends, and returns the oldest message if that had to leave; `Err` if closed.
    #[inline]
    pub(crate) fn push_evicting(&self, message: T) -> Result<Option<T>, T> {
        let mut backoff = Backoff::new();
        let ticket = loop {
            let tail = self.tail.load(Ordering::Relaxed);
            if tail & CLOSED != 0 {
                return Err(message);
            }
            if self.move_tail(tail) {
                break tail / TICKET;
            }
            backoff.spin();
        };
        let slot = self.slot(ticket);
        let evicted = loop {
            // SYNC: slot-freed, slot-published
            let stamp = slot.stamp.load(Ordering::Acquire);
            if stamp == ticket {
                break None;
            }
            // In the first lap slots are free, so beyond it there is a ticket one lap before.
            let oldest = ticket - self.capacity() as u64;
            if stamp == oldest + 1 && self.move_head(oldest) {
                // SAFETY: this thread moved `head` past the ticket that the slot was published for, so it owns it, with its
                // message; it writes its own there next.
                break Some(unsafe { slot.read() });
            }
            // A peer is copying in or out, or another producer has to evict first.
            backoff.snooze();
        };
        // SAFETY: this thread owns the slot: either it was free for the ticket that this thread moved `tail` past, or this thread
        // has just evicted from it. Neither leaves a message in it.
        unsafe { slot.write(message) };
        // SYNC: slot-published
        slot.stamp.store(ticket + 1, Ordering::Release);
        Ok(evicted)
    }

    /// Takes the oldest message.
    #[inline]
    pub(crate) fn pop(&self) -> Result<T, TryRecvError> {
        self.pop_before(u64::MAX)
    }

    /// Takes the oldest message if its ticket is below `limit`; as if there were none if it is not.
    #[inline]
    pub(crate) fn pop_before(&self, limit: u64) -> Result<T, TryRecvError> {
        let mut backoff = Backoff::new();
        loop {
            let ticket = self.head.load(Ordering::Relaxed);
            if ticket >= limit {
                return Err(TryRecvError::Empty);
            }
            let slot = self.slot(ticket);
            // SYNC: slot-published
            let stamp = slot.stamp.load(Ordering::Acquire);
            if stamp == ticket + 1 {
                if self.move_head(ticket) {
                    // SAFETY: this thread moved `head` past the ticket that the slot was published for, so it owns it, with
                    // its message; it frees it next.
                    let message = unsafe { slot.read() };
                    // SYNC: slot-freed
                    slot.stamp.store(ticket + self.capacity() as u64, Ordering::Release);
                    return Ok(message);
                }
                backoff.spin();
            } else if stamp <= ticket {
                // Nothing published: nothing sent, or being copied in.
                let tail = self.tail.load(Ordering::Relaxed);
                if tail / TICKET == ticket {
                    let closed = tail & CLOSED != 0;
                    return Err(if closed { TryRecvError::Closed } else { TryRecvError::Empty });
                }
                backoff.snooze();
            } else {
                // Another consumer had this ticket.
                backoff.spin();
            }
        }
    }

    /// Closes; whether it was open. After it returns, in the order of `tail`, no ticket moves.
    pub(crate) fn close(&self) -> bool {
        self.tail.fetch_or(CLOSED, Ordering::SeqCst) & CLOSED == 0
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.tail.load(Ordering::Acquire) & CLOSED != 0
    }

    /// How many messages were ever taken or evicted.
    pub(crate) fn taken(&self) -> u64 {
        // SYNC: tickets
        self.head.load(Ordering::Acquire)
    }

    /// How many messages were ever sent. No less than what an earlier `taken` of this thread said.
    pub(crate) fn sent(&self) -> u64 {
        // SYNC: tickets
        self.tail.load(Ordering::Acquire) / TICKET
    }

    /// Moves `tail` on by one ticket if it is still `tail`, which must be open.
    #[inline]
    fn move_tail(&self, tail: u64) -> bool {
        // SYNC: tickets. SeqCst, since the caller looks for waiters afterwards without a fence (`event-registered`).
        self.tail.compare_exchange_weak(tail, tail + TICKET, Ordering::SeqCst, Ordering::Relaxed).is_ok()
    }

    /// Moves `head` past `ticket` if it is there.
    #[inline]
    fn move_head(&self, ticket: u64) -> bool {
        // SYNC: tickets. SeqCst for the same reason.
        self.head.compare_exchange_weak(ticket, ticket + 1, Ordering::SeqCst, Ordering::Relaxed).is_ok()
    }

    #[inline]
    fn slot(&self, ticket: u64) -> &Slot<T> {
        // The capacity is a power of two, and the mask is below it, so the cast loses nothing that counts.
        &self.slots[ticket as usize & (self.slots.len() - 1)]
    }
}

impl<T> Drop for Slots<T> {
    fn drop(&mut self) {
        while self.pop().is_ok() {}
    }
}
