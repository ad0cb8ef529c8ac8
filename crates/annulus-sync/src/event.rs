//! Waiting without a lock on the other side's fast path.
//!
//! An [`Event`] lets a thread or task sleep until a condition changes. The side that changes it pays only one
//! load to find out that nobody sleeps.
//!
//! # Protocol
//!
//! A waiter **registers** with [`Event::listen`], **looks at its condition again**, and only then **waits**
//! by polling the [`Listener`]. A notifier **changes the condition**, then calls [`Event::notify`].
//!
//! | word | written by | read by |
//! |---|---|---|
//! | `waiting`: registered and not yet notified | the lock holder, to mirror the list's length | notifiers, without the lock |
//! | the list of waiters | the lock holder | the lock holder |
//!
//! An entry of the list is in one of three states: *free* → *waiting* (`listen`) → *notified* (a notifier
//! unlinks it) → *free* (its listener is polled or dropped), or *waiting* → *free* (its listener is dropped
//! first). Free entries are used again, so a list that has reached its greatest length does not allocate.
//! Wakers are called, cloned and dropped outside the lock.
//!
//! **No wake-up is lost.** `listen` stores `waiting` and then fences; `notify` fences and then loads
//! `waiting` (`SYNC: event-registered`, Dekker's pair). One fence comes first in the single order of all
//! SeqCst fences. If the waiter's does, the notifier sees it registered and wakes it. If the notifier's does,
//! the waiter's second look sees the change.
//!
//! **No notification is lost either.** A listener that was notified and is dropped before it was polled to
//! completion passes the notification on, under the lock in which it leaves. A waiter that registers after
//! that sees the change by the lock's own order; one that registered before is on the list. A listener that
//! was polled to completion has told its owner, which must then look. If the owner finds more than it takes,
//! it must handle the rest itself (see `turn`). (A *forgotten* listener (`std::mem::forget`) keeps its place
//! and its notification for ever. That can leave others asleep; it cannot break memory.)

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::PoisonError,
    task::{Context, Poll, Waker},
};

use crate::barrier;
use crate::contain::contained;
use crate::{AtomicUsize, Mutex, MutexGuard, Ordering, fence};

/// A point at which threads and tasks wait for a change. They are woken in the order in which they
/// registered.
pub struct Event {
    /// The length of the list of waiters, and flags. The length is written only under the lock, and mirrors
    /// `Waiters::linked`.
    waiting: AtomicUsize,
    /// Whether notifiers may use a light barrier only; then waiters must use the heavy one.
    light: bool,
    waiters: Mutex<Waiters>,
}

/// A flag of `Event::waiting`: a light barrier has no effect on this system, so notifiers must fence before
/// they rely on the rest of the word.
const LIGHT_IS_NOTHING: usize = 1 << (usize::BITS - 1);
/// A flag of `Event::waiting`: see [`Event::alert`].
const ALERT: usize = 1 << (usize::BITS - 2);
const FLAGS: usize = LIGHT_IS_NOTHING | ALERT;

/// A doubly linked list within a slab, in the order of registration, and a list of the slab's free entries.
struct Waiters {
    entries: Vec<Entry>,
    first: Option<usize>,
    last: Option<usize>,
    /// The first free entry; the others follow by `next`.
    free: Option<usize>,
    /// How many entries are waiting: those that can be reached from `first`.
    linked: usize,
}

struct Entry {
    state: State,
    previous: Option<usize>,
    next: Option<usize>,
}

enum State {
    Free,
    /// On the list. The waker is set by the first poll.
    Waiting(Option<Waker>),
    /// Off the list; the listener has not seen it yet.
    Notified,
}

impl Event {
    /// An event that nobody waits for.
    ///
    /// ```
    /// static SPACE: annulus_sync::event::Event = annulus_sync::event::Event::new();
    /// SPACE.notify(1); // nobody waits: nothing happens, and nothing is remembered
    /// ```
    #[cfg(not(loom))]
    pub const fn new() -> Self {
        Self { waiting: AtomicUsize::new(0), light: false, waiters: Mutex::new(Waiters::new()) }
    }

    /// An event that nobody waits for.
    #[cfg(loom)]
    pub fn new() -> Self {
        Self { waiting: AtomicUsize::new(0), light: false, waiters: Mutex::new(Waiters::new()) }
    }

    /// An event whose notifiers may call [`notify_lightly`](Self::notify_lightly).
    pub fn for_light_notifiers() -> Self {
        let event = Self { light: true, ..Self::new() };
        if !barrier::init() {
            event.waiting.store(LIGHT_IS_NOTHING, Ordering::Relaxed);
        }
        event
    }

    /// Wakes up to `n` waiters, the longest waiting first. Waiters that register while it runs are not woken.
    /// They need not be, since they see everything that the caller stored before the call.
    ///
    /// Costs a SeqCst fence and a load when nobody waits.
    ///
    /// ```
    /// # use annulus_sync::{event::Event, wait::block_on};
    /// let event = Event::new();
    /// let listener = event.listen();
    /// event.notify(1);
    /// block_on(listener);
    /// ```
    #[inline]
    pub fn notify(&self, n: usize) {
        // SYNC: event-registered
        fence(Ordering::SeqCst);
        if self.has_registered() {
            self.wake(n);
        }
    }

    /// Makes a light barrier, then returns whether nobody waits and no flag is set. A frequent notifier asks
    /// this before it calls [`notify_loudly`](Self::notify_loudly).
    #[inline(always)]
    pub fn is_quiet(&self) -> bool {
        debug_assert!(self.light, "those who wait fence for both sides only where the event says so");
        barrier::light();
        // SYNC: event-registered
        self.waiting.load(Ordering::Relaxed) == 0
    }

    /// As [`notify`](Self::notify), but the waiters pay for the fence. Only for events [made for
    /// it](Self::for_light_notifiers).
    #[inline(always)]
    pub fn notify_lightly(&self, n: usize) {
        if !self.is_quiet() {
            self.notify_loudly(n);
        }
    }

    /// The rest of [`notify_lightly`](Self::notify_lightly), after [`is_quiet`](Self::is_quiet) returned
    /// false.
    #[cold]
    pub fn notify_loudly(&self, n: usize) {
        if self.waiting.load(Ordering::Relaxed) & LIGHT_IS_NOTHING != 0 {
            // SYNC: event-registered
            fence(Ordering::SeqCst);
        }
        if self.has_registered() {
            self.wake(n);
        }
    }

    #[inline]
    fn has_registered(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) & !FLAGS != 0
    }

    /// Whether [`alert`](Self::alert) was called. After [`notify_loudly`](Self::notify_loudly) a notifier
    /// sees an alert under the same ordering as it sees waiters.
    #[inline(always)]
    pub fn is_alerted(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) & ALERT != 0
    }

    /// From now on [`is_quiet`](Self::is_quiet) always returns false, so every notifier checks
    /// [`is_alerted`](Self::is_alerted).
    pub fn alert(&self) {
        self.waiting.fetch_or(ALERT, Ordering::Relaxed);
    }

    /// [`notify`](Self::notify) without the fence. The caller has changed the condition under a lock, and
    /// waiters look at the condition under the same lock after registering.
    ///
    /// If the waiter looked before the change, its unlocking happened before the caller's locking, and its
    /// registration before both, so the caller sees it; else the waiter sees the change (`SYNC:
    /// event-registered`, by the lock's own order).
    #[inline]
    pub fn notify_after_unlock(&self, n: usize) {
        // SYNC: event-registered
        if self.waiting.load(Ordering::Relaxed) != 0 {
            self.wake(n);
        }
    }

    /// Wakes all who wait now. Waiters that register while it runs are not woken; see
    /// [`notify`](Self::notify).
    ///
    /// ```
    /// # use annulus_sync::{event::Event, wait::block_on};
    /// let event = Event::new();
    /// let (one, two) = (event.listen(), event.listen());
    /// event.notify_all();
    /// block_on(async { one.await; two.await });
    /// ```
    pub fn notify_all(&self) {
        self.notify(usize::MAX);
    }

    /// Whether somebody waits and has not been notified. A hint: both answers may be out of date on return.
    ///
    /// Fences first, as [`notify`](Self::notify) does. After `false`, a waiter that registers later sees all
    /// that the caller stored before the call.
    ///
    /// ```
    /// # use annulus_sync::event::Event;
    /// let event = Event::new();
    /// let listener = event.listen();
    /// assert!(event.has_waiters());
    /// drop(listener);
    /// assert!(!event.has_waiters());
    /// ```
    pub fn has_waiters(&self) -> bool {
        // SYNC: event-registered
        fence(Ordering::SeqCst);
        self.has_registered()
    }

    /// Registers the caller. It must then look at its condition again, and wait only if the condition still
    /// does not hold.
    ///
    /// A notification may arrive at any time after this. It is kept until the listener is polled or dropped.
    ///
    /// ```
    /// # use annulus_sync::{AtomicBool, Ordering, event::Event, wait::block_on};
    /// let (event, ready) = (Event::new(), AtomicBool::new(false));
    /// std::thread::scope(|s| {
    ///     s.spawn(|| {
    ///         ready.store(true, Ordering::Release);
    ///         event.notify_all();
    ///     });
    ///     while !ready.load(Ordering::Acquire) {
    ///         let listener = event.listen();
    ///         if !ready.load(Ordering::Acquire) {
    ///             block_on(listener);
    ///         }
    ///     }
    /// });
    /// ```
    pub fn listen(&self) -> Listener<'_> {
        self.register(|| {
            // SYNC: event-registered
            if self.light { barrier::heavy() } else { fence(Ordering::SeqCst) }
        })
    }

    /// Registers, then fences. If the fence panics, the listener is removed again.
    fn register(&self, fence: impl FnOnce()) -> Listener<'_> {
        let listener = {
            let mut waiters = self.lock();
            let entry = Some(waiters.link());
            self.waiting.fetch_add(1, Ordering::Relaxed);
            Listener { event: self, entry, owes_a_look: false }
        };
        fence();
        listener
    }

    /// Takes an entry off the list, if it is on it, and makes it free. Returns its former state.
    fn remove(&self, waiters: &mut Waiters, index: usize) -> State {
        if matches!(waiters.entries[index].state, State::Waiting(_)) {
            waiters.unlink(index);
            self.waiting.fetch_sub(1, Ordering::Relaxed);
        }
        waiters.free(index)
    }

    #[cold]
    fn wake(&self, n: usize) {
        let mut remaining = n.min(self.lock().linked);
        // One at a time: a waker runs without the lock, and there is no list to allocate.
        while remaining != 0 {
            let Some(waker) = self.notify_first(&mut self.lock()) else { return };
            wake(waker);
            remaining -= 1;
        }
    }

    /// Unlinks the longest waiting entry and returns its waker; `None` if the list is empty. For an entry
    /// that was never polled, returns a waker that does nothing.
    fn notify_first(&self, waiters: &mut Waiters) -> Option<Waker> {
        let index = waiters.first?;
        waiters.unlink(index);
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        match std::mem::replace(&mut waiters.entries[index].state, State::Notified) {
            State::Waiting(Some(waker)) => Some(waker),
            _ => Some(Waker::noop().clone()),
        }
    }

    /// The list is consistent at every point where a panic could poison its lock, so poison is ignored.
    fn lock(&self) -> MutexGuard<'_, Waiters> {
        self.waiters.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Wakes one waiter. A waker is the program's code. If it panics, the others are woken all the same; the
/// panic hook has reported it.
pub fn wake(waker: Waker) {
    contained(|| waker.wake());
}

impl Default for Event {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event")
            .field("waiting", &(self.waiting.load(Ordering::Relaxed) & !FLAGS))
            .finish_non_exhaustive()
    }
}

impl Waiters {
    const fn new() -> Self {
        Self { entries: Vec::new(), first: None, last: None, free: None, linked: 0 }
    }

    /// Puts a free entry, or a new one, at the end of the list.
    fn link(&mut self) -> usize {
        let entry = Entry { state: State::Waiting(None), previous: self.last, next: None };
        let index = match self.free {
            Some(index) => {
                self.free = self.entries[index].next;
                self.entries[index] = entry;
                index
            }
            None => {
                self.entries.push(entry);
                self.entries.len() - 1
            }
        };
        match self.last.replace(index) {
            Some(last) => self.entries[last].next = Some(index),
            None => self.first = Some(index),
        }
        self.linked += 1;
        index
    }

    fn unlink(&mut self, index: usize) {
        let Entry { previous, next, .. } = self.entries[index];
        match previous {
            Some(previous) => self.entries[previous].next = next,
            None => self.first = next,
        }
        match next {
            Some(next) => self.entries[next].previous = previous,
            None => self.last = previous,
        }
        self.linked -= 1;
    }

    /// Makes an entry that is off the list available again.
    fn free(&mut self, index: usize) -> State {
        let entry = &mut self.entries[index];
        entry.next = self.free.replace(index);
        std::mem::replace(&mut entry.state, State::Free)
    }
}

/// A place in an [`Event`]'s list, to be awaited.
///
/// If a listener was notified and is dropped before it was polled to completion, it passes the notification
/// on to the waiter that has waited longest.
#[must_use = "a listener waits only when it is polled, and leaves the list when it is dropped"]
pub struct Listener<'a> {
    event: &'a Event,
    /// The index of its entry, which only this listener frees; `None` once it has seen its notification.
    entry: Option<usize>,
    /// Whether its owner was notified before, through another listener, and has not looked since. Then this
    /// listener counts as notified.
    pub owes_a_look: bool,
}

impl Future for Listener<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Some(index) = self.entry else { return Poll::Ready(()) };
        let fresh = context.waker().clone();
        let mut waiters = self.event.lock();
        if let State::Waiting(waker) = &mut waiters.entries[index].state {
            let stale = waker.replace(fresh);
            drop(waiters);
            drop(stale);
            return Poll::Pending;
        }
        waiters.free(index);
        drop(waiters);
        self.entry = None;
        Poll::Ready(())
    }
}

impl<'a> Listener<'a> {
    /// Leaves the list without passing a notification on. Returns the event if the listener was notified;
    /// then the caller must take care of the other waiters.
    pub fn leave(mut self) -> Option<&'a Event> {
        let index = self.entry.take()?;
        // The lock is held to the end of this line only, so the waker is dropped without it.
        let state = self.event.remove(&mut self.event.lock(), index);
        (self.owes_a_look || matches!(state, State::Notified)).then_some(self.event)
    }
}

impl Drop for Listener<'_> {
    fn drop(&mut self) {
        let Some(index) = self.entry else { return };
        let mut waiters = self.event.lock();
        let state = self.event.remove(&mut waiters, index);
        let heir = match state {
            State::Waiting(_) if !self.owes_a_look => None,
            _ => self.event.notify_first(&mut waiters),
        };
        drop(waiters);
        if let Some(waker) = heir {
            wake(waker);
        }
    }
}

impl fmt::Debug for Listener<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener").field("done", &self.entry.is_none()).finish_non_exhaustive()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    /// Where the system refuses the heavy barrier, `listen` panics. Then no entry stays on the list.
    #[test]
    fn a_listener_that_was_not_made_is_not_registered() {
        let event = Event::new();
        let refused =
            catch_unwind(AssertUnwindSafe(|| drop(event.register(|| panic!("the system refuses")))));
        assert!(refused.is_err() && !event.has_waiters());
        let mut next = event.listen();
        event.notify(1);
        assert!(Pin::new(&mut next).poll(&mut Context::from_waker(Waker::noop())).is_ready());
    }
}
