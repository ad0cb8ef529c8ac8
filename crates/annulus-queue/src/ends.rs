//! The queries that both ends of a queue offer.

use std::fmt;

use crate::{Backpressure, Counters, Receiver, Sender, queue::Shared};

macro_rules! questions {
    ($end:ident) => {
        impl<T> $end<T> {
            /// How many messages are queued, including those being copied in. Other ends may change it at any
            /// time.
            ///
            /// ```
            /// let (tx, rx) = annulus_queue::queue(annulus_queue::QueueOptions::new())?;
            /// let _ = tx.try_send(1);
            /// assert_eq!((tx.len(), rx.len()), (1, 1));
            /// # Ok::<(), annulus_queue::InvalidOptions>(())
            /// ```
            pub fn len(&self) -> usize {
                self.shared.len()
            }

            /// How many messages the queue holds at most, exactly. Never changes.
            ///
            /// ```
            /// let options = annulus_queue::QueueOptions::new().capacity(64);
            /// let (tx, rx) = annulus_queue::queue::<u32>(options)?;
            /// assert_eq!((tx.capacity(), rx.capacity()), (64, 64));
            /// # Ok::<(), annulus_queue::InvalidOptions>(())
            /// ```
            pub fn capacity(&self) -> usize {
                self.shared.capacity()
            }

            /// Whether no message is queued. A sender may change it at any time.
            ///
            /// ```
            /// let (tx, rx) = annulus_queue::queue::<u32>(annulus_queue::QueueOptions::new())?;
            /// assert!(tx.is_empty() && rx.is_empty());
            /// # Ok::<(), annulus_queue::InvalidOptions>(())
            /// ```
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Whether there is no space. A receiver may change it at any time.
            ///
            /// ```
            /// let (tx, rx) = annulus_queue::queue(annulus_queue::QueueOptions::new().capacity(16))?;
            /// while tx.try_send(0).is_ok() {}
            /// assert!(tx.is_full() && rx.is_full());
            /// # Ok::<(), annulus_queue::InvalidOptions>(())
            /// ```
            pub fn is_full(&self) -> bool {
                self.len() == self.capacity()
            }

            /// Whether the queue takes no more messages. Some may still be queued. Once true, it stays so;
            /// `false` may be out of date on return.
            ///
            /// ```
            /// let (tx, rx) = annulus_queue::queue::<u32>(annulus_queue::QueueOptions::new())?;
            /// drop(rx);
            /// assert!(tx.is_closed());
            /// # Ok::<(), annulus_queue::InvalidOptions>(())
            /// ```
            pub fn is_closed(&self) -> bool {
                self.shared.is_closed()
            }

            /// What the queue does when it is full. Never changes.
            ///
            /// ```
            /// # use annulus_queue::{Backpressure, QueueOptions, queue};
            /// let (tx, _rx) = queue::<u32>(QueueOptions::new())?;
            /// assert_eq!(tx.backpressure(), Backpressure::Block);
            /// # Ok::<(), annulus_queue::InvalidOptions>(())
            /// ```
            pub fn backpressure(&self) -> Backpressure {
                self.shared.backpressure()
            }

            /// The queue's name, if it was given one. Never changes.
            ///
            /// ```
            /// # use annulus_queue::{QueueOptions, queue};
            /// let (_tx, rx) = queue::<u32>(QueueOptions::new().name("alerts"))?;
            /// assert_eq!(rx.name(), Some("alerts"));
            /// # Ok::<(), annulus_queue::InvalidOptions>(())
            /// ```
            pub fn name(&self) -> Option<&str> {
                self.shared.name()
            }

            /// Counts of what happened to all messages so far, by cause.
            ///
            /// Exact when nobody sends or receives. While somebody does, only `dequeued` may ever go down:
            /// for a moment it may include a message that was evicted or abandoned. Both balances of
            /// [`Counters`] hold even then, since a message in between counts as queued.
            ///
            /// ```
            /// # use annulus_queue::{Backpressure, QueueOptions, queue};
            /// let options = QueueOptions::new().capacity(16).backpressure(Backpressure::Reject);
            /// let (tx, rx) = queue(options)?;
            /// let refused = (0..20).filter(|&i| tx.try_send(i).is_err()).count() as u64;
            /// let _ = rx.try_recv();
            /// let counters = tx.counters();
            /// assert_eq!((counters.enqueued, counters.rejected, counters.dequeued), (16, refused, 1));
            /// # Ok::<(), annulus_queue::InvalidOptions>(())
            /// ```
            pub fn counters(&self) -> Counters {
                self.shared.counters()
            }
        }
    };
}

questions!(Sender);
questions!(Receiver);

pub(crate) fn debug<T>(end: &str, shared: &Shared<T>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.debug_struct(end)
        .field("name", &shared.name())
        .field("backpressure", &shared.backpressure())
        .field("len", &shared.len())
        .field("capacity", &shared.capacity())
        .field("closed", &shared.is_closed())
        .finish()
}
