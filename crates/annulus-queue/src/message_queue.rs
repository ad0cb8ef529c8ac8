//! The queue with policies: one handle, both ends.

use std::time::{Duration, Instant};

#[cfg(doc)]
use crate::{Backpressure, QueueOptions};
use crate::{
    Message, MessageRecv, MessageSend, RecvError, SendError, SendOutcome, TryRecvError, TrySendError,
    message_inner::Inner,
};
#[cfg(doc)]
use annulus_sync::wait::WaitStrategy;
use annulus_sync::{
    Arc,
    wait::{block_on, block_on_deadline},
};

/// A bounded queue for messages that describe themselves ([`Message`]). Its options select priority,
/// deduplication and expiry.
///
/// One handle sends and receives; clones share the queue. It closes when [`close`](Self::close) is called, or
/// when its [`Registry`](crate::Registry) closes: unlike for the two ends of [`queue`](crate::queue),
/// dropping a handle closes nothing. When the last handle is dropped, the messages that are still queued are
/// dropped.
///
/// # What is in it
///
/// Without any policy it is the lock-free queue of [`queue`](crate::queue), with the same promises. With
/// priority, deduplication or expiry it is a slab behind a lock that is held for tens of nanoseconds; both
/// ends then take turns. Only the user code of [`peek`](Self::peek) runs under the lock. Neither allocates
/// memory per message.
///
/// # What it promises
///
/// - A send returns what happened to the message, as [`SendOutcome`], [`TrySendError`] and [`SendError`] say.
///   A message that is not queued comes back. A message that expires goes to the dead letters.
/// - Order: with [`priority`](QueueOptions::priority), 255 first. Without it, and among equal priorities:
///   first in, first out.
/// - With priorities, [`Backpressure::DropOldest`] evicts the oldest message of the lowest priority present.
///   A new message that is lower than all present is `Discarded` instead.
/// - A duplicate is recognised before the queue looks for space, so also on a full queue; see
///   [`Deduplication`](crate::Deduplication).
/// - An expired message is never received, and never hides a live one: a receive skips it. Until then it
///   occupies its place.
///
/// # What it does not promise
///
/// - *No starvation.* Low priorities wait as long as higher ones keep coming: that is what strict priorities
///   mean.
/// - *Expiry on time.* Only receives look for expired messages.
/// - *Deduplication of re-driven messages.* A message that dead letters send again was accepted before, so it
///   is not checked again.
///
/// ```
/// use annulus_queue::{SendOutcome, Deduplication, Message, MessageQueue, QueueOptions};
///
/// #[derive(Debug, PartialEq)]
/// struct Alarm {
///     number: u64,
///     urgent: bool,
/// }
///
/// impl Message for Alarm {
///     fn id(&self) -> Option<u64> {
///         Some(self.number)
///     }
///     fn priority(&self) -> u8 {
///         if self.urgent { 255 } else { 128 }
///     }
/// }
///
/// let queue = MessageQueue::new(QueueOptions::new().priority(true).deduplication(Deduplication::ById))?;
/// let _ = queue.try_send(Alarm { number: 1, urgent: false });
/// let _ = queue.try_send(Alarm { number: 2, urgent: true });
/// assert!(matches!(queue.try_send(Alarm { number: 1, urgent: false }), Ok(SendOutcome::Duplicate(_))));
/// assert_eq!(queue.try_recv().map(|alarm| alarm.number), Ok(2));
/// # Ok::<(), annulus_queue::InvalidOptions>(())
/// ```
pub struct MessageQueue<T> {
    pub(crate) inner: Arc<Inner<T>>,
}

impl<T: Message + Send> MessageQueue<T> {
    /// Sends without waiting for space; see [`Backpressure`] for what happens on a full queue, and
    /// [`MessageQueue`] for the policies.
    ///
    /// ```
    /// # use annulus_queue::{SendOutcome, MessageQueue, QueueOptions, TrySendError};
    /// let queue = MessageQueue::new(QueueOptions::new())?;
    /// assert_eq!(queue.try_send(1), Ok(SendOutcome::Accepted));
    /// queue.close();
    /// assert_eq!(queue.try_send(2), Err(TrySendError::Closed(2)));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    #[inline]
    pub fn try_send(&self, message: T) -> Result<SendOutcome<T>, TrySendError<T>> {
        self.inner.try_send(message, false)
    }

    /// [`try_send`](Self::try_send) of a message that was accepted before. It does not count as its own
    /// duplicate.
    pub(crate) fn try_send_again(&self, message: T) -> Result<SendOutcome<T>, TrySendError<T>> {
        self.inner.try_send(message, true)
    }

    /// Sends a message. Under [`Backpressure::Block`] it waits for space as long as needed; under the others
    /// it never waits.
    ///
    /// Dropping the future before it is ready drops the message with it: it was not queued, its key is free,
    /// and nothing else is lost. The future has no clock: [`block_timeout`](QueueOptions::block_timeout) does
    /// not end it.
    ///
    /// ```
    /// # use annulus_queue::{SendOutcome, MessageQueue, QueueOptions, wait::block_on};
    /// let queue = MessageQueue::new(QueueOptions::new().priority(true))?;
    /// assert_eq!(block_on(queue.send(1)), Ok(SendOutcome::Accepted));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn send(&self, message: T) -> MessageSend<'_, T> {
        let facts = self.inner.facts(&message, false);
        MessageSend::new(&self.inner, message, facts)
    }

    /// [`send`](Self::send) that waits for space under [`Backpressure::Reject`] as well. Each attempt counts
    /// as rejected there. For bridges.
    #[doc(hidden)]
    pub fn send_waiting(&self, message: T) -> MessageSend<'_, T> {
        let facts = self.inner.facts(&message, false);
        MessageSend::waiting(&self.inner, message, facts)
    }

    /// [`send`](Self::send) for threads: waits as the options' [`WaitStrategy`] says, and for no longer than
    /// their [`block_timeout`](QueueOptions::block_timeout).
    ///
    /// ```
    /// # use annulus_queue::{SendOutcome, MessageQueue, QueueOptions};
    /// let queue = MessageQueue::new(QueueOptions::new())?;
    /// assert_eq!(queue.send_blocking(1), Ok(SendOutcome::Accepted));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn send_blocking(&self, message: T) -> Result<SendOutcome<T>, SendError<T>> {
        self.send_within(message, self.inner.block_timeout)
    }

    /// [`send_blocking`](Self::send_blocking) with this timeout instead of the options'.
    ///
    /// It tries a last time after the deadline, so `Timeout` means that the queue was full *then*.
    ///
    /// ```
    /// # use annulus_queue::{MessageQueue, QueueOptions, SendError};
    /// # use std::time::Duration;
    /// let queue = MessageQueue::new(QueueOptions::new().capacity(16))?;
    /// (0..16).for_each(|i| assert!(queue.try_send(i).is_ok()));
    /// assert_eq!(queue.send_timeout(16, Duration::from_millis(1)), Err(SendError::Timeout(16)));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn send_timeout(&self, message: T, timeout: Duration) -> Result<SendOutcome<T>, SendError<T>> {
        self.send_within(message, Some(timeout))
    }

    fn send_within(&self, message: T, timeout: Option<Duration>) -> Result<SendOutcome<T>, SendError<T>> {
        let inner = &*self.inner;
        let facts = inner.facts(&message, false);
        let mut waiting = match inner.attempt(message, facts) {
            Ok(outcome) => return outcome,
            Err(message) => Some(message),
        };
        // A deadline that the clock cannot express never comes.
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let found = inner.wait.look(deadline, || match inner.attempt(waiting.take()?, facts) {
            Ok(outcome) => Some(outcome),
            Err(message) => {
                waiting = Some(message);
                None
            }
        });
        if let Some(outcome) = found {
            return outcome;
        }
        let message = waiting.expect("a step that has no result leaves the message");
        let mut sending = MessageSend::new(inner, message, facts);
        let Some(deadline) = deadline else { return block_on(sending) };
        block_on_deadline(&mut sending, deadline).unwrap_or_else(|| {
            inner.count_rejected();
            Err(SendError::Timeout(sending.into_message()))
        })
    }

    /// Takes the next message, without waiting for one. `Closed` is final, and comes only once the queue is
    /// empty.
    ///
    /// Expired messages are skipped, counted, and handed to the dead letters here, by this thread.
    ///
    /// ```
    /// # use annulus_queue::{MessageQueue, QueueOptions, TryRecvError};
    /// let queue = MessageQueue::new(QueueOptions::new())?;
    /// let _ = queue.try_send(1);
    /// assert_eq!(queue.try_recv(), Ok(1));
    /// assert_eq!(queue.try_recv(), Err(TryRecvError::Empty));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    #[inline]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        self.inner.take()
    }

    /// Takes the next message, and waits for one as long as needed. It ends with `Closed` when the queue is
    /// closed and empty.
    ///
    /// Dropping the future before it is ready loses nothing: no message leaves the queue for a future that is
    /// not ready.
    ///
    /// ```
    /// # use annulus_queue::{MessageQueue, QueueOptions, wait::block_on};
    /// let queue = MessageQueue::new(QueueOptions::new().priority(true))?;
    /// let _ = queue.try_send(1);
    /// assert_eq!(block_on(queue.recv()), Ok(1));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn recv(&self) -> MessageRecv<'_, T> {
        MessageRecv::new(&self.inner)
    }

    /// [`recv`](Self::recv) for threads: waits as the options' [`WaitStrategy`] says.
    ///
    /// ```
    /// # use annulus_queue::{MessageQueue, QueueOptions, RecvError};
    /// let queue = MessageQueue::<u32>::new(QueueOptions::new())?;
    /// queue.close();
    /// assert_eq!(queue.recv_blocking(), Err(RecvError::Closed));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn recv_blocking(&self) -> Result<T, RecvError> {
        self.recv_within(None)
    }

    /// [`recv_blocking`](Self::recv_blocking) that gives up after `timeout`.
    ///
    /// It tries a last time after the deadline, so `Timeout` means that the queue was empty, and open,
    /// *then*. It is not a shutdown: a consumer continues after `Timeout`, and ends on `Closed`.
    ///
    /// ```
    /// # use annulus_queue::{MessageQueue, QueueOptions, RecvError};
    /// # use std::time::Duration;
    /// let queue = MessageQueue::<u32>::new(QueueOptions::new())?;
    /// assert_eq!(queue.recv_timeout(Duration::from_millis(1)), Err(RecvError::Timeout));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvError> {
        self.recv_within(Some(timeout))
    }

    fn recv_within(&self, timeout: Option<Duration>) -> Result<T, RecvError> {
        let inner = &*self.inner;
        let step = || match inner.take() {
            Ok(message) => Some(Ok(message)),
            Err(TryRecvError::Closed) => Some(Err(RecvError::Closed)),
            Err(_) => None,
        };
        if let Some(outcome) = step() {
            return outcome;
        }
        // A deadline that the clock cannot express never comes.
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        if let Some(outcome) = inner.wait.look(deadline, step) {
            return outcome;
        }
        match deadline {
            None => block_on(self.recv()),
            Some(deadline) => block_on_deadline(self.recv(), deadline).unwrap_or(Err(RecvError::Timeout)),
        }
    }

    /// Takes all queued messages, in the order in which they would have been received. Expired messages are
    /// skipped as by a receive.
    ///
    /// With a policy this is one atomic step. Without a policy, it takes as many messages as it finds queued
    /// at the start, and other receivers may take some of them.
    ///
    /// ```
    /// # use annulus_queue::{MessageQueue, QueueOptions};
    /// let queue = MessageQueue::new(QueueOptions::new())?;
    /// (0..3).for_each(|i| assert!(queue.try_send(i).is_ok()));
    /// assert_eq!(queue.take_all(), [0, 1, 2]);
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn take_all(&self) -> Vec<T> {
        self.inner.take_all()
    }

    /// Drops the queued messages, as [`take_all`](Self::take_all) takes them, and returns how many there
    /// were. Senders that wait continue.
    ///
    /// ```
    /// # use annulus_queue::{MessageQueue, QueueOptions};
    /// let queue = MessageQueue::new(QueueOptions::new())?;
    /// (0..3).for_each(|i| assert!(queue.try_send(i).is_ok()));
    /// assert_eq!(queue.clear(), 3);
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn clear(&self) -> usize {
        self.inner.clear()
    }

    /// Closes the queue. Returns whether it was open. Sends that wait end with `Closed`; queued messages can
    /// still be received.
    ///
    /// Each send happens either before or after the close: a message accepted before it is received, and no
    /// message is accepted after it.
    ///
    /// ```
    /// # use annulus_queue::{MessageQueue, QueueOptions, TryRecvError};
    /// let queue = MessageQueue::new(QueueOptions::new())?;
    /// let _ = queue.try_send(1);
    /// assert!(queue.close());
    /// assert!(!queue.close());
    /// assert_eq!(queue.try_recv(), Ok(1));
    /// assert_eq!(queue.try_recv(), Err(TryRecvError::Closed));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn close(&self) -> bool {
        self.inner.close()
    }
}

impl<T> Clone for MessageQueue<T> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner) }
    }
}
