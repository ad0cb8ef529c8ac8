//! Telemetry: 64 bytes per shard, and the only type that can poll them.

mod interval;
mod rates;
mod samples;
mod thresholds;

use std::{fmt, sync::Arc, time::Duration};

use annulus_abi::{
    control::command,
    histogram,
    telemetry::{Telemetry as Block, TelemetryWords},
};
use annulus_sync::{Ordering, spin_loop, yield_now};

use crate::{
    error::TelemetryError,
    kernel::{core::KernelCore, drops::QueueDrops, shared::KernelShared},
    time::for_people,
};
use annulus_ring::memory::TelemetryLine;

pub use interval::{Interval, IntervalTooShort};
pub use rates::{TelemetryRates, TelemetrySample};
pub use samples::{SampleStream, Samples};
pub use thresholds::{Load, TelemetryWarning, Thresholds};

/// Polls a kernel's telemetry: without a lock, without an allocation, without the kernel's help.
///
/// Messages of [connected](crate::KernelHandle::connect) kernels count like those of the host, and their
/// latencies begin when they were sent.
///
/// The only way to get this value is `enable_telemetry` of a launched kernel. So a program that polls a
/// kernel that was not launched, or without enabling telemetry, does not compile. Counters begin with the
/// launch, or with the last [`reset`](Self::reset); latencies are measured while telemetry is enabled. The
/// last snapshot stays readable after the kernel has terminated.
pub struct Telemetry {
    kernel: Arc<KernelShared>,
}

/// How many latencies the shards have measured since telemetry was last reset, and their sum in nanoseconds.
pub(crate) fn measured(core: &KernelCore) -> (u64, u64) {
    let epoch = (core.shards[0].memory.command().load(Ordering::Relaxed) >> command::EPOCH_SHIFT) as u16;
    let lines = core.shards.iter().filter_map(|shard| shard.memory.telemetry());
    let blocks = lines.map(read).filter(|block| block.epoch == epoch);
    blocks.fold((0, 0), |(count, total), block| {
        let measured = block.messages_processed.saturating_sub(block.unmeasured.into());
        (count + measured, total.saturating_add(block.total_latency_nanos))
    })
}

impl Telemetry {
    pub(crate) fn enable(kernel: Arc<KernelShared>, arena_lines: usize) -> Result<Self, TelemetryError> {
        let core = kernel.core();
        if core.is_finished() {
            return Err(TelemetryError::Terminated);
        }
        if core.shards.iter().any(|shard| shard.memory.telemetry().is_none()) {
            return Err(TelemetryError::NoLines { lines: arena_lines });
        }
        core.want_telemetry(|wants| wants.program = true);
        Ok(Self { kernel })
    }

    /// Takes a snapshot: the sum of the shards' lines, each as it was at some moment during the call.
    ///
    /// The kernel may go on meanwhile. A line that it was writing is read again, so no line is torn.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched();
    /// let telemetry = kernel.enable_telemetry()?;
    /// kernel.send_batch_blocking(&numbers(0..10))?;
    /// kernel.drained_blocking();
    /// let snapshot = telemetry.poll();
    /// assert_eq!((snapshot.messages_processed, snapshot.messages_dropped), (10, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn poll(&self) -> TelemetrySnapshot {
        let core = self.kernel.core();
        let epoch = (core.shards[0].memory.command().load(Ordering::Relaxed) >> command::EPOCH_SHIFT) as u16;
        if let [shard] = &*core.shards
            && let Some(block) = shard.memory.telemetry().map(read).filter(|block| block.epoch == epoch)
        {
            // Nothing to sum up.
            return Self::snapshot(core, block);
        }
        let mut sum = Block::new(epoch);
        for line in core.shards.iter().filter_map(|shard| shard.memory.telemetry()) {
            sum.add(&read(line));
        }
        Self::snapshot(core, sum)
    }

    /// Combines what the shards counted with what the host's queues dropped.
    #[inline]
    fn snapshot(core: &KernelCore, mut block: Block) -> TelemetrySnapshot {
        let queues = core.drops.by_queues().since(core.dropped_before.by_queues());
        block.messages_dropped += queues.total();
        TelemetrySnapshot {
            queue_drops: queues,
            ..TelemetrySnapshot::from_block(&block, core.counting_since.load(Ordering::Relaxed))
        }
    }

    /// Sets every counter to zero, and the minimum latency to `u64::MAX`. The queue depth is a gauge and is
    /// kept.
    ///
    /// Polls see the reset at once. Messages that the kernel processes after this call, but before it next
    /// looks at its command, are not counted. Messages that are sent after this returns are counted.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched();
    /// let telemetry = kernel.enable_telemetry()?;
    /// kernel.send_batch_blocking(&numbers(0..10))?;
    /// kernel.drained_blocking();
    /// telemetry.reset();
    /// assert_eq!(telemetry.poll().messages_processed, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reset(&self) {
        let core = self.kernel.core();
        core.dropped_before.set(core.drops.by_queues());
        if let Some(home) = &core.home {
            home.set_dropped_before(core.dropped_before.by_queues());
        }
        core.count_from_now();
        core.change_command(|command| command.wrapping_add(1 << command::EPOCH_SHIFT));
    }

    /// Stops or resumes writing. While it is off the kernel pays nothing for telemetry, and polls see the
    /// last snapshot. It stays on while an observer of another process wants it, too.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched();
    /// let telemetry = kernel.enable_telemetry()?;
    /// kernel.send_batch_blocking(&numbers(0..10))?;
    /// kernel.drained_blocking();
    /// telemetry.set_enabled(false);
    /// assert_eq!(telemetry.poll().messages_processed, 10); // the last snapshot
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_enabled(&self, on: bool) {
        self.kernel.core().want_telemetry(|wants| wants.program = on);
    }

    /// The time now, in nanoseconds, on the clock of the snapshot's timestamps. `is_healthy` takes it.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched();
    /// let telemetry = kernel.enable_telemetry()?;
    /// kernel.send_batch_blocking(&numbers(0..10))?;
    /// kernel.drained_blocking();
    /// assert!(i128::from(telemetry.now()) >= i128::from(telemetry.poll().last_processed_timestamp));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn now(&self) -> u64 {
        self.kernel.core().clock.now()
    }
}

impl fmt::Debug for Telemetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Telemetry").field("kernel", &self.kernel.core().name).finish_non_exhaustive()
    }
}

/// Copies a line, again and again until the copy is consistent.
#[inline]
fn read(line: &TelemetryLine) -> Block {
    let mut attempts = 0u32;
    loop {
        // Relaxed: the checksum, not the ordering, tells whether the words belong together.
        let words: TelemetryWords = std::array::from_fn(|i| line.word(i).load(Ordering::Relaxed));
        if let Some(block) = Block::from_words(&words) {
            // A line that no shard has written yet is all zeros. That does not mean a latency of 0.
            if block.min_latency_nanos == 0 && words == [0; 8] {
                return Block::new(0);
            }
            return block;
        }
        attempts += 1;
        // The writer may have lost its core between two stores.
        if attempts.is_multiple_of(1024) { yield_now() } else { spin_loop() }
    }
}

/// A kernel's telemetry at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TelemetrySnapshot {
    /// Messages whose handler succeeded.
    pub messages_processed: u64,
    /// Messages that were dropped: by the kernel's queues, by handlers that failed, for unknown actors.
    pub messages_dropped: u64,
    /// How many of these the queues dropped, by cause.
    pub queue_drops: QueueDrops,
    /// When the last message was processed, in nanoseconds on the runtime's clock; 0 before the first.
    pub last_processed_timestamp: i64,
    /// Messages waiting in the inbound rings, as the kernel last saw it.
    pub queue_depth: i32,
    /// Sum of the latencies from enqueue to the end of the handlers of its turn, in nanoseconds.
    pub total_latency_nanos: u64,
    /// The largest latency; 0 before the first message.
    pub max_latency_nanos: u64,
    /// The smallest latency; `u64::MAX` before the first message.
    pub min_latency_nanos: u64,
    /// The last error code; 0 for none.
    pub error_code: u16,
    /// How many of the processed messages have no measured latency: telemetry was off, or messages carry no
    /// time.
    pub unmeasured: u32,
    /// When telemetry was last enabled or reset, in nanoseconds on the runtime's clock.
    pub counting_since: u64,
}

impl TelemetrySnapshot {
    fn from_block(block: &Block, counting_since: u64) -> Self {
        Self {
            messages_processed: block.messages_processed,
            messages_dropped: block.messages_dropped,
            queue_drops: QueueDrops::default(),
            last_processed_timestamp: block.last_processed_timestamp,
            queue_depth: block.queue_depth,
            total_latency_nanos: block.total_latency_nanos,
            max_latency_nanos: block.max_latency_nanos,
            min_latency_nanos: block.min_latency_nanos,
            error_code: block.error_code,
            unmeasured: block.unmeasured,
            counting_since,
        }
    }

    /// The average of the latencies that were measured, in nanoseconds; 0 if none was.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched();
    /// let telemetry = kernel.enable_telemetry()?;
    /// kernel.send_batch_blocking(&numbers(0..10))?;
    /// kernel.drained_blocking();
    /// println!("{} ns", telemetry.poll().average_latency_nanos());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn average_latency_nanos(&self) -> u64 {
        let measured = self.messages_processed.saturating_sub(self.unmeasured.into());
        self.total_latency_nanos.checked_div(measured).unwrap_or(0)
    }

    /// The average of the latencies that were measured; `None` if none was.
    ///
    /// ```
    /// # use annulus_runtime::TelemetrySnapshot;
    /// # fn show(snapshot: TelemetrySnapshot) {
    /// if let (Some(average), Some(most)) = (snapshot.average_latency(), snapshot.max_latency()) {
    ///     println!("{} on average, {} at most", annulus_runtime::for_people(average), annulus_runtime::for_people(most));
    /// }
    /// # }
    /// ```
    pub fn average_latency(&self) -> Option<Duration> {
        self.has_latency().then(|| Duration::from_nanos(self.average_latency_nanos()))
    }

    /// The smallest of the latencies that were measured; `None` if none was.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let telemetry_of = launched();
    /// assert_eq!(telemetry_of.enable_telemetry()?.poll().min_latency(), None); // so far
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn min_latency(&self) -> Option<Duration> {
        self.has_latency().then(|| Duration::from_nanos(self.min_latency_nanos))
    }

    /// The largest of the latencies that were measured; `None` if none was.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched();
    /// let telemetry = kernel.enable_telemetry()?;
    /// kernel.send_batch_blocking(&numbers(0..10))?;
    /// kernel.drained_blocking();
    /// let snapshot = telemetry.poll();
    /// assert!(snapshot.max_latency() >= snapshot.min_latency());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn max_latency(&self) -> Option<Duration> {
        self.has_latency().then(|| Duration::from_nanos(self.max_latency_nanos))
    }

    /// The sum of the latencies that were measured.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched();
    /// let telemetry = kernel.enable_telemetry()?;
    /// kernel.send_batch_blocking(&numbers(0..10))?;
    /// kernel.drained_blocking();
    /// let snapshot = telemetry.poll();
    /// assert!(Some(snapshot.total_latency()) >= snapshot.max_latency());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn total_latency(&self) -> Duration {
        Duration::from_nanos(self.total_latency_nanos)
    }

    fn has_latency(&self) -> bool {
        self.min_latency_nanos != u64::MAX
    }

    /// Messages per second over an uptime in seconds; 0 if the uptime is not positive.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched();
    /// let telemetry = kernel.enable_telemetry()?;
    /// kernel.send_batch_blocking(&numbers(0..10))?;
    /// kernel.drained_blocking();
    /// assert_eq!(telemetry.poll().throughput(2.0), 5.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn throughput(&self, uptime_seconds: f64) -> f64 {
        if uptime_seconds > 0.0 { self.messages_processed as f64 / uptime_seconds } else { 0.0 }
    }

    /// The largest latency as a multiple of the smallest; 0 before the first message. If it is above 10, look
    /// for what varies.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched();
    /// assert_eq!(kernel.enable_telemetry()?.poll().latency_variance(), 0.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn latency_variance(&self) -> f64 {
        if self.min_latency_nanos == u64::MAX {
            return 0.0;
        }
        // A latency below the clock's resolution reads as 0; its ratio would be infinite.
        self.max_latency_nanos as f64 / self.min_latency_nanos.max(1) as f64
    }

    /// Whether the kernel has no error code and is not stuck. It is stuck if messages are pending, and for
    /// longer than the threshold none was processed, and telemetry was neither enabled nor reset. An idle
    /// kernel is healthy. `now` is [`Telemetry::now`].
    ///
    /// The queue depth is the one that the kernel wrote last. So this does not show a handler that never
    /// returns, if nothing else waited when it was called.
    /// [`KernelControl::status`](crate::KernelControl::status) shows it: `pending` there is the host's own
    /// count.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched();
    /// let telemetry = kernel.enable_telemetry()?;
    /// assert!(telemetry.poll().is_healthy(telemetry.now(), 1_000_000_000));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_healthy(&self, now: u64, stuck_threshold_nanos: u64) -> bool {
        let stuck = Duration::from_nanos(stuck_threshold_nanos);
        self.error_code == 0 && !(self.queue_depth > 0 && self.silent(now) > stuck)
    }

    /// For how long nothing was processed, and telemetry was neither enabled nor reset.
    fn silent(&self, now: u64) -> Duration {
        let last = (self.last_processed_timestamp.max(0) as u64).max(self.counting_since);
        Duration::from_nanos(now.saturating_sub(last))
    }
}

impl fmt::Display for TelemetrySnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} processed, {} dropped, {} queued",
            self.messages_processed, self.messages_dropped, self.queue_depth
        )?;
        if let (Some(average), Some(min), Some(max)) =
            (self.average_latency(), self.min_latency(), self.max_latency())
        {
            let [average, min, max] = [average, min, max].map(for_people);
            write!(f, ", latency {average} ({min} to {max})")?;
        }
        if self.error_code != 0 {
            write!(
                f,
                ", last error {:#06x} ({})",
                self.error_code,
                annulus_abi::error::brief(self.error_code)
            )?;
        }
        Ok(())
    }
}

/// The latencies of all messages of a kernel that was launched with `track_latency`, in nanoseconds. A
/// latency goes from the enqueue to the end of the handlers of the message's iteration, as the shard measured
/// it.
#[derive(Clone, Debug)]
pub struct LatencyHistogram {
    counts: Vec<u64>,
}

impl LatencyHistogram {
    /// The histogram of these counts, one for each bucket of [`annulus_abi::histogram`]; what is missing is 0.
    pub fn of_counts(counts: impl Iterator<Item = u64>) -> Self {
        let counts = counts.chain(std::iter::repeat(0)).take(histogram::BUCKETS);
        Self { counts: counts.collect() }
    }

    /// What came since an earlier histogram of the same kernel. All of it if a bucket of that has counted more: then it
    /// is of another launch.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus_runtime::LaunchOptions;
    /// let kernel = launched_with(LaunchOptions::default().track_latency(true));
    /// # let telemetry = kernel.enable_telemetry()?;
    /// let before = kernel.latencies().unwrap();
    /// kernel.send_batch_blocking(&numbers(0..10))?;
    /// kernel.drained_blocking();
    /// assert_eq!(kernel.latencies().unwrap().since(&before).count(), 10);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn since(&self, earlier: &Self) -> Self {
        if earlier.counts.iter().zip(&self.counts).any(|(before, now)| before > now) {
            return self.clone();
        }
        Self { counts: self.counts.iter().zip(&earlier.counts).map(|(now, before)| now - before).collect() }
    }

    pub(crate) fn read(core: &KernelCore) -> Option<Self> {
        if !core.options.observe.track_latency {
            return None;
        }
        let count = |bucket: usize| {
            let count = |shard: &crate::kernel::core::HostShard| {
                shard.memory.latency_bucket(bucket).map_or(0, |count| count.load(Ordering::Relaxed))
            };
            core.shards.iter().map(count).sum()
        };
        Some(Self { counts: (0..histogram::BUCKETS).map(count).collect() })
    }

    /// How many latencies were measured.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched_with(LaunchOptions::production().track_latency(true));
    /// kernel.send_batch_blocking(&numbers(0..10))?;
    /// kernel.drained_blocking();
    /// let latencies = kernel.latencies().expect("they are tracked");
    /// assert_eq!(latencies.count(), 10);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The counts by latency, in nanoseconds: each latency is at most as long as the number beside its count,
    /// and longer than the one before. A number is at most 1/32 above what it counts; the number `2^k - 1` is
    /// among them for each `k`. Counts that are 0 are left out.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched_with(LaunchOptions::production().track_latency(true));
    /// kernel.send_batch_blocking(&numbers(0..10))?;
    /// kernel.drained_blocking();
    /// let latencies = kernel.latencies().expect("they are tracked");
    /// let within_a_second = latencies.buckets().filter(|(nanos, _)| *nanos < 1 << 30);
    /// println!("{}", within_a_second.map(|(_, count)| count).sum::<u64>());
    /// # assert_eq!(latencies.buckets().map(|(_, count)| count).sum::<u64>(), 10);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64)> {
        let counts = self.counts.iter().enumerate().filter(|(_, count)| **count != 0);
        counts.map(|(bucket, &count)| (histogram::upper_bound(bucket), count))
    }

    /// A quantile of the latencies, in nanoseconds: the share `quantile` (0.0 ..= 1.0) of the messages took
    /// at most so long. The result is at most 1/32 too high; 0 if nothing was measured.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched_with(LaunchOptions::production().track_latency(true));
    /// kernel.send_batch_blocking(&numbers(0..10))?;
    /// kernel.drained_blocking();
    /// let latencies = kernel.latencies().expect("they are tracked");
    /// assert!(latencies.quantile(0.5) <= latencies.quantile(0.99));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn quantile(&self, quantile: f64) -> u64 {
        let total = self.count();
        let rank = ((quantile.clamp(0.0, 1.0) * total as f64).ceil() as u64).clamp(1, total.max(1));
        let mut seen = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return histogram::upper_bound(bucket);
            }
        }
        0
    }

    /// [`quantile`](Self::quantile) as a duration.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched_with(LaunchOptions::production().track_latency(true));
    /// kernel.send_batch_blocking(&numbers(0..10))?;
    /// kernel.drained_blocking();
    /// let latencies = kernel.latencies().expect("they are tracked");
    /// println!("half of them within {:?}", latencies.quantile_time(0.5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn quantile_time(&self, quantile: f64) -> Duration {
        Duration::from_nanos(self.quantile(quantile))
    }

    /// [`max`](Self::max) as a duration.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched_with(LaunchOptions::production().track_latency(true));
    /// kernel.send_batch_blocking(&numbers(0..10))?;
    /// kernel.drained_blocking();
    /// let latencies = kernel.latencies().expect("they are tracked");
    /// assert_eq!(latencies.max_time().as_nanos(), u128::from(latencies.max()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn max_time(&self) -> Duration {
        Duration::from_nanos(self.max())
    }

    /// The largest latency in nanoseconds, at most 1/32 too high; 0 if nothing was measured.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched_with(LaunchOptions::production().track_latency(true));
    /// kernel.send_batch_blocking(&numbers(0..10))?;
    /// kernel.drained_blocking();
    /// let latencies = kernel.latencies().expect("they are tracked");
    /// assert!(latencies.max() >= latencies.quantile(0.5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn max(&self) -> u64 {
        self.counts.iter().rposition(|&count| count != 0).map_or(0, histogram::upper_bound)
    }
}
