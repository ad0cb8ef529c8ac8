//! What a turn adds up.

/// One turn's messages.
pub(crate) struct TurnTotals {
    /// Of the ring.
    pub(crate) consumed: u32,
    /// Of the timers.
    pub(crate) due: u32,
    pub(crate) produced: u32,
    /// Whether handlers have sent to a connected kernel.
    pub(crate) forwarded: bool,
    /// Whether handlers have sent replies.
    pub(crate) replied: bool,
    pub(crate) processed: u32,
    pub(crate) dropped: u32,
    pub(crate) dead_letters: u32,
    /// Whether records were written.
    pub(crate) recorded: bool,
    pub(crate) error: u16,
    /// The earliest and latest of the enqueue times of processed messages, and their sum, which may have
    /// overflowed.
    pub(crate) earliest: u64,
    pub(crate) latest: u64,
    pub(crate) sum: u64,
}

impl Default for TurnTotals {
    fn default() -> Self {
        Self {
            consumed: 0,
            due: 0,
            produced: 0,
            forwarded: false,
            replied: false,
            processed: 0,
            dropped: 0,
            dead_letters: 0,
            recorded: false,
            error: 0,
            earliest: u64::MAX,
            latest: 0,
            sum: 0,
        }
    }
}
