//! The pump's doorbell: its words lie in memory that devices see, and the pump sleeps on one of them.

use std::{ptr::NonNull, sync::Arc, time::Duration};

use annulus_abi::launch::DoorbellRecord;
use annulus_sync::{
    AtomicU32,
    doorbell::{Door, Doorbell},
};

use crate::memory::Memory;

/// The doorbell of one pump.
pub(crate) type PumpDoorbell = Doorbell<SharedDoor>;

/// A doorbell in zeroed shared memory of at least a record's length.
pub(crate) fn doorbell(memory: Arc<dyn Memory>) -> PumpDoorbell {
    let record = memory.host().expect("a doorbell is given memory that the host sees").cast();
    assert!(memory.bytes() >= size_of::<DoorbellRecord>(), "a doorbell's memory holds its record");
    Doorbell::new(SharedDoor {
        record,
        memory,
        #[cfg(not(target_os = "linux"))]
        door: Default::default(),
    })
}

/// A doorbell's words, in memory that devices see.
pub(crate) struct SharedDoor {
    record: NonNull<DoorbellRecord>,
    memory: Arc<dyn Memory>,
    #[cfg(not(target_os = "linux"))]
    door: (std::sync::Mutex<()>, std::sync::Condvar),
}

// SAFETY: the record is reached through atomics only, and lives as long as the memory beside it.
unsafe impl Send for SharedDoor {}
// SAFETY: as for `Send`.
unsafe impl Sync for SharedDoor {}

impl SharedDoor {
    /// The memory that kernels take as an argument.
    pub(crate) fn memory(&self) -> &Arc<dyn Memory> {
        &self.memory
    }
}

impl Door for SharedDoor {
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

    #[cfg(target_os = "linux")]
    fn wait(&self, limit: Duration) {
        crate::futex::wait(self.rung(), 0, limit);
    }

    #[cfg(target_os = "linux")]
    fn wake(&self) {
        crate::futex::wake_one(self.rung());
    }

    #[cfg(not(target_os = "linux"))]
    fn wait(&self, limit: Duration) {
        use std::sync::PoisonError;
        // SYNC: doorbell-rung (acquire)
        let rung = || self.rung().load(annulus_sync::Ordering::Acquire) != 0;
        let door = self.door.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A ringer stores `rung` before it takes the lock.
        let _ = self.door.1.wait_timeout_while(door, limit, |()| !rung());
    }

    #[cfg(not(target_os = "linux"))]
    fn wake(&self) {
        drop(self.door.0.lock());
        self.door.1.notify_all();
    }
}
