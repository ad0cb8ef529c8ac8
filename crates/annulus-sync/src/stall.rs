//! Waiting for room, announced in a word that both sides see.
//!
//! A block that finds no room stores that in the word, fences, and tries once more.
//! It goes to sleep only if there is still no room. A thread that makes room
//! fences, and looks at the word. If it says that the block waits, the thread
//! wakes it. One of the two fences comes first (`SYNC: stalled`): either the block finds the room, or it is
//! seen to wait.
//!
//! The word says what it waits for, by a number that is not 0. The block alone writes it.

use crate::{AtomicU32, Ordering, fence};

/// Called by a block that has found no room: announces that it waits. The block must try once more, and [take
/// that back](take_back) if there is room after all.
pub fn say(word: &AtomicU32, by: u32) {
    word.store(by, Ordering::Relaxed);
    // SYNC: stalled
    fence(Ordering::SeqCst);
}

/// Called by the block when it waits no more.
pub fn take_back(word: &AtomicU32) {
    word.store(0, Ordering::Relaxed);
}

/// Called after making room. Returns whether the block waits and must be woken.
pub fn is_said(word: &AtomicU32) -> bool {
    // SYNC: stalled
    fence(Ordering::SeqCst);
    is_said_behind_fence(word)
}

/// [`is_said`], where a SeqCst fence stands between making room and this in any case (`SYNC: stalled`).
#[inline]
pub fn is_said_behind_fence(word: &AtomicU32) -> bool {
    word.load(Ordering::Relaxed) != 0
}
