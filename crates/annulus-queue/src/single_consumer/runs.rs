//! Sending batches: messages are written one after the other, and published in runs.

use std::{mem::ManuallyDrop, ops::Range};

use annulus_sync::{AtomicU64, Ordering};

#[cfg(doc)]
use super::One;
use super::{ProducerMode, Sender, producer_mode::Position, sender::Manner};
#[cfg(doc)]
use crate::Backpressure;
use crate::{
    batch::settle,
    slab::{Slot, SlotArray},
};

/// Messages that the only sender writes one after the other, and publishes in runs. Dropping it publishes the
/// written messages. So if a batch's iterator panics, the messages that it gave before are sent.
///
/// It is designed to stay in registers: the sender's position is written at the end, and its drop is a call
/// by value. Other stores between the messages' stores would take places in the core's store buffer. The
/// length of that buffer decides how early the core asks for cache lines; see `slab`.
struct Runs<'a, T: Send, P: ProducerMode> {
    sender: &'a mut Sender<T, P>,
    places: SlotArray<T, P>,
    /// Tickets below this are published.
    published: u64,
    /// The ticket of the next message. All messages before it are written.
    next: u64,
    /// There is space for tickets below this.
    limit: u64,
}

impl<'a, T: Send, P: ProducerMode> Runs<'a, T, P> {
    #[inline(always)]
    fn new(sender: &'a mut Sender<T, P>) -> Self {
        let Position { tail, limit } = sender.local.position;
        let places = sender.local.cursor.places();
        Self { sender, places, published: tail, next: tail, limit }
    }

    /// The next ticket's slot, and for how many messages its group has space.
    #[inline(always)]
    fn room(&self) -> (Slot<'a, T>, u64) {
        let sharing = SlotArray::<T, P>::SHARING as u64;
        let in_group = sharing - self.next % sharing;
        // SAFETY: the slab belongs to the sender's core, which is borrowed for the same time.
        let slot = unsafe { self.places.slot(self.next) };
        (slot, in_group.min(self.limit.saturating_sub(self.next)))
    }

    /// Publishes the messages of a group by its stamp. There is at least one message. Returns the first
    /// ticket that was not accepted, or else the next ticket.
    #[inline(always)]
    fn publish(&mut self, stamp: &AtomicU64) -> u64 {
        // SYNC: single-consumer-published
        stamp.store(self.next, Ordering::Release);
        self.published = self.next;
        self.sender.core.announce(self.next)
    }

    /// Ends it when all messages are published. Returns the messages from the ticket `accepted` on.
    #[inline(always)]
    fn end(self, accepted: u64) -> Refused<'a, T, P> {
        let runs = ManuallyDrop::new(self);
        // SAFETY: it is neither used again nor dropped, so the reference is moved out of it once.
        let sender = unsafe { (&raw const runs.sender).read() };
        sender.core.producers.passed(&mut sender.local.position, runs.next);
        sender.local.cursor.jump(runs.next);
        Refused { sender, tickets: accepted..runs.next }
    }
}

impl<T: Send, P: ProducerMode> Drop for Runs<'_, T, P> {
    #[inline(always)]
    fn drop(&mut self) {
        abandon(self.sender, self.published, self.next);
    }
}

/// Ends [`Runs`] after a panic.
#[cold]
#[inline(never)]
fn abandon<T: Send, P: ProducerMode>(sender: &mut Sender<T, P>, published: u64, next: u64) {
    let places = sender.local.cursor.places();
    let mut runs = Runs { sender, places, published, next, limit: next };
    let accepted = if published == next {
        next
    } else {
        // SAFETY: the slab is that of the sender's core, which is borrowed.
        let slot = unsafe { places.slot(published) };
        runs.publish(slot.stamp)
    };
    drop(runs.end(accepted));
}

/// Messages of a run that were not accepted. Dropping it drops them.
struct Refused<'a, T: Send, P: ProducerMode> {
    sender: &'a mut Sender<T, P>,
    tickets: Range<u64>,
}

impl<T: Send, P: ProducerMode> Refused<'_, T, P> {
    #[inline(always)]
    fn next(&mut self) -> Option<T> {
        let ticket = self.tickets.next()?;
        Some(self.sender.core.take_back(&mut self.sender.local, ticket))
    }
}

impl<T: Send, P: ProducerMode> Drop for Refused<'_, T, P> {
    #[inline(always)]
    fn drop(&mut self) {
        while let Some(message) = self.next() {
            drop(message);
        }
    }
}

impl<T: Send, P: ProducerMode> Sender<T, P> {
    /// Sends messages without waiting, in order, and returns how many are queued. `back` gets those that are
    /// not: they were refused or discarded, because the queue was full or closed. The receiver may take
    /// messages meanwhile, so a later message may find space although an earlier one found none.
    ///
    /// The only sender ([`One`]) publishes small messages by cache lines: up to six of 8 bytes stay invisible
    /// until the iterator has given the seventh or has ended. So the iterator must not wait for the receiver.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, single_consumer::spsc};
    /// let (mut tx, _rx) = spsc(QueueOptions::new().capacity(16))?;
    /// let mut back = Vec::new();
    /// assert_eq!(tx.try_send_batch(0..18, |refused| back.push(refused)), 16);
    /// assert_eq!(back, [16, 17]);
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    #[inline]
    pub fn try_send_batch(
        &mut self,
        messages: impl IntoIterator<Item = T>,
        mut back: impl FnMut(T),
    ) -> usize {
        self.send_each(messages, |sender, message| settle(sender.try_send_again(message), &mut back))
    }

    /// [`try_send_batch`](Self::try_send_batch) that waits for space under [`Backpressure::Block`], blocking
    /// the thread.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, single_consumer::spsc};
    /// let (mut tx, mut rx) = spsc(QueueOptions::new().capacity(16))?;
    /// let sender = std::thread::spawn(move || tx.send_batch_blocking(0..100, |_| ()));
    /// assert_eq!((0..100).filter(|i| rx.recv_blocking() == Ok(*i)).count(), 100);
    /// assert_eq!(sender.join().unwrap(), 100);
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    #[inline]
    pub fn send_batch_blocking(
        &mut self,
        messages: impl IntoIterator<Item = T>,
        mut back: impl FnMut(T),
    ) -> usize {
        self.send_each(messages, |sender, message| settle(sender.send_until(message, None), &mut back))
    }

    /// Sends the messages for which one look at the queue finds space. `otherwise` sends a message for which
    /// there is none.
    #[inline]
    fn send_each(
        &mut self,
        messages: impl IntoIterator<Item = T>,
        mut otherwise: impl FnMut(&mut Self, T) -> bool,
    ) -> usize {
        if P::SHARES {
            return self.send_runs(messages, otherwise);
        }
        let mut queued = 0;
        for message in messages {
            let accepted = match self.core.producers.claim(&mut self.local.position) {
                Some(ticket) => {
                    self.core.publish(&mut self.local, ticket, message, Manner::Stream) || {
                        let message = self.core.take_back(&mut self.local, ticket);
                        otherwise(self, message)
                    }
                }
                None => otherwise(self, message),
            };
            queued += usize::from(accepted);
        }
        queued
    }

    /// [`send_each`](Self::send_each) of the only sender, in runs.
    #[inline]
    fn send_runs(
        &mut self,
        messages: impl IntoIterator<Item = T>,
        mut otherwise: impl FnMut(&mut Self, T) -> bool,
    ) -> usize {
        let mut queued = 0;
        let mut messages = messages.into_iter();
        let mut is_over = false;
        while !is_over {
            let mut runs = Runs::new(self);
            let first = runs.next;
            let mut accepted = first;
            // Until there is no more space, no more message, or a message was not accepted.
            while !is_over && accepted == runs.next {
                let (slot, room) = runs.room();
                if room == 0 {
                    break;
                }
                let before = runs.next;
                while runs.next != before + room {
                    let Some(message) = messages.next() else {
                        is_over = true;
                        break;
                    };
                    // SAFETY: there is room for it in the group.
                    let slot = unsafe { slot.later(runs.next - before) };
                    // SAFETY: the ticket belongs to this sender, and the receiver has passed the one a lap
                    // before (`single-consumer-freed`). So the slot belongs to the sender and holds no
                    // message.
                    unsafe { slot.write_words(message) };
                    runs.next += 1;
                }
                if runs.next != before {
                    accepted = runs.publish(slot.stamp);
                }
            }
            queued += (accepted - first) as usize;
            let mut refused = runs.end(accepted);
            while let Some(message) = refused.next() {
                queued += usize::from(otherwise(refused.sender, message));
            }
            drop(refused);
            if !is_over {
                match messages.next() {
                    Some(message) => queued += usize::from(otherwise(self, message)),
                    None => is_over = true,
                }
            }
        }
        queued
    }
}
