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
//! The further down, the cheaper: an end that is alone needs no compare-exchange, and that is checked by the
//! types, since it cannot be cloned and is used through `&mut`. All offer the same verbs, each as a future,
//! blocking, with a timeout and without waiting: send and receive, one or a batch; a place to write a message
//! in ([`Reservation`], [`single_consumer::Reservation`]); iterate, clear, flush, close; and with the feature
//! `futures` (on by default) a `Sink` and a `Stream`. Futures need no particular runtime.
//!
//! For a stream, one sender and one receiver with batches ([`single_consumer::Sender::send_batch_blocking`],
//! [`single_consumer::Receiver::recv_batch_blocking`]) is the fastest there is here. For one message at a
//! time, back and forth, the same ends are: a message of up to 56 bytes and its stamp share a cache line, so
//! that it crosses between cores as one transfer.
//!
//! What follows is of [`queue`](queue()); [`single_consumer`], [`spmc`] and [`MessageQueue`] say what
//! differs.
//!
//! # What it promises
//!
//! - **Nothing is hidden.** A send returns what became of the message, and a message that is not queued comes
//!   back to the caller. Whatever a queue rejects, evicts or discards is counted, by cause, exactly.
//! - **Whole messages.** A message can be received only after it was completely written, and its place is
//!   used again only after it was completely read. Each is received, returned or dropped exactly once.
//! - **Order.** Messages leave in the order in which their sends took effect; so those of one producer arrive
//!   at one consumer in order.
//! - **An exact capacity.** A queue of 64 holds 64 messages, and is full only when it does.
//! - **A clean end.** Closing and sending happen one before the other: what was accepted before the close is
//!   received, and nothing is accepted after it.
//! - **Cancellation loses nothing.** A future that is dropped before it is ready has not taken and not queued
//!   a message, and leaves its turn to the next one.
//!
//! # What it does not promise
//!
//! - *Fairness.* Whoever waits longest is woken first, but whoever calls at that moment may be faster.
//! - *Progress past a stopped thread.* A thread that the system stops while it copies a message holds up
//!   those that need this very slot; they spin, then yield, until it runs again. No user code runs in that
//!   window. Likewise a thread that loses a race backs off: that serves throughput, and can cost the loser up
//!   to a millisecond under heavy contention.
//! - *Wake-ups of what is forgotten.* A future that has waited, and then is neither polled again nor dropped
//!   (`std::mem::forget`, or a task that its executor keeps and never polls), keeps its place among those who
//!   wait. The wake-up that comes to it is lost to the others: a receiver may sleep on beside a message, or a
//!   sender beside space, until the next one comes. A future that is dropped hands its wake-up on. An end
//!   that is [alone](single_consumer) on its side forgets with it: its next future takes the place.
//! - *Looking without taking.* There is no peek where receivers may be many: what was seen may be gone at
//!   once. A receiver that is alone has [one](single_consumer::Receiver::peek), and so has a [queue with
//!   policies](MessageQueue::peek).
//! - *Survival.* Messages live in memory; what is queued when the last receiver goes away is dropped, and
//!   counted as abandoned. If a sender is just copying one in, or holds a reservation, that very thread drops
//!   it.
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
//! Under `DropOldest` a consumer that runs beside the producers receives a message, or a producer gets it
//! back as evicted; never both. It sees gaps, and no disorder. If the oldest message is just being taken, it
//! counts as received, the new one takes its place, and nothing is evicted. A message that is being written
//! in place could not be evicted, so such a queue [offers no reservations](TrySendError::NotOffered).
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
// It has a clock and a thread, which models have not, and no lock-free protocol of its own.
#[cfg(not(loom))]
pub mod batching;
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

// What is above names it, and its paths were here.
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
