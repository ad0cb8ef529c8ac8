//! A queue that looks at its messages: priority, deduplication and expiry, under one lock.
//!
//! The lock is held for tens of nanoseconds. Only the user code of a `peek` runs under it; that code panics
//! if it tries to take the lock. Keys, priorities and the time are read before, and messages are dropped
//! after. Both events are notified after the lock is released; see [`Event::notify_after_unlock`].

use crate::{
    Backpressure, Clock, Counters, Deduplication, Message, QueueOptions, SendOutcome, TryRecvError,
    TrySendError,
    buckets::Buckets,
    clock::nanoseconds,
    lock::{Guard, Lock},
    padded::Padded,
    window::{Vacancy, Window},
};
use annulus_sync::event::Event;

/// What a queue must know about a message on its way into it. The message is asked only once, even if its
/// send takes several attempts.
#[derive(Clone, Copy, Default)]
pub(crate) struct Facts {
    priority: u8,
    /// The key by which duplicates are recognised.
    key: Option<u64>,
}

pub(crate) struct Policed<T> {
    state: Padded<Lock<State<T>>>,
    /// Notified once per message sent, and on close.
    pub(crate) not_empty: Padded<Event>,
    /// Notified once per place that became free, and on close.
    pub(crate) not_full: Padded<Event>,
    rules: Rules,
}

/// The rules of a queue, which do not change.
struct Rules {
    backpressure: Backpressure,
    priority: bool,
    deduplication: Deduplication,
    /// In nanoseconds, at least 1.
    expiry: Option<u64>,
    clock: Clock,
}

struct State<T> {
    buckets: Buckets<T>,
    window: Option<Window>,
    closed: bool,
    /// All counts except `too_large`, which is counted before the lock is taken.
    counters: Counters,
    /// The greatest number of messages queued at once.
    high_water: usize,
}

impl<T> Policed<T> {
    /// The options are already validated.
    pub(crate) fn new(options: &QueueOptions, clock: Clock) -> Self {
        let window =
            (options.deduplication != Deduplication::Off).then(|| Window::new(options.deduplication_window));
        Self {
            state: Padded(Lock::new(State {
                buckets: Buckets::new(options.capacity),
                window,
                closed: false,
                counters: Counters::default(),
                high_water: 0,
            })),
            not_empty: Padded(Event::new()),
            not_full: Padded(Event::new()),
            rules: Rules {
                backpressure: options.backpressure,
                priority: options.priority,
                deduplication: options.deduplication,
                expiry: options.expiry.map(|lifetime| nanoseconds(lifetime).max(1)),
                clock,
            },
        }
    }

    /// The bytes that `new` allocates.
    pub(crate) fn bytes(options: &QueueOptions) -> usize {
        let window = match options.deduplication {
            Deduplication::Off => 0,
            _ => Window::bytes(options.deduplication_window),
        };
        Buckets::<T>::bytes(options.capacity).saturating_add(window)
    }

    /// Gets from a message what the queue must know. `again`: it was accepted before, so it is not a
    /// duplicate of itself.
    #[inline]
    pub(crate) fn facts(&self, message: &T, again: bool) -> Facts
    where
        T: Message,
    {
        let key = match self.rules.deduplication {
            _ if again => None,
            Deduplication::Off => None,
            Deduplication::ById => message.id(),
            Deduplication::ByPayload => message.id().or_else(|| T::PAYLOAD_HASH.map(|hash| hash(message))),
        };
        // Without priorities, all messages are equal.
        let priority = if self.rules.priority { message.priority() } else { 0 };
        Facts { priority, key }
    }

    /// Sends without waiting for space. Counts every outcome except `Full` of a queue that blocks: that one
    /// is an outcome only if the caller does not try again.
    #[inline]
    pub(crate) fn offer(&self, message: T, facts: Facts) -> Result<SendOutcome<T>, TrySendError<T>> {
        let at = self.now();
        let mut state = self.lock();
        match state.judge(facts, self.rules.backpressure) {
            Verdict::Accept(vacancy) => {
                state.accept(message, facts, at, vacancy);
                drop(state);
                self.not_empty.notify_after_unlock(1);
                Ok(SendOutcome::Accepted)
            }
            verdict => self.offer_hard(state, verdict, message, facts, at),
        }
    }

    /// [`offer`](Self::offer) for a message that is not simply accepted.
    #[inline(never)]
    fn offer_hard(
        &self,
        mut state: Guard<'_, State<T>>,
        verdict: Verdict,
        message: T,
        facts: Facts,
        at: u64,
    ) -> Result<SendOutcome<T>, TrySendError<T>> {
        match verdict {
            Verdict::Accept(_) => unreachable!("the caller has accepted it"),
            Verdict::Evict(lowest, vacancy) => {
                let oldest = state.buckets.pop(lowest);
                state.accept(message, facts, at, vacancy);
                drop(state);
                self.not_empty.notify_after_unlock(1);
                Ok(SendOutcome::Evicted(oldest))
            }
            Verdict::Discard => Ok(SendOutcome::Discarded(message)),
            Verdict::Duplicate => Ok(SendOutcome::Duplicate(message)),
            Verdict::Full => Err(TrySendError::Full(message)),
            Verdict::Closed => Err(TrySendError::Closed(message)),
        }
    }

    pub(crate) fn count_rejected(&self) {
        self.lock().counters.rejected += 1;
    }

    /// Takes the next message that has not expired. Expired messages go to `expired`, which may run any code.
    #[inline]
    pub(crate) fn take(&self, mut expired: impl FnMut(T)) -> Result<T, TryRecvError> {
        loop {
            // Read before the lock is taken. A message that is accepted meanwhile has an age of 0.
            let now = self.now();
            // Dropped after the lock.
            let _then = NotifyOnDrop(&self.not_full);
            let mut state = self.lock();
            let next = match state.next(now, &self.rules) {
                Ok(next) => next,
                Err(nothing) => {
                    // No place became free.
                    std::mem::forget(_then);
                    return Err(nothing);
                }
            };
            if next.has_expired {
                let message = state.buckets.pop(next.priority);
                drop(state);
                drop(_then);
                expired(message);
                continue;
            }
            return Ok(state.buckets.pop(next.priority));
        }
    }

    /// Looks at the next message that has not expired, under the lock. Expired messages leave, and go to
    /// `expired` without the lock.
    pub(crate) fn peek<R>(
        &self,
        look: impl FnOnce(&T) -> R,
        mut expired: impl FnMut(T),
    ) -> Result<R, TryRecvError> {
        loop {
            let now = self.now();
            let mut state = self.lock();
            let Some(priority) = state.buckets.highest() else { return Err(state.nothing()) };
            if !self.rules.has_expired(state.buckets.accepted_at(priority), now) {
                return Ok(
                    state.lend(|state| look(state.buckets.peek(priority).expect("the priority is present")))
                );
            }
            state.counters.expired += 1;
            let message = state.buckets.pop(priority);
            drop(state);
            self.not_full.notify_after_unlock(1);
            expired(message);
        }
    }

    /// Whether messages may leave in a different order than they came.
    pub(crate) fn reorders(&self) -> bool {
        self.rules.priority
    }

    /// Takes all queued messages in one atomic step, in the order in which they would have been received.
    pub(crate) fn take_all(&self, mut expired: impl FnMut(T)) -> Vec<T> {
        let now = self.now();
        let mut taken = Vec::new();
        loop {
            // Allocates before the lock is taken, and again if the queue has grown meanwhile.
            taken.reserve(self.len());
            let mut state = self.lock();
            if taken.capacity() < state.buckets.len() {
                continue;
            }
            while let Ok(next) = state.next(now, &self.rules) {
                taken.push((state.buckets.pop(next.priority), next.has_expired));
            }
            break;
        }
        self.not_full.notify_after_unlock(taken.len());
        let mut live = Vec::with_capacity(taken.len());
        for (message, has_expired) in taken {
            if has_expired { expired(message) } else { live.push(message) }
        }
        live
    }

    pub(crate) fn close(&self) -> bool {
        let was_open = !std::mem::replace(&mut self.lock().closed, true);
        if was_open {
            self.not_empty.notify_all();
            self.not_full.notify_all();
        }
        was_open
    }

    /// Whether a receive would return something other than `Empty`, or would find only expired messages.
    pub(crate) fn has_next(&self) -> bool {
        let state = self.lock();
        state.closed || state.buckets.highest().is_some()
    }

    /// Whether a send would return something other than `Full`.
    pub(crate) fn has_space(&self) -> bool {
        let state = self.lock();
        state.closed || !state.buckets.is_full()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    pub(crate) fn len(&self) -> usize {
        self.lock().buckets.len()
    }

    pub(crate) fn counters(&self) -> Counters {
        self.lock().counters
    }

    pub(crate) fn high_water(&self) -> usize {
        self.lock().high_water
    }

    #[inline]
    fn now(&self) -> u64 {
        if self.rules.expiry.is_some() { self.rules.clock.nanoseconds() } else { 0 }
    }

    /// The only user code that runs under the lock is that of a `peek`, which changes nothing.
    #[inline(always)]
    fn lock(&self) -> Guard<'_, State<T>> {
        self.state.lock()
    }
}

/// Notifies one waiter for space, after the lock is released.
struct NotifyOnDrop<'a>(&'a Event);

impl Drop for NotifyOnDrop<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.0.notify_after_unlock(1);
    }
}

impl Rules {
    #[inline(always)]
    fn has_expired(&self, at: u64, now: u64) -> bool {
        self.expiry.is_some_and(|lifetime| now.saturating_sub(at) >= lifetime)
    }
}

/// What happens to a new message. All verdicts except the first two are counted when they are given.
enum Verdict {
    Accept(Option<Vacancy>),
    /// The oldest message of this priority leaves to make room for it.
    Evict(u8, Option<Vacancy>),
    Discard,
    Duplicate,
    Full,
    Closed,
}

/// The message that is next.
struct Next {
    priority: u8,
    has_expired: bool,
}

impl<T> State<T> {
    #[inline(always)]
    fn judge(&mut self, facts: Facts, backpressure: Backpressure) -> Verdict {
        if self.closed {
            self.counters.closed += 1;
            return Verdict::Closed;
        }
        // Where the key goes if the message is accepted.
        let mut vacancy = None;
        if let (Some(window), Some(key)) = (&self.window, facts.key) {
            vacancy = window.look_up(key);
            if vacancy.is_none() {
                self.counters.duplicate += 1;
                return Verdict::Duplicate;
            }
        }
        if !self.buckets.is_full() {
            return Verdict::Accept(vacancy);
        }
        match (backpressure, self.buckets.lowest()) {
            (Backpressure::Block, _) => Verdict::Full,
            (Backpressure::Reject, _) => {
                self.counters.rejected += 1;
                Verdict::Full
            }
            (Backpressure::DropOldest, Some(lowest)) if lowest <= facts.priority => {
                self.counters.evicted += 1;
                Verdict::Evict(lowest, vacancy)
            }
            (Backpressure::DropOldest | Backpressure::DropNew, _) => {
                self.counters.discarded += 1;
                Verdict::Discard
            }
        }
    }

    /// Queues a message for which there is space.
    #[inline(always)]
    fn accept(&mut self, message: T, facts: Facts, at: u64, vacancy: Option<Vacancy>) {
        self.buckets.push(facts.priority, at, message);
        if let (Some(window), Some(vacancy), Some(key)) = (&mut self.window, vacancy, facts.key) {
            window.insert(vacancy, key);
        }
        self.counters.enqueued += 1;
        self.high_water = self.high_water.max(self.buckets.len());
    }

    /// The next message. It is counted as taken, so the caller must take it.
    #[inline(always)]
    fn next(&mut self, now: u64, rules: &Rules) -> Result<Next, TryRecvError> {
        let Some(priority) = self.buckets.highest() else { return Err(self.nothing()) };
        let has_expired = rules.has_expired(self.buckets.accepted_at(priority), now);
        if has_expired {
            self.counters.expired += 1;
        } else {
            self.counters.dequeued += 1;
        }
        Ok(Next { priority, has_expired })
    }

    /// Why there is no message.
    fn nothing(&self) -> TryRecvError {
        if self.closed { TryRecvError::Closed } else { TryRecvError::Empty }
    }
}
