//! One block's words, as the host sees them.

use std::{mem::offset_of, ptr::NonNull};

use annulus_abi::launch::BlockRecord;
use annulus_ring::ring::Ring;
use annulus_runtime::ShardMemory;
use annulus_sync::{AtomicU32, AtomicU64, Ordering};

/// One block's words.
pub(crate) struct DeviceShard {
    pub(crate) memory: ShardMemory,
    /// For the gauges; the block is the consumer.
    pub(crate) inbound: Ring,
    /// For the gauges; the block is the producer.
    pub(crate) outbound: Ring,
    /// The same of its dead letters, if the launch keeps them.
    pub(crate) dead_letters: Option<Ring>,
    /// The same of its prints, if the kernel prints.
    pub(crate) prints: Option<Ring>,
    pub(crate) record: NonNull<BlockRecord>,
}

// SAFETY: the record lies in memory that `Running::_memory` keeps, and is reached through atomics only.
unsafe impl Send for DeviceShard {}
// SAFETY: as for `Send`.
unsafe impl Sync for DeviceShard {}

impl DeviceShard {
    /// The record's word at an offset: one of its 32-bit words.
    #[inline]
    pub(crate) fn word(&self, offset: usize) -> &AtomicU32 {
        let word = self.record.as_ptr().cast::<u8>().wrapping_add(offset).cast();
        // SAFETY: the offset is that of a `u32` of the record, whose memory outlives `self`; everybody
        // accesses the word atomically.
        unsafe { AtomicU32::from_ptr(word) }
    }

    /// Whether a print waits to be shown. In the middle of a turn, too: that is when its ring's gauge says
    /// nothing yet.
    pub(crate) fn has_prints(&self) -> bool {
        self.prints.as_ref().is_some_and(Ring::may_be_ready)
    }

    /// The same for its 64-bit words that are not the block's alone.
    pub(crate) fn long_word(&self, offset: usize) -> &AtomicU64 {
        let word = self.record.as_ptr().cast::<u8>().wrapping_add(offset).cast();
        // SAFETY: as for `word`.
        unsafe { AtomicU64::from_ptr(word) }
    }

    /// Asks the block something new, by the pump alone; gives the question's number.
    pub(crate) fn ask(&self) -> u32 {
        let word = self.word(offset_of!(BlockRecord, question));
        let question = word.load(Ordering::Relaxed).wrapping_add(1);
        // It orders nothing: what the block does about it, it says by its answer.
        word.store(question, Ordering::Relaxed);
        question
    }

    /// Whether the block has answered the last question.
    pub(crate) fn has_answered(&self) -> bool {
        let asked = self.word(offset_of!(BlockRecord, question)).load(Ordering::Relaxed);
        // SYNC: answer (acquire)
        self.word(offset_of!(BlockRecord, answer)).load(Ordering::Acquire) == asked
    }

    /// How many commands the block has acknowledged.
    pub(crate) fn obeyed(&self) -> u32 {
        // SYNC: obeyed (acquire)
        self.word(offset_of!(BlockRecord, obeyed)).load(Ordering::Acquire)
    }
}
