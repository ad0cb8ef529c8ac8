//! The sending end.

use std::{
    fmt,
    time::{Duration, Instant},
};

use crate::{
    Backpressure, Counters, SendError, SendOutcome, TrySendError,
    batch::flush,
    pace::room,
    slab::{Cursor, Slot},
    slots::NoTicket,
};
use annulus_sync::{
    Arc, Ordering,
    wait::{Backoff, block_on, block_on_deadline},
};

use super::{Core, Many, One, ProducerMode, Reservation, SendFuture, producer_mode::Position};

/// The sending end of a queue with one receiver. With [`Many`] senders it can be cloned.
///
/// Dropping the last one closes the queue.
pub struct Sender<T, P: ProducerMode = One> {
    pub(super) core: Arc<Core<T, P>>,
    pub(super) local: Local<T, P>,
}

/// A sender's own state.
pub(super) struct Local<T, P> {
    pub(super) position: Position,
    /// In the core that it belongs to. With one sender, it is at the sender's next ticket.
    pub(super) cursor: Cursor<T, P>,
}

impl<T, P: ProducerMode> Local<T, P> {
    /// The slot of a ticket that belongs to the sender.
    ///
    /// # Safety
    /// The core lives for `'a`.
    #[inline(always)]
    unsafe fn slot<'a>(&self, ticket: u64) -> Slot<'a, T> {
        // SAFETY: the caller guarantees it. If messages share stamps, the sender is alone, and its ticket is
        // the next.
        unsafe { self.cursor.slot(ticket) }
    }

    /// Called after the sender has published this ticket.
    #[inline(always)]
    pub(super) fn pass(&mut self, producers: &P, ticket: u64) {
        producers.passed(&mut self.position, ticket + 1);
        self.cursor.advance(ticket + 1);
    }
}

/// How a message is written; see `slab`.
#[derive(Clone, Copy)]
pub(super) enum Manner {
    /// For a receiver on another core, as one of many messages.
    Stream,
    /// For a receiver that may run on this thread.
    Single,
}

impl<T: Send, P: ProducerMode> Sender<T, P> {
    pub(super) fn new(core: Arc<Core<T, P>>) -> Self {
        let limit = core.capacity() as u64;
        let local = Local { position: Position { tail: 0, limit }, cursor: core.slab.cursor() };
        Self { core, local }
    }

    /// Sends without waiting. [`SendOutcome`] and [`TrySendError`] say what happened to the message, as the
    /// table in the crate's documentation lists it. The receiver may take messages meanwhile: `Full` means
    /// that the queue was full at one moment of the call.
    ///
    /// ```
    /// use annulus_queue::{SendOutcome, QueueOptions, TrySendError, single_consumer::spsc};
    ///
    /// let (mut tx, rx) = spsc(QueueOptions::new())?;
    /// assert_eq!(tx.try_send(1), Ok(SendOutcome::Accepted));
    /// drop(rx);
    /// assert_eq!(tx.try_send(2), Err(TrySendError::Closed(2)));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    #[inline]
    pub fn try_send(&mut self, message: T) -> Result<SendOutcome<T>, TrySendError<T>> {
        match self.core.producers.claim(&mut self.local.position) {
            Some(ticket) => self.core.send_as(&mut self.local, ticket, message, Manner::Single),
            None => self.try_send_again(message),
        }
    }

    #[inline(never)]
    pub(super) fn try_send_again(&mut self, message: T) -> Result<SendOutcome<T>, TrySendError<T>> {
        self.core.offer(&mut self.local, message).inspect_err(|error| {
            if matches!(error, TrySendError::Full(_)) && self.core.backpressure == Backpressure::Block {
                self.core.tally.rejected.add_one();
            }
        })
    }

    /// Sends a message. Under [`Backpressure::Block`] the future waits for space. If it is dropped before it
    /// is ready, only its own message is lost, which was not sent.
    ///
    /// ```
    /// # use annulus_queue::{SendOutcome, QueueOptions, single_consumer::spsc, wait::block_on};
    /// let (mut tx, mut rx) = spsc(QueueOptions::new())?;
    /// assert_eq!(block_on(tx.send(7)), Ok(SendOutcome::Accepted));
    /// assert_eq!(block_on(rx.recv()), Ok(7));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn send(&mut self, message: T) -> SendFuture<'_, T, P> {
        SendFuture::new(&self.core, &mut self.local, message)
    }

    /// [`send`](Self::send) that blocks the thread while it waits.
    ///
    /// ```
    /// # use annulus_queue::{SendOutcome, QueueOptions, single_consumer::spsc};
    /// let (mut tx, _rx) = spsc(QueueOptions::new())?;
    /// assert_eq!(tx.send_blocking(7), Ok(SendOutcome::Accepted));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    #[inline]
    pub fn send_blocking(&mut self, message: T) -> Result<SendOutcome<T>, SendError<T>> {
        match self.core.producers.claim(&mut self.local.position) {
            Some(ticket) => {
                self.core.send_as(&mut self.local, ticket, message, Manner::Stream).map_err(SendError::from)
            }
            None => self.send_until(message, None),
        }
    }

    /// [`send_blocking`](Self::send_blocking) that gives up and returns the message when there was no space
    /// for that long.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use annulus_queue::{QueueOptions, SendError, single_consumer::spsc};
    /// let (mut tx, _rx) = spsc(QueueOptions::new().capacity(16))?;
    /// (0..16).for_each(|i| { let _ = tx.try_send(i); });
    /// assert_eq!(tx.send_timeout(16, Duration::from_millis(1)), Err(SendError::Timeout(16)));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn send_timeout(&mut self, message: T, timeout: Duration) -> Result<SendOutcome<T>, SendError<T>> {
        // A deadline that the clock cannot express never comes.
        self.send_until(message, Instant::now().checked_add(timeout))
    }

    #[inline(never)]
    pub(super) fn send_until(
        &mut self,
        message: T,
        deadline: Option<Instant>,
    ) -> Result<SendOutcome<T>, SendError<T>> {
        let mut message = message;
        let mut backoff = Backoff::new();
        while !backoff.is_spent() && deadline.is_none_or(|deadline| Instant::now() < deadline) {
            message = match self.core.offer(&mut self.local, message) {
                Err(TrySendError::Full(message)) if self.core.backpressure == Backpressure::Block => message,
                outcome => return outcome.map_err(SendError::from),
            };
            backoff.snooze();
            if deadline.is_none() {
                self.core.watch_for_room(&self.local.position, &mut backoff);
            }
        }
        let mut sending = SendFuture::new(&self.core, &mut self.local, message);
        let Some(deadline) = deadline else { return block_on(sending) };
        block_on_deadline(&mut sending, deadline).unwrap_or_else(|| {
            let message = sending.into_message();
            self.core.tally.rejected.add_one();
            Err(SendError::Timeout(message))
        })
    }

    /// Space for one message, to be written in place; `Err` under every [`Backpressure`] if there is none,
    /// and not counted.
    ///
    /// Nothing is sent or counted as enqueued until [`Reservation::commit`]. With one sender, a reservation
    /// that is dropped leaves no trace. With several senders, its place in the queue stays, as a void that
    /// the receiver skips. Until such a reservation is committed or dropped, the receiver waits for it, and
    /// so for everything behind it: be brief. If it is forgotten (`std::mem::forget`), it blocks the queue
    /// for ever.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, single_consumer::spsc};
    /// let (mut tx, mut rx) = spsc::<[u64; 32]>(QueueOptions::new())?;
    /// let mut place = tx.try_reserve()?;
    /// place.write([7; 32]);
    /// place.commit().unwrap();
    /// assert_eq!(rx.try_recv(), Ok([7; 32]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn try_reserve(&mut self) -> Result<Reservation<'_, T, P>, TrySendError<()>> {
        if P::CLAIM_IS_FINAL {
            self.core.tally.reserved.add_one();
        }
        let ticket = self.core.ticket(&mut self.local.position);
        if P::CLAIM_IS_FINAL && ticket.is_err() {
            self.core.tally.reserved.take_one();
        }
        Ok(Reservation::new(self, ticket?))
    }

    /// Waits until all messages that were queued at the call have left the queue. Returns `false` if the
    /// timeout ended first. It blocks the thread, and polls less and less often, down to once a millisecond.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use annulus_queue::{QueueOptions, single_consumer::spsc};
    /// let (mut tx, mut rx) = spsc(QueueOptions::new())?;
    /// let _ = tx.try_send(1);
    /// assert!(!tx.flush_timeout(Duration::ZERO));
    /// let _ = rx.try_recv();
    /// assert!(tx.flush_timeout(Duration::ZERO));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn flush_timeout(&self, timeout: Duration) -> bool {
        let end = self.core.sent(self.core.taken());
        flush(timeout, || self.core.taken() >= end)
    }

    /// Closes the queue: queued messages can still be received, and no more can be sent. Returns whether it
    /// was open.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, RecvError, single_consumer::spsc};
    /// let (mut tx, mut rx) = spsc(QueueOptions::new())?;
    /// let _ = tx.try_send(1);
    /// assert!(tx.close());
    /// assert_eq!((rx.recv_blocking(), rx.recv_blocking()), (Ok(1), Err(RecvError::Closed)));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn close(&mut self) -> bool {
        self.core.close_sending(&mut self.local.position)
    }
}

impl<T, P: ProducerMode> Core<T, P> {
    /// Writes and publishes the message of a ticket. Returns whether it is accepted. If not, the caller takes
    /// it back.
    #[inline(always)]
    pub(super) fn publish(&self, local: &mut Local<T, P>, ticket: u64, message: T, manner: Manner) -> bool {
        // SAFETY: the slab is this core's, which is borrowed.
        let slot = unsafe { local.slot(ticket) };
        match manner {
            // SAFETY: the ticket belongs to this sender, and the receiver has passed the one a lap before
            // (`single-consumer-freed`). So the slot belongs to the sender and holds no message.
            Manner::Stream => unsafe { slot.write_words(message) },
            // SAFETY: the same.
            Manner::Single => unsafe { slot.write(message) },
        }
        // SYNC: single-consumer-published
        slot.stamp.store(ticket + 1, Ordering::Release);
        local.pass(&self.producers, ticket);
        self.announce(ticket + 1) == ticket + 1
    }

    /// Called after the tickets below `end` were published. Wakes the receiver if it sleeps. Returns the
    /// first ticket that is not accepted, or `end` if all are.
    #[inline(always)]
    pub(super) fn announce(&self, end: u64) -> u64 {
        if self.not_empty.is_quiet() { end } else { self.announce_loudly(end) }
    }

    #[cold]
    pub(super) fn announce_loudly(&self, end: u64) -> u64 {
        // Wakes all, since only one of the waiters is alive: the receiver forgot the others.
        self.not_empty.notify_loudly(usize::MAX);
        // SYNC: single-consumer-close
        let accepted = self.producers.settle(end);
        // SYNC: nobody-receives
        if P::CLAIM_IS_FINAL && self.not_empty.is_alerted() {
            self.abandon();
        }
        accepted
    }

    /// The message of a published ticket that was not accepted.
    #[cold]
    pub(super) fn take_back(&self, local: &mut Local<T, P>, ticket: u64) -> T {
        local.position.limit = 0;
        // SAFETY: the queue was closed before this ticket, so the receiver never reads its slot. The slot
        // still belongs to this sender, with the message that it has just written. The sender sends no more,
        // so it reads the message once.
        unsafe { self.slab.slot(ticket).read() }
    }

    #[inline(always)]
    fn send_as(
        &self,
        local: &mut Local<T, P>,
        ticket: u64,
        message: T,
        manner: Manner,
    ) -> Result<SendOutcome<T>, TrySendError<T>> {
        if self.publish(local, ticket, message, manner) {
            Ok(SendOutcome::Accepted)
        } else {
            self.refuse_published(local, ticket)
        }
    }

    #[cold]
    pub(super) fn refuse_published<R>(
        &self,
        local: &mut Local<T, P>,
        ticket: u64,
    ) -> Result<R, TrySendError<T>> {
        self.tally.closed.add_one();
        Err(TrySendError::Closed(self.take_back(local, ticket)))
    }

    /// Sends without waiting. Counts every outcome except `Full` of a queue that blocks: that one is an
    /// outcome only if the caller does not try again.
    pub(super) fn offer(
        &self,
        local: &mut Local<T, P>,
        message: T,
    ) -> Result<SendOutcome<T>, TrySendError<T>> {
        match (self.ticket(&mut local.position), self.backpressure) {
            (Ok(ticket), _) => self.send_as(local, ticket, message, Manner::Stream),
            (Err(NoTicket::Full), Backpressure::DropNew) => {
                self.tally.discarded.add_one();
                Ok(SendOutcome::Discarded(message))
            }
            (Err(NoTicket::Full), Backpressure::Block) => Err(TrySendError::Full(message)),
            (Err(NoTicket::Full), _) => {
                self.tally.rejected.add_one();
                Err(TrySendError::Full(message))
            }
            (Err(NoTicket::Closed), _) => {
                self.tally.closed.add_one();
                Err(TrySendError::Closed(message))
            }
        }
    }

    /// A ticket, if there is space.
    pub(super) fn ticket(&self, position: &mut Position) -> Result<u64, NoTicket> {
        let mut backoff = Backoff::new();
        loop {
            if let Some(ticket) = self.producers.claim(position) {
                return Ok(ticket);
            }
            let Some(next) = self.producers.next(position) else { return Err(NoTicket::Closed) };
            if position.limit <= next {
                // SYNC: single-consumer-freed
                position.limit = self.head.load(Ordering::Acquire) + self.capacity() as u64;
                if position.limit <= next {
                    return Err(NoTicket::Full);
                }
            } else {
                // Another sender took this ticket.
                backoff.spin();
            }
        }
    }

    /// Waits busily for a while, until there is space for more than a few messages; see `pace`.
    pub(super) fn watch_for_room(&self, position: &Position, backoff: &mut Backoff) {
        let full = self.capacity() as u64 - room(self.capacity());
        // With several senders, this sender's knowledge of the others' tickets may be old. Then it waits a
        // little less.
        while !backoff.is_spent()
            && self.producers.next(position).is_some_and(|next| next.saturating_sub(self.taken()) > full)
        {
            backoff.snooze();
        }
    }

    /// Whether a send would return something other than `Full`.
    pub(super) fn has_space(&self, position: &Position) -> bool {
        let free = self.taken() + self.capacity() as u64;
        self.producers.next(position).is_none_or(|next| next < free)
    }

    pub(super) fn close_sending(&self, position: &mut Position) -> bool {
        let was_open = self.producers.close_sending(position.tail);
        position.limit = 0;
        if was_open {
            self.wake_all();
        }
        was_open
    }
}

impl<T> Clone for Sender<T, Many> {
    fn clone(&self) -> Self {
        // First, because the overflow of this count aborts.
        let core = Arc::clone(&self.core);
        // Relaxed: a new end is made from an existing end, so the count is not zero and does not become zero
        // meanwhile. Nothing else depends on it.
        core.senders.fetch_add(1, Ordering::Relaxed);
        let local = Local { position: self.local.position.clone(), cursor: self.local.cursor };
        Self { core, local }
    }
}

impl<T, P: ProducerMode> Drop for Sender<T, P> {
    fn drop(&mut self) {
        // SYNC: last-end
        if self.core.senders.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.core.close_sending(&mut self.local.position);
        }
    }
}

questions!(Sender);
