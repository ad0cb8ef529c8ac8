//! What bridges count.

use std::sync::PoisonError;

use annulus_sync::{Arc, Mutex};

/// Counts of what a bridge moved. Every figure only grows.
///
/// At rest, `taken = moved + drops.total()`, with the messages that a failed `run` handed back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BridgeCounters {
    /// Messages that were taken from the queue, or found in frames; valid or not.
    pub taken: u64,
    /// Messages that arrived: written and flushed, or queued.
    pub moved: u64,
    /// Messages that did not arrive, by cause.
    pub drops: BridgeDrops,
    /// Bytes of payloads, before compression.
    pub plain_bytes: u64,
    /// Bytes of the stream.
    pub bytes: u64,
    /// Batches that were full, or frames that were read.
    pub by_count: u64,
    /// Batches whose first message had waited for the delay.
    pub by_timer: u64,
    /// Batches that were written because the queue was closed.
    pub by_close: u64,
    /// Frames that were refused whole. How many messages they had is not known.
    pub refused_frames: u64,
}

/// Counts of messages that a bridge dropped, by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BridgeDrops {
    /// They had no payload: too large.
    pub encode: u64,
    /// Their bytes were no message of the type.
    pub decode: u64,
    /// The queue was full, under `DropNew` or `Reject`.
    pub full: u64,
    /// The queue recognised them as duplicates.
    pub duplicate: u64,
    /// They were larger than the queue's limit.
    pub too_large: u64,
}

impl BridgeDrops {
    /// How many there were.
    ///
    /// ```
    /// assert_eq!(annulus_queue::bridge::BridgeDrops::default().total(), 0);
    /// ```
    pub fn total(&self) -> u64 {
        self.encode + self.decode + self.full + self.duplicate + self.too_large
    }
}

impl BridgeCounters {
    /// How many batches or frames there were, for any cause.
    ///
    /// ```
    /// assert_eq!(annulus_queue::bridge::BridgeCounters::default().batches(), 0);
    /// ```
    pub fn batches(&self) -> u64 {
        self.by_count + self.by_timer + self.by_close
    }
}

/// The counts of a bridge, for other threads to read while it runs. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct BridgeStatistics(Arc<Mutex<BridgeCounters>>);

impl BridgeStatistics {
    /// The counts as they are now. All figures belong to one moment.
    ///
    /// ```
    /// assert_eq!(annulus_queue::bridge::BridgeStatistics::default().counters().moved, 0);
    /// ```
    pub fn counters(&self) -> BridgeCounters {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn count(&self, change: impl FnOnce(&mut BridgeCounters)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
