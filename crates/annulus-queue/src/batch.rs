//! Many messages in one call.

use std::time::{Duration, Instant};

use crate::{Receiver, RecvError, Reservation, SendError, SendOutcome, Sender, TrySendError};
use annulus_sync::wait::Backoff;

/// Sends one by one, in order. Returns how many are queued. `back` gets the messages that come back: one that
/// is not queued, or another that left for one that is.
#[inline]
pub(crate) fn send_each<T, E: Into<Refused<T>>>(
    messages: impl IntoIterator<Item = T>,
    mut send: impl FnMut(T) -> Result<SendOutcome<T>, E>,
    mut back: impl FnMut(T),
) -> usize {
    messages.into_iter().map(|message| settle(send(message), &mut back)).filter(|&queued| queued).count()
}

/// Returns whether the message is queued. If it comes back, or another comes back for it, `back` gets that
/// one.
#[inline]
pub(crate) fn settle<T, E: Into<Refused<T>>>(
    outcome: Result<SendOutcome<T>, E>,
    back: &mut impl FnMut(T),
) -> bool {
    match outcome {
        Ok(SendOutcome::Accepted) => true,
        Ok(SendOutcome::Evicted(oldest)) => {
            back(oldest);
            true
        }
        Ok(SendOutcome::Discarded(message) | SendOutcome::Duplicate(message)) => {
            back(message);
            false
        }
        Err(refused) => {
            back(refused.into().0);
            false
        }
    }
}

/// The message of an error.
pub(crate) struct Refused<T>(T);

impl<T> From<TrySendError<T>> for Refused<T> {
    fn from(error: TrySendError<T>) -> Self {
        Self(error.into_inner())
    }
}

impl<T> From<SendError<T>> for Refused<T> {
    fn from(error: SendError<T>) -> Self {
        Self(error.into_inner())
    }
}

impl<T: Send> Sender<T> {
    /// Sends messages without waiting, in order, and returns how many were queued. `back` gets the messages
    /// that came back: those that were refused or discarded, and those that were evicted. Receivers may take
    /// messages meanwhile, so a later message may find space although an earlier one found none.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, queue};
    /// let (tx, _rx) = queue(QueueOptions::new().capacity(16))?;
    /// let mut back = Vec::new();
    /// assert_eq!(tx.try_send_batch(0..18, |refused| back.push(refused)), 16);
    /// assert_eq!(back, [16, 17]);
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn try_send_batch(&self, messages: impl IntoIterator<Item = T>, back: impl FnMut(T)) -> usize {
        send_each(messages, |message| self.try_send(message), back)
    }

    /// [`try_send_batch`](Self::try_send_batch) that waits for space under
    /// [`Block`](crate::Backpressure::Block), blocking the thread.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, queue};
    /// let (tx, rx) = queue(QueueOptions::new().capacity(16))?;
    /// let sender = std::thread::spawn(move || tx.send_batch_blocking(0..100, |_| ()));
    /// assert_eq!((0..100).filter(|i| rx.recv_blocking() == Ok(*i)).count(), 100);
    /// assert_eq!(sender.join().unwrap(), 100);
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn send_batch_blocking(&self, messages: impl IntoIterator<Item = T>, back: impl FnMut(T)) -> usize {
        send_each(messages, |message| self.send_blocking(message), back)
    }

    /// Space for one message, to be written in place; `Err` under every [`Backpressure`](crate::Backpressure)
    /// if there is none now, and not counted. A queue with [`DropOldest`](crate::Backpressure::DropOldest)
    /// offers none: [`TrySendError::NotOffered`].
    ///
    /// Nothing is sent or counted as enqueued until [`Reservation::commit`]. The place in the queue is taken
    /// at once: until the reservation is committed or dropped, receivers find nothing, not even messages that
    /// were sent behind it. So be brief. A reservation that is dropped leaves a void, which receivers skip.
    /// One that is forgotten (`std::mem::forget`) blocks the queue for ever: messages that were sent behind
    /// it are dropped with the queue.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, queue};
    /// let (tx, rx) = queue::<[u64; 32]>(QueueOptions::new())?;
    /// let mut place = tx.try_reserve()?;
    /// place.write([7; 32]);
    /// place.commit();
    /// assert_eq!(rx.try_recv(), Ok([7; 32]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn try_reserve(&self) -> Result<Reservation<'_, T>, TrySendError<()>> {
        Reservation::new(&self.shared)
    }

    /// Waits until all messages that were queued at the call have left the queue. Returns `false` if the
    /// timeout ended first. It blocks the thread, and polls less and less often, down to once a millisecond.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use annulus_queue::{QueueOptions, queue};
    /// let (tx, rx) = queue(QueueOptions::new())?;
    /// let _ = tx.try_send(1);
    /// assert!(!tx.flush_timeout(Duration::ZERO));
    /// let _ = rx.try_recv();
    /// assert!(tx.flush_timeout(Duration::ZERO));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn flush_timeout(&self, timeout: Duration) -> bool {
        let end = self.shared.sent();
        flush(timeout, || self.shared.taken() >= end)
    }
}

/// Waits until `is_done`, for at most `timeout`. Returns whether it is done.
pub(crate) fn flush(timeout: Duration, is_done: impl Fn() -> bool) -> bool {
    let deadline = Instant::now().checked_add(timeout);
    let mut backoff = Backoff::new();
    let mut nap = Duration::from_micros(50);
    loop {
        if is_done() {
            return true;
        }
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if left.is_some_and(|left| left.is_zero()) {
            return false;
        }
        if backoff.is_spent() {
            std::thread::sleep(left.map_or(nap, |left| nap.min(left)));
            nap = (nap * 2).min(Duration::from_millis(1));
        } else {
            backoff.snooze();
        }
    }
}

impl<T: Send> Receiver<T> {
    /// Receives up to `most` messages without waiting, in order, and returns how many. `each` gets them.
    /// Other receivers may take some in between.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, queue};
    /// let (tx, rx) = queue(QueueOptions::new())?;
    /// tx.try_send_batch(0..10, |_| ());
    /// let mut first = Vec::with_capacity(8);
    /// assert_eq!(rx.try_recv_batch(8, |message| first.push(message)), 8);
    /// assert_eq!(first, [0, 1, 2, 3, 4, 5, 6, 7]);
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn try_recv_batch(&self, most: usize, each: impl FnMut(T)) -> usize {
        let mut each = each;
        let mut received = 0;
        // To find out why there is no more, the receiver would have to load the senders' `tail`, which slows
        // them down. A call that has received something need not know.
        while received < most && (received == 0 || self.shared.looks_published()) {
            let Ok(message) = self.try_recv() else { break };
            received += 1;
            each(message);
        }
        received
    }

    /// Waits for a message, blocking the thread, then receives up to `most` of those that are there. Returns
    /// how many, or `Err` once the queue is closed and empty.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, RecvError, queue};
    /// let (tx, rx) = queue(QueueOptions::new())?;
    /// tx.try_send_batch(0..10, |_| ());
    /// drop(tx);
    /// let mut sum = 0;
    /// assert_eq!(rx.recv_batch_blocking(100, |message| sum += message), Ok(10));
    /// assert_eq!(sum, 45);
    /// assert_eq!(rx.recv_batch_blocking(100, |_| ()), Err(RecvError::Closed));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn recv_batch_blocking(&self, most: usize, mut each: impl FnMut(T)) -> Result<usize, RecvError> {
        if most == 0 {
            return Ok(0);
        }
        each(self.recv_blocking()?);
        Ok(1 + self.try_recv_batch(most - 1, each))
    }

    /// Takes messages until there is none. Senders may send more meanwhile; [`clear`](Self::clear) does not
    /// take those.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, queue};
    /// let (tx, rx) = queue(QueueOptions::new())?;
    /// tx.try_send_batch(0..4, |_| ());
    /// assert_eq!(rx.try_iter().sum::<i32>(), 6);
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn try_iter(&self) -> impl Iterator<Item = T> {
        std::iter::from_fn(|| self.try_recv().ok())
    }
}
