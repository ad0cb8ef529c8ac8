//! The receiving end.

use std::{
    fmt,
    time::{Duration, Instant},
};

use crate::{RecvError, RecvFuture, TryRecvError, pace::SharedPace, queue::Shared};
use annulus_sync::{
    Arc,
    wait::{Backoff, block_on, block_on_deadline},
};

/// The receiving end of a [`queue`](crate::queue). Clones share the messages: each goes to one of them.
///
/// When the last one is dropped, the queue closes. Messages that are still queued are dropped at once and
/// counted as abandoned.
pub struct Receiver<T> {
    pub(crate) shared: Arc<Shared<T>>,
    pace: SharedPace,
}

impl<T: Send> Receiver<T> {
    /// Takes the oldest message, without waiting for one. A sender may send a message right after `Empty`;
    /// `Closed` is final.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, TryRecvError, queue};
    /// let (tx, rx) = queue(QueueOptions::new())?;
    /// assert_eq!(rx.try_recv(), Err(TryRecvError::Empty));
    /// let _ = tx.try_send(1);
    /// drop(tx);
    /// assert_eq!(rx.try_recv(), Ok(1));
    /// assert_eq!(rx.try_recv(), Err(TryRecvError::Closed));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    #[inline]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        self.shared.take()
    }

    /// Takes the oldest message, and waits for one as long as needed. It ends with `Closed` when the queue is
    /// closed and empty.
    ///
    /// Dropping the future before it is ready loses nothing: no message leaves the queue for a future that is
    /// not ready.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, RecvError, queue, wait::block_on};
    /// let (tx, rx) = queue::<u32>(QueueOptions::new())?;
    /// drop(tx);
    /// assert_eq!(block_on(rx.recv()), Err(RecvError::Closed));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn recv(&self) -> RecvFuture<'_, T> {
        RecvFuture::new(&self.shared)
    }

    /// [`recv`](Self::recv) for threads: spins for some microseconds, then sleeps.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, queue};
    /// let (tx, rx) = queue(QueueOptions::new())?;
    /// std::thread::spawn(move || tx.send_blocking("hello"));
    /// assert_eq!(rx.recv_blocking(), Ok("hello"));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn recv_blocking(&self) -> Result<T, RecvError> {
        if self.shared.looks_published() {
            match self.try_recv() {
                Err(TryRecvError::Empty) => {}
                outcome => return outcome.map_err(|_| RecvError::Closed),
            }
        }
        self.recv_until(None)
    }

    /// [`recv_blocking`](Self::recv_blocking) that gives up after `timeout`.
    ///
    /// It tries a last time after the deadline, so `Timeout` means that the queue was empty, and open,
    /// *then*.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, RecvError, queue};
    /// # use std::time::Duration;
    /// let (_tx, rx) = queue::<u32>(QueueOptions::new())?;
    /// assert_eq!(rx.recv_timeout(Duration::from_millis(1)), Err(RecvError::Timeout));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvError> {
        // A deadline that the clock cannot express never comes.
        self.recv_until(Instant::now().checked_add(timeout))
    }

    fn recv_until(&self, deadline: Option<Instant>) -> Result<T, RecvError> {
        if deadline.is_none() {
            self.pace.watch(self.shared.taken(), || self.shared.looks_published());
        }
        let mut backoff = Backoff::new();
        while !backoff.is_spent() && deadline.is_none_or(|deadline| Instant::now() < deadline) {
            match self.try_recv() {
                Ok(message) => return Ok(message),
                Err(TryRecvError::Closed) => return Err(RecvError::Closed),
                Err(_) => backoff.snooze(),
            }
        }
        match deadline {
            None => block_on(self.recv()),
            Some(deadline) => block_on_deadline(self.recv(), deadline).unwrap_or(Err(RecvError::Timeout)),
        }
    }

    /// Drops the messages that were sent before this call, and returns how many there were. Senders that wait
    /// for space continue.
    ///
    /// Messages that are sent meanwhile stay, and other receivers may take some of the older ones first.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, queue};
    /// let (tx, rx) = queue(QueueOptions::new())?;
    /// let _ = (tx.try_send(1), tx.try_send(2));
    /// assert_eq!(rx.clear(), 2);
    /// assert!(rx.is_empty());
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn clear(&self) -> usize {
        self.shared.clear()
    }

    /// Closes the queue. Returns whether it was open. Queued messages can still be received: continue until
    /// `Closed`.
    ///
    /// Each send happens either before or after the close; see [`Sender::close`](crate::Sender::close).
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, RecvError, queue};
    /// let (tx, rx) = queue(QueueOptions::new())?;
    /// let _ = tx.try_send(1);
    /// rx.close();
    /// assert_eq!(rx.recv_blocking(), Ok(1));
    /// assert_eq!(rx.recv_blocking(), Err(RecvError::Closed));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn close(&self) -> bool {
        self.shared.close()
    }
}

impl<T> Receiver<T> {
    pub(crate) fn new(shared: Arc<Shared<T>>) -> Self {
        Self { shared, pace: SharedPace::new() }
    }
}

impl<T> Clone for Receiver<T> {
    fn clone(&self) -> Self {
        let shared = Arc::clone(&self.shared);
        shared.add_receiver();
        Self::new(shared)
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        self.shared.remove_receiver();
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::ends::debug("Receiver", &self.shared, f)
    }
}
