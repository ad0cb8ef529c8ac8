//! A queue with one sender and receivers that can be cloned. The sender is faster than the one of
//! [`queue`](crate::queue), because it is alone: if there is space, it sends without a compare-exchange.
//!
//! It promises what [`queue`](crate::queue) promises, with two differences. The sender is used through `&mut`
//! and cannot be cloned. And a receiver cannot close the queue, it can only leave: when the last receiver has
//! left, the queue closes, and the queued messages are dropped and counted as abandoned.
//! [`DropOldest`](crate::Backpressure::DropOldest) works.
//!
//! ```
//! use annulus_queue::{QueueOptions, spmc::spmc};
//!
//! let (mut tx, rx) = spmc(QueueOptions::new().capacity(64))?;
//! let workers: Vec<_> = (0..2)
//!     .map(|_| {
//!         let rx = rx.clone();
//!         std::thread::spawn(move || std::iter::from_fn(|| rx.recv_blocking().ok()).sum::<u64>())
//!     })
//!     .collect();
//! for i in 0..1000 {
//!     let _ = tx.send_blocking(i);
//! }
//! drop(tx); // closes
//! assert_eq!(workers.into_iter().map(|worker| worker.join().unwrap()).sum::<u64>(), 499_500);
//! # Ok::<(), annulus_queue::InvalidOptions>(())
//! ```
//!
//! # Protocol
//!
//! That of the queue that all share, in which only the sender differs: nobody else writes `tail`, so it moves
//! `tail` by a plain store. For that, the last receiver does not close, but leaves an alert and makes a heavy
//! barrier, and the sender closes when it finds that (`SYNC: nobody-receives`). It looks before it sends, so
//! it sends nothing after the receiver has left; and after it has published, so a message that is on its way
//! meanwhile is dropped by one of the two.

use std::{fmt, time::Duration};

use crate::{
    Backpressure, Counters, InvalidOptions, QueueOptions, RecvError, RecvFuture, Reservation, SendError,
    SendFuture, SendOutcome, TryRecvError, TrySendError, batch::send_each, queue::ends_with,
};

#[cfg(feature = "futures")]
use crate::{
    future::SharedEnd,
    stream::{MessageSink, Messages},
};

/// Makes a queue with one sender, and a receiver that can be cloned.
///
/// ```
/// use annulus_queue::{QueueOptions, spmc::spmc};
///
/// let (mut tx, rx) = spmc(QueueOptions::new().capacity(16))?;
/// let other = rx.clone();
/// let _ = (tx.try_send("one"), tx.try_send("two"));
/// assert_eq!((rx.try_recv(), other.try_recv()), (Ok("one"), Ok("two")));
/// # Ok::<(), annulus_queue::InvalidOptions>(())
/// ```
pub fn spmc<T: Send>(options: QueueOptions) -> Result<(Sender<T>, Receiver<T>), InvalidOptions> {
    options.validate_for_ends()?;
    let (tx, rx) = ends_with(options, true);
    Ok((Sender(tx), Receiver(rx)))
}

/// [`spmc`] with any capacity that the slots can have. For models: with 16 messages they would never end.
#[cfg(loom)]
#[doc(hidden)]
pub fn spmc_of<T: Send>(capacity: usize, backpressure: Backpressure) -> (Sender<T>, Receiver<T>) {
    let (tx, rx) = ends_with(QueueOptions::new().capacity(capacity).backpressure(backpressure), true);
    (Sender(tx), Receiver(rx))
}

/// The only sender of a queue. Dropping it closes the queue.
///
/// It never gives out its inner sender, because that one can be cloned.
pub struct Sender<T>(crate::Sender<T>);

/// A receiver of a queue with one sender. Clones share the messages: each goes to one of them.
///
/// When the last one is dropped, the queue closes. Messages that are still queued are dropped and counted as
/// abandoned.
pub struct Receiver<T>(crate::Receiver<T>);

impl<T: Send> Sender<T> {
    /// Sends without waiting for space, as [`Sender::try_send`](crate::Sender::try_send) does.
    ///
    /// ```
    /// # use annulus_queue::{SendOutcome, QueueOptions, TrySendError, spmc::spmc};
    /// let (mut tx, rx) = spmc(QueueOptions::new())?;
    /// assert_eq!(tx.try_send(1), Ok(SendOutcome::Accepted));
    /// drop(rx);
    /// assert_eq!(tx.try_send(2), Err(TrySendError::Closed(2)));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    #[inline]
    pub fn try_send(&mut self, message: T) -> Result<SendOutcome<T>, TrySendError<T>> {
        match self.send_alone(message) {
            Ok(()) => Ok(SendOutcome::Accepted),
            Err(message) => self.try_send_again(message),
        }
    }

    /// [`try_send`](Self::try_send) when the first look found no space.
    #[inline(never)]
    fn try_send_again(&mut self, message: T) -> Result<SendOutcome<T>, TrySendError<T>> {
        if self.0.shared.evicts() {
            // SAFETY: this is the only sender that its queue ever has, and it is borrowed mutably, so nobody
            // else sends.
            return unsafe { self.0.shared.offer_evicting_alone(message) };
        }
        self.0.shared.notice();
        self.0.try_send_again(message)
    }

    /// Sends a message. Under [`Backpressure::Block`] the future waits for space. If it is dropped before it
    /// is ready, only its own message is lost, which was not sent.
    ///
    /// ```
    /// # use annulus_queue::{SendOutcome, QueueOptions, spmc::spmc, wait::block_on};
    /// let (mut tx, rx) = spmc(QueueOptions::new())?;
    /// assert_eq!(block_on(tx.send(7)), Ok(SendOutcome::Accepted));
    /// assert_eq!(block_on(rx.recv()), Ok(7));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn send(&mut self, message: T) -> SendFuture<'_, T> {
        self.0.send(message)
    }

    /// [`send`](Self::send) that blocks the thread while it waits.
    ///
    /// ```
    /// # use annulus_queue::{SendOutcome, QueueOptions, spmc::spmc};
    /// let (mut tx, _rx) = spmc(QueueOptions::new())?;
    /// assert_eq!(tx.send_blocking(7), Ok(SendOutcome::Accepted));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    #[inline]
    pub fn send_blocking(&mut self, message: T) -> Result<SendOutcome<T>, SendError<T>> {
        match self.send_alone(message) {
            Ok(()) => Ok(SendOutcome::Accepted),
            Err(message) => self.0.send_until(message, None),
        }
    }

    /// [`send_blocking`](Self::send_blocking) that gives up and returns the message when there was no space
    /// for that long.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use annulus_queue::{QueueOptions, SendError, spmc::spmc};
    /// let (mut tx, _rx) = spmc(QueueOptions::new().capacity(16))?;
    /// (0..16).for_each(|i| { let _ = tx.try_send(i); });
    /// assert_eq!(tx.send_timeout(16, Duration::from_millis(1)), Err(SendError::Timeout(16)));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn send_timeout(&mut self, message: T, timeout: Duration) -> Result<SendOutcome<T>, SendError<T>> {
        self.0.send_timeout(message, timeout)
    }

    /// Sends messages without waiting, in order, and returns how many were queued. `back` gets the messages
    /// that came back: those that were refused or discarded, and those that were evicted.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, spmc::spmc};
    /// let (mut tx, _rx) = spmc(QueueOptions::new().capacity(16))?;
    /// let mut back = Vec::new();
    /// assert_eq!(tx.try_send_batch(0..18, |refused| back.push(refused)), 16);
    /// assert_eq!(back, [16, 17]);
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn try_send_batch(&mut self, messages: impl IntoIterator<Item = T>, back: impl FnMut(T)) -> usize {
        send_each(messages, |message| self.try_send(message), back)
    }

    /// [`try_send_batch`](Self::try_send_batch) that waits for space under [`Backpressure::Block`], blocking
    /// the thread.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, spmc::spmc};
    /// let (mut tx, rx) = spmc(QueueOptions::new().capacity(16))?;
    /// let sender = std::thread::spawn(move || tx.send_batch_blocking(0..100, |_| ()));
    /// assert_eq!((0..100).filter(|i| rx.recv_blocking() == Ok(*i)).count(), 100);
    /// assert_eq!(sender.join().unwrap(), 100);
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn send_batch_blocking(
        &mut self,
        messages: impl IntoIterator<Item = T>,
        back: impl FnMut(T),
    ) -> usize {
        send_each(messages, |message| self.send_blocking(message), back)
    }

    /// Space for one message, to be written in place, like
    /// [`Sender::try_reserve`](crate::Sender::try_reserve).
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, spmc::spmc};
    /// let (mut tx, rx) = spmc::<[u64; 32]>(QueueOptions::new())?;
    /// let mut place = tx.try_reserve()?;
    /// place.write([7; 32]);
    /// place.commit();
    /// assert_eq!(rx.try_recv(), Ok([7; 32]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn try_reserve(&mut self) -> Result<Reservation<'_, T>, TrySendError<()>> {
        self.0.try_reserve()
    }

    /// Waits until all messages that were queued at the call have left the queue. Returns `false` if the
    /// timeout ended first. It blocks the thread, and polls less and less often, down to once a millisecond.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use annulus_queue::{QueueOptions, spmc::spmc};
    /// let (mut tx, rx) = spmc(QueueOptions::new())?;
    /// let _ = tx.try_send(1);
    /// assert!(!tx.flush_timeout(Duration::ZERO));
    /// let _ = rx.try_recv();
    /// assert!(tx.flush_timeout(Duration::ZERO));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn flush_timeout(&self, timeout: Duration) -> bool {
        self.0.flush_timeout(timeout)
    }

    /// Closes the queue: queued messages can still be received, and no more can be sent. Returns whether it
    /// was open.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, RecvError, spmc::spmc};
    /// let (mut tx, rx) = spmc(QueueOptions::new())?;
    /// let _ = tx.try_send(1);
    /// assert!(tx.close());
    /// assert_eq!((rx.recv_blocking(), rx.recv_blocking()), (Ok(1), Err(RecvError::Closed)));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn close(&mut self) -> bool {
        self.0.close()
    }

    /// This sender as a sink.
    #[cfg(feature = "futures")]
    pub fn sink(&mut self) -> MessageSink<'_, SharedEnd<'_, T>> {
        self.0.sink()
    }

    /// Sends if one look shows that there is space. Otherwise returns the message.
    #[inline(always)]
    fn send_alone(&mut self, message: T) -> Result<(), T> {
        // SAFETY: this is the only sender that its queue ever has, and it is borrowed mutably, so nobody else
        // sends.
        unsafe { self.0.shared.offer_alone(message) }
    }
}

impl<T: Send> Receiver<T> {
    /// Receives without waiting. The sender may send right after `Empty`; `Closed` is final.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, TryRecvError, spmc::spmc};
    /// let (mut tx, rx) = spmc(QueueOptions::new())?;
    /// let _ = tx.try_send(1);
    /// assert_eq!((rx.try_recv(), rx.try_recv()), (Ok(1), Err(TryRecvError::Empty)));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    #[inline]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        self.0.try_recv()
    }

    /// Receives a message; the future waits for one. Dropping it before it is ready takes no message.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, spmc::spmc, wait::block_on};
    /// let (mut tx, rx) = spmc(QueueOptions::new())?;
    /// let _ = tx.try_send(1);
    /// assert_eq!(block_on(rx.recv()), Ok(1));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn recv(&self) -> RecvFuture<'_, T> {
        self.0.recv()
    }

    /// [`recv`](Self::recv) that blocks the thread while it waits.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, spmc::spmc};
    /// let (mut tx, rx) = spmc(QueueOptions::new())?;
    /// std::thread::spawn(move || { let _ = tx.try_send(1); });
    /// assert_eq!(rx.recv_blocking(), Ok(1));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    #[inline]
    pub fn recv_blocking(&self) -> Result<T, RecvError> {
        self.0.recv_blocking()
    }

    /// [`recv_blocking`](Self::recv_blocking) that gives up when no message came for that long.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use annulus_queue::{QueueOptions, RecvError, spmc::spmc};
    /// let (_tx, rx) = spmc::<u32>(QueueOptions::new())?;
    /// assert_eq!(rx.recv_timeout(Duration::from_millis(1)), Err(RecvError::Timeout));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvError> {
        self.0.recv_timeout(timeout)
    }

    /// Receives up to `most` messages without waiting, in order, and returns how many. `each` gets them.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, spmc::spmc};
    /// let (mut tx, rx) = spmc(QueueOptions::new())?;
    /// tx.try_send_batch(0..10, |_| ());
    /// assert_eq!(rx.try_recv_batch(8, |_| ()), 8);
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn try_recv_batch(&self, most: usize, each: impl FnMut(T)) -> usize {
        self.0.try_recv_batch(most, each)
    }

    /// Waits for a message, blocking the thread, then receives up to `most` of those that are there. Returns
    /// how many, or `Err` once the queue is closed and empty.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, RecvError, spmc::spmc};
    /// let (mut tx, rx) = spmc(QueueOptions::new())?;
    /// tx.try_send_batch(0..10, |_| ());
    /// drop(tx);
    /// assert_eq!(rx.recv_batch_blocking(100, |_| ()), Ok(10));
    /// assert_eq!(rx.recv_batch_blocking(100, |_| ()), Err(RecvError::Closed));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn recv_batch_blocking(&self, most: usize, each: impl FnMut(T)) -> Result<usize, RecvError> {
        self.0.recv_batch_blocking(most, each)
    }

    /// Takes messages until there is none. The sender may send more meanwhile; [`clear`](Self::clear) does
    /// not take those.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, spmc::spmc};
    /// let (mut tx, rx) = spmc(QueueOptions::new())?;
    /// tx.try_send_batch(0..4, |_| ());
    /// assert_eq!(rx.try_iter().sum::<i32>(), 6);
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn try_iter(&self) -> impl Iterator<Item = T> {
        self.0.try_iter()
    }

    /// Drops the messages that were sent before this call, and returns how many there were.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, spmc::spmc};
    /// let (mut tx, rx) = spmc(QueueOptions::new())?;
    /// tx.try_send_batch(0..4, |_| ());
    /// assert_eq!((rx.clear(), rx.len()), (4, 0));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn clear(&self) -> usize {
        self.0.clear()
    }

    /// The messages as a stream that ends when the queue is closed and empty. Other receivers may take some
    /// in between.
    #[cfg(feature = "futures")]
    pub fn messages(&self) -> Messages<'_, SharedEnd<'_, T>> {
        self.0.messages()
    }
}

impl<T> Clone for Receiver<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

macro_rules! questions {
    ($end:ident) => {
        /// # Questions
        ///
        /// The same as at the ends of a shared queue, with the same results: see [`Sender`](crate::Sender).
        impl<T> $end<T> {
            /// How many messages are queued. The other ends may change it at any time.
            ///
            /// ```
            /// # use annulus_queue::{QueueOptions, spmc::spmc};
            /// let (mut tx, rx) = spmc(QueueOptions::new().capacity(16))?;
            /// while tx.try_send(0).is_ok() {}
            /// assert_eq!((tx.len(), tx.capacity()), (16, 16));
            /// assert!(rx.is_full() && !rx.is_empty() && !rx.is_closed());
            /// assert_eq!(rx.counters().enqueued, 16);
            /// # Ok::<(), annulus_queue::InvalidOptions>(())
            /// ```
            pub fn len(&self) -> usize {
                self.0.len()
            }

            /// How many messages the queue holds at most, exactly. Never changes.
            pub fn capacity(&self) -> usize {
                self.0.capacity()
            }

            /// Whether no message is queued. The sender may change it at any time.
            pub fn is_empty(&self) -> bool {
                self.0.is_empty()
            }

            /// Whether there is no space. A receiver may change it at any time.
            pub fn is_full(&self) -> bool {
                self.0.is_full()
            }

            /// Whether the queue takes no more messages. Some may still be queued. Once true, it stays so.
            pub fn is_closed(&self) -> bool {
                self.0.is_closed()
            }

            /// What the queue does when it is full. Never changes.
            pub fn backpressure(&self) -> Backpressure {
                self.0.backpressure()
            }

            /// The queue's name, if it was given one. Never changes.
            pub fn name(&self) -> Option<&str> {
                self.0.name()
            }

            /// Counts of what happened to all messages so far, by cause; see
            /// [`Sender::counters`](crate::Sender::counters).
            pub fn counters(&self) -> Counters {
                self.0.counters()
            }
        }

        impl<T> fmt::Debug for $end<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                crate::ends::debug(stringify!($end), &self.0.shared, f)
            }
        }
    };
}

questions!(Sender);
questions!(Receiver);
