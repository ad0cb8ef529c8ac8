//! Places for the groups of kernels that stay on a device. A group without a place would never start, and whoever waits for it would
//! wait for ever; so places are counted, and a kernel that finds too few is refused.

use std::{
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::{Duration, Instant},
};

/// The places of one device.
#[derive(Debug)]
pub(crate) struct Residency {
    limit: u32,
    taken: Mutex<Taken>,
    freed: Condvar,
}

#[derive(Debug, Default)]
struct Taken {
    groups: u32,
    /// Of these, groups of kernels that have been told to end.
    leaving: u32,
}

/// Places that a kernel holds until it has left the device.
#[derive(Debug)]
pub(crate) struct Places {
    residency: Arc<Residency>,
    groups: u32,
    leaving: bool,
}

/// How long a launch waits for kernels that are about to leave.
const PATIENCE: Duration = Duration::from_secs(5);

impl Residency {
    pub(crate) fn new(limit: u32) -> Self {
        Self { limit, taken: Mutex::default(), freed: Condvar::new() }
    }

    /// How many groups can be resident.
    pub(crate) fn limit(&self) -> u32 {
        self.limit
    }

    /// Takes places, waiting for those of kernels that are leaving; else says how many are free.
    pub(crate) fn take(self: &Arc<Self>, groups: u32) -> Result<Places, u32> {
        let deadline = Instant::now() + PATIENCE;
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let free = self.limit - taken.groups;
            if groups <= free {
                taken.groups += groups;
                return Ok(Places { residency: Arc::clone(self), groups, leaving: false });
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if groups > free + taken.leaving || left.is_zero() {
                return Err(free);
            }
            taken = self.freed.wait_timeout(taken, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Places {
    /// The kernel has been told to end.
    pub(crate) fn leaving(&mut self) {
        if !std::mem::replace(&mut self.leaving, true) {
            self.residency.taken.lock().unwrap_or_else(PoisonError::into_inner).leaving += self.groups;
            self.residency.freed.notify_all();
        }
    }
}

impl Drop for Places {
    fn drop(&mut self) {
        let mut taken = self.residency.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.groups -= self.groups;
        if self.leaving {
            taken.leaving -= self.groups;
        }
        self.residency.freed.notify_all();
    }
}
