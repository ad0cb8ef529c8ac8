//! The 64-byte telemetry block of a running kernel.
//!
//! One block per shard. The shard's kernel is its only writer; the host copies it out word by word at any
//! time. A copy is consistent when [`Telemetry::checksum`] of its first 60 bytes equals its last four. So
//! words may be stored in any order, without fences. A reader that sees a mixture of two states tries again.

use core::mem::offset_of;

/// A shard's counters, as they lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Telemetry {
    /// Messages whose handler succeeded.
    pub messages_processed: u64,
    /// Messages that the kernel took and dropped: failed handlers, unknown actors.
    pub messages_dropped: u64,
    /// Nanoseconds on the runtime's clock at which the last message was processed; 0 before the first.
    pub last_processed_timestamp: i64,
    /// Messages that waited in the shard's inbound rings when the block was last written: a gauge, never
    /// negative.
    pub queue_depth: i32,
    /// Processed messages whose latency was not measured, because telemetry was off or messages carry no
    /// time. The count saturates. In the specification these bytes are padding.
    pub unmeasured: u32,
    /// Sum of the latencies, in nanoseconds. A latency lasts from the enqueue time to the end of the last
    /// handler in the message's turn.
    pub total_latency_nanos: u64,
    /// The largest of them; 0 before the first.
    pub max_latency_nanos: u64,
    /// The smallest of them; `u64::MAX` before the first.
    pub min_latency_nanos: u64,
    /// The last error code, 0 for none; see [`error`](crate::error).
    pub error_code: u16,
    /// The reset epoch that the counters belong to. The host's command word names the current one.
    pub epoch: u16,
    /// [`checksum`](Self::checksum) of all bytes before it.
    pub check: u32,
}

/// A telemetry block as eight words. It is stored and loaded in this form.
pub type TelemetryWords = [u64; 8];

impl Telemetry {
    /// A block in which nothing has happened since `epoch` began.
    pub const fn new(epoch: u16) -> Self {
        Self {
            messages_processed: 0,
            messages_dropped: 0,
            last_processed_timestamp: 0,
            queue_depth: 0,
            unmeasured: 0,
            total_latency_nanos: 0,
            max_latency_nanos: 0,
            min_latency_nanos: u64::MAX,
            error_code: 0,
            epoch,
            check: 0,
        }
    }

    /// The eight words to store, including the check.
    #[inline]
    pub const fn to_words(&self) -> TelemetryWords {
        let mut words = [
            self.messages_processed,
            self.messages_dropped,
            self.last_processed_timestamp as u64,
            self.queue_depth as u32 as u64 | (self.unmeasured as u64) << 32,
            self.total_latency_nanos,
            self.max_latency_nanos,
            self.min_latency_nanos,
            self.error_code as u64 | (self.epoch as u64) << 16,
        ];
        words[7] |= (Self::checksum(&words) as u64) << 32;
        words
    }

    /// The block that these words hold, or `None` if they are a mixture of two states.
    #[inline]
    pub const fn from_words(words: &TelemetryWords) -> Option<Self> {
        let check = (words[7] >> 32) as u32;
        if Self::checksum(words) != check {
            return None;
        }
        Some(Self {
            messages_processed: words[0],
            messages_dropped: words[1],
            last_processed_timestamp: words[2] as i64,
            queue_depth: words[3] as u32 as i32,
            unmeasured: (words[3] >> 32) as u32,
            total_latency_nanos: words[4],
            max_latency_nanos: words[5],
            min_latency_nanos: words[6],
            error_code: words[7] as u16,
            epoch: (words[7] >> 16) as u16,
            check,
        })
    }

    /// Adds the line of another shard: counts are added up, the gauge as well, and times are the outermost ones.
    /// Counts of another epoch are left out: that shard has not seen the reset yet.
    ///
    /// ```
    /// use annulus_abi::telemetry::Telemetry;
    /// let line = Telemetry { messages_processed: 3, queue_depth: 2, ..Telemetry::new(1) };
    /// let mut sum = Telemetry::new(1);
    /// sum.add(&line);
    /// sum.add(&Telemetry { epoch: 0, ..line });
    /// assert_eq!((sum.messages_processed, sum.queue_depth), (3, 4));
    /// ```
    #[inline]
    pub fn add(&mut self, shard: &Self) {
        self.queue_depth = self.queue_depth.saturating_add(shard.queue_depth);
        if shard.epoch != self.epoch {
            return;
        }
        // The numbers of a file may be anything.
        self.messages_processed = self.messages_processed.saturating_add(shard.messages_processed);
        self.messages_dropped = self.messages_dropped.saturating_add(shard.messages_dropped);
        self.unmeasured = self.unmeasured.saturating_add(shard.unmeasured);
        self.last_processed_timestamp = self.last_processed_timestamp.max(shard.last_processed_timestamp);
        self.total_latency_nanos = self.total_latency_nanos.saturating_add(shard.total_latency_nanos);
        self.max_latency_nanos = self.max_latency_nanos.max(shard.max_latency_nanos);
        self.min_latency_nanos = self.min_latency_nanos.min(shard.min_latency_nanos);
        if shard.error_code != 0 {
            self.error_code = shard.error_code;
        }
    }

    /// The check of the first 60 bytes.
    ///
    /// Each word is multiplied by its own odd constant, so any mixture of two states changes the upper half
    /// of the sum. The multiplications are independent of each other. A torn copy passes with a probability
    /// of about 2⁻³².
    #[inline]
    pub const fn checksum(words: &TelemetryWords) -> u32 {
        let mut sum = words[7] as u32 as u64;
        sum = sum.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut i = 0;
        while i < 7 {
            sum = sum.wrapping_add(words[i].wrapping_mul(FACTORS[i]));
            i += 1;
        }
        (sum >> 32) as u32 ^ sum as u32
    }
}

/// Odd constants with well-mixed bits, from the xxHash and PCG families.
const FACTORS: [u64; 7] = [
    0x9E37_79B1_85EB_CA87,
    0xC2B2_AE3D_27D4_EB4F,
    0x1656_67B1_9E37_79F9,
    0x85EB_CA77_C2B2_AE63,
    0x27D4_EB2F_1656_67C5,
    0x5851_F42D_4C95_7F2D,
    0xD6E8_FEB8_6659_FD93,
];

// The offsets of the specification. Other programs read the fields by these numbers.
const _: () = {
    assert!(size_of::<Telemetry>() == 64);
    assert!(align_of::<Telemetry>() == 64);
    assert!(offset_of!(Telemetry, messages_processed) == 0);
    assert!(offset_of!(Telemetry, messages_dropped) == 8);
    assert!(offset_of!(Telemetry, last_processed_timestamp) == 16);
    assert!(offset_of!(Telemetry, queue_depth) == 24);
    assert!(offset_of!(Telemetry, total_latency_nanos) == 32);
    assert!(offset_of!(Telemetry, max_latency_nanos) == 40);
    assert!(offset_of!(Telemetry, min_latency_nanos) == 48);
    assert!(offset_of!(Telemetry, error_code) == 56);
    assert!(offset_of!(Telemetry, epoch) == 58);
    assert!(offset_of!(Telemetry, check) == 60);
};
