//! The block's line of telemetry, and latencies.

use annulus_abi::histogram;
use annulus_sync::Ordering;

use crate::{
    publish::add,
    runner::Runner,
    turn::{BlockCore, TurnTotals},
};

impl<R: Runner> BlockCore<R> {
    // TWIN: depth
    pub(crate) fn depth(&self) -> u64 {
        self.inbound.ring().reserved() - self.inbound.position()
    }

    // TWIN: note_success
    #[inline]
    pub(crate) fn note_success(&mut self, enqueued: u64, batch: &mut TurnTotals) {
        batch.processed += 1;
        if let Some(times) = &mut self.enqueued {
            times.push(enqueued);
        }
        if self.measures {
            batch.earliest = batch.earliest.min(enqueued);
            batch.latest = batch.latest.max(enqueued);
            batch.sum = batch.sum.wrapping_add(enqueued);
        }
    }

    /// Counts the latencies of a turn's messages, which ended now.
    // TWIN: count_latencies
    pub(crate) fn count_latencies(&mut self, now: u64) {
        let Some(times) = &mut self.enqueued else { return };
        let memory = &self.memory;
        let count = |bucket: usize, messages: u64| {
            if let Some(count) = memory.latency_bucket(bucket) {
                add(count, messages);
            }
        };
        // Messages of a batch were sent together, so most fall into the same bucket as their neighbour.
        let (mut bucket, mut messages) = (0, 0);
        for enqueued in times.drain(..) {
            let next = histogram::bucket(now.saturating_sub(enqueued));
            if next != bucket && messages != 0 {
                count(bucket, std::mem::take(&mut messages));
            }
            bucket = next;
            messages += 1;
        }
        if messages != 0 {
            count(bucket, messages);
        }
    }

    /// Counts a turn in the telemetry line; `now` is when its last handler ended, if telemetry is on.
    // TWIN: count_telemetry
    pub(crate) fn count_telemetry(&mut self, batch: &TurnTotals, now: u64) {
        let telemetry = &mut self.telemetry;
        telemetry.messages_processed += u64::from(batch.processed);
        telemetry.messages_dropped += u64::from(batch.dropped);
        if batch.error != 0 {
            telemetry.error_code = batch.error;
        }
        if !self.measures {
            telemetry.unmeasured = telemetry.unmeasured.saturating_add(batch.processed);
        }
        if !self.telemetry_on {
            return;
        }
        if batch.processed != 0 {
            telemetry.last_processed_timestamp = now as i64;
            if self.measures {
                // Sums of times overflow, and their difference, which is a turn's latencies, does not. It is below
                // 0 only if clocks differ.
                let all = now.wrapping_mul(batch.processed.into()).wrapping_sub(batch.sum);
                telemetry.total_latency_nanos += u64::try_from(all.cast_signed()).unwrap_or(0);
                telemetry.max_latency_nanos =
                    telemetry.max_latency_nanos.max(now.saturating_sub(batch.earliest));
                telemetry.min_latency_nanos =
                    telemetry.min_latency_nanos.min(now.saturating_sub(batch.latest));
            }
        }
        self.write_telemetry();
    }

    /// Shows in the telemetry what came while nothing was consumed: an inactive or stalled block still gets
    /// messages.
    // TWIN: note_depth
    pub(crate) fn note_depth(&mut self) {
        if self.telemetry_on && i64::from(self.telemetry.queue_depth) != self.depth() as i64 {
            self.write_telemetry();
        }
    }

    /// Writes the line, if telemetry is on and there is one.
    // TWIN: write_telemetry
    pub(crate) fn write_telemetry(&mut self) {
        if !self.telemetry_on {
            return;
        }
        self.telemetry.queue_depth = i32::try_from(self.depth()).unwrap_or(i32::MAX);
        let Some(line) = self.memory.telemetry() else { return };
        for (i, word) in self.telemetry.to_words().into_iter().enumerate() {
            // The stores are relaxed and in any order: the check tells a reader which words belong together.
            line.word(i).store(word, Ordering::Relaxed);
        }
    }
}
