//! Batch operations that are built from others: as futures, and with a timeout. All ends have the same ones.

use std::time::{Duration, Instant};

use crate::{
    Message, MessageQueue, RecvError,
    batch::{send_each, settle},
    single_consumer, spmc,
};

/// How much of a timeout is left. It never ends if the clock cannot express its end.
fn left_of(timeout: Duration) -> impl Fn() -> Duration {
    let deadline = Instant::now().checked_add(timeout);
    move || deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(Instant::now()))
}

/// The sending operations of a type. The arguments say how `self` is borrowed, and how an example makes the
/// type.
macro_rules! sends {
    ([$($bounds:tt)*] $sender:ty, [$($mutable:ident)?] $self:ident, $uses:literal, $make:literal) => {
        /// # Batches as futures, and for a time
        impl<$($bounds)*> $sender {
            /// Sends messages in order, waiting for space under [`Block`](crate::Backpressure::Block), and
            /// returns how many were queued. `back` gets the messages that came back: those that were
            /// refused, discarded or recognised as duplicates, and those that were evicted.
            ///
            /// If the future is dropped before it is ready, some messages may have been sent; the rest are
            /// dropped.
            ///
            /// ```
            #[doc = concat!("# use annulus_queue::{QueueOptions, wait::block_on, ", $uses, "};")]
            #[doc = $make]
            /// assert_eq!(block_on(tx.send_batch(0..10, |_| ())), 10);
            /// assert_eq!(rx.try_recv_batch(16, |_| ()), 10);
            /// # Ok::<(), annulus_queue::InvalidOptions>(())
            /// ```
            pub async fn send_batch(
                &$($mutable)? $self,
                messages: impl IntoIterator<Item = T>,
                mut back: impl FnMut(T),
            ) -> usize {
                let mut queued = 0;
                for message in messages {
                    queued += usize::from(settle($self.send(message).await, &mut back));
                }
                queued
            }

            /// [`send_batch_blocking`](Self::send_batch_blocking) that waits for at most `timeout` in total.
            /// After that, it tries the remaining messages without waiting, and those without space come
            /// back.
            ///
            /// ```
            /// # use std::time::Duration;
            #[doc = concat!("# use annulus_queue::{QueueOptions, ", $uses, "};")]
            #[doc = $make]
            /// let mut back = Vec::new();
            /// let queued = tx.send_batch_timeout(0..18, Duration::from_millis(1), |late| back.push(late));
            /// assert_eq!((queued, back), (16, vec![16, 17]));
            /// # drop(rx);
            /// # Ok::<(), annulus_queue::InvalidOptions>(())
            /// ```
            pub fn send_batch_timeout(
                &$($mutable)? $self,
                messages: impl IntoIterator<Item = T>,
                timeout: Duration,
                back: impl FnMut(T),
            ) -> usize {
                let left = left_of(timeout);
                send_each(messages, |message| $self.send_timeout(message, left()), back)
            }

            /// [`flush_timeout`](Self::flush_timeout) without a timeout. There is no future for it, because
            /// nothing signals that a message has left: this polls.
            ///
            /// ```
            #[doc = concat!("# use annulus_queue::{QueueOptions, ", $uses, "};")]
            #[doc = $make]
            /// let _ = tx.try_send(1);
            /// let receiver = std::thread::spawn(move || (rx.recv_blocking(), rx));
            /// tx.flush_blocking();
            /// assert!(tx.is_empty());
            /// # receiver.join().unwrap().0.unwrap();
            /// # Ok::<(), annulus_queue::InvalidOptions>(())
            /// ```
            pub fn flush_blocking(&$self) {
                $self.flush_timeout(Duration::MAX);
            }
        }
    };
}

/// The same for the receiving operations.
macro_rules! receives {
    ([$($bounds:tt)*] $receiver:ty, [$($mutable:ident)?] $self:ident, $uses:literal, $make:literal) => {
        /// # Batches as futures, and for a time
        impl<$($bounds)*> $receiver {
            /// Waits for a message, then receives up to `most` of those that are there. Returns how many.
            /// `each` gets them. Dropping the future before it is ready takes no message.
            ///
            /// ```
            #[doc = concat!("# use annulus_queue::{QueueOptions, wait::block_on, ", $uses, "};")]
            #[doc = $make]
            /// tx.try_send_batch(0..10, |_| ());
            /// assert_eq!(block_on(rx.recv_batch(8, |_| ())), Ok(8));
            /// # Ok::<(), annulus_queue::InvalidOptions>(())
            /// ```
            ///
            /// # Errors
            ///
            /// [`RecvError::Closed`] once the queue is closed and empty.
            pub async fn recv_batch(
                &$($mutable)? $self,
                most: usize,
                mut each: impl FnMut(T),
            ) -> Result<usize, RecvError> {
                if most == 0 {
                    return Ok(0);
                }
                each($self.recv().await?);
                Ok(1 + $self.try_recv_batch(most - 1, each))
            }

            /// [`recv_batch_blocking`](Self::recv_batch_blocking) that gives up after `timeout`.
            ///
            /// ```
            /// # use std::time::Duration;
            #[doc = concat!("# use annulus_queue::{QueueOptions, RecvError, ", $uses, "};")]
            #[doc = $make]
            /// let _ = tx.try_send(1);
            /// assert_eq!(rx.recv_batch_timeout(8, Duration::from_millis(1), |_| ()), Ok(1));
            /// let received = rx.recv_batch_timeout(8, Duration::from_millis(1), |_| ());
            /// assert_eq!(received, Err(RecvError::Timeout));
            /// # Ok::<(), annulus_queue::InvalidOptions>(())
            /// ```
            ///
            /// # Errors
            ///
            /// As there, and [`RecvError::Timeout`].
            pub fn recv_batch_timeout(
                &$($mutable)? $self,
                most: usize,
                timeout: Duration,
                mut each: impl FnMut(T),
            ) -> Result<usize, RecvError> {
                if most == 0 {
                    return Ok(0);
                }
                each($self.recv_timeout(timeout)?);
                Ok(1 + $self.try_recv_batch(most - 1, each))
            }
        }
    };
}

sends!([T: Send] crate::Sender<T>, [] self, "queue",
    "let (tx, rx) = queue(QueueOptions::new().capacity(16))?;");
receives!([T: Send] crate::Receiver<T>, [] self, "queue",
    "let (tx, rx) = queue(QueueOptions::new().capacity(16))?;");
sends!([T: Send] spmc::Sender<T>, [mut] self, "spmc::spmc",
    "let (mut tx, rx) = spmc(QueueOptions::new().capacity(16))?;");
receives!([T: Send] spmc::Receiver<T>, [] self, "spmc::spmc",
    "let (mut tx, rx) = spmc(QueueOptions::new().capacity(16))?;");
sends!([T: Send, P: single_consumer::ProducerMode] single_consumer::Sender<T, P>, [mut] self, "single_consumer::spsc",
    "let (mut tx, mut rx) = spsc(QueueOptions::new().capacity(16))?;");
receives!([T: Send, P: single_consumer::ProducerMode] single_consumer::Receiver<T, P>, [mut] self, "single_consumer::spsc",
    "let (mut tx, mut rx) = spsc(QueueOptions::new().capacity(16))?;");
sends!([T: Message + Send] MessageQueue<T>, [] self, "MessageQueue",
    "let tx = MessageQueue::new(QueueOptions::new().capacity(16))?;\nlet rx = tx.clone();");
receives!([T: Message + Send] MessageQueue<T>, [] self, "MessageQueue",
    "let tx = MessageQueue::new(QueueOptions::new().capacity(16))?;\nlet rx = tx.clone();");
