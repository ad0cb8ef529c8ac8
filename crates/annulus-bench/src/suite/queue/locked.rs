//! The lock-free queue beside the simplest one: a deque behind one lock.

use std::{
    collections::VecDeque,
    sync::{Arc, Condvar, Mutex, MutexGuard},
};

use crate::harness::{Candidate, Case};

use super::{
    candidate, case, drive,
    kind::{CAPACITY, Kind, Polling, Rx, Tx},
    mark, ours,
    payload::{Bytes8, Bytes56, Payload},
};

/// Ends that find no room, or nothing, look again.
pub(crate) struct Locked;
/// The same with pauses that get longer.
pub(crate) struct LockedBackOff;
/// They sleep.
pub(crate) struct LockedWaiting;

const LOCKED: &str = "one lock";
const LOCKED_BACK_OFF: &str = "one lock+backoff";
const LOCKED_WAITING: &str = "one lock, condition variables";
const LOCKS: &[&str] = &[LOCKED, LOCKED_BACK_OFF, LOCKED_WAITING];

pub(super) fn cases(scale: u64) -> Vec<Case> {
    let mut cases = Vec::new();
    cases.extend([alone::<Bytes8>(scale), alone::<Bytes56>(scale)]);
    for senders in [1, 2] {
        cases.extend([streamed::<Bytes8>(senders, scale), streamed::<Bytes56>(senders, scale)]);
    }
    cases
}

/// The specification says that a queue without locks is 3.7 times as fast.
const AT_MOST: f64 = 0.27;

fn alone<T: Payload>(scale: u64) -> Case {
    let pairs = 200_000 * scale;
    let candidates = vec![
        candidate::<ours::Mpmc>(drive::pair::<ours::Mpmc, T>, pairs),
        candidate::<ours::Mpsc>(drive::pair::<ours::Mpsc, T>, pairs),
        candidate::<Locked>(drive::pair::<Locked, T>, pairs),
    ];
    let name = format!("one lock, pair on one thread, {} B", size_of::<T>());
    case(name, candidates, vec![mark("annulus queue", AT_MOST, LOCKS)])
}

fn streamed<T: Payload>(senders: u64, scale: u64) -> Case {
    fn of<K: Kind, T: Payload>(senders: u64, messages: u64) -> Candidate
    where
        K::Tx<T>: Clone,
    {
        Candidate::new(K::NAME, move || match senders {
            1 => drive::stream::<K, T>(messages),
            _ => drive::many_to_one::<K, T>(senders, messages),
        })
    }
    let messages = 200_000 * scale.min(4);
    let candidates = vec![
        of::<ours::Mpmc, T>(senders, messages),
        of::<ours::Mpsc, T>(senders, messages),
        of::<Locked, T>(senders, messages),
        of::<LockedBackOff, T>(senders, messages),
        of::<LockedWaiting, T>(senders, messages),
    ];
    let from = if senders == 1 { "one" } else { "two" };
    let name = format!("one lock, {from} to one, {} B", size_of::<T>());
    case(name, candidates, vec![mark("annulus queue", AT_MOST, LOCKS)])
}

/// A deque of at most [`CAPACITY`] messages.
pub(crate) struct Deque<T> {
    messages: Mutex<VecDeque<T>>,
    has_room: Condvar,
    has_message: Condvar,
}

impl<T> Deque<T> {
    fn shared() -> (Arc<Self>, Arc<Self>) {
        let deque = Arc::new(Self {
            messages: Mutex::new(VecDeque::with_capacity(CAPACITY)),
            has_room: Condvar::new(),
            has_message: Condvar::new(),
        });
        (Arc::clone(&deque), deque)
    }

    #[inline(always)]
    fn lock(&self) -> MutexGuard<'_, VecDeque<T>> {
        self.messages.lock().expect(NO_PANIC)
    }
}

const NO_PANIC: &str = "nobody panics with the lock";

impl<T: Payload> Tx<T> for Arc<Deque<T>> {
    #[inline(always)]
    fn push(&mut self, message: T) -> Result<(), T> {
        let mut messages = self.lock();
        if messages.len() == CAPACITY {
            return Err(message);
        }
        messages.push_back(message);
        Ok(())
    }
}

impl<T: Payload> Rx<T> for Arc<Deque<T>> {
    #[inline(always)]
    fn pop(&mut self) -> Option<T> {
        self.lock().pop_front()
    }
}

impl Kind for Locked {
    const NAME: &'static str = LOCKED;
    type Tx<T: Payload> = Arc<Deque<T>>;
    type Rx<T: Payload> = Arc<Deque<T>>;

    fn make<T: Payload>() -> (Self::Tx<T>, Self::Rx<T>) {
        Deque::shared()
    }
}

impl Kind for LockedBackOff {
    const NAME: &'static str = LOCKED_BACK_OFF;
    const POLLING: Polling = Polling::BackOff;
    type Tx<T: Payload> = Arc<Deque<T>>;
    type Rx<T: Payload> = Arc<Deque<T>>;

    fn make<T: Payload>() -> (Self::Tx<T>, Self::Rx<T>) {
        Deque::shared()
    }
}

/// An end that sleeps if it has to wait, and wakes the other one.
pub(crate) struct Waiting<T>(Arc<Deque<T>>);

impl<T> Clone for Waiting<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: Payload> Tx<T> for Waiting<T> {
    fn push(&mut self, message: T) -> Result<(), T> {
        self.0.push(message)?;
        self.0.has_message.notify_one();
        Ok(())
    }

    #[inline(always)]
    fn put(&mut self, message: T, _: Polling) {
        let is_full = |messages: &mut VecDeque<T>| messages.len() == CAPACITY;
        let mut messages = self.0.has_room.wait_while(self.0.lock(), is_full).expect(NO_PANIC);
        messages.push_back(message);
        drop(messages);
        self.0.has_message.notify_one();
    }
}

impl<T: Payload> Rx<T> for Waiting<T> {
    fn pop(&mut self) -> Option<T> {
        let message = self.0.pop()?;
        self.0.has_room.notify_one();
        Some(message)
    }

    #[inline(always)]
    fn get(&mut self, _: Polling) -> T {
        let is_empty = |messages: &mut VecDeque<T>| messages.is_empty();
        let mut messages = self.0.has_message.wait_while(self.0.lock(), is_empty).expect(NO_PANIC);
        let message = messages.pop_front().expect("it is not empty, and the lock is held");
        drop(messages);
        self.0.has_room.notify_one();
        message
    }
}

impl Kind for LockedWaiting {
    const NAME: &'static str = LOCKED_WAITING;
    type Tx<T: Payload> = Waiting<T>;
    type Rx<T: Payload> = Waiting<T>;

    fn make<T: Payload>() -> (Self::Tx<T>, Self::Rx<T>) {
        let (tx, rx) = Deque::shared();
        (Waiting(tx), Waiting(rx))
    }
}
