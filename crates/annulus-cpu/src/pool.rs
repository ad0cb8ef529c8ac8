//! Workers, and the queue of blocks that wait for one.
//!
//! A worker that delivers a message to a block that sleeps keeps that block for itself ([`Delivering`]), and
//! runs it as soon as the one that it runs has nothing to do: see [`schedule`](annulus_sync::schedule),
//! which says who hands a kept block over, and when. If that goes on with another message instead, the block
//! goes to the queue first ([`hand_over`]), so it waits for no handler while another worker is idle; and it
//! does before all other code of the program, which a worker calls within
//! [`contained`](annulus_sync::contain::contained).
//!
//! | word | meaning | written by |
//! |---|---|---|
//! | `LOOKING` | how many blocks of this process look busily, each on a worker's core | their workers |
//! | `WORKER.next` | the block that a worker keeps | that worker |

use std::{
    cell::{Cell, OnceCell},
    num::NonZeroUsize,
    sync::{Arc, OnceLock},
    thread::{self, JoinHandle, ThreadId},
};

use annulus_sync::{
    AtomicUsize, Ordering,
    contain::{call_before, contained},
    schedule::{Kept, Schedule},
};

use crate::block::Block;

/// The queue of blocks that are awake and have no worker.
pub(crate) struct WorkerPool(Schedule<Arc<Block>>);

/// The workers' threads; dropping it ends them after the queue has run empty.
pub(crate) struct Workers {
    pool: Arc<WorkerPool>,
    threads: Vec<JoinHandle<()>>,
}

/// What a worker's thread knows.
struct Worker {
    /// Its pool; none on other threads.
    pool: OnceCell<Arc<WorkerPool>>,
    /// Whether it is delivering a message right now.
    delivers: Cell<bool>,
    /// A block that is awake, which it runs next.
    next: Kept<Arc<Block>>,
}

thread_local! {
    static WORKER: Worker = const {
        Worker { pool: OnceCell::new(), delivers: Cell::new(false), next: Kept::new() }
    };
}

/// As long as it lives, this worker keeps the blocks that it wakes. Of the program's code only a message's
/// key is asked for meanwhile.
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

/// Queues the block that this worker keeps, if it does: it is going to be busy.
#[inline]
pub(crate) fn hand_over() {
    WORKER.with(|worker| {
        if let Some(pool) = worker.pool.get() {
            worker.next.hand_over(&pool.0);
        }
    });
}

/// How many blocks look busily for something to do.
static LOOKING: AtomicUsize = AtomicUsize::new(0);

/// A block that looks busily, as long as it lives.
pub(crate) struct Looking;

impl Looking {
    pub(crate) fn new() -> Self {
        LOOKING.fetch_add(1, Ordering::Relaxed);
        Self
    }

    /// Whether so many look that they leave no core to whoever they wait for.
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
    /// [`push`](Self::push), or keeps the block if this is a worker that delivers a message to it.
    #[inline]
    pub(crate) fn push_or_keep(&self, block: Arc<Block>) {
        let is_own = |pool: &Arc<WorkerPool>| std::ptr::eq(&raw const **pool, self);
        let delivers = |worker: &Worker| worker.delivers.get() && worker.pool.get().is_some_and(is_own);
        // A thread of the program may send while its locals are being destroyed.
        if !WORKER.try_with(delivers).unwrap_or(false) {
            return self.push(block);
        }
        WORKER.with(|worker| worker.next.keep(block, &self.0));
    }

    /// Queues a block that is awake.
    pub(crate) fn push(&self, block: Arc<Block>) {
        self.0.push(block);
    }

    /// Whether other blocks wait for a worker. May be outdated when it returns.
    #[inline]
    pub(crate) fn others_wait(&self) -> bool {
        self.0.others_wait()
    }

    /// The next block for this worker, asleep until there is one; `None` at the end.
    fn next_for_this_worker(&self) -> Option<Arc<Block>> {
        WORKER.with(|worker| self.0.next(&worker.next))
    }
}

impl Workers {
    /// Starts `count` workers.
    pub(crate) fn start(count: usize) -> std::io::Result<Self> {
        let pool = Arc::new(WorkerPool(Schedule::new()));
        let mut workers = Self { pool, threads: Vec::with_capacity(count) };
        for index in 0..count {
            let pool = Arc::clone(&workers.pool);
            let run = move || {
                let set = WORKER.with(|worker| worker.pool.set(Arc::clone(&pool)));
                assert!(set.is_ok(), "a worker has one pool");
                call_before(hand_over);
                while let Some(block) = pool.next_for_this_worker() {
                    // Handlers and wakers are caught where they are called; what is caught here is anything
                    // else of the program's. The block had published its work by then, and goes on.
                    if contained(|| block.run(&pool)).is_none() {
                        pool.push(Arc::clone(&block));
                    }
                    // It may be the last to hold what the program gave the kernel.
                    if let Some(last) = Arc::into_inner(block) {
                        contained(|| drop(last));
                    }
                }
            };
            // If one cannot be started, dropping `workers` ends those that were.
            workers.threads.push(thread::Builder::new().name(format!("annulus-cpu-{index}")).spawn(run)?);
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
        self.pool.0.end();
        // A task that a worker wakes may drop the last handle, and so the runtime, on the worker itself.
        let me: ThreadId = thread::current().id();
        for thread in self.threads.drain(..).filter(|thread| thread.thread().id() != me) {
            // A worker does not panic: everything that it runs is caught.
            let _ = thread.join();
        }
    }
}
