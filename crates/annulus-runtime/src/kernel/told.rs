//! Which lifecycle events of a kernel were reported.

use annulus_sync::{AtomicU32, Ordering};

/// What was reported of a kernel, so that it is reported only once.
#[derive(Default)]
pub(crate) struct Told(AtomicU32);

/// The launch was reported.
pub(crate) const LAUNCHED: u32 = 1;
/// Every block has answered.
pub(crate) const ANSWERED: u32 = 2;
pub(crate) const DRAINED: u32 = 4;
pub(crate) const LOST: u32 = 8;
/// It had been told to terminate before it was lost.
pub(crate) const ASKED_BEFORE: u32 = 32;
/// Somebody shuts it down.
pub(crate) const SHUTS_DOWN: u32 = 64;
/// It did not end when it was told to, and another one has its name.
pub(crate) const LEFT_BEHIND: u32 = 128;
/// Its body has ended it.
pub(crate) const BY_ITSELF: u32 = 16;

impl Told {
    /// Adds `what`; returns what had been reported before.
    pub(crate) fn add(&self, what: u32) -> u32 {
        // SYNC: told (release)
        self.0.fetch_or(what, Ordering::AcqRel)
    }

    pub(crate) fn has(&self, what: u32) -> bool {
        // SYNC: told (acquire)
        self.0.load(Ordering::Acquire) & what != 0
    }
}
