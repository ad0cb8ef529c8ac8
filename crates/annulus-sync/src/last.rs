//! Which of several that end is the last, and does what remains to be done.
//!
//! Each says in a word of its own that it has ended, fences, and looks at the words of all. Whose fence is
//! the last sees all of them (`SYNC: last-shard`). Several may; then a swap decides. The words are stored
//! with release and loaded with acquire, so whoever is the last sees what the others have done.

use crate::{AtomicBool, Ordering, fence};

/// Whether the last has come; see the module.
#[derive(Debug)]
pub struct Last {
    came: AtomicBool,
}

impl Last {
    /// Not yet.
    pub fn new() -> Self {
        Self { came: AtomicBool::new(false) }
    }

    /// After saying that one of them has ended: whether the caller does what remains. To one of them this
    /// says so, once. `have_all_ended` looks at the words with acquire.
    #[must_use = "nobody else does what remains"]
    pub fn is_last(&self, have_all_ended: impl FnOnce() -> bool) -> bool {
        // SYNC: last-shard (both ends)
        fence(Ordering::SeqCst);
        // SYNC: last-came (release)
        have_all_ended() && !self.came.swap(true, Ordering::AcqRel)
    }

    /// Whether somebody was the last: what remains is being done, or was.
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
