//! A queue that looks at its messages: priority, deduplication and expiry, under one lock.
//!
//! The lock is held for tens of nanoseconds, and no user code runs under it but a `peek`'s: keys, priorities and the time are found
//! out before, and messages are dropped after. Both events are notified after the lock is released; see [`Event::notify_after_unlock`].

use std::sync::PoisonError;

use crate::{
    Admission, Backpressure, Clock, Counters, Deduplication, Message, QueueOptions, TryRecvError,
    TrySendError,
    buckets::{Buckets, Queued},
    clock::nanoseconds,
    event::Event,
    padded::Padded,
    sync::{Mutex, MutexGuard},
    window::Window,
};

/// A message on its way into a queue, with what its type says about it.
pub(crate) struct Parcel<T> {
    pub(crate) message: T,
    priority: u8,
    /// Where duplicates are looked for.
    key: Option<u64>,
}

impl<T> Parcel<T> {
    /// For a queue that does not ask.
    pub(crate) fn plain(message: T) -> Self {
        Self { message, priority: 0, key: None }
    }
}

pub(crate) struct Policed<T> {
    state: Padded<Mutex<State<T>>>,
    /// Notified once per message sent, and on close.
    pub(crate) not_empty: Padded<Event>,
    /// Notified once per place that became free, and on close.
    pub(crate) not_full: Padded<Event>,
    rules: Rules,
}

/// What does not change.
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
    /// All but `too_large`, which is counted before the lock.
    counters: Counters,
    /// The greatest number of messages queued at once.
    high_water: usize,
}

impl<T> Policed<T> {
    /// The options are validated.
    pub(crate) fn new(options: &QueueOptions, clock: Clock) -> Self {
        let window =
            (options.deduplication != Deduplication::Off).then(|| Window::new(options.deduplication_window));
        Self {
            state: Padded(Mutex::new(State {
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

    /// What `new` allocates, in bytes.
    pub(crate) fn bytes(options: &QueueOptions) -> usize {
        let window = match options.deduplication {
            Deduplication::Off => 0,
            _ => Window::bytes(options.deduplication_window),
        };
        Buckets::<T>::bytes(options.capacity) + window
    }

    /// Asks a message what the queue must know. `again`: it was accepted before, so it is no duplicate of itself.
    #[inline]
    pub(crate) fn parcel(&self, message: T, again: bool) -> Parcel<T>
    where
        T: Message,
    {
        let key = match self.rules.deduplication {
            _ if again => None,
            Deduplication::Off => None,
            Deduplication::ById => message.id(),
            Deduplication::ByPayload => message.id().or_else(|| T::PAYLOAD_HASH.map(|hash| hash(&message))),
        };
        // Without priorities all are equal.
        let priority = if self.rules.priority { message.priority() } else { 0 };
        Parcel { message, priority, key }
    }

    /// Sends without waiting for space. Counts every verdict but `Full` of a queue that blocks, which is a verdict only if
    /// the caller does not try again.
    #[inline]
    pub(crate) fn offer(&self, parcel: Parcel<T>) -> Result<Admission<T>, TrySendError<Parcel<T>>> {
        let at = self.now();
        let admission = self.lock().admit(parcel, at, self.rules.backpressure)?;
        if admission.is_queued() {
            self.not_empty.notify_after_unlock(1);
        }
        Ok(admission)
    }

    pub(crate) fn count_rejected(&self) {
        self.lock().counters.rejected += 1;
    }

    /// Takes the next message that lives. Those that have expired go to `expired`, which may run any code.
    #[inline]
    pub(crate) fn take(&self, mut expired: impl FnMut(T)) -> Result<T, TryRecvError> {
        loop {
            // Before the lock; what is accepted meanwhile has an age of 0.
            let now = self.now();
            let (message, has_expired) = self.lock().take(now, self.rules.expiry)?;
            self.not_full.notify_after_unlock(1);
            if !has_expired {
                return Ok(message);
            }
            expired(message);
        }
    }

    /// Looks at the next message that lives, under the lock. Those that have expired leave, and go to `expired` without the lock.
    pub(crate) fn peek<R>(
        &self,
        look: impl FnOnce(&T) -> R,
        mut expired: impl FnMut(T),
    ) -> Result<R, TryRecvError> {
        loop {
            let now = self.now();
            let mut state = self.lock();
            let Some(next) = state.buckets.highest() else { return Err(state.nothing()) };
            if !next.has_expired(now, self.rules.expiry) {
                return Ok(look(&next.message));
            }
            let (message, _) = state.take(now, self.rules.expiry)?;
            drop(state);
            self.not_full.notify_after_unlock(1);
            expired(message);
        }
    }

    /// Whether messages may leave in another order than they came.
    pub(crate) fn reorders(&self) -> bool {
        self.rules.priority
    }

    /// Takes all that is queued, in one step, in the order in which it would have been received.
    pub(crate) fn drain(&self, mut expired: impl FnMut(T)) -> Vec<T> {
        let now = self.now();
        let mut taken = Vec::new();
        loop {
            // Allocates before the lock, and so again if the queue has grown meanwhile.
            taken.reserve(self.len());
            let mut state = self.lock();
            if taken.capacity() < state.buckets.len() {
                continue;
            }
            while let Ok(message) = state.take(now, self.rules.expiry) {
                taken.push(message);
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

    /// No user code runs under the lock but a `peek`'s, which changes nothing; so poison means nothing.
    #[inline]
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> State<T> {
    #[inline]
    fn admit(
        &mut self,
        parcel: Parcel<T>,
        at: u64,
        backpressure: Backpressure,
    ) -> Result<Admission<T>, TrySendError<Parcel<T>>> {
        if self.closed {
            self.counters.closed += 1;
            return Err(TrySendError::Closed(parcel));
        }
        // Where the key goes if the message is accepted.
        let mut entry = None;
        if let (Some(window), Some(key)) = (&self.window, parcel.key) {
            let Some(vacancy) = window.look_up(key) else {
                self.counters.duplicate += 1;
                return Ok(Admission::Duplicate(parcel.message));
            };
            entry = Some((vacancy, key));
        }
        let mut admission = Admission::Accepted;
        if self.buckets.is_full() {
            match backpressure {
                Backpressure::Block => return Err(TrySendError::Full(parcel)),
                Backpressure::Reject => {
                    self.counters.rejected += 1;
                    return Err(TrySendError::Full(parcel));
                }
                Backpressure::DropOldest if self.buckets.lowest() <= Some(parcel.priority) => {
                    if let Some(oldest) = self.buckets.pop_lowest() {
                        self.counters.evicted += 1;
                        admission = Admission::Evicted(oldest.message);
                    }
                }
                Backpressure::DropOldest | Backpressure::DropNew => {
                    self.counters.discarded += 1;
                    return Ok(Admission::Discarded(parcel.message));
                }
            }
        }
        self.buckets.push(parcel.priority, Queued { message: parcel.message, at });
        if let (Some(window), Some((vacancy, key))) = (&mut self.window, entry) {
            window.insert(vacancy, key);
        }
        self.counters.enqueued += 1;
        self.high_water = self.high_water.max(self.buckets.len());
        Ok(admission)
    }

    /// The next message, and whether it has expired.
    #[inline]
    fn take(&mut self, now: u64, expiry: Option<u64>) -> Result<(T, bool), TryRecvError> {
        let Some(queued) = self.buckets.pop_highest() else { return Err(self.nothing()) };
        let has_expired = queued.has_expired(now, expiry);
        if has_expired {
            self.counters.expired += 1;
        } else {
            self.counters.dequeued += 1;
        }
        Ok((queued.message, has_expired))
    }

    /// Why there is no message.
    fn nothing(&self) -> TryRecvError {
        if self.closed { TryRecvError::Closed } else { TryRecvError::Empty }
    }
}
