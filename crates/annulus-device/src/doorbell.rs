//! Sleeping until a host thread or a device has something new.
//!
//! One sleeper, the pump; any number of ringers. The sleeper says that it sleeps, fences, looks once more at
//! all that could be new, and sleeps on the word `rung` (`SYNC: doorbell`). A ringer makes something new,
//! fences, looks whether the pump sleeps, and if so stores `rung` and wakes it. One of the two fences comes
//! first: either the ringer sees the sleeper, or the sleeper sees what is new. `rung` is not changed by
//! read-modify-writes of two sides: ringers store 1, the sleeper stores 0 before it looks.
//!
//! There are two depths of sleep. From a light one devices wake it with all that is new, where they can ring;
//! from a deep one with dead letters and prints alone, and host threads at any time.

use std::{ptr::NonNull, sync::Arc, time::Duration};

use annulus_abi::launch::DoorbellRecord;
use annulus_sync::{AtomicU32, Ordering, fence};

use crate::memory::Memory;

/// The doorbell of one pump, in memory that devices see.
pub(crate) struct Doorbell {
    record: NonNull<DoorbellRecord>,
    memory: Arc<dyn Memory>,
    /// How the pump sleeps: [`AWAKE`], [`LIGHT`] or [`DEEP`].
    depth: AtomicU32,
    #[cfg(not(target_os = "linux"))]
    door: (std::sync::Mutex<()>, std::sync::Condvar),
}

const AWAKE: u32 = 0;
const LIGHT: u32 = 1;
const DEEP: u32 = 2;

// SAFETY: the record is reached through atomics only, and lives as long as the memory beside it.
unsafe impl Send for Doorbell {}
// SAFETY: as for `Send`.
unsafe impl Sync for Doorbell {}

impl Doorbell {
    /// A doorbell in zeroed shared memory of at least a record's length.
    pub(crate) fn new(memory: Arc<dyn Memory>) -> Self {
        let record = memory.host().expect("a doorbell is given memory that the host sees").cast();
        assert!(memory.bytes() >= size_of::<DoorbellRecord>(), "a doorbell's memory holds its record");
        Self {
            record,
            memory,
            depth: AtomicU32::new(AWAKE),
            #[cfg(not(target_os = "linux"))]
            door: Default::default(),
        }
    }

    /// What kernels take as an argument.
    pub(crate) fn memory(&self) -> &Arc<dyn Memory> {
        &self.memory
    }

    fn asleep(&self) -> &AtomicU32 {
        // SAFETY: the record lies in memory that outlives `self`, aligned to 128.
        let word = unsafe { &raw mut (*self.record.as_ptr()).asleep };
        // SAFETY: as above; everybody accesses the word atomically.
        unsafe { AtomicU32::from_ptr(word) }
    }

    fn rung(&self) -> &AtomicU32 {
        // SAFETY: as for `asleep`.
        let word = unsafe { &raw mut (*self.record.as_ptr()).rung };
        // SAFETY: as for `asleep`.
        unsafe { AtomicU32::from_ptr(word) }
    }

    /// After making something new: wakes the pump, however deep it sleeps.
    pub(crate) fn ring(&self) {
        // SYNC: doorbell
        fence(Ordering::SeqCst);
        if self.depth.load(Ordering::Relaxed) != AWAKE {
            self.wake();
        }
    }

    /// Before waiting for what a device will do: wakes the pump if it would not hear of that.
    #[inline]
    pub(crate) fn expect(&self) {
        // SYNC: doorbell, expected
        fence(Ordering::SeqCst);
        if self.depth.load(Ordering::Relaxed) == DEEP {
            self.wake();
        }
    }

    #[cold]
    fn wake(&self) {
        // SYNC: doorbell-rung (release)
        self.rung().store(1, Ordering::Release);
        #[cfg(target_os = "linux")]
        crate::futex::wake_one(self.rung());
        #[cfg(not(target_os = "linux"))]
        {
            drop(self.door.0.lock());
            self.door.1.notify_all();
        }
    }

    /// By the pump: sleeps for at most `limit`, unless `is_idle` says after all that something is new.
    pub(crate) fn sleep(&self, deep: bool, limit: Duration, is_idle: impl FnOnce() -> bool) {
        // Who reads a ring sees what it was rung for. SYNC: doorbell-rung (acquire)
        self.rung().swap(0, Ordering::AcqRel);
        // What a device makes of it: 1, it rings for all that is new; 2, for dead letters and prints alone.
        self.asleep().store(if deep { DEEP } else { LIGHT }, Ordering::Relaxed);
        self.depth.store(if deep { DEEP } else { LIGHT }, Ordering::Relaxed);
        // SYNC: doorbell
        fence(Ordering::SeqCst);
        if is_idle() {
            self.wait(limit);
        }
        self.depth.store(AWAKE, Ordering::Relaxed);
        self.asleep().store(0, Ordering::Relaxed);
    }

    #[cfg(target_os = "linux")]
    fn wait(&self, limit: Duration) {
        crate::futex::wait(self.rung(), 0, limit);
    }

    #[cfg(not(target_os = "linux"))]
    fn wait(&self, limit: Duration) {
        let door = self.door.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        // A ringer stores `rung` before it takes the lock.
        // SYNC: doorbell-rung (acquire)
        let _ = self.door.1.wait_timeout_while(door, limit, |()| self.rung().load(Ordering::Acquire) == 0);
    }
}
