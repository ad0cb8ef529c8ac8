//! Latencies: asks the processes that are looked at for telemetry, and works out what it has measured.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    time::{Duration, Instant},
};

use annulus_observe::{Kernel, Liveness, Shard, ask_for_telemetry};

use super::Sight;

/// For how long telemetry is asked for: three looks, but no shorter and no longer than this. It is asked for again
/// when a third of that time is over. Sources: a look may be late; and no process grants more than a minute.
const LEASES: [Duration; 2] = [Duration::from_secs(10), Duration::from_secs(60)];

/// Keeps telemetry enabled where looks find a process, as long as there are looks.
pub(super) struct Asking {
    lease: Duration,
    /// When each was asked last.
    asked: BTreeMap<PathBuf, Instant>,
}

impl Asking {
    /// For looks that are so far apart.
    pub(super) fn new(interval: Duration) -> Self {
        let [least, most] = LEASES;
        Self { lease: interval.saturating_mul(3).clamp(least, most), asked: BTreeMap::new() }
    }

    /// Asks those that a look has found.
    pub(super) fn look(&mut self, sight: &Sight) {
        self.asked.retain(|file, _| sight.processes.iter().any(|process| process.file == *file));
        for process in sight.processes.iter().filter(|process| process.liveness == Liveness::Running) {
            let asked = self.asked.get(&process.file);
            if asked.is_some_and(|asked| sight.at.saturating_duration_since(*asked) < self.lease / 3) {
                continue;
            }
            // A process that ends meanwhile, or serves nobody, is shown without.
            let _ = ask_for_telemetry(&process.file, self.lease);
            self.asked.insert(process.file.clone(), sight.at);
        }
    }
}

/// The mean of the latencies that were measured between two looks at the same shards; `None` if there were none.
pub(super) fn mean(now: &[Shard], before: &[Shard]) -> Option<Duration> {
    let measured = |shards: &[Shard]| {
        let lines = shards.iter().filter_map(|shard| shard.telemetry);
        // The numbers may be anything.
        lines.fold((0u64, 0u64), |(count, sum), line| {
            let measured = line.messages_processed.saturating_sub(line.unmeasured.into());
            (count.saturating_add(measured), sum.saturating_add(line.total_latency_nanos))
        })
    };
    let ((count, sum), (count_before, sum_before)) = (measured(now), measured(before));
    let count = count.saturating_sub(count_before);
    (count != 0).then(|| Duration::from_nanos(sum.saturating_sub(sum_before) / count))
}

/// What 99 of 100 latencies were within that were measured between two looks at the same kernel; `None` if there were none,
/// or the kernel does not track them.
pub(super) fn within(now: &Kernel, before: &Kernel) -> Option<Duration> {
    let window = now.latencies.as_ref()?.since(before.latencies.as_ref()?);
    (window.count() != 0).then(|| window.quantile_time(0.99))
}

/// The shortest and the longest latency since telemetry was enabled; `None` if nothing was measured.
pub(super) fn range(shards: &[Shard]) -> Option<[Duration; 2]> {
    // A line in which nothing was measured has the largest number as its minimum.
    let lines = || {
        shards.iter().filter_map(|shard| shard.telemetry).filter(|line| line.min_latency_nanos != u64::MAX)
    };
    let least = lines().map(|line| line.min_latency_nanos).min()?;
    let most = lines().map(|line| line.max_latency_nanos).max()?;
    Some([least, most].map(Duration::from_nanos))
}
