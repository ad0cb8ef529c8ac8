//! How a turn's results become visible, and in which order.

use annulus_abi::vitals::phase;
use annulus_sync::{AtomicU64, Ordering};

use crate::{
    host::Progress,
    runner::Runner,
    turn::{BlockCore, TurnTotals},
};

impl<R: Runner> BlockCore<R> {
    /// Makes a turn's results visible, and reports them.
    // TWIN: publish
    pub(crate) fn publish(&mut self, batch: &TurnTotals) {
        self.say(phase::PUBLISHING);
        // The clock is read once per batch, so a message's latency ends with its batch's last handler.
        let is_timed = batch.processed != 0 && (self.telemetry_on || self.enqueued.is_some());
        let now = if is_timed { R::now(&self.clock) } else { 0 };
        self.count_latencies(now);
        self.tell_timers();
        let counts = &mut self.counts;
        counts.processed += u64::from(batch.processed);
        self.memory.processed().store(counts.processed, Ordering::Relaxed);
        if self.counts_turns {
            add(self.memory.turns(), 1);
        }
        if batch.dropped != 0 {
            self.memory.failed().store(counts.failed, Ordering::Relaxed);
            self.memory.unknown_actor().store(counts.unknown_actor, Ordering::Relaxed);
            self.memory.last_error().store(batch.error.into(), Ordering::Relaxed);
        }
        if batch.dead_letters != 0
            && let Some(dead_letters) = &self.dead_letters
        {
            dead_letters.show();
        }
        if batch.produced != 0 || batch.forwarded || batch.replied {
            self.memory.produced().store(counts.sent, Ordering::Relaxed);
        }
        if batch.produced != 0 {
            self.outbound.show();
        }
        self.count_telemetry(batch, now);
        self.inbound.give_back();
        // What it took may be no message of the ring: a timer that had no room.
        let asks = self.timers.as_ref().is_some_and(|timers| timers.asks.is_some());
        // Or what came of an ask, which somebody waits for.
        let goes_on = std::mem::take(&mut self.goes_on) || batch.due != 0 && asks;
        if let Some(signals) = &self.signals {
            let progress = Progress {
                consumed: batch.consumed,
                produced: batch.produced,
                dead_letters: batch.dead_letters,
                prints: batch.recorded,
                goes_on,
                ..Progress::default()
            };
            signals.progressed(self.cx.block_index(), progress);
        }
    }
}

impl<R: Runner> BlockCore<R> {
    /// Shows outputs of a message whose other outputs wait.
    #[cold]
    pub(crate) fn show(&self, produced: u32) {
        self.memory.produced().store(self.counts.sent, Ordering::Relaxed);
        self.outbound.show();
        if let Some(signals) = &self.signals {
            signals.progressed(self.cx.block_index(), Progress { produced, ..Progress::default() });
        }
    }
}

/// Adds to a count that has only one writer.
#[inline]
pub(crate) fn add(count: &AtomicU64, n: u64) {
    count.store(count.load(Ordering::Relaxed) + n, Ordering::Relaxed);
}
