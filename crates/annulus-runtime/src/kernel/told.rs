//! Which events of a kernel's life were told.

use annulus_sync::{AtomicU32, Ordering};

/// What was told of a kernel, so that it is told once.
#[derive(Default)]
pub(crate) struct Told(AtomicU32);

/// The launch was told of.
pub(crate) const LAUNCHED: u32 = 1;
/// Every block has answered.
pub(crate) const ANSWERED: u32 = 2;
pub(crate) const DRAINED: u32 = 4;
pub(crate) const LOST: u32 = 8;

impl Told {
    /// What had been told before this.
    pub(crate) fn add(&self, what: u32) -> u32 {
        // SYNC: told (release)
        self.0.fetch_or(what, Ordering::AcqRel)
    }

    pub(crate) fn has(&self, what: u32) -> bool {
        // SYNC: told (acquire)
        self.0.load(Ordering::Acquire) & what != 0
    }
}
