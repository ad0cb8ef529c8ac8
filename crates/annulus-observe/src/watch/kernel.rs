//! One kernel, watched.

use std::{fmt, mem::offset_of, sync::Arc, time::Duration};

use annulus_abi::{
    control::{ControlBlock, command},
    telemetry::Telemetry,
    vitals::{
        HostWords, KernelEntry, ShardVitals, kernel_flags, kernel_state,
        read::{self, Shard, Vitals},
    },
};
use annulus_runtime::{QueueDrops, TelemetrySnapshot};
use annulus_sync::{Ordering, fence, spin_loop, yield_now};

use super::{Mapping, now};
use crate::{Kernel, Liveness};

const SHARD: usize = size_of::<ShardVitals>();

/// How often a line of telemetry is read again that is being written. Its writer may have been killed in the middle of
/// it. Source: this project's choice, more than a writer takes that has lost its core once.
const TRIES: u32 = 1 << 16;

/// Watches a kernel of another process, or of this one, from outside: a poll loads the kernel's words, and makes no
/// system call. It costs about twice as much as [`Telemetry::poll`](annulus_runtime::Telemetry::poll) inside the process.
///
/// It does not say whether the process lives: ask [`Attached::liveness`](crate::Attached::liveness) from time to time. What
/// a dead process has written last stays readable.
pub struct KernelWatch {
    mapping: Arc<Mapping>,
    id: u64,
    entry: usize,
    shards: usize,
    grid: usize,
    launched_at: u64,
    clock_origin: u64,
    is_copy: bool,
}

/// Why a watch shows nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// The kernel has ended, and its part of the file is that of another one now.
    Reused,
    /// The file was cut off.
    Cut,
    /// A line of telemetry is half written, and stays so: its process was killed meanwhile, or has no core.
    Torn,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reused => "the kernel has ended, and another one has its part of the file: look anew",
            Self::Cut => "the file was cut off",
            Self::Torn => "a line of telemetry is half written, and stays so: see whether the process lives",
        })
    }
}

impl std::error::Error for Lost {}

impl KernelWatch {
    /// The watch of a kernel; `None` if not all of it was in the file when it was mapped.
    pub(super) fn new(
        mapping: &Arc<Mapping>,
        vitals: &Vitals<'_>,
        kernel: &read::Kernel<'_>,
    ) -> Option<Self> {
        let place = vitals.place(kernel)?;
        let (entry, shards) = (usize::try_from(place.entry).ok()?, usize::try_from(place.shards).ok()?);
        let grid = place.grid as usize;
        let ends =
            [entry.checked_add(size_of::<KernelEntry>())?, shards.checked_add(grid.checked_mul(SHARD)?)?];
        let is_there = ends.iter().all(|end| *end <= mapping.bytes())
            && entry.is_multiple_of(align_of::<KernelEntry>())
            && shards.is_multiple_of(align_of::<ShardVitals>())
            && grid != 0;
        is_there.then(|| Self {
            mapping: Arc::clone(mapping),
            id: kernel.id(),
            entry,
            shards,
            grid,
            launched_at: kernel.launched_at(),
            clock_origin: vitals.clock_origin(),
            is_copy: kernel.flags() & kernel_flags::MIRRORED != 0,
        })
    }

    /// The kernel's number in its runtime: [`Kernel::id`].
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The time now, in nanoseconds, on the clock of the snapshots' timestamps.
    pub fn now(&self) -> u64 {
        now(self.clock_origin)
    }

    #[inline]
    fn entry(&self, offset: usize) -> u64 {
        self.mapping.word64(self.entry + offset)
    }

    #[inline]
    fn state(&self) -> u32 {
        self.mapping.word32(self.entry + offset_of!(KernelEntry, state))
    }

    /// Whether the words that were loaded so far are those of this kernel.
    #[inline]
    fn check(&self) -> Result<(), Lost> {
        // SYNC: entry-freed (acquire)
        fence(Ordering::Acquire);
        // The state first: an entry that was freed may be another kernel's by now, whose number is then seen.
        let is_used = self.state() != kernel_state::FREE;
        // SYNC: entry-described (acquire)
        fence(Ordering::Acquire);
        let is_own = is_used && self.entry(offset_of!(KernelEntry, id)) == self.id;
        match (self.mapping.is_cut(), is_own) {
            (true, _) => Err(Lost::Cut),
            (false, false) => Err(Lost::Reused),
            (false, true) => Ok(()),
        }
    }

    /// Takes a snapshot of the kernel's telemetry, as [`Telemetry::poll`](annulus_runtime::Telemetry::poll) does inside
    /// its process. It is on if the program has enabled it, or if somebody [asks](crate::ask_for_telemetry).
    ///
    /// Of a kernel whose words are copies, as those of devices are, it is the snapshot of the last copy.
    ///
    /// # Errors
    ///
    /// [`Lost`] says why there is none.
    #[inline]
    pub fn poll(&self) -> Result<TelemetrySnapshot, Lost> {
        let command = self.mapping.word32(self.shards + offset_of!(ControlBlock, command));
        let mut sum = Telemetry::new((command >> command::EPOCH_SHIFT) as u16);
        for shard in 0..self.grid {
            sum.add(&self.line(shard)?);
        }
        let drops = |cause: usize| {
            let host = self.shards + offset_of!(ShardVitals, host);
            let before = self.mapping.word64(host + offset_of!(HostWords, dropped_before) + 8 * cause);
            self.entry(offset_of!(KernelEntry, drops) + 8 * cause).saturating_sub(before)
        };
        let [rejected, evicted, discarded, duplicate, expired] = std::array::from_fn(drops);
        let counting_since = self.entry(offset_of!(KernelEntry, counting_since));
        self.check()?;
        let queue_drops = QueueDrops { rejected, evicted, discarded, duplicate, expired };
        let dropped =
            [rejected, evicted, discarded, duplicate, expired].into_iter().fold(0, u64::saturating_add);
        Ok(TelemetrySnapshot {
            messages_processed: sum.messages_processed,
            messages_dropped: sum.messages_dropped.saturating_add(dropped),
            queue_drops,
            last_processed_timestamp: sum.last_processed_timestamp,
            queue_depth: sum.queue_depth,
            total_latency_nanos: sum.total_latency_nanos,
            max_latency_nanos: sum.max_latency_nanos,
            min_latency_nanos: sum.min_latency_nanos,
            error_code: sum.error_code,
            unmeasured: sum.unmeasured,
            counting_since,
        })
    }

    /// A shard's line, whole.
    #[inline]
    fn line(&self, shard: usize) -> Result<Telemetry, Lost> {
        let first = self.shards + shard * SHARD + offset_of!(ShardVitals, telemetry);
        let mut tries = 0;
        loop {
            let words = std::array::from_fn(|i| self.mapping.word64(first + 8 * i));
            if let Some(line) = Telemetry::from_words(&words) {
                // One that no shard has written yet is all zeros. That does not mean a latency of 0.
                let is_new = line.min_latency_nanos == 0 && words == [0; 8];
                return Ok(if is_new { Telemetry::new(0) } else { line });
            }
            tries += 1;
            if tries == TRIES {
                return Err(self.check().err().unwrap_or(Lost::Torn));
            }
            if tries.is_multiple_of(1024) { yield_now() } else { spin_loop() }
        }
    }

    /// Brings an earlier look at this kernel up to date: its shards, its state, its age, its drops and where its
    /// outputs go. Its outboxes, if it has several, and its histogram stay as they were. `liveness` is that of its process.
    ///
    /// # Errors
    ///
    /// [`Lost`] says why it shows nothing; the kernel is unchanged, or has some words of another one.
    pub fn look(&self, kernel: &mut Kernel, liveness: Liveness) -> Result<(), Lost> {
        let mut bytes = [0; SHARD];
        kernel.shards.clear();
        for shard in 0..self.grid {
            let first = self.shards + shard * SHARD;
            for (i, word) in bytes.chunks_exact_mut(8).enumerate() {
                word.copy_from_slice(&self.mapping.word64(first + 8 * i).to_ne_bytes());
            }
            kernel.shards.push(Shard::of_bytes(&bytes));
        }
        let target = self.entry(offset_of!(KernelEntry, target));
        let waits = self.entry(offset_of!(KernelEntry, waits)) != 0;
        let drops = std::array::from_fn(|i| self.entry(offset_of!(KernelEntry, drops) + 8 * i));
        let slow = self.entry(offset_of!(KernelEntry, slow));
        let ended_at = self.entry(offset_of!(KernelEntry, ended_at));
        let copied_at = self.entry(offset_of!(KernelEntry, mirrored_at));
        let has_ended = self.state() == kernel_state::ENDED;
        self.check()?;
        kernel.target = (target != 0).then_some((target, waits));
        (kernel.drops, kernel.slow, kernel.has_ended) = (drops, slow, has_ended);
        let now = self.now();
        let is_copy = self.is_copy && liveness == Liveness::Running && !has_ended;
        let until = match (has_ended, liveness) {
            (true, _) => Some(ended_at),
            (false, Liveness::Running) => Some(now),
            (false, Liveness::Dead) => None,
        };
        kernel.age = until.map(|until| Duration::from_nanos(until.saturating_sub(self.launched_at)));
        kernel.copied = is_copy.then(|| Duration::from_nanos(now.saturating_sub(copied_at)));
        kernel.copied_at = is_copy.then_some(copied_at);
        Ok(())
    }
}
