//! Queues with exactly one receiver: [`spsc`] for one sender, [`mpsc`] for several. This makes both faster
//! than [`queue`](crate::queue).
//!
//! They promise what [`queue`](crate::queue) promises, with two differences. The ends are used through
//! `&mut`, so an end is never shared, only moved; a [`Receiver`] and the [`Sender`] of an `spsc` queue cannot
//! be cloned. And these queues never evict: only the receiver takes messages, so
//! [`DropOldest`](crate::Backpressure::DropOldest) is refused.
//!
//! ```
//! use annulus_queue::{QueueOptions, single_consumer::spsc};
//!
//! let (mut tx, mut rx) = spsc(QueueOptions::new().capacity(64))?;
//! std::thread::spawn(move || {
//!     for i in 0..1000 {
//!         let _ = tx.send_blocking(i);
//!     }
//! });
//! let mut sum = 0;
//! while let Ok(i) = rx.recv_blocking() {
//!     sum += i;
//! }
//! assert_eq!(sum, 499_500);
//! # Ok::<(), annulus_queue::InvalidOptions>(())
//! ```
//!
//! # Protocol
//!
//! The nth message ever sent has ticket n, and lies in slot `n mod capacity`.
//!
//! | word | meaning | written by |
//! |---|---|---|
//! | a slot's `stamp`, with several senders | `t + 1`: the message of ticket t is published; with the bit VOID: the ticket has no message | the sender that holds ticket t |
//! | a stamp, with one sender | all tickets below it are published | the sender |
//! | `head` | the next ticket to take | the receiver |
//! | `tail`, only with several senders | twice the next ticket to send, plus 1 once closed | senders, by compare-exchange from an open word; `close` |
//! | `end`, only with one sender | `OPEN`; `CLOSING`; then the first ticket that was not accepted | see below |
//!
//! **Only senders write slots.** The stamp lies in the message's cache line, so one transfer gives the
//! receiver both the stamp and the message. The line never has to move back to be freed: `head` says how far
//! the receiver is. A sender with ticket t may write when `head > t - capacity`. It loads `head` only when
//! the value that it last saw is too small.
//!
//! **With one sender, small messages share a stamp** (see `slab`): the tickets of a *group* follow each
//! other, and the group's stamp says up to which ticket the sender has published; these are the group's first
//! ones. So one store publishes a **run**, one load finds one, and a line carries seven messages of 8 bytes.
//! A group serves one lap at a time: there are more places than the capacity, by one group. So when the
//! sender has space for a group's first ticket, the receiver has passed all of the group's previous lap. A
//! stamp of the previous lap is not greater than the group's first ticket, so it publishes nothing.
//!
//! **A batch is published in runs** if there is one sender: a group's messages are written first and stamped
//! together, when the group is full, when there is no space for the next message, or when the batch ends
//! (also by a panic). So the receiver does not take the line away from the sender after each message, and a
//! message waits at most for the rest of its group.
//!
//! * Publishing is a release store of the stamp that the receiver acquires before it reads (`SYNC:
//!   single-consumer-published`).
//! * Freeing is a release store of `head` that a sender acquires before it writes (`SYNC:
//!   single-consumer-freed`).
//! * A ticket is one sender's: there is only one, or it moved `tail` by compare-exchange. Stale stamps are of
//!   laps before, so smaller.
//!
//! **Full** is exact: a sender returns it only after it has loaded `head`. **Empty** is exact too: with one
//! sender, a message that was sent before is published; with several, the receiver compares with `tail` and
//! waits a while for a sender that is still copying, as `slots` does.
//!
//! **Closing with several senders** is a bit of `tail`, as in `slots`. **Closing with one** has no word that
//! both ends modify. The sender closes by `end: OPEN → CLOSING → its next ticket`. The receiver moves `end:
//! OPEN → CLOSING`, makes a heavy barrier, looks which tickets are published, and moves `end: CLOSING → the
//! first that is not`. A sender publishes the tickets below t, makes a light barrier, and looks at `end`
//! (`SYNC: single-consumer-close`). By the barriers, either the receiver sees them published, and accepts
//! them, or the sender sees that `end` is not open. Then it helps: it moves `end: CLOSING → t`, and either
//! succeeds, or reads what the receiver decided, and takes back the messages that were not accepted: all of a
//! run, or its last ones, if the receiver looked at a ticket before the run was published and at those before
//! it after. The receiver reads no slot from `end` on, so taking back is safe. `end` is decided once; so a
//! send was accepted exactly if its ticket is below.
//!
//! **Waking.** Whoever stored a stamp or `head` makes a light barrier and looks for waiters, who register,
//! make a heavy barrier, and look again (`barrier`): the same argument as with fences.

/// What can be asked at either end.
macro_rules! questions {
    ($end:ident) => {
        impl<T, P: ProducerMode> $end<T, P> {
            /// How many messages are queued, including those being copied in. The other ends may change it at
            /// any time.
            ///
            /// ```
            /// # use annulus_queue::{QueueOptions, single_consumer::spsc};
            /// let (mut tx, rx) = spsc(QueueOptions::new())?;
            /// let _ = tx.try_send(1);
            /// assert_eq!((tx.len(), rx.len()), (1, 1));
            /// # Ok::<(), annulus_queue::InvalidOptions>(())
            /// ```
            pub fn len(&self) -> usize {
                self.core.len()
            }

            /// How many messages the queue holds at most, exactly. Never changes.
            ///
            /// ```
            /// # use annulus_queue::{QueueOptions, single_consumer::spsc};
            /// let (tx, rx) = spsc::<u32>(QueueOptions::new().capacity(64))?;
            /// assert_eq!((tx.capacity(), rx.capacity()), (64, 64));
            /// # Ok::<(), annulus_queue::InvalidOptions>(())
            /// ```
            pub fn capacity(&self) -> usize {
                self.core.capacity()
            }

            /// Whether no message is queued. A sender may change it at any time.
            ///
            /// ```
            /// # use annulus_queue::{QueueOptions, single_consumer::spsc};
            /// let (tx, rx) = spsc::<u32>(QueueOptions::new())?;
            /// assert!(tx.is_empty() && rx.is_empty());
            /// # Ok::<(), annulus_queue::InvalidOptions>(())
            /// ```
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Whether there is no space. The receiver may change it at any time.
            ///
            /// ```
            /// # use annulus_queue::{QueueOptions, single_consumer::spsc};
            /// let (mut tx, rx) = spsc(QueueOptions::new().capacity(16))?;
            /// while tx.try_send(0).is_ok() {}
            /// assert!(tx.is_full() && rx.is_full());
            /// # Ok::<(), annulus_queue::InvalidOptions>(())
            /// ```
            pub fn is_full(&self) -> bool {
                self.len() == self.capacity()
            }

            /// Whether the queue takes no more messages. Some may still be queued. Once true, it stays so;
            /// `false` may be out of date on return.
            ///
            /// ```
            /// # use annulus_queue::{QueueOptions, single_consumer::spsc};
            /// let (tx, rx) = spsc::<u32>(QueueOptions::new())?;
            /// drop(rx);
            /// assert!(tx.is_closed());
            /// # Ok::<(), annulus_queue::InvalidOptions>(())
            /// ```
            pub fn is_closed(&self) -> bool {
                self.core.producers.is_closed()
            }

            /// What the queue does when it is full. Never changes.
            ///
            /// ```
            /// # use annulus_queue::{Backpressure, QueueOptions, single_consumer::spsc};
            /// let (tx, _rx) = spsc::<u32>(QueueOptions::new())?;
            /// assert_eq!(tx.backpressure(), Backpressure::Block);
            /// # Ok::<(), annulus_queue::InvalidOptions>(())
            /// ```
            pub fn backpressure(&self) -> Backpressure {
                self.core.backpressure
            }

            /// The queue's name, if it was given one. Never changes.
            ///
            /// ```
            /// # use annulus_queue::{QueueOptions, single_consumer::spsc};
            /// let (_tx, rx) = spsc::<u32>(QueueOptions::new().name("alerts"))?;
            /// assert_eq!(rx.name(), Some("alerts"));
            /// # Ok::<(), annulus_queue::InvalidOptions>(())
            /// ```
            pub fn name(&self) -> Option<&str> {
                self.core.name.as_deref()
            }

            /// Counts of what happened to all messages so far, by cause. Exact when nobody sends or receives.
            /// While somebody does, the balances still hold, as [`Sender::counters`](crate::Sender::counters)
            /// says.
            ///
            /// ```
            /// # use annulus_queue::{QueueOptions, single_consumer::spsc};
            /// let (mut tx, mut rx) = spsc(QueueOptions::new())?;
            /// let _ = tx.try_send(1);
            /// let _ = rx.try_recv();
            /// let counters = tx.counters();
            /// assert_eq!((counters.enqueued, counters.dequeued), (1, 1));
            /// # Ok::<(), annulus_queue::InvalidOptions>(())
            /// ```
            pub fn counters(&self) -> Counters {
                self.core.counters()
            }
        }

        impl<T, P: ProducerMode> fmt::Debug for $end<T, P> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($end))
                    .field("name", &self.name())
                    .field("backpressure", &self.backpressure())
                    .field("len", &self.len())
                    .field("capacity", &self.capacity())
                    .field("closed", &self.is_closed())
                    .finish()
            }
        }
    };
}

mod future;
mod producer_mode;
mod receiver;
mod reservation;
mod runs;
mod sender;
#[cfg(feature = "futures")]
mod stream;

pub use future::{RecvFuture, SendFuture};
pub use producer_mode::{Many, One, ProducerMode};
pub use receiver::{Receiver, TryIter};
pub use reservation::Reservation;
pub use sender::Sender;

use crate::{
    Backpressure, Counters, InvalidOptions, QueueOptions, counters::Tally, memory::shared_bytes,
    padded::Padded, slab::Slab,
};
use annulus_sync::{Arc, AtomicU64, AtomicUsize, Mutex, Ordering, event::Event};

/// Both ends of a queue.
pub type Ends<T, P> = (Sender<T, P>, Receiver<T, P>);

/// Makes a queue with one sender and one receiver.
///
/// ```
/// use annulus_queue::{QueueOptions, single_consumer::spsc};
///
/// let (mut tx, mut rx) = spsc(QueueOptions::new().capacity(16))?;
/// let _ = tx.try_send("one");
/// assert_eq!(rx.try_recv(), Ok("one"));
/// # Ok::<(), annulus_queue::InvalidOptions>(())
/// ```
pub fn spsc<T: Send>(options: QueueOptions) -> Result<Ends<T, One>, InvalidOptions> {
    make(options)
}

/// Makes a queue with one receiver, and a sender that can be cloned.
///
/// ```
/// use annulus_queue::{QueueOptions, single_consumer::mpsc};
///
/// let (mut tx, mut rx) = mpsc(QueueOptions::new().capacity(16))?;
/// let mut other = tx.clone();
/// let _ = tx.try_send("one");
/// let _ = other.try_send("two");
/// assert_eq!((rx.try_recv(), rx.try_recv()), (Ok("one"), Ok("two")));
/// # Ok::<(), annulus_queue::InvalidOptions>(())
/// ```
pub fn mpsc<T: Send>(options: QueueOptions) -> Result<Ends<T, Many>, InvalidOptions> {
    make(options)
}

/// The exact number of bytes that [`spsc`] (with [`One`]) or [`mpsc`] (with [`Many`]) allocates with these
/// options for messages of type `T`. Later only a few words per waiting thread or task are allocated, the
/// first time that so many wait. `usize::MAX` if the number exceeds the address space; both functions refuse
/// such capacities.
///
/// ```
/// use annulus_queue::{QueueOptions, single_consumer::{One, memory_usage}};
///
/// assert!(memory_usage::<[u8; 1024], One>(&QueueOptions::new().capacity(256)) > 256 * 1024);
/// ```
pub fn memory_usage<T, P: ProducerMode>(options: &QueueOptions) -> usize {
    let slots = Slab::<T, P>::bytes(options.capacity);
    shared_bytes::<Core<T, P>>().saturating_add(slots).saturating_add(options.name_bytes())
}

fn make<T: Send, P: ProducerMode>(options: QueueOptions) -> Result<Ends<T, P>, InvalidOptions> {
    options.validate_for_ends()?;
    options.refuse_eviction()?;
    Ok(ends(options))
}

/// [`spsc`] or [`mpsc`] with any capacity that the slots can have. For models: with 16 messages they would
/// never end.
#[cfg(loom)]
#[doc(hidden)]
pub fn single_consumer_of<T: Send, P: ProducerMode>(
    capacity: usize,
    backpressure: Backpressure,
) -> Ends<T, P> {
    ends(QueueOptions::new().capacity(capacity).backpressure(backpressure))
}

fn ends<T: Send, P: ProducerMode>(options: QueueOptions) -> Ends<T, P> {
    let QueueOptions { capacity, backpressure, name, .. } = options;
    let core = Arc::new(Core {
        head: Padded(AtomicU64::new(0)),
        producers: P::new(),
        slab: Slab::new(capacity),
        backpressure,
        name,
        not_empty: Padded(Event::for_light_notifiers()),
        not_full: Padded(Event::for_light_notifiers()),
        senders: AtomicUsize::new(1),
        tally: Padded(Tally::default()),
        left: Mutex::new(None),
    });
    (Sender::new(Arc::clone(&core)), Receiver::new(core))
}

/// The bit of a stamp that says: its ticket has no message.
pub(crate) const VOID: u64 = 1 << 63;

/// The part that the ends share.
pub(crate) struct Core<T, P: ProducerMode> {
    /// The next ticket to take. Written by the receiver; only grows.
    head: Padded<AtomicU64>,
    producers: P,
    slab: Slab<T, P>,
    backpressure: Backpressure,
    name: Option<String>,
    /// Notified when a message was published, and on close. Only the receiver waits.
    not_empty: Padded<Event>,
    /// Notified when a message was taken, and on close.
    not_full: Padded<Event>,
    /// How many senders there are. The last one closes the queue.
    senders: AtomicUsize,
    tally: Padded<Tally>,
    /// The receiver's place, after the receiver was dropped.
    left: Mutex<Option<receiver::Place<T, P>>>,
}

impl<T, P: ProducerMode> Core<T, P> {
    fn capacity(&self) -> usize {
        self.slab.capacity()
    }

    /// Wakes all waiters, after the queue was closed.
    fn wake_all(&self) {
        self.not_empty.notify_all();
        self.not_full.notify_all();
    }

    fn taken(&self) -> u64 {
        // SYNC: single-consumer-freed. Who sees a ticket taken sees that it was sent.
        self.head.load(Ordering::Acquire)
    }

    /// How many tickets were accepted so far, if `taken` were taken.
    fn sent(&self, taken: u64) -> u64 {
        self.producers.sent(|| self.published(taken))
    }

    /// The first ticket from `taken` on that is not published, found by halving: published tickets follow
    /// each other.
    fn published(&self, taken: u64) -> u64 {
        let (mut from, mut to) = (taken, taken + self.capacity() as u64);
        while from < to {
            let middle = from + (to - from) / 2;
            // SYNC: single-consumer-published. A stamp of a later lap is greater: then this one was published
            // too.
            if self.slab.slot(middle).stamp.load(Ordering::Acquire) > middle {
                from = middle + 1
            } else {
                to = middle
            }
        }
        from
    }

    fn len(&self) -> usize {
        // In this order, so that the difference is not negative. It exceeds the capacity while messages pass
        // by between the two loads.
        let taken = self.taken();
        let waiting = self.sent(taken) - taken;
        usize::try_from(waiting).map_or(self.capacity(), |waiting| waiting.min(self.capacity()))
    }

    fn counters(&self) -> Counters {
        let tally = &*self.tally;
        // Abandoned messages and skipped reservations moved `head` before they were counted, and `head` never
        // passes `tail`. So with this order of reads, no difference is negative, except for a reservation
        // that was skipped and is not counted yet.
        let abandoned = tally.abandoned.get();
        let skipped = tally.skipped.get();
        let taken = self.taken();
        let sent = self.sent(taken);
        // One sender's reservations leave no trace before they are committed.
        let enqueued = if P::CLAIM_IS_FINAL { tally.enqueued(sent, abandoned) } else { sent };
        Counters {
            enqueued,
            dequeued: (taken - abandoned - skipped).min(enqueued - abandoned),
            rejected: tally.rejected.get(),
            discarded: tally.discarded.get(),
            closed: tally.closed.get(),
            abandoned,
            ..Counters::default()
        }
    }
}

impl<T, P: ProducerMode> Drop for Core<T, P> {
    /// Drops the messages that the receiver could not drop when it left: those behind a forgotten
    /// reservation.
    fn drop(&mut self) {
        let head = self.taken();
        // SAFETY: a stamp of the ticket plus one says that its message is in the slot, and the receiver has
        // not moved `head` past it. Messages that were not accepted were taken back, and are not among the
        // sent ones. Nobody else has the slots any more.
        unsafe { self.slab.drop_published(head..self.sent(head)) };
    }
}
