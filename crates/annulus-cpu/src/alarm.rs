//! Wakes a block that sleeps when its first timer is due.
//!
//! | word | meaning | written by |
//! |---|---|---|
//! | `armed` | a due time for which the monitor will call; 0 for none | the block's worker, before it arms; the monitor, before it wakes the block |
//!
//! A worker that has parked the block arms the monitor for the first timer, unless the monitor is armed for that time
//! or an earlier one. The monitor's call takes the word back and then wakes the block, which arms it anew when it
//! parks. No timer is missed: the worker parks the block, fences (in `WakeFlag::park`) and loads the word; the monitor
//! stores 0, fences (in `WakeFlag::wake`) and looks whether the block is parked. One of the two fences comes first, so
//! the worker sees 0 and arms, or the monitor sees the block parked and wakes it (SYNC: wake-flag). A call that comes
//! too early, for a time that is not the first any more, only makes the block look once. `annulus-sync/tests/loom/alarm.rs` models
//! this.
//!
//! A clock that is moved by hand calls from the thread that moves it. The worker looks at it once more after it has armed:
//! it may have been moved before, and then nobody calls.

use std::{
    fmt,
    sync::{Arc, OnceLock, Weak},
    time::Instant,
};

use annulus_block::RuntimeClock;
use annulus_queue::monitor::Due;
use annulus_runtime::BackendError;
use annulus_sync::{AtomicU64, Ordering};

use crate::{block::Block, pool::WorkerPool, step::Party};

/// The alarm of a block; see the module.
pub(crate) struct Alarm {
    clock: RuntimeClock,
    pool: Weak<WorkerPool>,
    /// Set before the block runs.
    block: OnceLock<Weak<Block>>,
    armed: AtomicU64,
}

impl Alarm {
    /// An alarm that is not armed. Starts the monitor, if the clock needs one.
    pub(crate) fn new(clock: RuntimeClock, pool: &Arc<WorkerPool>) -> Result<Self, BackendError> {
        clock.call_what_is_due().map_err(|error| {
            let message =
                format!("the thread for timers cannot be started: {error}; end other threads first");
            BackendError::new(message).caused_by(error)
        })?;
        let pool = Arc::downgrade(pool);
        Ok(Self { clock, pool, block: OnceLock::new(), armed: AtomicU64::new(0) })
    }

    /// Says which block it wakes, once.
    pub(crate) fn set_block(&self, block: &Arc<Block>) {
        assert!(self.block.set(Arc::downgrade(block)).is_ok(), "a block has one alarm");
    }

    /// By the worker that has parked the block, whose first timer is due at `due`. Returns whether it is due already, and
    /// perhaps nobody will call.
    pub(crate) fn arm(self: &Arc<Self>, due: u64) -> bool {
        let armed = self.armed.load(Ordering::Relaxed);
        if armed != 0 && armed <= due {
            return false;
        }
        // A time that no clock shows never comes.
        let Some(at) = self.clock.instant(due) else { return false };
        self.armed.store(due, Ordering::Relaxed);
        let target: Weak<dyn Due> = Arc::downgrade(self) as _;
        let is_due = self.clock.arm(at, target);
        if is_due {
            // Otherwise the word would stand for a call that has been made, or never comes.
            self.armed.store(0, Ordering::Relaxed);
        }
        is_due
    }
}

impl Due for Alarm {
    fn fire(&self, _: Instant, _: Instant) -> Option<Instant> {
        self.armed.store(0, Ordering::Relaxed);
        let (Some(pool), Some(block)) = (self.pool.upgrade(), self.block.get().and_then(Weak::upgrade))
        else {
            return None;
        };
        if block.wake() {
            pool.push(block);
        }
        None
    }
}

impl fmt::Debug for Alarm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Alarm").field("armed", &self.armed.load(Ordering::Relaxed)).finish_non_exhaustive()
    }
}
