//! The part of a queue that both ends share: the strategy when it is full, waking, closing, and counting.

use std::mem::MaybeUninit;

use crate::{
    Backpressure, Counters, InvalidOptions, QueueOptions, Receiver, SendOutcome, Sender, TryRecvError,
    TrySendError,
    counters::Tally,
    dropping::drop_all,
    padded::Padded,
    slots::{Claim, NoTicket, Slots},
};
use annulus_sync::{Arc, AtomicUsize, Ordering, barrier, event::Event, fence, wait::Backoff};

/// Makes a bounded queue, and returns its two ends.
///
/// Both can be cloned and used from any number of threads. Nothing is allocated after this, except a little
/// memory when a thread or task sleeps for the first time.
///
/// ```
/// use annulus_queue::{SendOutcome, QueueOptions, queue};
///
/// let (tx, rx) = queue(QueueOptions::new().capacity(64))?;
/// std::thread::spawn(move || {
///     for i in 0..1000 {
///         assert_eq!(tx.send_blocking(i), Ok(SendOutcome::Accepted));
///     }
/// }); // its end of the queue is dropped here, which closes the queue
/// let mut sum = 0;
/// while let Ok(i) = rx.recv_blocking() {
///     sum += i;
/// }
/// assert_eq!(sum, 499_500);
/// # Ok::<(), annulus_queue::InvalidOptions>(())
/// ```
pub fn queue<T: Send>(options: QueueOptions) -> Result<(Sender<T>, Receiver<T>), InvalidOptions> {
    options.validate_for_ends()?;
    Ok(ends(options))
}

/// [`queue`] with any capacity that the slots can have. For models: with 16 messages they would never end.
#[cfg(loom)]
#[doc(hidden)]
pub fn queue_of<T: Send>(capacity: usize, backpressure: Backpressure) -> (Sender<T>, Receiver<T>) {
    ends(QueueOptions::new().capacity(capacity).backpressure(backpressure))
}

pub(crate) fn ends<T: Send>(options: QueueOptions) -> (Sender<T>, Receiver<T>) {
    ends_with(options, false)
}

/// `sender_is_alone`: see [`Shared`].
pub(crate) fn ends_with<T: Send>(options: QueueOptions, sender_is_alone: bool) -> (Sender<T>, Receiver<T>) {
    let QueueOptions { capacity, backpressure, name, .. } = options;
    let shared = Arc::new(Shared {
        slots: Slots::new(capacity),
        not_empty: Padded(Event::for_light_notifiers()),
        not_full: Padded(Event::for_light_notifiers()),
        backpressure,
        sender_is_alone,
        name,
        senders: AtomicUsize::new(1),
        receivers: AtomicUsize::new(1),
        tally: Padded(Tally::default()),
    });
    (Sender { shared: Arc::clone(&shared) }, Receiver::new(shared))
}

pub(crate) struct Shared<T> {
    slots: Slots<T>,
    /// Notified once per message sent, and on close.
    pub(crate) not_empty: Padded<Event>,
    /// Notified once per message taken, and on close.
    pub(crate) not_full: Padded<Event>,
    backpressure: Backpressure,
    /// Whether there is always exactly one sender, and nobody else closes: see `spmc`. If so, the sender must
    /// use [`offer_noticing`](Self::offer_noticing) or [`offer_alone`](Self::offer_alone).
    sender_is_alone: bool,
    name: Option<String>,
    /// How many `Sender`s there are. The last one closes the queue.
    senders: AtomicUsize,
    /// How many `Receiver`s there are. The last one closes the queue and empties it.
    receivers: AtomicUsize,
    tally: Padded<Tally>,
}

/// Notifies one waiter for space, after the message was read into the place where it is returned.
struct NotifyOnDrop<'a>(&'a Event);

impl Drop for NotifyOnDrop<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.0.notify_lightly(1);
    }
}

/// Sends a message, after the message that it replaces was read into the place where it is returned.
struct PublishOnDrop<'a, T> {
    shared: &'a Shared<T>,
    claim: Option<Claim>,
    /// Initialized until this guard is dropped.
    message: MaybeUninit<T>,
}

impl<T> Drop for PublishOnDrop<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(claim) = self.claim.take() {
            // SAFETY: it was initialized from the start, and is moved out once, here.
            let message = unsafe { self.message.assume_init_read() };
            self.shared.slots.publish(claim, message);
            self.shared.announce();
        }
    }
}

impl<T> Shared<T> {
    /// Sends without waiting for space. Counts every outcome except `Full` of a queue that blocks: that one
    /// is an outcome only if the caller does not try again.
    #[inline]
    pub(crate) fn offer(&self, message: T) -> Result<SendOutcome<T>, TrySendError<T>> {
        match self.offer_at_once(message) {
            Ok(()) => Ok(SendOutcome::Accepted),
            Err(message) => self.offer_hard(message),
        }
    }

    /// Sends if one look shows that there is space. Otherwise returns the message, which the caller passes to
    /// [`offer_again`](Self::offer_again).
    #[inline(always)]
    pub(crate) fn offer_at_once(&self, message: T) -> Result<(), T> {
        let Some(claim) = self.slots.claim_at_once() else { return Err(message) };
        self.slots.publish(claim, message);
        self.announce();
        Ok(())
    }

    /// [`offer`](Self::offer) by a sender that may be the only one.
    #[inline]
    pub(crate) fn offer_noticing(&self, message: T) -> Result<SendOutcome<T>, TrySendError<T>> {
        self.notice();
        self.offer(message)
    }

    /// [`offer`](Self::offer) by the only sender, if one look shows that there is space. Otherwise returns
    /// the message.
    ///
    /// # Safety
    /// Nobody else sends meanwhile.
    #[inline(always)]
    pub(crate) unsafe fn offer_alone(&self, message: T) -> Result<(), T> {
        if self.nobody_receives() {
            return Err(message);
        }
        // SAFETY: the caller guarantees it; only sends claim.
        let Some(claim) = (unsafe { self.slots.claim_alone() }) else { return Err(message) };
        self.slots.publish(claim, message);
        self.announce();
        Ok(())
    }

    /// [`offer`](Self::offer) when the first look found no space. It is a function of its own, so that a
    /// message that is accepted at once is moved only once: if one function had both paths, their results
    /// would go through memory.
    #[inline(never)]
    fn offer_hard(&self, message: T) -> Result<SendOutcome<T>, TrySendError<T>> {
        if self.evicts() { self.offer_evicting(message) } else { self.offer_again(message) }
    }

    /// [`offer`](Self::offer) when the first look found no space. This is rare, so its code is kept out of
    /// the callers.
    #[inline(never)]
    pub(crate) fn offer_again(&self, message: T) -> Result<SendOutcome<T>, TrySendError<T>> {
        match self.slots.claim() {
            Ok(claim) => {
                self.slots.publish(claim, message);
                self.announce();
                Ok(SendOutcome::Accepted)
            }
            Err(reason) => self.refuse(reason, message),
        }
    }

    /// A ticket for a message that is written in place.
    pub(crate) fn reserve(&self) -> Result<Claim, TrySendError<()>> {
        if self.evicts() {
            return Err(TrySendError::NotOffered(()));
        }
        self.notice();
        self.tally.reserved.add_one();
        self.slots.claim().map_err(|reason| {
            self.tally.reserved.take_one();
            reason.into()
        })
    }

    pub(crate) fn place<'a>(&'a self, claim: &'a mut Claim) -> &'a mut MaybeUninit<T> {
        self.slots.place(claim)
    }

    /// Publishes a message that was written in place.
    ///
    /// # Safety
    /// All of it was written through [`place`](Self::place).
    pub(crate) unsafe fn commit(&self, claim: Claim) {
        // Before consumers can count the message as received.
        self.tally.reserved.take_one();
        // SAFETY: the caller guarantees it.
        unsafe { self.slots.publish_written(claim) };
        self.announce();
    }

    /// Gives up a ticket.
    pub(crate) fn withdraw(&self, claim: Claim) {
        // It stays counted as reserved.
        self.slots.withdraw(claim);
        // Wakes a receiver that may sleep although there are messages behind it: it looks again.
        self.announce();
    }

    /// Waits busily for a while, until there is space for more than a few messages; see `pace`.
    pub(crate) fn watch_for_room(&self, backoff: &mut Backoff) {
        while !backoff.is_spent() && !self.slots.looks_roomy() {
            backoff.snooze();
        }
    }

    #[inline]
    pub(crate) fn looks_published(&self) -> bool {
        self.slots.looks_published()
    }

    /// Whether a receive would return something other than `Empty`.
    pub(crate) fn has_next(&self) -> bool {
        self.slots.has_next()
    }

    /// Whether a send would return something other than `Full`.
    pub(crate) fn has_space(&self) -> bool {
        self.slots.has_space()
    }

    /// The number of tickets sent so far.
    pub(crate) fn sent(&self) -> u64 {
        self.slots.sent()
    }

    /// The number of tickets taken so far.
    pub(crate) fn taken(&self) -> u64 {
        self.slots.taken()
    }

    /// Wakes one waiting receiver, after a message was published.
    #[inline(always)]
    fn announce(&self) {
        if !self.not_empty.is_quiet() {
            self.announce_loudly();
        }
    }

    #[cold]
    fn announce_loudly(&self) {
        self.not_empty.notify_loudly(1);
        if self.nobody_receives() {
            self.notice();
            // SYNC: nobody-receives. With the fence of another sender that does the same: one of the two sees
            // both messages.
            fence(Ordering::SeqCst);
            self.abandon();
        }
    }

    /// Drops the queued messages when no receiver is left. It waits for no sender: each sender looks again
    /// after it has published.
    fn abandon(&self) {
        drop_all(|| {
            let message = self.take_within(Backoff::spent()).ok()?;
            self.tally.abandoned.add_one();
            Some(message)
        });
    }

    /// [`offer`](Self::offer) for a queue that may evict its oldest message.
    #[inline(always)]
    pub(crate) fn offer_evicting(&self, message: T) -> Result<SendOutcome<T>, TrySendError<T>> {
        match self.slots.claim_evicting() {
            None => self.refuse(NoTicket::Closed, message),
            // SAFETY: the slots returned `must_leave` for this claim.
            Some((claim, must_leave)) => unsafe { self.replace(claim, must_leave, message) },
        }
    }

    /// [`offer_evicting`](Self::offer_evicting) by the only sender.
    ///
    /// # Safety
    /// Nobody else sends meanwhile.
    #[inline]
    pub(crate) unsafe fn offer_evicting_alone(&self, message: T) -> Result<SendOutcome<T>, TrySendError<T>> {
        self.notice();
        // SAFETY: the caller guarantees it; only sends claim.
        match unsafe { self.slots.claim_evicting_alone() } {
            None => self.refuse(NoTicket::Closed, message),
            // SAFETY: the slots returned `must_leave` for this claim.
            Some((claim, must_leave)) => unsafe { self.replace(claim, must_leave, message) },
        }
    }

    /// Sends the message for this claim. If `must_leave`, another message must leave the slot first.
    ///
    /// # Safety
    /// `must_leave` is true exactly if another message must leave the slot, and nobody has read that message.
    #[inline(always)]
    unsafe fn replace(
        &self,
        claim: Claim,
        must_leave: bool,
        message: T,
    ) -> Result<SendOutcome<T>, TrySendError<T>> {
        if !must_leave {
            self.slots.publish(claim, message);
            self.announce();
            return Ok(SendOutcome::Accepted);
        }
        self.tally.evicted.add_one();
        // A guard, so that the oldest message can be read directly into the place where it is returned.
        let then = PublishOnDrop { shared: self, claim: Some(claim), message: MaybeUninit::new(message) };
        let claim = then.claim.as_ref().expect("it has just been put there");
        // SAFETY: the caller guarantees it; this happens once.
        Ok(SendOutcome::Evicted(unsafe { self.slots.evicted(claim) }))
    }

    #[inline(always)]
    pub(crate) fn evicts(&self) -> bool {
        self.backpressure == Backpressure::DropOldest
    }

    /// The outcome for a message that got no ticket.
    fn refuse(&self, reason: NoTicket, message: T) -> Result<SendOutcome<T>, TrySendError<T>> {
        match (reason, self.backpressure) {
            (NoTicket::Full, Backpressure::DropNew) => {
                self.tally.discarded.add_one();
                Ok(SendOutcome::Discarded(message))
            }
            (NoTicket::Full, Backpressure::Block) => Err(TrySendError::Full(message)),
            (NoTicket::Full, _) => {
                self.count_rejected();
                Err(TrySendError::Full(message))
            }
            (NoTicket::Closed, _) => {
                self.tally.closed.add_one();
                Err(TrySendError::Closed(message))
            }
        }
    }

    pub(crate) fn count_rejected(&self) {
        self.tally.rejected.add_one();
    }

    #[inline]
    pub(crate) fn take(&self) -> Result<T, TryRecvError> {
        match self.slots.take_at_once() {
            Some(taken) => {
                let _then = NotifyOnDrop(&self.not_full);
                let taken = taken;
                // SAFETY: once for each ticket.
                Ok(unsafe { taken.message() })
            }
            None => self.take_again(),
        }
    }

    /// [`take`](Self::take) when the first look found no message.
    #[inline(never)]
    fn take_again(&self) -> Result<T, TryRecvError> {
        self.take_within(Backoff::new())
    }

    fn take_within(&self, patience: Backoff) -> Result<T, TryRecvError> {
        let taken = self.slots.take(u64::MAX, patience, || self.skip())?;
        // SAFETY: once for each ticket.
        let message = unsafe { taken.message() };
        drop(taken);
        self.not_full.notify_lightly(1);
        Ok(message)
    }

    /// Called when a withdrawn reservation left the queue: this makes space, but there is no message.
    #[cold]
    fn skip(&self) {
        self.tally.skipped.add_one();
        self.not_full.notify_lightly(1);
    }

    /// Takes and drops the messages that were sent before this call. Returns how many there were.
    pub(crate) fn clear(&self) -> usize {
        let end = self.slots.sent();
        let mut cleared = 0;
        while let Ok(taken) = self.slots.take(end, Backoff::new(), || self.skip()) {
            // SAFETY: once for each ticket.
            let message = unsafe { taken.message() };
            drop(taken);
            self.not_full.notify_lightly(1);
            cleared += 1;
            drop(message);
        }
        cleared
    }

    pub(crate) fn close(&self) -> bool {
        self.notice();
        let was_open = self.slots.close();
        if was_open {
            self.not_empty.notify_all();
            self.not_full.notify_all();
        }
        was_open
    }

    pub(crate) fn add_sender(&self) {
        // Relaxed: a new end is made from an existing end, so the count is not zero and does not become zero
        // meanwhile. Nothing else depends on it.
        self.senders.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn remove_sender(&self) {
        // SYNC: last-end
        if self.senders.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.close();
        }
    }

    pub(crate) fn add_receiver(&self) {
        self.receivers.fetch_add(1, Ordering::Relaxed);
    }

    /// The last receiver drops the queued messages now, not when the last sender goes: a message may own
    /// something that its sender waits for.
    ///
    /// A sender may have its ticket and still be copying, or it may hold a reservation. Nobody can wait for
    /// that here: the reservation may belong to this same thread. So every sender that publishes from now on
    /// looks as well, and drops the message.
    pub(crate) fn remove_receiver(&self) {
        // SYNC: last-end
        if self.receivers.fetch_sub(1, Ordering::AcqRel) == 1 {
            if !self.sender_is_alone {
                self.close();
            }
            self.not_empty.alert();
            // SYNC: nobody-receives. Either a sender sees the alert after it has published, or its message is
            // seen here.
            barrier::heavy();
            if self.sender_is_alone {
                self.not_full.notify_all();
            }
            self.abandon();
        }
    }

    /// Closes the queue on behalf of the last receiver, if the only sender must do the closing itself: see
    /// `spmc`.
    #[inline]
    pub(crate) fn notice(&self) {
        if self.sender_is_alone && self.nobody_receives() {
            self.slots.close();
        }
    }

    /// Whether the last receiver has left.
    #[inline(always)]
    fn nobody_receives(&self) -> bool {
        self.not_empty.is_alerted()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.slots.is_closed() || self.sender_is_alone && self.nobody_receives()
    }

    pub(crate) fn backpressure(&self) -> Backpressure {
        self.backpressure
    }

    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    pub(crate) fn capacity(&self) -> usize {
        self.slots.capacity()
    }

    pub(crate) fn len(&self) -> usize {
        // In this order, so that the difference is not negative. It exceeds the capacity while messages pass
        // by between the two loads.
        let taken = self.slots.taken();
        let waiting = self.slots.sent() - taken;
        usize::try_from(waiting).map_or(self.capacity(), |waiting| waiting.min(self.capacity()))
    }

    pub(crate) fn counters(&self) -> Counters {
        let tally = &*self.tally;
        // Evicted and abandoned messages moved `head` before they were counted, and `head` never passes
        // `tail`. So with this order of reads, no difference is negative.
        let evicted = tally.evicted.get();
        let abandoned = tally.abandoned.get();
        let skipped = tally.skipped.get();
        let taken = self.slots.taken();
        let enqueued = tally.enqueued(self.slots.sent(), evicted + abandoned);
        Counters {
            enqueued,
            // A withdrawn reservation may have left the queue without being counted as skipped yet.
            dequeued: (taken - evicted - abandoned - skipped).min(enqueued - evicted - abandoned),
            rejected: tally.rejected.get(),
            evicted,
            discarded: tally.discarded.get(),
            closed: tally.closed.get(),
            abandoned,
            ..Counters::default()
        }
    }
}
