//! More operations of a [`MessageQueue`]: many messages in one call, peeking, and waiting until all have
//! left.

use std::time::Duration;

use crate::{
    Message, MessageQueue, RecvError, TryRecvError,
    batch::{flush, send_each},
    message_inner::Kind,
};

/// # Batches, peek and flush
impl<T: Message + Send> MessageQueue<T> {
    /// Looks at the message that a receive would take now, without taking it. Expired messages before it are
    /// skipped as by a receive.
    ///
    /// The queue is locked while `look` runs, so nobody takes the message meanwhile, but all other users of
    /// the queue wait. A panic of `look` changes nothing. Only queues with a policy offer this: see
    /// [`TryRecvError::NotOffered`].
    ///
    /// # Panics
    ///
    /// If `look` uses this queue: it would wait for itself for ever.
    ///
    /// ```
    /// # use annulus_queue::{MessageQueue, TryRecvError, QueueOptions};
    /// let queue = MessageQueue::new(QueueOptions::new().priority(true))?;
    /// assert_eq!(queue.peek(|_| ()), Err(TryRecvError::Empty));
    /// let _ = queue.try_send(String::from("one"));
    /// assert_eq!(queue.peek(|message| message.len()), Ok(3));
    /// assert_eq!(queue.len(), 1);
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn peek<R>(&self, look: impl FnOnce(&T) -> R) -> Result<R, TryRecvError> {
        match &self.inner.kind {
            Kind::Plain(..) => Err(TryRecvError::NotOffered),
            Kind::Policed(queue) => queue.peek(look, |message| self.inner.expire(message)),
        }
    }

    /// Sends messages without waiting, in order, and returns how many were queued. `back` gets the messages
    /// that came back: those that were refused, discarded or recognised as duplicates, and those that were
    /// evicted. Others may send and receive in between.
    ///
    /// ```
    /// # use annulus_queue::{MessageQueue, QueueOptions};
    /// let queue = MessageQueue::new(QueueOptions::new().capacity(16))?;
    /// let mut back = Vec::new();
    /// assert_eq!(queue.try_send_batch(0..18, |refused| back.push(refused)), 16);
    /// assert_eq!(back, [16, 17]);
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn try_send_batch(&self, messages: impl IntoIterator<Item = T>, back: impl FnMut(T)) -> usize {
        send_each(messages, |message| self.try_send(message), back)
    }

    /// [`try_send_batch`](Self::try_send_batch) that waits for space under
    /// [`Block`](crate::Backpressure::Block), as [`send_blocking`](Self::send_blocking) does for each
    /// message.
    ///
    /// ```
    /// # use annulus_queue::{MessageQueue, QueueOptions};
    /// let queue = MessageQueue::new(QueueOptions::new().capacity(16))?;
    /// let sender = std::thread::spawn({
    ///     let queue = queue.clone();
    ///     move || queue.send_batch_blocking(0..100, |_| ())
    /// });
    /// assert_eq!((0..100).filter(|i| queue.recv_blocking() == Ok(*i)).count(), 100);
    /// assert_eq!(sender.join().unwrap(), 100);
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn send_batch_blocking(&self, messages: impl IntoIterator<Item = T>, back: impl FnMut(T)) -> usize {
        send_each(messages, |message| self.send_blocking(message), back)
    }

    /// Receives up to `most` messages without waiting, and returns how many. `each` gets them. Others may
    /// send and receive in between.
    ///
    /// ```
    /// # use annulus_queue::{MessageQueue, QueueOptions};
    /// let queue = MessageQueue::new(QueueOptions::new().priority(true))?;
    /// queue.try_send_batch(0..10, |_| ());
    /// assert_eq!(queue.try_recv_batch(8, |_| ()), 8);
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn try_recv_batch(&self, most: usize, each: impl FnMut(T)) -> usize {
        std::iter::from_fn(|| self.try_recv().ok()).take(most).map(each).count()
    }

    /// Waits for a message, blocking the thread, then receives up to `most` of those that are there. Returns
    /// how many, or `Err` once the queue is closed and empty.
    ///
    /// ```
    /// # use annulus_queue::{MessageQueue, QueueOptions, RecvError};
    /// let queue = MessageQueue::new(QueueOptions::new())?;
    /// queue.try_send_batch(0..10, |_| ());
    /// queue.close();
    /// assert_eq!(queue.recv_batch_blocking(100, |_| ()), Ok(10));
    /// assert_eq!(queue.recv_batch_blocking(100, |_| ()), Err(RecvError::Closed));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn recv_batch_blocking(&self, most: usize, mut each: impl FnMut(T)) -> Result<usize, RecvError> {
        if most == 0 {
            return Ok(0);
        }
        each(self.recv_blocking()?);
        Ok(1 + self.try_recv_batch(most - 1, each))
    }

    /// Waits until all messages that were queued at the call have left the queue, in any way. Returns `false`
    /// if the timeout ended first. It blocks the thread, and polls less and less often, down to once a
    /// millisecond.
    ///
    /// With priorities, messages that are sent later may leave earlier: then it waits until it finds the
    /// queue empty.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use annulus_queue::{MessageQueue, QueueOptions};
    /// let queue = MessageQueue::new(QueueOptions::new())?;
    /// let _ = queue.try_send(1);
    /// assert!(!queue.flush_timeout(Duration::ZERO));
    /// let _ = queue.try_recv();
    /// assert!(queue.flush_timeout(Duration::ZERO));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn flush_timeout(&self, timeout: Duration) -> bool {
        match &self.inner.kind {
            Kind::Plain(tx, _) => tx.flush_timeout(timeout),
            Kind::Policed(queue) if queue.reorders() => flush(timeout, || queue.len() == 0),
            Kind::Policed(queue) => {
                let end = queue.counters().enqueued;
                flush(timeout, || {
                    let counters = queue.counters();
                    counters.enqueued - counters.depth() >= end
                })
            }
        }
    }
}
