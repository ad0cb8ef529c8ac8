//! The times of the readings that an alert may still come back for.
//!
//! The kernel is sent no times, only readings; an alert names its reading by its place in the sequence.
//! Shards run in parallel, so a count of processed readings does not tell *which* are done: one may lag
//! behind any number of others. The batches are therefore kept until the engine has been drained, which the
//! pipeline does whenever this log is full.

use std::collections::VecDeque;
use std::sync::Arc;

use super::batch::Batch;

/// Batches that were sent, by the sequence of their first readings.
pub(crate) struct InFlight {
    batches: VecDeque<(u64, Arc<Batch>)>,
    bytes: usize,
    /// The log is full beyond this many bytes.
    limit: usize,
}

impl InFlight {
    /// Keeps about `limit` bytes of batches.
    pub(crate) fn new(limit: usize) -> Self {
        Self { batches: VecDeque::new(), bytes: 0, limit }
    }

    /// Keeps a batch whose first reading is number `first` of the sequence; batches come in the order of the
    /// sequence.
    pub(crate) fn push(&mut self, first: u64, batch: Arc<Batch>) {
        self.bytes += batch.bytes();
        self.batches.push_back((first, batch));
    }

    /// The time of reading number `sequence`; `None` where no such reading is kept.
    pub(crate) fn time(&self, sequence: u64) -> Option<&str> {
        let next = self.batches.partition_point(|&(first, _)| first <= sequence);
        let (first, batch) = self.batches.get(next.checked_sub(1)?)?;
        batch.time(usize::try_from(sequence - first).ok()?)
    }

    /// Whether the engine is to be drained before more is sent.
    pub(crate) fn is_full(&self) -> bool {
        self.bytes > self.limit
    }

    /// Forgets all; for when no alert can come back any more.
    pub(crate) fn clear(&mut self) {
        self.batches.clear();
        self.bytes = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::engine::Reading;

    fn batch(times: &[&str]) -> Arc<Batch> {
        let mut batch = Batch::default();
        for time in times {
            batch.push(time, Reading { series: 0, value: 0.0 });
        }
        Arc::new(batch)
    }

    #[test]
    fn times_are_found_by_sequence_across_batches() {
        let mut log = InFlight::new(1 << 20);
        log.push(10, batch(&["a", "b"]));
        log.push(12, batch(&["c"]));
        let found: Vec<_> = (9..14).map(|sequence| log.time(sequence)).collect();
        assert_eq!(found, [None, Some("a"), Some("b"), Some("c"), None]);
        log.clear();
        assert_eq!(log.time(10), None);
    }

    #[test]
    fn it_fills_up_and_is_empty_when_cleared() {
        let mut log = InFlight::new(1000);
        let mut pushed = 0;
        while !log.is_full() {
            log.push(pushed, batch(&["2013-01-01"]));
            pushed += 1;
        }
        assert!((2..=1000).contains(&pushed), "{pushed}");
        log.clear();
        assert!(!log.is_full());
    }
}
