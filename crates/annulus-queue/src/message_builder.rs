//! Making a [`MessageQueue`].

use crate::{
    Clock, DeadLetters, Deduplication, InvalidOptions, Message, MessageQueue, OptionProblem, QueueOptions,
    counters::Count,
    memory,
    message_inner::{Inner, Kind},
    policed::Policed,
};
use annulus_sync::{Arc, AtomicUsize};

/// Makes a [`MessageQueue`] with more than its options.
#[must_use = "`build` makes the queue"]
pub struct MessageQueueBuilder<T> {
    options: QueueOptions,
    clock: Clock,
    dead_letters: Option<DeadLetters<T>>,
}

impl<T: Message + Send> MessageQueueBuilder<T> {
    /// The store for messages that expire in this queue. Several queues may share one. Needs an
    /// [`expiry`](QueueOptions::expiry).
    ///
    /// ```
    /// # use annulus_queue::{DeadLetters, MessageQueue, QueueOptions};
    /// # use std::time::Duration;
    /// let dead_letters = DeadLetters::<u32>::new();
    /// let options = QueueOptions::new().expiry(Duration::from_secs(30));
    /// let queue = MessageQueue::builder(options).dead_letters(&dead_letters).build()?;
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn dead_letters(mut self, dead_letters: &DeadLetters<T>) -> Self {
        self.dead_letters = Some(dead_letters.clone());
        self
    }

    /// The clock for the age of messages. The default is the machine's clock.
    ///
    /// ```
    /// # use annulus_queue::{Clock, MessageQueue, QueueOptions, TryRecvError};
    /// # use std::time::Duration;
    /// let clock = Clock::manual();
    /// let options = QueueOptions::new().expiry(Duration::from_secs(30));
    /// let queue = MessageQueue::builder(options).clock(&clock).build()?;
    /// let _ = queue.try_send(1);
    /// clock.advance(Duration::from_secs(30));
    /// assert_eq!(queue.try_recv(), Err(TryRecvError::Empty));
    /// assert_eq!(queue.counters().expired, 1);
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn clock(mut self, clock: &Clock) -> Self {
        self.clock = clock.clone();
        self
    }

    /// Makes the queue, or returns all problems of its options.
    ///
    /// ```
    /// # use annulus_queue::{MessageQueue, QueueOptions};
    /// assert!(MessageQueue::<u32>::builder(QueueOptions::new().capacity(17)).build().is_err());
    /// ```
    pub fn build(self) -> Result<MessageQueue<T>, InvalidOptions> {
        let Self { options, clock, dead_letters } = self;
        let mut problems = options.problems();
        if options.deduplication == Deduplication::ByPayload && T::PAYLOAD_HASH.is_none() {
            problems.push(OptionProblem::NoPayloadHash { message: std::any::type_name::<T>() });
        }
        if dead_letters.is_some() && options.expiry.is_none() {
            problems.push(OptionProblem::NoExpiry);
        }
        InvalidOptions::unless_empty(problems)?;
        Ok(MessageQueue::of(options, clock, dead_letters))
    }
}

/// # Making one
impl<T: Message + Send> MessageQueue<T> {
    /// Makes a queue, or returns all problems of the options.
    ///
    /// ```
    /// # use annulus_queue::{MessageQueue, QueueOptions};
    /// let queue = MessageQueue::<u32>::new(QueueOptions::ml().name("requests"))?;
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn new(options: QueueOptions) -> Result<Self, InvalidOptions> {
        Self::builder(options).build()
    }

    /// Makes a queue with the default options: 4096 messages, Block, first in first out.
    ///
    /// ```
    /// # use annulus_queue::MessageQueue;
    /// assert_eq!(MessageQueue::<u32>::with_defaults().capacity(), 4096);
    /// ```
    pub fn with_defaults() -> Self {
        Self::of(QueueOptions::new(), Clock::machine(), None)
    }

    /// Makes a queue with these options and priorities.
    ///
    /// ```
    /// # use annulus_queue::{MessageQueue, QueueOptions};
    /// let queue = MessageQueue::<u32>::with_priority(QueueOptions::low_latency())?;
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn with_priority(options: QueueOptions) -> Result<Self, InvalidOptions> {
        Self::new(options.priority(true))
    }

    /// Makes a queue for bursts: [`QueueOptions::high_throughput`], so 16,384 messages, Block, lock-free.
    ///
    /// ```
    /// # use annulus_queue::MessageQueue;
    /// assert_eq!(MessageQueue::<u32>::for_throughput().capacity(), 16_384);
    /// ```
    pub fn for_throughput() -> Self {
        Self::of(QueueOptions::high_throughput(), Clock::machine(), None)
    }

    /// Makes a queue with more than its options: dead letters, or a clock of its own.
    ///
    /// ```
    /// # use annulus_queue::{MessageQueue, QueueOptions};
    /// let queue = MessageQueue::<u32>::builder(QueueOptions::new()).build()?;
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn builder(options: QueueOptions) -> MessageQueueBuilder<T> {
        MessageQueueBuilder { options, clock: Clock::machine(), dead_letters: None }
    }

    /// The options are already validated.
    fn of(options: QueueOptions, clock: Clock, dead_letters: Option<DeadLetters<T>>) -> Self {
        let memory = Self::memory_usage_of(&options);
        let kind = if options.has_policy() {
            Kind::Policed(Policed::new(&options, clock))
        } else {
            let plain = QueueOptions::new().capacity(options.capacity).backpressure(options.backpressure);
            let (tx, rx) = crate::queue::ends(plain);
            Kind::Plain(tx, rx)
        };
        let QueueOptions { capacity, backpressure, name, wait, block_timeout, max_message_bytes, .. } =
            options;
        let name = name.map(|name| name.into_boxed_str().into_string());
        Self {
            inner: Arc::new(Inner {
                kind,
                capacity,
                backpressure,
                name,
                wait,
                block_timeout,
                max_message_bytes,
                dead_letters,
                too_large: Count::default(),
                seen: AtomicUsize::new(0),
                memory,
            }),
        }
    }

    /// The exact number of bytes that [`new`](Self::new) allocates with these options. Later only a few words
    /// per waiting thread or task are allocated, the first time that so many wait. The messages' own heap
    /// memory and dead letters are not included. `usize::MAX` if the number exceeds the address space;
    /// [`new`](Self::new) refuses such capacities.
    ///
    /// ```
    /// # use annulus_queue::{MessageQueue, QueueOptions};
    /// let options = QueueOptions::production();
    /// assert!(MessageQueue::<[u8; 32]>::memory_usage_of(&options) > 4096 * 32);
    /// ```
    pub fn memory_usage_of(options: &QueueOptions) -> usize {
        let name = options.name.as_ref().map_or(0, String::len);
        let kind = if options.has_policy() {
            Policed::<T>::bytes(options)
        } else {
            memory::ends_bytes::<T>(options.capacity)
        };
        memory::shared_bytes::<Inner<T>>().saturating_add(name).saturating_add(kind)
    }
}

/// A queue with priorities and any capacity. For models: with 16 messages they would never end.
#[cfg(loom)]
#[doc(hidden)]
pub fn message_queue_of<T: Message + Send>(
    capacity: usize,
    backpressure: crate::Backpressure,
) -> MessageQueue<T> {
    let options = QueueOptions::new().capacity(capacity).backpressure(backpressure).priority(true);
    MessageQueue::of(options, Clock::machine(), None)
}
