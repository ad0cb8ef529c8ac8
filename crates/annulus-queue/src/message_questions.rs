//! The queries that a [`MessageQueue`] offers.

use std::fmt;

use crate::{Backpressure, Counters, MessageQueue};

/// # Questions
impl<T> MessageQueue<T> {
    /// How many messages are queued, including expired ones that no receive has found yet. Others may change
    /// it at any time.
    ///
    /// ```
    /// let queue = annulus_queue::MessageQueue::with_defaults();
    /// let _ = queue.try_send(1);
    /// assert_eq!(queue.len(), 1);
    /// ```
    pub fn len(&self) -> usize {
        self.inner.len()
    }

    /// How many messages the queue holds at most, exactly. Never changes.
    ///
    /// ```
    /// assert_eq!(annulus_queue::MessageQueue::<u32>::with_defaults().capacity(), 4096);
    /// ```
    pub fn capacity(&self) -> usize {
        self.inner.capacity
    }

    /// Whether no message is queued. A sender may change it at any time.
    ///
    /// ```
    /// assert!(annulus_queue::MessageQueue::<u32>::with_defaults().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether there is no space. A receiver may change it at any time.
    ///
    /// ```
    /// assert!(!annulus_queue::MessageQueue::<u32>::with_defaults().is_full());
    /// ```
    pub fn is_full(&self) -> bool {
        self.len() == self.capacity()
    }

    /// Whether the queue takes no more messages. Some may still be queued. Once true, it stays so; `false`
    /// may be out of date on return.
    ///
    /// ```
    /// let queue = annulus_queue::MessageQueue::<u32>::with_defaults();
    /// queue.close();
    /// assert!(queue.is_closed());
    /// ```
    pub fn is_closed(&self) -> bool {
        self.inner.is_closed()
    }

    /// What the queue does when it is full. Never changes.
    ///
    /// ```
    /// # use annulus_queue::{Backpressure, MessageQueue};
    /// assert_eq!(MessageQueue::<u32>::with_defaults().backpressure(), Backpressure::Block);
    /// ```
    pub fn backpressure(&self) -> Backpressure {
        self.inner.backpressure
    }

    /// The queue's name, if it was given one. Never changes.
    ///
    /// ```
    /// # use annulus_queue::{MessageQueue, QueueOptions};
    /// let queue = MessageQueue::<u32>::new(QueueOptions::new().name("alarms"))?;
    /// assert_eq!(queue.name(), Some("alarms"));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn name(&self) -> Option<&str> {
        self.inner.name.as_deref()
    }

    /// Counts of what happened to all messages so far, by cause. With a policy, all figures belong to one
    /// moment; without one, see [`Sender::counters`](crate::Sender::counters). `too_large` is counted
    /// separately, and may be ahead of the others.
    ///
    /// ```
    /// let queue = annulus_queue::MessageQueue::with_defaults();
    /// let _ = queue.try_send(1);
    /// assert_eq!(queue.counters().enqueued, 1);
    /// ```
    pub fn counters(&self) -> Counters {
        self.inner.counters()
    }

    /// The greatest number of messages that were queued at once, and whether that is certain.
    ///
    /// A queue with a policy knows it. The lock-free queue does not spend the time: it remembers the depths
    /// that `len` and this function saw, and whether a send found it full. So its figure is certain only if
    /// it was found full, and a lower bound otherwise.
    ///
    /// ```
    /// # use annulus_queue::{MessageQueue, QueueOptions};
    /// let queue = MessageQueue::new(QueueOptions::new().priority(true))?;
    /// let _ = (queue.try_send(1), queue.try_send(2));
    /// queue.clear();
    /// assert_eq!(queue.high_water(), (2, true));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn high_water(&self) -> (usize, bool) {
        self.inner.high_water()
    }

    /// The memory that was allocated when this queue was made, in bytes; see
    /// [`memory_usage_of`](Self::memory_usage_of).
    ///
    /// ```
    /// # use annulus_queue::{MessageQueue, QueueOptions};
    /// let queue = MessageQueue::<u32>::with_defaults();
    /// assert_eq!(queue.memory_usage(), MessageQueue::<u32>::memory_usage_of(&QueueOptions::new()));
    /// ```
    pub fn memory_usage(&self) -> usize {
        self.inner.memory
    }
}

impl<T> fmt::Debug for MessageQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MessageQueue")
            .field("name", &self.name())
            .field("backpressure", &self.backpressure())
            .field("len", &self.len())
            .field("capacity", &self.capacity())
            .field("closed", &self.is_closed())
            .finish()
    }
}
