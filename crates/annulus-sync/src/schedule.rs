//! A queue of runners that are awake and wait for a worker. A worker may keep one runner for itself.
//!
//! A *runner* ([`WakeFlag`](crate::wake_flag::WakeFlag)) that was woken is in one of three places. It is
//! moved and never copied, so it goes from each place to the next exactly once for each wake:
//!
//! * *queued*: in the queue, under its lock. A thread that queues a runner wakes a worker if one sleeps.
//! * *kept* by one worker, in a cell of that worker's own ([`Kept`]). No other thread sees it, so only that
//!   worker can run it.
//! * *running*, on the worker that took it out of the queue or out of its own cell.
//!
//! A worker that delivers something to a runner and wakes it keeps the first such runner. The delivered data
//! is in this worker's cache, and another worker might have to be woken first. A kept runner must not wait
//! for long work while another worker is idle. So a worker hands it over to the queue
//!
//! * before it calls code of the program: a handler, and all that goes through
//!   [`contained`](crate::contain::contained). That code may even wait for the kept runner;
//! * before it keeps another one;
//! * when it looks for its next runner and others are queued, which have waited longer.
//!
//! Otherwise the worker runs the kept runner next. It sleeps and ends only with an empty cell: it looks into
//! the cell before it looks at the queue, and only the worker itself puts a runner into the cell.
//!
//! | word | meaning | written by |
//! |---|---|---|
//! | `waiting`, `sleeping`, `ending` | the queue, how many sleep, whether workers end | the lock holder |
//! | `queued` | the queue's length | the lock holder; read without the lock |
//! | [`Kept`] | the runner that a worker keeps | that worker's thread alone |
//!
//! `queued` is read without the lock, relaxed: it may be outdated. A worker that misses a
//! runner there runs its kept one first; it looks again before the next one, and every
//! store is seen in the end. The worker that takes a runner out of the queue sees, by the
//! lock, what was written before the runner was queued. What was written before it was kept
//! is seen by the thread's own order, and what its last run wrote by the swap that woke it
//! (`SYNC: wake-flag`).

use std::{cell::Cell, collections::VecDeque, fmt, sync::PoisonError};

use crate::{AtomicUsize, Condvar, Mutex, MutexGuard, Ordering};

/// The queue; see the module.
#[derive(Debug)]
pub struct Schedule<T> {
    inner: Mutex<Inner<T>>,
    /// Signalled when a runner is queued while a worker sleeps, and at the end.
    work: Condvar,
    /// The queue's length, for workers that check whether others wait. Written under the lock.
    queued: AtomicUsize,
}

#[derive(Debug)]
struct Inner<T> {
    waiting: VecDeque<T>,
    sleeping: usize,
    ending: bool,
}

/// The runner that a worker keeps. Belongs to the worker's own thread.
pub struct Kept<T>(Cell<Option<T>>);

impl<T> fmt::Debug for Kept<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept").finish_non_exhaustive()
    }
}

impl<T> Schedule<T> {
    /// An empty queue.
    pub fn new() -> Self {
        Self {
            inner: Mutex::new(Inner { waiting: VecDeque::new(), sleeping: 0, ending: false }),
            work: Condvar::new(),
            queued: AtomicUsize::new(0),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner<T>> {
        // Nothing under this lock panics in the middle of a change.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a runner that is awake.
    pub fn push(&self, runner: T) {
        let wake = {
            let mut inner = self.lock();
            inner.waiting.push_back(runner);
            self.queued.store(inner.waiting.len(), Ordering::Relaxed);
            inner.sleeping != 0
        };
        if wake {
            self.work.notify_one();
        }
    }

    /// Whether runners wait for a worker. May be outdated when it returns.
    #[inline]
    pub fn others_wait(&self) -> bool {
        self.queued.load(Ordering::Relaxed) != 0
    }

    /// Called by a worker that has nothing to run. Returns the runner that it keeps, or the next queued one
    /// if it keeps none or others have waited longer. Sleeps until there is one. `None` at the end, when none
    /// is left.
    pub fn next(&self, kept: &Kept<T>) -> Option<T> {
        if self.others_wait() {
            kept.hand_over(self);
        } else if let Some(runner) = kept.0.take() {
            return Some(runner);
        }
        let mut inner = self.lock();
        loop {
            if let Some(runner) = inner.waiting.pop_front() {
                self.queued.store(inner.waiting.len(), Ordering::Relaxed);
                return Some(runner);
            }
            if inner.ending {
                return None;
            }
            inner.sleeping += 1;
            inner = self.work.wait(inner).unwrap_or_else(PoisonError::into_inner);
            inner.sleeping -= 1;
        }
    }

    /// Lets the workers end when the queue has run empty.
    pub fn end(&self) {
        self.lock().ending = true;
        self.work.notify_all();
    }
}

impl<T> Default for Schedule<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Kept<T> {
    /// A worker that keeps nothing.
    pub const fn new() -> Self {
        Self(Cell::new(None))
    }

    /// Keeps a runner that this worker has woken. A runner that it kept before goes to the queue, since it
    /// has waited longer.
    pub fn keep(&self, runner: T, schedule: &Schedule<T>) {
        if let Some(other) = self.0.replace(Some(runner)) {
            schedule.push(other);
        }
    }

    /// Queues the runner that this worker keeps, if any. Called before the worker does long work.
    #[inline]
    pub fn hand_over(&self, schedule: &Schedule<T>) {
        if let Some(runner) = self.0.take() {
            schedule.push(runner);
        }
    }

    /// Whether this worker keeps one.
    pub fn is_some(&self) -> bool {
        let runner = self.0.take();
        let keeps = runner.is_some();
        self.0.set(runner);
        keeps
    }
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self::new()
    }
}
