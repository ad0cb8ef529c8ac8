//! The trace of a message: what one message, and all that handlers send because of it, went through.
//!
//! A message of a kernel that was launched for it carries one word. The word is 0 for a message that is not followed. Else
//! its high half is the number of the *trace*, which the host gave it and which is never 0, and its low half is the
//! number of the *span* that sent the message: 0 if that was the host, else that of a handler's call. So a word names one
//! span, and the one that it comes of.
//!
//! A block that has called the handler of such a message gives the call a span of its own ([`span`]), which its outputs
//! carry, and writes a [`Record`] into the shard's ring of records. If the ring is full, the record is lost, and counted
//! in [`RingHeader::lost`](crate::ring::RingHeader::lost).

use core::mem::offset_of;

/// Slots of a shard's ring of records. Source: this project's choice; 64 KB.
pub const RECORDS: u32 = 1024;

/// What a block has done with a message that carried a trace. Times are nanoseconds on the runtime's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Record {
    /// The message's word.
    pub word: u64,
    /// The span of the handler's call.
    pub span: u32,
    /// 0, or the handler's code, or one of [`error`](crate::error).
    pub code: u32,
    /// When the message was sent; of a timer, when it was due.
    pub enqueued: u64,
    /// When its handler was called.
    pub taken: u64,
    /// When it had returned.
    pub done: u64,
    /// Outputs of the handler, with a reply.
    pub sent: u32,
    /// How many messages were handled between `taken` and `done`: more than one if threads of the block handled them
    /// together.
    pub together: u32,
}

/// Words of a record.
pub const RECORD_WORDS: usize = size_of::<Record>() / 8;

impl Record {
    /// The record of these words.
    pub const fn from_words(words: [u64; RECORD_WORDS]) -> Self {
        let [word, span, enqueued, taken, done, sent] = words;
        Self {
            word,
            span: span as u32,
            code: (span >> 32) as u32,
            enqueued,
            taken,
            done,
            sent: sent as u32,
            together: (sent >> 32) as u32,
        }
    }

    /// Its words.
    pub const fn words(&self) -> [u64; RECORD_WORDS] {
        [
            self.word,
            (self.code as u64) << 32 | self.span as u64,
            self.enqueued,
            self.taken,
            self.done,
            (self.together as u64) << 32 | self.sent as u64,
        ]
    }
}

/// The word of a message that the span with this number sent, in the trace of another word.
#[inline]
pub const fn word_of(word: u64, span: u32) -> u64 {
    word & 0xFFFF_FFFF_0000_0000 | span as u64
}

/// The number of a trace.
#[inline]
pub const fn trace_of(word: u64) -> u32 {
    (word >> 32) as u32
}

/// Another number for each number, but for 0, which no span has: by Murmur's finalizer. Numbers that differ little become
/// numbers that differ much.
pub const fn mixed(number: u64) -> u64 {
    let number = (number ^ number >> 33).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    let number = (number ^ number >> 33).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    let number = number ^ number >> 33;
    if number == 0 { 1 } else { number }
}

/// The number of the span that a block gives to a call of its handler: of the message with this number among those that
/// carried a trace. `seed` differs between kernels. Spans of one trace that come of different blocks are equal with a
/// probability of 2⁻³². Never 0.
#[inline]
pub const fn span(seed: u32, block: u32, number: u32) -> u32 {
    let span = seed.wrapping_add(block.wrapping_mul(0x9E37_79B1)).wrapping_add(number);
    if span == 0 { 1 } else { span }
}

const _: () = {
    assert!(size_of::<Record>() == 48);
    assert!(offset_of!(Record, span) == 8);
    assert!(offset_of!(Record, code) == 12);
    assert!(offset_of!(Record, enqueued) == 16);
    assert!(offset_of!(Record, taken) == 24);
    assert!(offset_of!(Record, done) == 32);
    assert!(offset_of!(Record, sent) == 40);
    assert!(offset_of!(Record, together) == 44);
};
