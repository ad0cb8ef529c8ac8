//! Finds the last of several participants that end; it does what remains to be done.
//!
//! Each participant stores in its own word that it has ended, fences, and
//! looks at the words of all. The one whose fence is
//! the last sees all of them (`SYNC: last-shard`). Several may; then a swap decides. The words are stored
//! with release and loaded with acquire, so whoever is the last sees what the others have done.

use crate::{AtomicBool, Ordering, fence};

/// Whether the last participant has come; see the module.
#[derive(Debug)]
pub struct Last {
    came: AtomicBool,
}

impl Last {
    /// The last participant has not come yet.
    pub fn new() -> Self {
        Self { came: AtomicBool::new(false) }
    }

    /// Called after a participant has stored that it ended. Returns whether the caller does what remains:
    /// true for exactly one call. `have_all_ended` loads the words with acquire.
    #[must_use = "nobody else does what remains"]
    pub fn is_last(&self, have_all_ended: impl FnOnce() -> bool) -> bool {
        // SYNC: last-shard (both ends)
        fence(Ordering::SeqCst);
        // SYNC: last-came (release)
        have_all_ended() && !self.came.swap(true, Ordering::AcqRel)
    }

    /// Whether the last participant has come: what remains is being done, or is done.
    #[inline]
    pub fn has_come(&self) -> bool {
        // SYNC: last-came (acquire)
        self.came.load(Ordering::Acquire)
    }
}

impl Default for Last {
    fn default() -> Self {
        Self::new()
    }
}
