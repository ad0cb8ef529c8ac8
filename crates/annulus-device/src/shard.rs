//! One block's words, as the host sees them.

use std::{mem::offset_of, ptr::NonNull};

use annulus_abi::{launch::BlockRecord, vitals::At};
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
    /// Likewise for its dead letters, if the launch keeps them.
    pub(crate) dead_letters: Option<Ring>,
    /// Likewise for its prints, if the kernel prints.
    pub(crate) prints: Option<Ring>,
    /// Likewise for its records, if messages carry traces.
    pub(crate) records: Option<Ring>,
    pub(crate) record: NonNull<BlockRecord>,
}

// SAFETY: the record lies in memory that `Running::_memory` keeps, and is reached through atomics only.
unsafe impl Send for DeviceShard {}
// SAFETY: as for `Send`.
unsafe impl Sync for DeviceShard {}

impl DeviceShard {
    /// One of the record's 32-bit words, by its offset.
    #[inline]
    pub(crate) fn word(&self, offset: usize) -> &AtomicU32 {
        let word = self.record.as_ptr().cast::<u8>().wrapping_add(offset).cast();
        // SAFETY: the offset is that of a `u32` of the record, whose memory outlives `self`; everybody
        // accesses the word atomically.
        unsafe { AtomicU32::from_ptr(word) }
    }

    /// What the block is at, as it says.
    pub(crate) fn at(&self) -> At {
        // A number for people: no word is ordered with another one.
        let word = |offset| self.long_word(offset).load(Ordering::Relaxed);
        At::of_words(word(offset_of!(BlockRecord, at)), word(offset_of!(BlockRecord, key)))
    }

    /// Whether a print waits to be shown, or a record to be read. Also true in the middle of a turn, when its ring's gauge does not
    /// show it yet.
    pub(crate) fn has_prints(&self) -> bool {
        [&self.prints, &self.records].into_iter().flatten().any(Ring::may_be_ready)
    }

    /// Likewise for its 64-bit words that are shared with the block.
    pub(crate) fn long_word(&self, offset: usize) -> &AtomicU64 {
        let word = self.record.as_ptr().cast::<u8>().wrapping_add(offset).cast();
        // SAFETY: as for `word`.
        unsafe { AtomicU64::from_ptr(word) }
    }

    /// Asks the block a new question; returns the question's number. Called only by the pump.
    pub(crate) fn ask(&self) -> u32 {
        let word = self.word(offset_of!(BlockRecord, question));
        let question = word.load(Ordering::Relaxed).wrapping_add(1);
        // Relaxed is enough: the block reports what it does about the question by its answer.
        word.store(question, Ordering::Relaxed);
        question
    }

    /// Whether the block has answered the last question.
    pub(crate) fn has_answered(&self) -> bool {
        let asked = self.word(offset_of!(BlockRecord, question)).load(Ordering::Relaxed);
        // SYNC: answer (acquire)
        self.word(offset_of!(BlockRecord, answer)).load(Ordering::Acquire) == asked
    }

    /// How many rounds have begun, as the block has seen it.
    pub(crate) fn rounds(&self) -> u64 {
        self.long_word(offset_of!(BlockRecord, rounds)).load(Ordering::Relaxed)
    }

    /// Whether the block waits for the next round: as of the last epoch's end, and until somebody's part of the round goes on.
    pub(crate) fn waits_for_round(&self) -> bool {
        // Only blocks of a launch in rounds write it.
        self.word(offset_of!(BlockRecord, round_waits)).load(Ordering::Relaxed) != 0
    }

    /// How many commands the block has acknowledged.
    pub(crate) fn obeyed(&self) -> u32 {
        // SYNC: obeyed (acquire)
        self.word(offset_of!(BlockRecord, obeyed)).load(Ordering::Acquire)
    }
}
