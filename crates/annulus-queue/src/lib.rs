//! Bounded queues for messages of any type, with a choice of who sends, who receives, and what happens when
//! they are full.
//!
//! | to | use |
//! |---|---|
//! | move values between threads or tasks, lock-free | one of the pairs of ends below |
//! | send urgent messages first, recognise duplicates, let messages expire | a [`MessageQueue`] of [`Message`]s |
//! | keep what could not be handled, and send it again | [`DeadLetters`] |
//! | find queues by name, list and close them together | a [`Registry`] |
//! | hand over groups of messages, by count or after a time | [`batching`] |
//! | connect queues through a file, a pipe or a socket | the module `bridge`, with the feature `wire` |
//!
//! # Which ends
//!
//! | senders | receivers | ends | what they lack |
//! |---|---|---|---|
//! | many | many | [`queue`](queue()) | peek |
//! | one | many | [`spmc::spmc`] | peek; receivers cannot close |
//! | many | one | [`single_consumer::mpsc`] | [`DropOldest`](Backpressure::DropOldest) |
//! | one | one | [`single_consumer::spsc`] | `DropOldest` |
//! | one | each gets all it can | [`lossy::ring`] | for plain old data; overwrites what is not read in time, and never waits |
//!
//! Ends further down in the table are cheaper: an end that is the only one on its side needs no
//! compare-exchange. The types check this: such an end cannot be cloned and is used through `&mut`. All ends
//! offer the same operations: send and receive, one message or a batch; a place to write a message in
//! ([`Reservation`], [`single_consumer::Reservation`]); iterate, clear, flush, close; and with the feature
//! `futures` (on by default) a `Sink` and a `Stream`. Each operation exists as a future, blocking, with a
//! timeout, and without waiting. Futures need no particular runtime.
//!
//! For a stream, one sender and one receiver with batches ([`single_consumer::Sender::send_batch_blocking`],
//! [`single_consumer::Receiver::recv_batch_blocking`]) is the fastest choice in this crate. The same ends are
//! the fastest for one message at a time, back and forth: a message of up to 56 bytes and its stamp share a
//! cache line, so one transfer moves both between cores.
//!
//! The rest of this page describes [`queue`](queue()). The pages of [`single_consumer`], [`spmc`] and
//! [`MessageQueue`] say what is different there.
//!
//! # What it promises
//!
//! - **Nothing is hidden.** A send returns what became of the message, and a message that is not queued comes
//!   back to the caller. The queue counts exactly, by cause, all that it rejects, evicts or discards.
//! - **Whole messages.** A message can be received only after it was completely written. Its place is used
//!   again only after it was completely read. Each message is received, returned or dropped exactly once.
//! - **Order.** Messages leave in the order in which their sends took effect. So the messages of one producer
//!   arrive at one consumer in order.
//! - **An exact capacity.** A queue of capacity 64 holds 64 messages, and is full only when it holds 64.
//! - **A clean end.** Each send happens either before or after the close. A message that was accepted before
//!   the close is received; no message is accepted after it.
//! - **Cancellation loses nothing.** A future that is dropped before it is ready has neither taken nor queued
//!   a message. It leaves its turn to the next future.
//!
//! # What it does not promise
//!
//! - *Fairness.* The end that has waited longest is woken first, but another one that calls at that moment
//!   may be faster.
//! - *Progress past a stopped thread.* If the system stops a thread while it copies a message, the threads
//!   that need the same slot wait for it; they spin, then yield, until it runs again. No user code runs
//!   during the copy. A thread that loses a race also waits for a while: this improves throughput, but can
//!   cost that thread up to a millisecond under heavy contention.
//! - *Wake-ups of forgotten futures.* A future that has waited, and then is neither polled again nor dropped
//!   (`std::mem::forget`, or a task that its executor keeps and never polls), keeps its place in the list of
//!   waiters. A wake-up that it gets is lost to the others: a receiver may sleep although there is a message,
//!   or a sender although there is space, until the next wake-up comes. A future that is dropped passes its
//!   wake-up on. An end that is [alone](single_consumer) on its side does not have this problem: its next
//!   future takes the forgotten one's place.
//! - *Looking without taking.* A queue that can have several receivers offers no peek: another receiver may
//!   take the message right after. A receiver that is alone [can peek](single_consumer::Receiver::peek), and
//!   so can a [queue with policies](MessageQueue::peek).
//! - *Survival.* Messages live in memory. Messages that are still queued when the last receiver is dropped
//!   are dropped too, and counted as abandoned. If a sender is copying a message in at that moment, or holds
//!   a reservation, the sender's own thread drops the message.
//!
//! # When it is full
//!
//! | [`Backpressure`] | `try_send` | `send`, `send_blocking`, `send_timeout` |
//! |---|---|---|
//! | `Block` | `Err(Full(new))` | waits for space |
//! | `Reject` | `Err(Full(new))` | `Err(Full(new))` at once |
//! | `DropOldest` | `Ok(Evicted(oldest))` | the same |
//! | `DropNew` | `Ok(Discarded(new))` | the same |
//!
//! Under `DropOldest`, a consumer that runs at the same time as the producers either receives a message, or a
//! producer gets it back as evicted; never both. The consumer sees gaps, but the order is kept. If a consumer
//! is just taking the oldest message, that message counts as received, the new one takes its place, and
//! nothing is evicted. A message that is being written in place could not be evicted; for this reason such a
//! queue [offers no reservations](TrySendError::NotOffered).
//!
//! ```
//! use annulus_queue::{SendOutcome, Backpressure, QueueOptions, queue};
//!
//! let (tx, rx) = queue(QueueOptions::new().capacity(16).backpressure(Backpressure::DropOldest).name("latest"))?;
//! for reading in 0..20 {
//!     if let SendOutcome::Evicted(old) = tx.try_send(reading)? {
//!         println!("{old} was never read");
//!     }
//! }
//! assert_eq!(rx.try_recv()?, 4);
//! assert_eq!(tx.counters().evicted, 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
mod batch;
// Left out of models: it needs a clock and a thread, which they do not have, and it has no lock-free protocol
// of its own.
#[cfg(not(loom))]
pub mod batching;
#[cfg(all(feature = "wire", not(loom)))]
pub mod bridge;
mod buckets;
mod clock;
mod counters;
mod dead_letters;
mod dropping;
mod ends;
mod forms;
pub mod front;
mod future;
mod invalid;
mod levels;
mod lock;
pub mod lossy;
mod memory;
pub mod message;
mod message_builder;
mod message_future;
mod message_inner;
mod message_questions;
mod message_queue;
mod message_verbs;
// As batching.
#[cfg(not(loom))]
pub mod monitor;
mod options;
pub mod outcome;
mod pace;
mod padded;
mod policed;
pub mod pool;
mod presets;
mod queue;
mod receiver;
mod registry;
mod reserve;
mod sender;
mod short;
pub mod single_consumer;
mod slab;
mod slots;
pub mod spmc;
pub mod stack;
mod status;
#[cfg(feature = "futures")]
mod stream;
mod turn;
mod window;

// The crates that use this one name it, and its paths were here before.
#[doc(hidden)]
pub mod sync {
    pub use annulus_sync::{
        Arc, AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Condvar, Mutex, MutexGuard, Ordering, UnsafeCell,
        fence, spin_loop, thread, yield_now,
    };
}
#[doc(hidden)]
pub use annulus_ring::{region, ring, sealed};
#[doc(hidden)]
pub use annulus_sync::{combining, contain, gate, phase_barrier, schedule, stay, wake_flag};
pub use annulus_sync::{event, wait};
pub use clock::Clock;
pub use counters::Counters;
pub use dead_letters::{Alert, DeadLetter, DeadLetterCounters, DeadLetters, Reason, Redriven};
pub use front::Share;
pub use future::{RecvFuture, SendFuture};
#[doc(hidden)]
pub use invalid::Problem;
pub use invalid::{InvalidOptions, OptionProblem};
pub use message::Message;
pub use message_builder::MessageQueueBuilder;
#[cfg(loom)]
#[doc(hidden)]
pub use message_builder::message_queue_of;
pub use message_future::{MessageRecv, MessageSend};
pub use message_queue::MessageQueue;
pub use options::{Deduplication, QueueOptions};
#[doc(hidden)]
pub use outcome::Oversize;
pub use outcome::{Backpressure, RecvError, SendError, SendOutcome, TryRecvError, TrySendError};
pub use queue::queue;
#[cfg(loom)]
#[doc(hidden)]
pub use queue::queue_of;
pub use receiver::Receiver;
pub use registry::{CreateError, LookUpError, Registry};
pub use reserve::Reservation;
pub use sender::Sender;
pub use status::{QueueStatus, Rates};
#[cfg(feature = "futures")]
pub use stream::{MessageSink, Messages};
#[cfg(feature = "futures")]
pub use turn::{Source, Target};
