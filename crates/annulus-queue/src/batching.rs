//! Batches: messages are collected, and delivered together when there are enough of them or when the first
//! has waited long enough.
//!
//! # What it promises
//!
//! - **A batch goes when it is full, or when its first message has waited for the delay**, even if no other
//!   message ever comes: a timer does it. One thread of the process, the monitor, is the timer for all batchers. It
//!   sleeps while nothing is due. It is woken only for a deadline that is earlier than the one for which it sleeps.
//!   So a busy batcher costs one wake-up per delay, not per batch.
//! - **A message is accepted or comes back.** `Ok` means that the batcher has it and will offer it to the
//!   sink until the sink takes it or [`close`](Batcher::close) returns it. An error contains the message.
//! - **Order.** Messages reach the sink in the order in which their pushes took effect, also after a refusal.
//! - **A bound.** It holds two batches at most: one that is being filled, and one that is being delivered or
//!   was refused.
//! - **Waiting only for the sink.** `push` waits only for the deliveries that it needs to find space,
//!   including that of its own batch. While a batch is delivered, other threads push into the next.
//!   [`try_push`](Batcher::try_push), for async code, never waits for a delivery, if the sink's
//!   [`try_deliver`](BatchSink::try_deliver) does not wait.
//! - **No allocation per message or batch**, as long as the sink leaves the vector's memory in place, as
//!   [`Recycled`] does.
//! - **A failed delivery is counted**, and tried again: by the next push that needs space, by a flush, and by
//!   the timer. The timer doubles its pause with every failure in a row, from the delay (or a millisecond, if
//!   that is longer) up to a second.
//!
//! # What it does not promise
//!
//! - *Punctuality.* The timer does not deliver a batch before its deadline, but may deliver it later: the
//!   system may run the thread late, and other batchers' sinks may delay it. A sink that may wait should
//!   implement `try_deliver`.
//! - *Delivery at the end of the process.* Closing and dropping deliver the remaining messages. A process
//!   that simply ends does not.
//! - *Delivery to a sink that refuses.* If a batcher is dropped without being closed, it offers the remaining
//!   messages once more, and gives those that are refused to [`BatchSink::abandon`].
//!
//! ```
//! use annulus_queue::batching::{BatchOptions, Batcher};
//!
//! let (tx, rx) = std::sync::mpsc::channel();
//! let sink = move |batch: &mut Vec<&'static str>| tx.send(std::mem::take(batch));
//! let batcher = Batcher::new(BatchOptions::new().messages(3), sink)?;
//! for word in "one two three four".split(' ') {
//!     batcher.push(word)?;
//! }
//! let mut words = Vec::new();
//! while words.len() < 4 {
//!     words.extend(rx.recv()?); // three at once, and a millisecond later the fourth, though nothing else was pushed
//! }
//! assert_eq!(words, ["one", "two", "three", "four"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod counters;
mod errors;
mod options;
mod shared;
mod sink;

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::Arc,
    thread,
};

use annulus_sync::contain::discard;
pub use counters::BatchCounters;
pub use errors::{CloseError, PushError, StartError};
pub use options::BatchOptions;
use shared::{Cause, Shared, Wait};
pub use sink::{Batch, BatchSink, Recycled};

use crate::monitor::MONITOR;

/// Collects messages and hands them to a sink in batches; see the [module](self). Can be shared by any number
/// of threads.
pub struct Batcher<T: Send + 'static, S: BatchSink<T> + 'static> {
    shared: Arc<Shared<T, S>>,
}

impl<T: Send + 'static, S: BatchSink<T> + 'static> Batcher<T, S> {
    /// A batcher in front of `sink`. The first one of the process starts the timer's thread.
    ///
    /// ```
    /// use annulus_queue::{QueueOptions, batching::{BatchOptions, Batcher}, queue};
    ///
    /// let (tx, rx) = queue::<Vec<u32>>(QueueOptions::new())?;
    /// let batcher = Batcher::new(BatchOptions::new(), tx)?;
    /// batcher.push(1)?;
    /// assert_eq!(rx.recv_blocking()?, [1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(options: BatchOptions, sink: S) -> Result<Self, StartError> {
        options.validate()?;
        MONITOR.start().map_err(StartError::Timer)?;
        Ok(Self { shared: Shared::new(options, sink) })
    }

    /// Adds a message to the batch. If the batch is full before or after that, it is delivered, and this call
    /// waits as long as the sink does.
    ///
    /// An error means that the message was not accepted: the batcher is closed, or both of its batches are
    /// full and the sink refuses. If the sink refuses but the batcher still has space, the refusal is only
    /// counted.
    ///
    /// ```
    /// # use annulus_queue::batching::{BatchOptions, Batcher, PushError};
    /// let batcher = Batcher::new(BatchOptions::new().messages(1), |_: &mut Vec<u32>| Err(std::fmt::Error))?;
    /// batcher.push(1)?; // refused, and kept
    /// batcher.push(2)?; // waits behind it
    /// assert_eq!(batcher.push(3), Err(PushError::Refused(3, std::fmt::Error)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn push(&self, message: T) -> Result<(), PushError<T, S::Error>> {
        self.shared.push(message)
    }

    /// [`push`](Self::push) that does not wait: `Busy` if both batches are full and another thread is
    /// delivering.
    ///
    /// A batch that it makes full is offered with [`BatchSink::try_deliver`], here or by the thread that is
    /// delivering just now.
    ///
    /// ```
    /// # use annulus_queue::batching::{BatchOptions, Batcher};
    /// let batcher = Batcher::new(BatchOptions::new(), |_: &mut Vec<u32>| Ok::<(), ()>(()))?;
    /// assert_eq!(batcher.try_push(1), Ok(()));
    /// # Ok::<(), annulus_queue::batching::StartError>(())
    /// ```
    pub fn try_push(&self, message: T) -> Result<(), PushError<T, S::Error>> {
        self.shared.try_push(message)
    }

    /// Delivers everything that was pushed before, and waits as long as the sink does. After an error, the
    /// refused messages are kept. If the sink itself calls this, or the `Drop` of a message that it drops, it
    /// does not wait: the pushed messages are delivered after that delivery.
    ///
    /// ```
    /// # use annulus_queue::batching::{BatchOptions, Batcher};
    /// let batcher = Batcher::new(BatchOptions::new(), |_: &mut Vec<u32>| Ok::<(), ()>(()))?;
    /// let _ = batcher.push(1);
    /// assert_eq!(batcher.flush(), Ok(()));
    /// assert_eq!(batcher.counters().delivered, 1);
    /// # Ok::<(), annulus_queue::batching::StartError>(())
    /// ```
    pub fn flush(&self) -> Result<(), S::Error> {
        self.shared.flush()
    }

    /// Accepts no more messages, delivers the remaining ones, and drops the sink. If the sink refuses, the
    /// remaining messages come back.
    ///
    /// Each push happens either before or after the close. Before: its message is delivered or comes back
    /// here. After: it is refused. Once closed, the batcher stays closed, and closing it again does nothing.
    /// The sink itself, and the `Drop` of a message that it drops, may also close it: then the remaining
    /// messages are delivered after that delivery, and the sink is dropped with the batcher.
    ///
    /// ```
    /// # use annulus_queue::batching::{BatchOptions, Batcher, PushError};
    /// let batcher = Batcher::new(BatchOptions::new(), |_: &mut Vec<u32>| Err(std::fmt::Error))?;
    /// batcher.push(1)?;
    /// let error = batcher.close().unwrap_err();
    /// assert_eq!((error.error, error.undelivered), (std::fmt::Error, vec![1]));
    /// assert_eq!(batcher.push(2), Err(PushError::Closed(2)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn close(&self) -> Result<(), CloseError<T, S::Error>> {
        self.shared.stop_accepting();
        if self.shared.delivers_here() {
            self.shared.deliver_afterwards();
            return Ok(());
        }
        let (result, undelivered, sink) = self.shared.with_outgoing(|out| {
            let result = self.shared.deliver(out, Cause::Close, Wait::AsTheSinkDoes);
            let undelivered = self.shared.take_all(out);
            (result, undelivered, out.sink.take())
        });
        drop(sink);
        result.map_err(|error| CloseError { error, undelivered })
    }

    /// Counts of what happened to all messages and batches so far. Exact when nobody uses the batcher and
    /// nothing is due. Every figure only grows.
    ///
    /// ```
    /// # use annulus_queue::batching::{BatchOptions, Batcher};
    /// let options = BatchOptions::new().messages(2).delay(std::time::Duration::MAX);
    /// let batcher = Batcher::new(options, |_: &mut Vec<u32>| Ok::<(), ()>(()))?;
    /// (0..5).for_each(|i| drop(batcher.push(i)));
    /// let counters = batcher.counters();
    /// assert_eq!((counters.pushed, counters.delivered, counters.by_count), (5, 4, 2));
    /// # Ok::<(), annulus_queue::batching::StartError>(())
    /// ```
    pub fn counters(&self) -> BatchCounters {
        self.shared.lock().counters
    }
}

/// Delivers the remaining messages, and waits as long as the sink does. To learn whether that worked, call
/// [`close`](Batcher::close) instead.
impl<T: Send + 'static, S: BatchSink<T> + 'static> Drop for Batcher<T, S> {
    fn drop(&mut self) {
        self.shared.stop_accepting();
        let shared = &self.shared;
        if shared.delivers_here() {
            // Dropped by its own sink. The remaining messages are delivered afterwards; those that the sink
            // does not take are dropped with it.
            return shared.deliver_afterwards();
        }
        let (first, second, sink) = shared.with_outgoing(|out| {
            let delivered = catch_unwind(AssertUnwindSafe(|| {
                drop(shared.deliver(out, Cause::Close, Wait::AsTheSinkDoes));
            }));
            let undelivered = shared.take_all(out);
            let mut sink = out.sink.take();
            let abandoned = catch_unwind(AssertUnwindSafe(|| match &mut sink {
                Some(sink) if !undelivered.is_empty() => sink.abandon(undelivered),
                _ => {}
            }));
            (delivered.err(), abandoned.err(), sink)
        });
        shared.disarm();
        let third = catch_unwind(AssertUnwindSafe(|| drop(sink))).err();
        let mut panics = [first, second, third].into_iter().flatten();
        // The first panic continues, unless this thread unwinds already: two panics at a time would abort.
        let goes_on = if thread::panicking() { None } else { panics.next() };
        panics.for_each(discard);
        if let Some(panic) = goes_on {
            resume_unwind(panic);
        }
    }
}

impl<T: Send + 'static, S: BatchSink<T> + 'static> fmt::Debug for Batcher<T, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batcher").field("counters", &self.counters()).finish_non_exhaustive()
    }
}
