//! Calls that wait for their replies.

use std::{
    collections::VecDeque,
    mem::MaybeUninit,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use annulus_sync::{AtomicBool, AtomicUsize, Ordering, event::wake, fence};

use crate::{
    error::CallError,
    kernel::bytes::{Bytes, blank},
};

/// The calls of a kernel that are under way, by correlation.
///
/// A correlation is the entry's index + 1 in the low 32 bits and its generation in the high ones, so that a
/// reply that comes after its call was given up finds nobody, whoever uses the entry by then.
pub(crate) struct CallTable {
    /// How many calls are under way: written under the lock, read without it.
    pending: AtomicUsize,
    /// Goes up with each reply, after it was stored: tells who looks busily when to look into the table.
    completed: AtomicUsize,
    /// Whether `Entries::ready` may hold something. Written under the lock.
    has_ready: AtomicBool,
    /// Whether there ever was a call, and so replies may come, wanted or not.
    used: AtomicBool,
    /// Bytes of a reply.
    size: usize,
    entries: Mutex<Entries>,
}

struct Entries {
    entries: Vec<Entry>,
    free: Vec<u32>,
    /// Wakers of calls that were completed, to be woken when no lock is held: a waker may run the program's
    /// code.
    ready: VecDeque<Waker>,
}

struct Entry {
    generation: u32,
    call: Option<State>,
    /// The reply, of a call that is done and was answered.
    reply: Reply,
}

/// Room for a reply: beside the rest of the entry, since who waits on another core then fetches both at once;
/// on the heap if it is larger.
struct Reply {
    near: [MaybeUninit<u8>; NEAR],
    far: Box<Bytes>,
    size: usize,
}

/// Bytes of a reply that lie in the table. Source: this project's choice, a line.
const NEAR: usize = 64;

impl Reply {
    fn new(size: usize) -> Self {
        let far = blank(if size > NEAR { size } else { 0 });
        Self { near: [MaybeUninit::uninit(); NEAR], far, size }
    }

    fn bytes(&mut self) -> &mut Bytes {
        if self.size > NEAR { &mut self.far } else { &mut self.near[..self.size] }
    }
}

enum State {
    Waiting(Option<Waker>),
    Done(Result<(), CallError>),
}

impl CallTable {
    /// For replies of `size` bytes.
    pub(crate) fn new(size: usize) -> Self {
        Self {
            pending: AtomicUsize::new(0),
            completed: AtomicUsize::new(0),
            has_ready: AtomicBool::new(false),
            used: AtomicBool::new(false),
            size,
            entries: Mutex::new(Entries { entries: Vec::new(), free: Vec::new(), ready: VecDeque::new() }),
        }
    }

    /// How many calls are under way. A shard that took a call's message sees at least that call.
    #[inline]
    pub(crate) fn pending(&self) -> usize {
        // SYNC: call-pending (acquire)
        self.pending.load(Ordering::Acquire)
    }

    /// How many replies have come in all, wrapping around; a reply that is counted is in the table.
    #[inline]
    pub(crate) fn completed(&self) -> usize {
        // SYNC: completed
        self.completed.load(Ordering::Acquire)
    }

    /// Whether there ever was a call.
    #[inline]
    pub(crate) fn used(&self) -> bool {
        self.used.load(Ordering::Relaxed)
    }

    /// Begins a call; it ends when the guard is dropped.
    pub(crate) fn begin(&self) -> PendingCall<'_> {
        let mut table = self.lock();
        let index = table.free.pop().unwrap_or_else(|| {
            table.entries.push(Entry { generation: 0, call: None, reply: Reply::new(self.size) });
            (table.entries.len() - 1) as u32
        });
        let entry = &mut table.entries[index as usize];
        entry.call = Some(State::Waiting(None));
        let correlation = u64::from(entry.generation) << 32 | u64::from(index + 1);
        // SYNC: call-pending (release)
        self.pending.fetch_add(1, Ordering::Release);
        self.used.store(true, Ordering::Relaxed);
        // SYNC: call-begun
        fence(Ordering::SeqCst);
        PendingCall { table: self, correlation }
    }

    /// Ends the call's wait. A call that was given up is nobody's loss. Whoever called this calls
    /// [`wake_ready`](Self::wake_ready) when it holds no lock.
    pub(crate) fn complete(&self, correlation: u64, reply: Result<&Bytes, CallError>) {
        let mut table = self.lock();
        let Some((call, place)) = table.find(correlation) else { return };
        let State::Waiting(waker) = call else { return };
        let waker = waker.take();
        *call = State::Done(reply.map(|reply| place.copy_from_slice(reply)));
        // SYNC: completed
        self.completed.fetch_add(1, Ordering::Release);
        if let Some(waker) = waker {
            table.ready.push_back(waker);
            self.has_ready.store(true, Ordering::Relaxed);
        }
    }

    /// Wakes the callers whose calls were completed. Whoever completed one sees `has_ready`, or another
    /// thread has taken its waker.
    #[inline]
    pub(crate) fn wake_ready(&self) {
        while self.has_ready.load(Ordering::Relaxed) {
            let waker = {
                let mut table = self.lock();
                let waker = table.ready.pop_front();
                self.has_ready.store(!table.ready.is_empty(), Ordering::Relaxed);
                waker
            };
            if let Some(waker) = waker {
                wake(waker);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        // Every change is one assignment, so a panic leaves the table whole.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entries {
    fn find(&mut self, correlation: u64) -> Option<(&mut State, &mut Bytes)> {
        let index = (correlation as u32).checked_sub(1)?;
        let entry = self.entries.get_mut(index as usize)?;
        if u64::from(entry.generation) != correlation >> 32 {
            return None;
        }
        Some((entry.call.as_mut()?, entry.reply.bytes()))
    }
}

/// A call that is under way. Dropping it gives it up.
pub(crate) struct PendingCall<'a> {
    table: &'a CallTable,
    correlation: u64,
}

impl PendingCall<'_> {
    /// What the message and its reply carry. Never 0.
    pub(crate) fn correlation(&self) -> u64 {
        self.correlation
    }

    /// The reply, once, if it has come: written to `to`, if there is one.
    pub(crate) fn try_take(&self, to: &mut Bytes) -> Option<Result<(), CallError>> {
        let mut table = self.table.lock();
        let (call, reply) = table.find(self.correlation)?;
        take(call, reply, to)
    }

    /// The same as a poll.
    pub(crate) fn poll(&self, context: &mut Context<'_>, to: &mut Bytes) -> Poll<Result<(), CallError>> {
        // Cloning a waker may run the program's code: not under the lock.
        let fresh = context.waker().clone();
        let mut table = self.table.lock();
        let Some((call, reply)) = table.find(self.correlation) else { return Poll::Pending };
        match call {
            State::Waiting(waker) => {
                let stale = waker.replace(fresh);
                // Dropping a waker may run the program's code: not under the lock.
                drop(table);
                drop(stale);
                Poll::Pending
            }
            State::Done(_) => take(call, reply, to).map_or(Poll::Pending, Poll::Ready),
        }
    }
}

/// The result of a call that is done, once.
fn take(call: &mut State, reply: &Bytes, to: &mut Bytes) -> Option<Result<(), CallError>> {
    match call {
        State::Waiting(_) => None,
        State::Done(_) => match std::mem::replace(call, State::Waiting(None)) {
            State::Done(result) => Some(result.map(|()| to.copy_from_slice(reply))),
            State::Waiting(_) => None,
        },
    }
}

impl Drop for PendingCall<'_> {
    fn drop(&mut self) {
        let mut table = self.table.lock();
        let index = self.correlation as u32 - 1;
        let entry = &mut table.entries[index as usize];
        let call = entry.call.take();
        entry.generation = entry.generation.wrapping_add(1);
        table.free.push(index);
        // SYNC: call-pending (release)
        self.table.pending.fetch_sub(1, Ordering::Release);
        drop(table);
        drop(call);
    }
}
