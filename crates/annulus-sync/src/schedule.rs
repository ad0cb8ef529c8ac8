//! A queue of runners that are awake and wait for a worker, and how a worker keeps one back for itself.
//!
//! A *runner* ([`WakeFlag`](crate::wake_flag::WakeFlag)) that was woken is in one of three places, and goes
//! from each to the next exactly once for each time that it is woken, since it is moved and never copied:
//!
//! * *queued*: in the queue, under its lock. Whoever queues one and sees that a worker sleeps wakes one.
//! * *kept* by one worker, in a cell of that worker's own ([`Kept`]). Nobody else sees it, so nobody else can
//!   run it: it waits for that worker.
//! * *running*, on the worker that took it out of the queue or out of its own cell.
//!
//! A worker keeps the first runner that it wakes by delivering something to it: it has that in its cache,
//! and another worker may have to be woken. A kept runner must not wait for what may take long while another
//! worker is idle. So a worker hands it over, to the queue,
//!
//! * before it calls code of the program: a handler, and all that goes through
//!   [`contained`](crate::contain::contained). That code may even wait for the kept runner;
//! * before it keeps another one;
//! * when it looks for its next runner and others are queued, which have waited longer.
//!
//! Otherwise it runs the kept one as its next. It sleeps, and ends, only with an empty cell: it looks into
//! the cell before it looks at the queue, and no runner comes into the cell but by the worker itself.
//!
//! | word | meaning | written by |
//! |---|---|---|
//! | `waiting`, `sleeping`, `ending` | the queue, who sleeps, whether workers end | who has the lock |
//! | `queued` | the queue's length | who has the lock; read without it |
//! | [`Kept`] | the runner that a worker keeps | that worker's thread alone |
//!
//! `queued` is read without the lock, relaxed: it may be outdated. A worker that misses a runner there runs
//! its kept one first; it looks again before the next one, and in the end every store is seen. What was
//! written before a runner was queued is seen by the worker that takes it out, by the lock; what was written
//! before it was kept, by the thread's own order; and what its last run wrote, by the swap that woke it
//! (`SYNC: wake-flag`).

use std::{cell::Cell, collections::VecDeque, fmt, sync::PoisonError};

use crate::{AtomicUsize, Condvar, Mutex, MutexGuard, Ordering};

/// The queue; see the module.
#[derive(Debug)]
pub struct Schedule<T> {
    inner: Mutex<Inner<T>>,
    /// Signalled when a runner is queued and a worker sleeps, and at the end.
    work: Condvar,
    /// The queue's length, for workers that look whether others wait. Written under the lock.
    queued: AtomicUsize,
}

#[derive(Debug)]
struct Inner<T> {
    waiting: VecDeque<T>,
    sleeping: usize,
    ending: bool,
}

/// The runner that a worker keeps, in the worker's own thread.
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
        // Nothing under this lock panics half way.
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

    /// By a worker that has nothing to run: the runner that it keeps, unless others have waited longer, or
    /// the next one. Sleeps until there is one; `None` at the end, when none is left.
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

    /// Keeps a runner that this worker has woken. The one that it kept before goes to the queue: it has
    /// waited longer.
    pub fn keep(&self, runner: T, schedule: &Schedule<T>) {
        if let Some(other) = self.0.replace(Some(runner)) {
            schedule.push(other);
        }
    }

    /// Queues the runner that this worker keeps, if it does: it is going to be busy.
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
