//! The receiving end, which is the only one.

use std::{
    fmt,
    sync::PoisonError,
    time::{Duration, Instant},
};

use crate::{
    Backpressure, Counters, RecvError, TryRecvError,
    dropping::drop_all,
    pace::Pace,
    slab::{Cursor, Slot, SlotArray},
};
use annulus_sync::{
    Arc, MutexGuard, Ordering, barrier,
    wait::{Backoff, block_on, block_on_deadline},
};

use super::{Core, One, ProducerMode, RecvFuture, VOID, producer_mode::Nothing};

/// The only receiving end of a queue.
///
/// Dropping it closes the queue and drops the queued messages, which count as abandoned.
pub struct Receiver<T, P: ProducerMode = One> {
    pub(super) core: Arc<Core<T, P>>,
    pub(super) place: Place<T, P>,
}

/// The receiver's own state.
pub(super) struct Place<T, P> {
    /// The next ticket to take, the same as `Core::head`.
    head: u64,
    /// The first ticket that must not be read, once the receiver has closed the queue.
    end: u64,
    /// In the core that it belongs to, at `head`.
    cursor: Cursor<T, P>,
    pace: Pace,
    /// Whether the last batch had its greatest size: then there are probably more messages.
    deep: bool,
}

impl<T, P: ProducerMode> Place<T, P> {
    /// Moves past a ticket.
    #[inline(always)]
    fn pass(&mut self) {
        self.head += 1;
        self.cursor.advance(self.head);
    }
}

impl<T: Send, P: ProducerMode> Receiver<T, P> {
    pub(super) fn new(core: Arc<Core<T, P>>) -> Self {
        let place =
            Place { head: 0, end: u64::MAX, cursor: core.slab.cursor(), pace: Pace::new(), deep: false };
        Self { core, place }
    }

    /// Receives without waiting. Senders may send meanwhile: `Empty` means that the queue was empty at one
    /// moment of the call.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, TryRecvError, single_consumer::spsc};
    /// let (mut tx, mut rx) = spsc(QueueOptions::new())?;
    /// let _ = tx.try_send(1);
    /// assert_eq!((rx.try_recv(), rx.try_recv()), (Ok(1), Err(TryRecvError::Empty)));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    #[inline]
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        self.core.take(&mut self.place)
    }

    /// Receives a message; the future waits for one. Dropping it before it is ready takes no message.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, RecvError, single_consumer::spsc, wait::block_on};
    /// let (mut tx, mut rx) = spsc(QueueOptions::new())?;
    /// let _ = tx.try_send(1);
    /// assert_eq!(block_on(rx.recv()), Ok(1));
    /// drop(tx);
    /// assert_eq!(block_on(rx.recv()), Err(RecvError::Closed));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn recv(&mut self) -> RecvFuture<'_, T, P> {
        RecvFuture::new(&self.core, &mut self.place)
    }

    /// [`recv`](Self::recv) that blocks the thread while it waits.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, single_consumer::spsc};
    /// let (mut tx, mut rx) = spsc(QueueOptions::new())?;
    /// std::thread::spawn(move || { let _ = tx.try_send(1); });
    /// assert_eq!(rx.recv_blocking(), Ok(1));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    #[inline]
    pub fn recv_blocking(&mut self) -> Result<T, RecvError> {
        if let Some(slot) = self.core.published_slot(&self.place) {
            let _then = Taken::next(&self.core, &mut self.place);
            // SAFETY: the ticket belongs to the receiver and is published. `head` moves past it when the
            // guard is dropped. It is no longer the next ticket, so it is read once.
            return Ok(unsafe { slot.read() });
        }
        self.recv_until(None)
    }

    /// [`recv_blocking`](Self::recv_blocking) that gives up when no message came for that long.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use annulus_queue::{QueueOptions, RecvError, single_consumer::spsc};
    /// let (_tx, mut rx) = spsc::<u32>(QueueOptions::new())?;
    /// assert_eq!(rx.recv_timeout(Duration::from_millis(1)), Err(RecvError::Timeout));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn recv_timeout(&mut self, timeout: Duration) -> Result<T, RecvError> {
        // A deadline that the clock cannot express never comes.
        self.recv_until(Instant::now().checked_add(timeout))
    }

    #[inline(never)]
    fn recv_until(&mut self, deadline: Option<Instant>) -> Result<T, RecvError> {
        if deadline.is_none() {
            let Self { core, place } = self;
            let mut pace = place.pace;
            pace.watch(place.head, || core.published_slot(place).is_some());
            place.pace = pace;
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

    /// Receives up to `most` messages without waiting, in order, and returns how many. `each` gets them one
    /// by one. When it gets a message, senders may already use its place. If `each` panics, the later
    /// messages stay queued.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, single_consumer::spsc};
    /// let (mut tx, mut rx) = spsc(QueueOptions::new())?;
    /// tx.try_send_batch(0..10, |_| ());
    /// let mut first = Vec::with_capacity(8);
    /// assert_eq!(rx.try_recv_batch(8, |message| first.push(message)), 8);
    /// assert_eq!(first, [0, 1, 2, 3, 4, 5, 6, 7]);
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    #[inline]
    pub fn try_recv_batch(&mut self, most: usize, mut each: impl FnMut(T)) -> usize {
        let Self { core, place } = self;
        let mut received = 0;
        while received < most {
            let Some((slot, run)) = core.published_run(place) else {
                // To find out why, the receiver would have to load the senders' `tail`, which slows them
                // down. A call that has received something need not know.
                if received != 0 && !core.is_void(place) {
                    break;
                }
                // There may be voids, and senders that are still copying.
                let Ok(message) = core.take_again(place) else { break };
                each(message);
                received += 1;
                continue;
            };
            let run = run.min((most - received) as u64);
            let mut taking = Taking { head: place.head, place };
            let first = taking.head;
            if taking.place.deep {
                taking.place.cursor.places().fetch_early(first);
            }
            while taking.head != first + run {
                // SAFETY: messages that one stamp publishes share that stamp.
                let slot = unsafe { slot.later(taking.head - first) };
                taking.head += 1;
                let then = Taken { core, head: taking.head };
                // SAFETY: as in `Core::take`.
                let message = unsafe { slot.read() };
                drop(then);
                each(message);
            }
            drop(taking);
            received += run as usize;
        }
        place.deep = received == most;
        received
    }

    /// Waits for a message, blocking the thread, then receives up to `most` of those that are there. Returns
    /// how many, or `Err` once the queue is closed and empty.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, RecvError, single_consumer::spsc};
    /// let (mut tx, mut rx) = spsc(QueueOptions::new())?;
    /// tx.try_send_batch(0..10, |_| ());
    /// drop(tx);
    /// let mut sum = 0;
    /// assert_eq!(rx.recv_batch_blocking(100, |message| sum += message), Ok(10));
    /// assert_eq!(sum, 45);
    /// assert_eq!(rx.recv_batch_blocking(100, |_| ()), Err(RecvError::Closed));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    #[inline]
    pub fn recv_batch_blocking(&mut self, most: usize, mut each: impl FnMut(T)) -> Result<usize, RecvError> {
        if most == 0 {
            return Ok(0);
        }
        if self.core.published_slot(&self.place).is_some() {
            return Ok(self.try_recv_batch(most, each));
        }
        each(self.recv_blocking()?);
        Ok(1 + self.try_recv_batch(most - 1, each))
    }

    /// Looks at the oldest message without taking it. Nobody else can take it meanwhile.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, single_consumer::spsc};
    /// let (mut tx, mut rx) = spsc(QueueOptions::new())?;
    /// let _ = tx.try_send(String::from("one"));
    /// assert_eq!(rx.peek(|message| message.len()), Ok(3));
    /// assert_eq!(rx.try_recv().unwrap(), "one");
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn peek<R>(&mut self, look: impl FnOnce(&T) -> R) -> Result<R, TryRecvError> {
        let slot = self.core.find(&mut self.place)?;
        // SAFETY: the slot has a message and belongs to the receiver until `head` moves past it. That cannot
        // happen while this borrows the receiver.
        Ok(unsafe { slot.peek(look) })
    }

    /// Takes messages until there is none. Senders may send more meanwhile; [`clear`](Self::clear) does not
    /// take those.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, single_consumer::spsc};
    /// let (mut tx, mut rx) = spsc(QueueOptions::new())?;
    /// tx.try_send_batch(0..4, |_| ());
    /// assert_eq!(rx.try_iter().sum::<i32>(), 6);
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn try_iter(&mut self) -> TryIter<'_, T, P> {
        TryIter { receiver: self }
    }

    /// Takes and drops the messages that were sent before this call. Returns how many there were. They count
    /// as dequeued.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, single_consumer::spsc};
    /// let (mut tx, mut rx) = spsc(QueueOptions::new())?;
    /// tx.try_send_batch(0..4, |_| ());
    /// assert_eq!((rx.clear(), rx.len()), (4, 0));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn clear(&mut self) -> usize {
        let end = self.core.sent(self.place.head);
        let mut cleared = 0;
        // Checks twice, since skipping voids before the end may have moved past it.
        while self.place.head < end
            && let Ok(slot) = self.core.find(&mut self.place)
            && self.place.head < end
        {
            let then = Taken::next(&self.core, &mut self.place);
            // SAFETY: as in `take`.
            let message = unsafe { slot.read() };
            drop(then);
            drop(message);
            cleared += 1;
        }
        cleared
    }

    /// Closes the queue: queued messages can still be received, and no more can be sent. Returns whether it
    /// was open.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, TrySendError, single_consumer::spsc};
    /// let (mut tx, mut rx) = spsc(QueueOptions::new())?;
    /// assert!(rx.close());
    /// assert_eq!(tx.try_send(1), Err(TrySendError::Closed(1)));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn close(&mut self) -> bool {
        self.close_here()
    }
}

impl<T, P: ProducerMode> Receiver<T, P> {
    fn close_here(&mut self) -> bool {
        let (was_open, end) = self
            .core
            .producers
            .close_receiving(&self.core.not_empty, || self.core.published(self.place.head));
        self.place.end = end;
        if was_open {
            self.core.wake_all();
        }
        was_open
    }
}

impl<T, P: ProducerMode> Core<T, P> {
    /// The slot of the next ticket, if it has a message.
    #[inline(always)]
    fn published_slot<'a>(&'a self, place: &Place<T, P>) -> Option<Slot<'a, T>> {
        Some(self.published_run(place)?.0)
    }

    /// The slot of the next ticket, and how many messages from it on its stamp publishes. `None` if there are
    /// none.
    #[inline(always)]
    fn published_run<'a>(&'a self, place: &Place<T, P>) -> Option<(Slot<'a, T>, u64)> {
        // SAFETY: the slab is this core's, which is borrowed.
        let slot = unsafe { place.cursor.slot(place.head) };
        // SYNC: single-consumer-published
        let stamp = slot.stamp.load(Ordering::Acquire);
        if !P::is_published(stamp, place.head) || place.head >= place.end {
            return None;
        }
        let run = match SlotArray::<T, P>::SHARING {
            1 => 1,
            // The stamp belongs to this lap, so it does not reach past the group.
            _ => stamp.min(place.end) - place.head,
        };
        Some((slot, run))
    }

    /// Whether the next ticket was given up.
    fn is_void(&self, place: &Place<T, P>) -> bool {
        let stamp = self.slab.slot(place.head).stamp.load(Ordering::Relaxed);
        P::CLAIM_IS_FINAL && stamp == (place.head + 1) | VOID
    }

    #[inline(always)]
    pub(super) fn take(&self, place: &mut Place<T, P>) -> Result<T, TryRecvError> {
        if let Some(slot) = self.published_slot(place) {
            let _then = Taken::next(self, place);
            // SAFETY: the ticket belongs to the receiver and is published. `head` moves past it when the
            // guard is dropped. It is no longer the next ticket, so it is read once.
            return Ok(unsafe { slot.read() });
        }
        self.take_again(place)
    }

    #[inline(never)]
    fn take_again(&self, place: &mut Place<T, P>) -> Result<T, TryRecvError> {
        let slot = self.find(place)?;
        let _then = Taken::next(self, place);
        // SAFETY: as in `take`.
        Ok(unsafe { slot.read() })
    }

    /// Publishes to the senders that the place of the ticket before `head` is free.
    #[inline(always)]
    fn free(&self, head: u64) {
        self.free_silently(head);
        self.not_full.notify_lightly(Self::WOKEN_BY_A_PLACE);
    }

    /// How many waiters for space one free place wakes. With one sender it wakes all: only one of the waiters
    /// is alive, and the others were forgotten.
    const WOKEN_BY_A_PLACE: usize = if P::CLAIM_IS_FINAL { 1 } else { usize::MAX };

    /// [`free`](Self::free) that wakes nobody.
    #[inline(always)]
    fn free_silently(&self, head: u64) {
        // SYNC: single-consumer-freed
        self.head.store(head, Ordering::Release);
    }

    /// Makes sure that the next ticket has a message, or returns why there is none. Waits a while for a
    /// message that is being copied in. Skips voids.
    #[inline(never)]
    fn find<'a>(&'a self, place: &mut Place<T, P>) -> Result<Slot<'a, T>, TryRecvError> {
        self.find_within(place, Backoff::new(), || self.not_full.notify_lightly(Self::WOKEN_BY_A_PLACE))
    }

    /// [`find`](Self::find) that waits until `backoff` is spent. It calls `freed` for each void after its
    /// place is free.
    #[inline(always)]
    fn find_within<'a>(
        &'a self,
        place: &mut Place<T, P>,
        mut backoff: Backoff,
        freed: impl Fn(),
    ) -> Result<Slot<'a, T>, TryRecvError> {
        loop {
            if place.head >= place.end {
                return Err(TryRecvError::Closed);
            }
            let slot = self.slab.slot(place.head);
            // SYNC: single-consumer-published
            let stamp = slot.stamp.load(Ordering::Acquire);
            if P::is_published(stamp, place.head) {
                return Ok(slot);
            }
            if P::CLAIM_IS_FINAL && stamp == (place.head + 1) | VOID {
                place.pass();
                self.free_silently(place.head);
                self.tally.skipped.add_one();
                freed();
                continue;
            }
            match self.producers.nothing_at(place.head) {
                Nothing::Yet => return Err(TryRecvError::Empty),
                Nothing::Ever => return Err(TryRecvError::Closed),
                // The sender with this ticket was stopped by the system, or still holds a reservation. It
                // will wake the receiver.
                Nothing::Visible if backoff.is_spent() => return Err(TryRecvError::Empty),
                Nothing::Visible => backoff.snooze(),
            }
        }
    }
}

/// A receiver that takes messages of a group. When it is dropped, also by a panic of the code that gets the
/// messages, it stores how far it is.
///
/// The ticket is stored apart from the receiver's place so that it stays in a register.
struct Taking<'a, T, P: ProducerMode> {
    place: &'a mut Place<T, P>,
    head: u64,
}

impl<T, P: ProducerMode> Drop for Taking<'_, T, P> {
    #[inline(always)]
    fn drop(&mut self) {
        self.place.head = self.head;
        self.place.cursor.jump(self.head);
    }
}

/// A ticket that the receiver takes. Dropping this publishes to the senders that its place is free.
///
/// A guard, so that a message can be read directly into the place where it is returned, before its slot is
/// freed. No compiler may remove a copy in between.
struct Taken<'a, T, P: ProducerMode> {
    core: &'a Core<T, P>,
    /// The ticket after this one.
    head: u64,
}

impl<'a, T, P: ProducerMode> Taken<'a, T, P> {
    /// The next ticket.
    #[inline(always)]
    fn next(core: &'a Core<T, P>, place: &mut Place<T, P>) -> Self {
        place.pass();
        Self { core, head: place.head }
    }
}

impl<T, P: ProducerMode> Drop for Taken<'_, T, P> {
    #[inline(always)]
    fn drop(&mut self) {
        self.core.free(self.head);
    }
}

impl<T, P: ProducerMode> Drop for Receiver<T, P> {
    /// Drops the queued messages now, not when the last sender goes: a message may own something that its
    /// sender waits for.
    ///
    /// One of several senders may have its ticket and still be copying, or it may hold a reservation. Nobody
    /// can wait for that here: the reservation may belong to this same thread. So the receiver leaves its
    /// place to the senders that publish from now on.
    fn drop(&mut self) {
        self.close_here();
        let Place { head, end, cursor, pace, deep } = self.place;
        *self.core.left() = Some(Place { head, end, cursor, pace, deep });
        self.core.not_empty.alert();
        // SYNC: nobody-receives. Either a sender sees the alert after it has published, or its message is
        // seen here.
        barrier::heavy();
        self.core.abandon();
    }
}

impl<T, P: ProducerMode> Core<T, P> {
    /// Drops the queued messages, after the receiver has left its place.
    pub(super) fn abandon(&self) {
        // One at a time: each message is dropped without the lock, since its `Drop` may send.
        drop_all(|| {
            let message = self.take_left()?;
            self.tally.abandoned.add_one();
            Some(message)
        });
    }

    fn take_left(&self) -> Option<T> {
        // SYNC: nobody-receives. Whoever locks later sees what an earlier one had published.
        let mut left = self.left();
        let place = left.as_mut()?;
        // Waits for no sender: each looks again after it has published. It wakes no sender either, because
        // the waker would run under the lock: all were woken when the queue was closed, and none has waited
        // since.
        let slot = self.find_within(place, Backoff::spent(), || ()).ok()?;
        // SAFETY: as in `take`.
        let message = unsafe { slot.read() };
        place.pass();
        self.free_silently(place.head);
        Some(message)
    }

    /// No user code runs under the lock, so poison means nothing.
    fn left(&self) -> MutexGuard<'_, Option<Place<T, P>>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Messages until there is none: see [`Receiver::try_iter`].
#[derive(Debug)]
pub struct TryIter<'a, T, P: ProducerMode> {
    receiver: &'a mut Receiver<T, P>,
}

impl<T: Send, P: ProducerMode> Iterator for TryIter<'_, T, P> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        self.receiver.try_recv().ok()
    }
}

questions!(Receiver);
