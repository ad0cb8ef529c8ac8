//! Counts of what happened to messages and batches, by cause.

/// Counts of what happened to all messages and batches of a [`Batcher`](super::Batcher).
///
/// `pushed = delivered + returned +` [`waiting`](Self::waiting).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BatchCounters {
    /// Messages that the batcher accepted.
    pub pushed: u64,
    /// Messages that the sink took.
    pub delivered: u64,
    /// Messages that came back from a push, because the batcher was closed or had no space.
    pub refused: u64,
    /// Messages that came back from a close, or were abandoned by a drop.
    pub returned: u64,
    /// Batches that were delivered because they were full. Each batch counts once, when its last message is
    /// taken.
    pub by_count: u64,
    /// Batches that were delivered because their first message had waited long enough.
    pub by_timer: u64,
    /// Batches that were delivered by a flush.
    pub by_flush: u64,
    /// Batches that were delivered by a close or a drop.
    pub by_close: u64,
    /// Deliveries in which the sink refused or panicked.
    pub failures: u64,
}

impl BatchCounters {
    /// How many messages the batcher held.
    ///
    /// ```
    /// # use annulus_queue::batching::{BatchOptions, Batcher};
    /// let batcher = Batcher::new(BatchOptions::new(), |_: &mut Vec<u32>| Err(()))?;
    /// let _ = batcher.push(1);
    /// assert_eq!(batcher.counters().waiting(), 1);
    /// # Ok::<(), annulus_queue::batching::StartError>(())
    /// ```
    pub fn waiting(&self) -> u64 {
        // Saturating, because a sink may put its own messages into a batch; the result must not be negative
        // then.
        self.pushed.saturating_sub(self.delivered + self.returned)
    }

    /// How many batches were delivered, for any cause.
    ///
    /// ```
    /// # use annulus_queue::batching::{BatchOptions, Batcher};
    /// let batcher = Batcher::new(BatchOptions::new().messages(1), |_: &mut Vec<u32>| Ok::<(), ()>(()))?;
    /// let _ = (batcher.push(1), batcher.push(2));
    /// assert_eq!(batcher.counters().batches(), 2);
    /// # Ok::<(), annulus_queue::batching::StartError>(())
    /// ```
    pub fn batches(&self) -> u64 {
        self.by_count + self.by_timer + self.by_flush + self.by_close
    }
}
