//! Workers, and the queue of blocks that wait for one.
//!
//! A worker that delivers a message to a sleeping block keeps that block for itself ([`Delivering`]). It runs
//! the block as soon as the block that it runs now has nothing to do; [`schedule`](annulus_sync::schedule)
//! describes who hands a kept block over, and when. If the running block goes on with another message
//! instead, the worker first moves the kept block to the queue ([`hand_over`]), so the kept block waits for
//! no handler while another worker is idle. The worker also does so before it calls any other code of the
//! program, which it calls within [`contained`](annulus_sync::contain::contained).
//!
//! # The end
//!
//! Whoever drops the [`Workers`] waits for their threads, with one exception: a thread that runs a block of a kernel that was
//! [left behind](WorkerPool::leave_behind), since a handler of it does not return. That thread is left to itself, for as long as
//! the process lives. It is sound: all that it touches it keeps alive. Its closure has the pool; the block that it runs has its
//! shard's memory, its states, its bindings and the kernel's [`signals`](annulus_block::BlockParameters::signals), which
//! have all that reports need, and a block that waits in the queue has the same. Nothing is borrowed from the backend or the
//! runtime. If the handler returns after all, the block obeys its command, which is to terminate, and the thread runs what is in
//! the queue, and ends. If all threads were left, blocks that wait in the queue are not run any more: the memory of their
//! kernels is kept until the process ends.
//!
//! | word | meaning | written by |
//! |---|---|---|
//! | `LOOKING` | how many blocks of this process look busily, each on a worker's core | their workers |
//! | `WORKER.next` | the block that a worker keeps | that worker |
//! | `runs` | the number of the kernel of which a worker runs a block, [`NOTHING`] or [`OVER`] | that worker |

use std::{
    cell::{Cell, OnceCell},
    num::NonZeroUsize,
    sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError},
    thread::{self, JoinHandle, ThreadId},
    time::Duration,
};

use annulus_sync::{
    AtomicU64, AtomicUsize, Ordering,
    contain::{call_before, contained},
    schedule::{Kept, Schedule},
};

use crate::block::Block;

/// The queue of blocks that are awake and have no worker.
pub(crate) struct WorkerPool {
    schedule: Schedule<Arc<Block>>,
    /// The numbers of the kernels that were left behind.
    left_behind: Mutex<Vec<u64>>,
    /// Signalled when one is left behind, and when a worker ends.
    changed: Condvar,
}

/// The workers' threads. Dropping it ends them after the queue is empty.
pub(crate) struct Workers {
    pool: Arc<WorkerPool>,
    threads: Vec<Started>,
}

/// A worker, as whoever ends it sees it.
struct Started {
    thread: JoinHandle<()>,
    runs: Arc<AtomicU64>,
}

/// Numbers that no kernel has: a worker's that runs no block, and one's that runs no more.
pub(crate) const NOTHING: u64 = 0;
const OVER: u64 = u64::MAX;
/// How often somebody who waits for a worker looks whether it runs something else than before. Source: this project's choice.
const LOOK: Duration = Duration::from_millis(100);

/// What a worker's thread knows.
struct Worker {
    /// Its pool; not set on other threads.
    pool: OnceCell<Arc<WorkerPool>>,
    /// Whether it is delivering a message right now.
    delivers: Cell<bool>,
    /// A block that is awake, and that the worker runs next.
    next: Kept<Arc<Block>>,
}

thread_local! {
    static WORKER: Worker = const {
        Worker { pool: OnceCell::new(), delivers: Cell::new(false), next: Kept::new() }
    };
}

/// As long as it lives, this worker keeps the blocks that it wakes. The only code of the program that is
/// called meanwhile is a message's key.
pub(crate) struct Delivering;

impl Delivering {
    pub(crate) fn new() -> Self {
        WORKER.with(|worker| worker.delivers.set(true));
        Self
    }
}

impl Drop for Delivering {
    fn drop(&mut self) {
        WORKER.with(|worker| worker.delivers.set(false));
    }
}

/// Whether this worker keeps a block.
pub(crate) fn keeps_one() -> bool {
    WORKER.with(|worker| worker.next.is_some())
}

/// Queues the block that this worker keeps, if any, because the worker is going to be busy.
#[inline]
pub(crate) fn hand_over() {
    WORKER.with(|worker| {
        if let Some(pool) = worker.pool.get() {
            worker.next.hand_over(&pool.schedule);
        }
    });
}

/// How many blocks poll busily for work.
static LOOKING: AtomicUsize = AtomicUsize::new(0);

/// A block polls busily as long as this lives.
pub(crate) struct Looking;

impl Looking {
    pub(crate) fn new() -> Self {
        LOOKING.fetch_add(1, Ordering::Relaxed);
        Self
    }

    /// Whether so many blocks poll that no core is left for those they wait for.
    pub(crate) fn is_crowd() -> bool {
        static CORES: OnceLock<usize> = OnceLock::new();
        let cores = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
        LOOKING.load(Ordering::Relaxed) >= *CORES.get_or_init(cores)
    }
}

impl Drop for Looking {
    fn drop(&mut self) {
        LOOKING.fetch_sub(1, Ordering::Relaxed);
    }
}

impl WorkerPool {
    /// Like [`push`](Self::push), but a worker that is delivering a message to the block keeps the block.
    #[inline]
    pub(crate) fn push_or_keep(&self, block: Arc<Block>) {
        self.push_unless(block, |worker| worker.delivers.get());
    }

    /// Like [`push`](Self::push), but a worker of this pool keeps the block. It hands it over before it calls the program.
    pub(crate) fn keep_or_push(&self, block: Arc<Block>) {
        self.push_unless(block, |_| true);
    }

    /// Like [`push`](Self::push), unless the thread is a worker of this pool and `keeps` is true of it: then that worker keeps the block.
    #[inline]
    fn push_unless(&self, block: Arc<Block>, keeps: impl Fn(&Worker) -> bool) {
        let is_own = |pool: &Arc<WorkerPool>| std::ptr::eq(&raw const **pool, self);
        let is_kept = |worker: &Worker| keeps(worker) && worker.pool.get().is_some_and(is_own);
        // A thread of the program may send while its thread-locals are being destroyed.
        if !WORKER.try_with(is_kept).unwrap_or(false) {
            return self.push(block);
        }
        WORKER.with(|worker| worker.next.keep(block, &self.schedule));
    }

    /// The kernel of this number was told to end, and a handler of it does not return: nobody waits for it any more.
    pub(crate) fn leave_behind(&self, kernel: u64) {
        self.lock_left().push(kernel);
        self.changed.notify_all();
    }

    fn lock_left(&self) -> MutexGuard<'_, Vec<u64>> {
        // Whole between any two statements.
        self.left_behind.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a worker has ended, or runs a kernel that was left behind; returns whether it has ended.
    fn until_over(&self, worker: &Started) -> bool {
        let mut left = self.lock_left();
        loop {
            // A look that is outdated is followed by another one.
            let runs = worker.runs.load(Ordering::Relaxed);
            if runs == OVER || worker.thread.is_finished() {
                return true;
            }
            if left.contains(&runs) {
                return false;
            }
            left = self.changed.wait_timeout(left, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Queues a block that is awake.
    pub(crate) fn push(&self, block: Arc<Block>) {
        self.schedule.push(block);
    }

    /// Whether other blocks wait for a worker. May be outdated when it returns.
    #[inline]
    pub(crate) fn others_wait(&self) -> bool {
        self.schedule.others_wait()
    }

    /// The next block for this worker; sleeps until there is one. `None` at the end.
    fn next_for_this_worker(&self) -> Option<Arc<Block>> {
        WORKER.with(|worker| self.schedule.next(&worker.next))
    }
}

impl Workers {
    /// Starts `count` workers.
    pub(crate) fn start(count: usize) -> std::io::Result<Self> {
        let pool = Arc::new(WorkerPool {
            schedule: Schedule::new(),
            left_behind: Mutex::default(),
            changed: Condvar::new(),
        });
        let mut workers = Self { pool, threads: Vec::with_capacity(count) };
        for index in 0..count {
            let pool = Arc::clone(&workers.pool);
            let runs = Arc::new(AtomicU64::new(NOTHING));
            let its = Arc::clone(&runs);
            let run = move || {
                let set = WORKER.with(|worker| worker.pool.set(Arc::clone(&pool)));
                assert!(set.is_ok(), "a worker has one pool");
                call_before(hand_over);
                while let Some(block) = pool.next_for_this_worker() {
                    // Panics of handlers and wakers are caught where those are called. What is caught here
                    // comes from other code of the program. The block had published its work by then, and
                    // goes on.
                    its.store(block.kernel(), Ordering::Relaxed);
                    if contained(|| block.run(&pool)).is_none() {
                        pool.push(Arc::clone(&block));
                    }
                    its.store(NOTHING, Ordering::Relaxed);
                    // This may be the last handle to objects that the program gave the kernel.
                    if let Some(last) = Arc::into_inner(block) {
                        contained(|| drop(last));
                    }
                }
                // Under the lock, so that nobody who has not seen it sleeps afterwards.
                let left = pool.lock_left();
                its.store(OVER, Ordering::Relaxed);
                drop(left);
                pool.changed.notify_all();
            };
            // If a thread cannot be started, dropping `workers` ends those that were started.
            let thread = thread::Builder::new().name(format!("annulus-cpu-{index}")).spawn(run)?;
            workers.threads.push(Started { thread, runs });
        }
        Ok(workers)
    }

    pub(crate) fn pool(&self) -> &Arc<WorkerPool> {
        &self.pool
    }

    pub(crate) fn count(&self) -> usize {
        self.threads.len()
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.pool.schedule.end();
        // A task that a worker wakes may drop the last handle, and with it the runtime, on the worker itself.
        let me: ThreadId = thread::current().id();
        for worker in self.threads.drain(..).filter(|worker| worker.thread.thread().id() != me) {
            // The thread of one that is not over is left to itself; see the module.
            if self.pool.until_over(&worker) {
                // A worker does not panic: everything that it runs is caught.
                let _ = worker.thread.join();
            }
        }
    }
}
