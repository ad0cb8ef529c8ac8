//! How to make a queue.

use std::time::Duration;

use crate::{Backpressure, InvalidOptions, OptionProblem};
use annulus_sync::wait::WaitStrategy;

/// How a queue recognises that a message was sent before.
///
/// The **window** is the last N accepted keys, first in, first out ([`QueueOptions::deduplication_window`]).
/// A key stays in the window also after its message was received. A send that was refused, discarded or
/// cancelled does not use up its key, so it can be retried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Deduplication {
    /// Duplicates are not recognised: equal messages are allowed.
    #[default]
    Off,
    /// By [`Message::id`](crate::Message::id). A message without one is never a duplicate.
    ById,
    /// By [`Message::id`](crate::Message::id), or, for a message without one, by a 64-bit hash of its
    /// payload. With a window of N, the probability that a message is taken for a duplicate by mistake is N /
    /// 2⁶⁴.
    ByPayload,
}

/// How to make a [`queue`](crate::queue) or a [`MessageQueue`](crate::MessageQueue).
///
/// | option | default | values | `queue` | `MessageQueue` |
/// |---|---|---|---|---|
/// | [`capacity`](Self::capacity) | 4096 | a power of two, 16 ..= 1,048,576 | yes | yes |
/// | [`backpressure`](Self::backpressure) | `Block` | see [`Backpressure`] | yes | yes |
/// | [`name`](Self::name) | none | 1 ..= 128 bytes | yes | yes |
/// | [`priority`](Self::priority) | off | | | yes |
/// | [`deduplication`](Self::deduplication) | `Off` | see [`Deduplication`] | | yes |
/// | [`deduplication_window`](Self::deduplication_window) | 1024 | 16 ..= 65,536 | | yes |
/// | [`expiry`](Self::expiry) | none | above zero | | yes |
/// | [`block_timeout`](Self::block_timeout) | none | any | | yes |
/// | [`wait`](Self::wait) | spin 10 µs, then park | see [`WaitStrategy`] | | yes |
/// | [`max_message_bytes`](Self::max_message_bytes) | none | above zero | | yes |
///
/// An option that is set but not offered is an error. It is never ignored.
///
/// ```
/// use annulus_queue::{Backpressure, QueueOptions, queue};
///
/// let options = QueueOptions::new().capacity(1024).backpressure(Backpressure::DropOldest).name("readings");
/// let (tx, rx) = queue::<u32>(options)?;
///
/// let refused = queue::<u32>(QueueOptions::new().priority(true)).unwrap_err();
/// assert!(refused.to_string().contains("priority"));
/// # Ok::<(), annulus_queue::InvalidOptions>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct QueueOptions {
    pub(crate) capacity: usize,
    pub(crate) backpressure: Backpressure,
    pub(crate) priority: bool,
    pub(crate) deduplication: Deduplication,
    pub(crate) deduplication_window: usize,
    pub(crate) expiry: Option<Duration>,
    pub(crate) block_timeout: Option<Duration>,
    pub(crate) wait: WaitStrategy,
    pub(crate) max_message_bytes: Option<usize>,
    pub(crate) name: Option<String>,
}

impl QueueOptions {
    /// The least capacity: 16 messages.
    pub const MIN_CAPACITY: usize = 16;
    /// The greatest capacity: 1,048,576 messages.
    pub const MAX_CAPACITY: usize = 1 << 20;
    /// The default capacity: 4096 messages.
    pub const DEFAULT_CAPACITY: usize = 4096;
    /// The least deduplication window: 16 messages.
    pub const MIN_WINDOW: usize = 16;
    /// The greatest deduplication window: 65,536 messages.
    pub const MAX_WINDOW: usize = 1 << 16;
    /// The default deduplication window: 1024 messages.
    pub const DEFAULT_WINDOW: usize = 1024;
    /// The greatest length of a name: 128 bytes.
    pub const MAX_NAME: usize = 128;

    /// Capacity 4096, [`Backpressure::Block`], first in first out, no policy, no name.
    ///
    /// ```
    /// let (tx, _rx) = annulus_queue::queue::<u32>(annulus_queue::QueueOptions::new())?;
    /// assert_eq!(tx.capacity(), 4096);
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn new() -> Self {
        Self {
            capacity: Self::DEFAULT_CAPACITY,
            backpressure: Backpressure::default(),
            priority: false,
            deduplication: Deduplication::default(),
            deduplication_window: Self::DEFAULT_WINDOW,
            expiry: None,
            block_timeout: None,
            wait: WaitStrategy::default(),
            max_message_bytes: None,
            name: None,
        }
    }

    /// How many messages the queue holds, exactly: a power of two from [`MIN_CAPACITY`](Self::MIN_CAPACITY)
    /// to [`MAX_CAPACITY`](Self::MAX_CAPACITY). Memory for all of them is allocated at once.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, queue};
    /// let refused = queue::<u32>(QueueOptions::new().capacity(5000)).unwrap_err();
    /// assert!(refused.to_string().contains("the next valid capacity is 8192"));
    /// ```
    pub fn capacity(mut self, messages: usize) -> Self {
        self.capacity = messages;
        self
    }

    /// What to do with a message when the queue is full.
    ///
    /// ```
    /// # use annulus_queue::{Backpressure, QueueOptions};
    /// let options = QueueOptions::new().backpressure(Backpressure::Reject);
    /// ```
    pub fn backpressure(mut self, backpressure: Backpressure) -> Self {
        self.backpressure = backpressure;
        self
    }

    /// Whether messages leave by [`Message::priority`](crate::Message::priority), 255 first, instead of first
    /// in, first out. Equal priorities leave first in, first out. Priorities are strict: as long as higher
    /// ones keep coming, lower ones wait.
    ///
    /// ```
    /// # use annulus_queue::{MessageQueue, QueueOptions};
    /// let queue = MessageQueue::<u32>::new(QueueOptions::new().priority(true))?;
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn priority(mut self, on: bool) -> Self {
        self.priority = on;
        self
    }

    /// How duplicates are recognised.
    ///
    /// ```
    /// # use annulus_queue::{SendOutcome, Deduplication, MessageQueue, QueueOptions};
    /// let queue = MessageQueue::new(QueueOptions::new().deduplication(Deduplication::ByPayload))?;
    /// assert_eq!(queue.try_send(7), Ok(SendOutcome::Accepted));
    /// assert_eq!(queue.try_send(7), Ok(SendOutcome::Duplicate(7)));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn deduplication(mut self, by: Deduplication) -> Self {
        self.deduplication = by;
        self
    }

    /// The number of last accepted messages among which duplicates are looked for: any number from
    /// [`MIN_WINDOW`](Self::MIN_WINDOW) to [`MAX_WINDOW`](Self::MAX_WINDOW). Each costs 40 bytes (32 of them
    /// rounded up to a power of two); nothing is allocated while [`deduplication`](Self::deduplication) is
    /// off. Two to four times the greatest burst is a good choice.
    ///
    /// ```
    /// # use annulus_queue::QueueOptions;
    /// let invalid = QueueOptions::new().deduplication_window(100_000).validate().unwrap_err();
    /// assert!(invalid.to_string().contains("16 to 65536"));
    /// ```
    pub fn deduplication_window(mut self, messages: usize) -> Self {
        self.deduplication_window = messages;
        self
    }

    /// How long a message lives in the queue, from the moment at which it was accepted. Receives skip a
    /// message that is older. It is counted, and goes to the dead letters if the queue has them. It occupies
    /// its place in the queue until a receive finds it.
    ///
    /// Costs a clock read per send and per receive (about 20 ns each).
    ///
    /// ```
    /// # use annulus_queue::QueueOptions;
    /// # use std::time::Duration;
    /// let options = QueueOptions::new().expiry(Duration::from_secs(30));
    /// ```
    pub fn expiry(mut self, lifetime: impl Into<Option<Duration>>) -> Self {
        self.expiry = lifetime.into();
        self
    }

    /// How long `send_blocking` waits for space under [`Backpressure::Block`] before it ends with `Timeout`;
    /// for ever by default. It applies to threads only: the future of `send` has no clock; to stop it, drop
    /// it.
    ///
    /// ```
    /// # use annulus_queue::{MessageQueue, QueueOptions, SendError};
    /// # use std::time::Duration;
    /// let queue = MessageQueue::new(QueueOptions::new().capacity(16).block_timeout(Duration::from_millis(1)))?;
    /// (0..16).for_each(|i| assert!(queue.send_blocking(i).is_ok()));
    /// assert_eq!(queue.send_blocking(16), Err(SendError::Timeout(16)));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn block_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.block_timeout = timeout.into();
        self
    }

    /// How a thread waits in the blocking operations. Futures always sleep.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, wait::WaitStrategy};
    /// let options = QueueOptions::new().wait(WaitStrategy::Park);
    /// ```
    pub fn wait(mut self, strategy: WaitStrategy) -> Self {
        self.wait = strategy;
        self
    }

    /// The greatest [`Message::payload_size`](crate::Message::payload_size) that the queue takes, in bytes. A
    /// larger message comes back as `TooLarge`, and is counted.
    ///
    /// ```
    /// # use annulus_queue::{MessageQueue, QueueOptions, TrySendError};
    /// let queue = MessageQueue::new(QueueOptions::new().max_message_bytes(4))?;
    /// assert!(queue.try_send("four".to_string()).is_ok());
    /// assert_eq!(queue.try_send("large".to_string()), Err(TrySendError::TooLarge("large".to_string())));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn max_message_bytes(mut self, bytes: impl Into<Option<usize>>) -> Self {
        self.max_message_bytes = bytes.into();
        self
    }

    /// A name for people and for metrics: 1 to [`MAX_NAME`](Self::MAX_NAME) bytes.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, queue};
    /// let (tx, _rx) = queue::<u32>(QueueOptions::new().name("readings"))?;
    /// assert_eq!(tx.name(), Some("readings"));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Checks every option, and returns all problems. All functions that make a queue call this first.
    ///
    /// ```
    /// # use annulus_queue::QueueOptions;
    /// let invalid = QueueOptions::new().capacity(5000).name("").validate().unwrap_err();
    /// assert_eq!(invalid.problems().len(), 2);
    /// ```
    pub fn validate(&self) -> Result<(), InvalidOptions> {
        InvalidOptions::unless_empty(self.problems())
    }

    /// Like [`validate`](Self::validate), for a function that makes two ends: it offers none of a
    /// [`MessageQueue`](crate::MessageQueue)'s policies.
    pub(crate) fn validate_for_ends(&self) -> Result<(), InvalidOptions> {
        let mut problems = self.problems();
        let unoffered = [
            ("priority", self.priority),
            ("deduplication", self.deduplication != Deduplication::Off),
            ("expiry", self.expiry.is_some()),
            ("block_timeout", self.block_timeout.is_some()),
            ("wait", self.wait != WaitStrategy::default()),
            ("max_message_bytes", self.max_message_bytes.is_some()),
        ];
        problems.extend(
            unoffered
                .iter()
                .filter(|(_, asked)| *asked)
                .map(|(option, _)| OptionProblem::NotOffered { option }),
        );
        InvalidOptions::unless_empty(problems)
    }

    pub(crate) fn problems(&self) -> Vec<OptionProblem> {
        let mut problems = Vec::new();
        let valid = self.capacity.clamp(Self::MIN_CAPACITY, Self::MAX_CAPACITY).next_power_of_two();
        if self.capacity != valid {
            problems.push(OptionProblem::Capacity { given: self.capacity, valid });
        }
        if !(Self::MIN_WINDOW..=Self::MAX_WINDOW).contains(&self.deduplication_window) {
            problems.push(OptionProblem::Window { given: self.deduplication_window });
        }
        if self.expiry == Some(Duration::ZERO) {
            problems.push(OptionProblem::Expiry);
        }
        if self.max_message_bytes == Some(0) {
            problems.push(OptionProblem::MessageBytes);
        }
        if let Some(name) = &self.name
            && !(1..=Self::MAX_NAME).contains(&name.len())
        {
            problems.push(OptionProblem::Name { bytes: name.len() });
        }
        problems
    }

    /// Whether a queue with these options must look at each message. Then it cannot be the lock-free one.
    pub(crate) fn has_policy(&self) -> bool {
        self.priority || self.deduplication != Deduplication::Off || self.expiry.is_some()
    }

    /// The problem of these options for a queue with one receiver, beyond what [`validate`](Self::validate)
    /// finds.
    pub(crate) fn refuse_eviction(&self) -> Result<(), InvalidOptions> {
        match self.backpressure {
            Backpressure::DropOldest => InvalidOptions::unless_empty(vec![OptionProblem::Eviction]),
            _ => Ok(()),
        }
    }
}

impl Default for QueueOptions {
    fn default() -> Self {
        Self::new()
    }
}
