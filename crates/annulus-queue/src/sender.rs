//! The sending end.

use std::{
    fmt,
    time::{Duration, Instant},
};

use crate::{Backpressure, SendError, SendFuture, SendOutcome, TrySendError, queue::Shared};
use annulus_sync::{
    Arc,
    wait::{Backoff, block_on, block_on_deadline},
};

/// The sending end of a [`queue`](crate::queue). Clones send to the same queue; when the last one is dropped,
/// the queue closes.
pub struct Sender<T> {
    pub(crate) shared: Arc<Shared<T>>,
}

impl<T: Send> Sender<T> {
    /// Sends without waiting for space.
    ///
    /// On a full queue, [`Backpressure`] decides: `Full` with the message under Block and Reject, `Discarded`
    /// with the message under DropNew, `Evicted` with the oldest one under DropOldest. A receiver may make
    /// space right after `Full`.
    ///
    /// ```
    /// # use annulus_queue::{SendOutcome, Backpressure, QueueOptions, TrySendError, queue};
    /// let (tx, _rx) = queue(QueueOptions::new().capacity(16).backpressure(Backpressure::DropOldest))?;
    /// for i in 0..16 {
    ///     assert_eq!(tx.try_send(i), Ok(SendOutcome::Accepted));
    /// }
    /// assert_eq!(tx.try_send(16), Ok(SendOutcome::Evicted(0)));
    /// tx.close();
    /// assert_eq!(tx.try_send(17), Err(TrySendError::Closed(17)));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    #[inline]
    pub fn try_send(&self, message: T) -> Result<SendOutcome<T>, TrySendError<T>> {
        match self.shared.offer_at_once(message) {
            Ok(()) => Ok(SendOutcome::Accepted),
            Err(message) => self.try_send_again(message),
        }
    }

    /// [`try_send`](Self::try_send) when the first look found no space.
    #[inline(never)]
    pub(crate) fn try_send_again(&self, message: T) -> Result<SendOutcome<T>, TrySendError<T>> {
        if self.shared.evicts() {
            return self.shared.offer_evicting(message);
        }
        match self.shared.offer_again(message) {
            Err(TrySendError::Full(message)) if self.backpressure() == Backpressure::Block => {
                self.shared.count_rejected();
                Err(TrySendError::Full(message))
            }
            outcome => outcome,
        }
    }

    /// Sends a message. Under [`Backpressure::Block`] it waits for space as long as needed; under the others
    /// it never waits.
    ///
    /// Dropping the future before it is ready drops the message with it: it was not queued, and nothing else
    /// is lost. The sender that has waited longest is woken first, but another one that sends at that moment
    /// may still be faster.
    ///
    /// ```
    /// # use annulus_queue::{SendOutcome, QueueOptions, queue, wait::block_on};
    /// let (tx, rx) = queue(QueueOptions::new())?;
    /// block_on(async {
    ///     assert_eq!(tx.send("hello").await, Ok(SendOutcome::Accepted));
    ///     assert_eq!(rx.recv().await, Ok("hello"));
    /// });
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn send(&self, message: T) -> SendFuture<'_, T> {
        SendFuture::new(&self.shared, message)
    }

    /// [`send`](Self::send) for threads: spins for some microseconds, then sleeps.
    ///
    /// ```
    /// # use annulus_queue::{SendOutcome, QueueOptions, queue};
    /// let (tx, _rx) = queue(QueueOptions::new())?;
    /// assert_eq!(tx.send_blocking("hello"), Ok(SendOutcome::Accepted));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    #[inline]
    pub fn send_blocking(&self, message: T) -> Result<SendOutcome<T>, SendError<T>> {
        match self.shared.offer_at_once(message) {
            Ok(()) => Ok(SendOutcome::Accepted),
            Err(message) => self.send_until(message, None),
        }
    }

    /// [`send_blocking`](Self::send_blocking) that gives up after `timeout` and returns the message.
    ///
    /// It tries a last time after the deadline, so `Timeout` means that the queue was full *then*.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, SendError, queue};
    /// # use std::time::Duration;
    /// let (tx, _rx) = queue(QueueOptions::new().capacity(16))?;
    /// for i in 0..16 {
    ///     let _ = tx.send_timeout(i, Duration::ZERO).unwrap();
    /// }
    /// assert_eq!(tx.send_timeout(16, Duration::from_millis(1)), Err(SendError::Timeout(16)));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn send_timeout(&self, message: T, timeout: Duration) -> Result<SendOutcome<T>, SendError<T>> {
        // A deadline that the clock cannot express never comes.
        self.send_until(message, Instant::now().checked_add(timeout))
    }

    #[inline(never)]
    pub(crate) fn send_until(
        &self,
        message: T,
        deadline: Option<Instant>,
    ) -> Result<SendOutcome<T>, SendError<T>> {
        let mut message = message;
        let mut backoff = Backoff::new();
        while !backoff.is_spent() && deadline.is_none_or(|deadline| Instant::now() < deadline) {
            message = match self.shared.offer_noticing(message) {
                Err(TrySendError::Full(message)) if self.backpressure() == Backpressure::Block => message,
                outcome => return outcome.map_err(SendError::from),
            };
            backoff.snooze();
            if deadline.is_none() {
                self.shared.watch_for_room(&mut backoff);
            }
        }
        let mut sending = self.send(message);
        let Some(deadline) = deadline else { return block_on(sending) };
        block_on_deadline(&mut sending, deadline).unwrap_or_else(|| {
            self.shared.count_rejected();
            Err(SendError::Timeout(sending.into_message()))
        })
    }

    /// Closes the queue. Returns whether it was open. Sends that wait end with `Closed`; messages already
    /// queued can still be received.
    ///
    /// Each send happens either before or after the close: every message accepted before it is received
    /// (while there are receivers), and none is accepted after it returns.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, TryRecvError, TrySendError, queue};
    /// let (tx, rx) = queue(QueueOptions::new())?;
    /// let _ = tx.try_send(1);
    /// assert!(tx.close());
    /// assert!(!tx.close());
    /// assert_eq!(tx.try_send(2), Err(TrySendError::Closed(2)));
    /// assert_eq!(rx.try_recv(), Ok(1));
    /// assert_eq!(rx.try_recv(), Err(TryRecvError::Closed));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn close(&self) -> bool {
        self.shared.close()
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        // First, because the overflow of this count aborts.
        let shared = Arc::clone(&self.shared);
        shared.add_sender();
        Self { shared }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        self.shared.remove_sender();
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::ends::debug("Sender", &self.shared, f)
    }
}
