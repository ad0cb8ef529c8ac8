//! Workers, and the queue of blocks that wait for one.

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle, ThreadId},
};

use annulus_queue::sync::{AtomicUsize, Ordering};

use crate::block::Block;

/// The queue of blocks that are awake and have no worker.
pub(crate) struct Pool {
    schedule: Mutex<Schedule>,
    /// Signalled when a block is queued and a worker sleeps, and at the end.
    work: Condvar,
    /// The queue's length, for running blocks that look whether others wait. Written under the lock.
    queued: AtomicUsize,
}

struct Schedule {
    blocks: VecDeque<Arc<Block>>,
    sleeping: usize,
    ending: bool,
}

/// The workers' threads; dropping it ends them after the queue has run empty.
pub(crate) struct Workers {
    pool: Arc<Pool>,
    threads: Vec<JoinHandle<()>>,
}

impl Pool {
    fn lock(&self) -> MutexGuard<'_, Schedule> {
        // Nothing under this lock panics half way.
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a block that is awake.
    pub(crate) fn push(&self, block: Arc<Block>) {
        let wake = {
            let mut schedule = self.lock();
            schedule.blocks.push_back(block);
            self.queued.store(schedule.blocks.len(), Ordering::Relaxed);
            schedule.sleeping != 0
        };
        if wake {
            self.work.notify_one();
        }
    }

    /// Whether other blocks wait for a worker. May be outdated when it returns.
    #[inline]
    pub(crate) fn others_wait(&self) -> bool {
        self.queued.load(Ordering::Relaxed) != 0
    }

    /// The next block, asleep until there is one; `None` at the end.
    fn next(&self) -> Option<Arc<Block>> {
        let mut schedule = self.lock();
        loop {
            if let Some(block) = schedule.blocks.pop_front() {
                self.queued.store(schedule.blocks.len(), Ordering::Relaxed);
                return Some(block);
            }
            if schedule.ending {
                return None;
            }
            schedule.sleeping += 1;
            schedule = self.work.wait(schedule).unwrap_or_else(PoisonError::into_inner);
            schedule.sleeping -= 1;
        }
    }
}

impl Workers {
    /// Starts `count` workers.
    pub(crate) fn start(count: usize) -> std::io::Result<Self> {
        let schedule = Schedule { blocks: VecDeque::new(), sleeping: 0, ending: false };
        let pool = Arc::new(Pool {
            schedule: Mutex::new(schedule),
            work: Condvar::new(),
            queued: AtomicUsize::new(0),
        });
        let mut workers = Self { pool, threads: Vec::with_capacity(count) };
        for index in 0..count {
            let pool = Arc::clone(&workers.pool);
            let run = move || {
                while let Some(block) = pool.next() {
                    // Handlers are caught where they are called; what is caught here is a waker of the program. The block had
                    // published its work by then, and goes on.
                    if catch_unwind(AssertUnwindSafe(|| block.run(&pool))).is_err() {
                        pool.push(block);
                    }
                }
            };
            // If one cannot be started, dropping `workers` ends those that were.
            workers.threads.push(thread::Builder::new().name(format!("annulus-cpu-{index}")).spawn(run)?);
        }
        Ok(workers)
    }

    pub(crate) fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    pub(crate) fn count(&self) -> usize {
        self.threads.len()
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.pool.lock().ending = true;
        self.pool.work.notify_all();
        // A task that a worker wakes may drop the last handle, and so the runtime, on the worker itself.
        let me: ThreadId = thread::current().id();
        for thread in self.threads.drain(..).filter(|thread| thread.thread().id() != me) {
            // A worker does not panic: everything that it runs is caught.
            let _ = thread.join();
        }
    }
}
