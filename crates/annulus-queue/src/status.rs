//! What a registry reports about a queue.

use std::{fmt, time::Instant};

use crate::{Backpressure, Counters};

/// What a [`Registry`](crate::Registry) reports about one queue at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueueStatus {
    /// The queue's name.
    pub name: String,
    /// The Rust name of its message type.
    pub message: &'static str,
    /// How many messages were queued.
    pub depth: usize,
    /// How many messages it holds at most.
    pub capacity: usize,
    /// What it does when it is full.
    pub backpressure: Backpressure,
    /// Whether it takes no more messages.
    pub closed: bool,
    /// The greatest depth so far; see [`MessageQueue::high_water`](crate::MessageQueue::high_water).
    pub high_water: usize,
    /// Whether `high_water` is certain. If not, it is a lower bound.
    pub high_water_certain: bool,
    /// What became of all messages so far, by cause.
    pub counters: Counters,
    /// The memory that was allocated when the queue was made, in bytes.
    pub memory: usize,
    /// When this status was read.
    pub at: Instant,
}

/// The message rates of a queue between two statuses, in messages per second.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Rates {
    /// Messages that entered.
    pub enqueued: f64,
    /// Messages that were received.
    pub dequeued: f64,
    /// Messages that were sent or queued and did not get through: rejected, evicted, discarded, duplicate,
    /// too large, expired.
    pub dropped: f64,
}

impl QueueStatus {
    /// The status of a queue that is not a [`MessageQueue`](crate::MessageQueue): its name and message type;
    /// how many messages are queued, and how many at most; its counts; its memory. Its high water is not
    /// known.
    #[doc(hidden)]
    pub fn of(
        (name, message): (String, &'static str),
        (depth, capacity, backpressure): (usize, usize, Backpressure),
        closed: bool,
        counters: Counters,
        memory: usize,
        at: Instant,
    ) -> Self {
        let (high_water, high_water_certain) = (depth, false);
        Self {
            name,
            message,
            depth,
            capacity,
            backpressure,
            closed,
            high_water,
            high_water_certain,
            counters,
            memory,
            at,
        }
    }

    /// The rates since an earlier status of the same queue. `None` if no time passed between the two, if
    /// `earlier` is of another queue, or if it is the later of the two.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, Registry};
    /// # use std::{thread::sleep, time::Duration};
    /// let registry = Registry::new();
    /// let queue = registry.create(QueueOptions::new().name("orders"))?;
    /// let before = &registry.list()[0];
    /// let _ = queue.try_send(1);
    /// sleep(Duration::from_millis(1));
    /// let rates = registry.list()[0].rates_since(before).expect("time has passed");
    /// assert!(rates.enqueued > 0.0);
    /// # Ok::<(), annulus_queue::CreateError>(())
    /// ```
    pub fn rates_since(&self, earlier: &Self) -> Option<Rates> {
        let seconds = self.at.checked_duration_since(earlier.at)?.as_secs_f64();
        if seconds == 0.0 || self.name != earlier.name || self.message != earlier.message {
            return None;
        }
        let rate = |now: u64, before: u64| now.saturating_sub(before) as f64 / seconds;
        let dropped = |counters: &Counters| {
            counters.rejected
                + counters.evicted
                + counters.discarded
                + counters.duplicate
                + counters.too_large
                + counters.expired
        };
        Some(Rates {
            enqueued: rate(self.counters.enqueued, earlier.counters.enqueued),
            dequeued: rate(self.counters.dequeued, earlier.counters.dequeued),
            dropped: rate(dropped(&self.counters), dropped(&earlier.counters)),
        })
    }
}

impl fmt::Display for QueueStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, message, depth, capacity, backpressure, closed, counters, .. } = self;
        let state = if *closed { "closed" } else { "open" };
        write!(f, "{name}: {depth} of {capacity} {message}, {backpressure:?}, {state}; {counters}")
    }
}
