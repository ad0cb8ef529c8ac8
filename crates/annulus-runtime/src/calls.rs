//! Calls that wait for their replies.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use annulus_queue::sync::{AtomicBool, AtomicUsize, Ordering, fence};

use crate::error::CallError;

/// The calls of a kernel that are under way, by correlation.
///
/// A correlation is the entry's index + 1 in the low 32 bits and its generation in the high ones, so that a reply that comes
/// after its call was given up finds nobody, whoever uses the entry by then.
pub(crate) struct CallTable<O> {
    /// How many calls are under way: written under the lock, read without it.
    pending: AtomicUsize,
    /// Whether there ever was a call, and so replies may come, wanted or not.
    used: AtomicBool,
    entries: Mutex<Entries<O>>,
}

struct Entries<O> {
    entries: Vec<Entry<O>>,
    free: Vec<u32>,
}

struct Entry<O> {
    generation: u32,
    call: Option<State<O>>,
}

enum State<O> {
    Waiting(Option<Waker>),
    Done(Result<O, CallError>),
}

impl<O> CallTable<O> {
    pub(crate) fn new() -> Self {
        Self { pending: AtomicUsize::new(0), used: AtomicBool::new(false), entries: Mutex::new(Entries { entries: Vec::new(), free: Vec::new() }) }
    }

    /// How many calls are under way. A shard that took a call's message sees at least that call.
    #[inline]
    pub(crate) fn pending(&self) -> usize {
        self.pending.load(Ordering::Acquire)
    }

    /// Whether there ever was a call.
    #[inline]
    pub(crate) fn used(&self) -> bool {
        self.used.load(Ordering::Relaxed)
    }

    /// Begins a call; it ends when the guard is dropped.
    pub(crate) fn begin(&self) -> PendingCall<'_, O> {
        let mut table = self.lock();
        let index = table.free.pop().unwrap_or_else(|| {
            table.entries.push(Entry { generation: 0, call: None });
            (table.entries.len() - 1) as u32
        });
        let entry = &mut table.entries[index as usize];
        entry.call = Some(State::Waiting(None));
        let correlation = u64::from(entry.generation) << 32 | u64::from(index + 1);
        self.pending.fetch_add(1, Ordering::Release);
        self.used.store(true, Ordering::Relaxed);
        // SYNC: call-begun
        fence(Ordering::SeqCst);
        PendingCall { table: self, correlation }
    }

    /// Ends the call's wait. A call that was given up is nobody's loss.
    pub(crate) fn complete(&self, correlation: u64, result: Result<O, CallError>) {
        let waker = self.lock().find(correlation).and_then(|call| match call {
            State::Waiting(waker) => {
                let waker = waker.take();
                *call = State::Done(result);
                waker
            }
            State::Done(_) => None,
        });
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Entries<O>> {
        // Every change is one assignment, so a panic leaves the table whole.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<O> Entries<O> {
    fn find(&mut self, correlation: u64) -> Option<&mut State<O>> {
        let index = (correlation as u32).checked_sub(1)?;
        let entry = self.entries.get_mut(index as usize)?;
        if u64::from(entry.generation) != correlation >> 32 {
            return None;
        }
        entry.call.as_mut()
    }
}

/// A call that is under way. Dropping it gives it up.
pub(crate) struct PendingCall<'a, O> {
    table: &'a CallTable<O>,
    correlation: u64,
}

impl<O> PendingCall<'_, O> {
    /// What the message and its reply carry. Never 0.
    pub(crate) fn correlation(&self) -> u64 {
        self.correlation
    }

    /// The reply, once.
    pub(crate) fn poll(&self, context: &mut Context<'_>) -> Poll<Result<O, CallError>> {
        let mut table = self.table.lock();
        let Some(call) = table.find(self.correlation) else { return Poll::Pending };
        match call {
            State::Waiting(waker) => {
                let stale = waker.replace(context.waker().clone());
                // Dropping a waker may run the program's code: not under the lock.
                drop(table);
                drop(stale);
                Poll::Pending
            }
            State::Done(_) => match std::mem::replace(call, State::Waiting(None)) {
                State::Done(result) => Poll::Ready(result),
                State::Waiting(_) => Poll::Pending,
            },
        }
    }
}

impl<O> Drop for PendingCall<'_, O> {
    fn drop(&mut self) {
        let mut table = self.table.lock();
        let index = self.correlation as u32 - 1;
        let entry = &mut table.entries[index as usize];
        let call = entry.call.take();
        entry.generation = entry.generation.wrapping_add(1);
        table.free.push(index);
        self.table.pending.fetch_sub(1, Ordering::Release);
        drop(table);
        drop(call);
    }
}
