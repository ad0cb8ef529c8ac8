//! One kernel, watched.

use std::{fmt, mem::offset_of, sync::Arc, time::Duration};

use annulus_abi::{
    control::{ControlBlock, command},
    telemetry::Telemetry,
    vitals::{
        HostWords, KernelEntry, LEFT_BEHIND, ShardVitals, kernel_flags, kernel_state,
        read::{self, Shard, Vitals},
    },
};
use annulus_runtime::{QueueDrops, TelemetrySnapshot};
use annulus_sync::{AtomicU64, Ordering, fence, spin_loop, yield_now};

use super::{Mapping, mapping::Words, now};
use crate::{Kernel, Liveness};

/// Words of an entry.
const ENTRY: usize = size_of::<KernelEntry>() / 8;
/// Words of a shard.
const SHARD: usize = size_of::<ShardVitals>() / 8;

/// How often a line of telemetry is read again that is being written. Its writer may have been killed in the middle of
/// it. Source: this project's choice, more than a writer takes that has lost its core once.
const TRIES: u32 = 1 << 16;

/// Watches a kernel of another process, or of this one, from outside: a poll loads the kernel's words, and makes no
/// system call. It costs about as much as [`Telemetry::poll`](annulus_runtime::Telemetry::poll) inside the process.
///
/// It does not say whether the process lives: ask [`Attached::liveness`](crate::Attached::liveness) from time to time. What
/// a dead process has written last stays readable.
pub struct KernelWatch {
    id: u64,
    entry: Words<ENTRY>,
    /// One at least.
    shards: Words<SHARD>,
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
        let is_there = place.grid != 0
            && entry.is_multiple_of(align_of::<KernelEntry>())
            && shards.is_multiple_of(align_of::<ShardVitals>());
        is_there.then_some(())?;
        Some(Self {
            id: kernel.id(),
            entry: Words::new(mapping, entry, 1)?,
            shards: Words::new(mapping, shards, place.grid as usize)?,
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

    /// A word of the entry, by its place among the bytes.
    #[inline]
    fn entry(&self, offset: usize) -> u64 {
        self.entry.first()[offset / 8].load(Ordering::Relaxed)
    }

    #[inline]
    fn state(&self) -> u32 {
        short(self.entry.first(), offset_of!(KernelEntry, state))
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
        match (self.entry.mapping().is_cut(), is_own) {
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
    // A call would copy the snapshot once more.
    #[inline(always)]
    pub fn poll(&self) -> Result<TelemetrySnapshot, Lost> {
        let shard = self.shards.first();
        let command = short(shard, offset_of!(ControlBlock, command));
        let epoch = (command >> command::EPOCH_SHIFT) as u16;
        let first = self.line(shard)?;
        let sum = if self.shards.len() == 1 && first.epoch == epoch {
            // Nothing to sum up.
            first
        } else {
            self.sum(epoch, &first)?
        };
        let drops = |cause: usize| {
            const BEFORE: usize = offset_of!(ShardVitals, host) + offset_of!(HostWords, dropped_before);
            let before = shard[BEFORE / 8 + cause].load(Ordering::Relaxed);
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

    /// The sum of the shards' lines, of which this is the first.
    fn sum(&self, epoch: u16, first: &Telemetry) -> Result<Telemetry, Lost> {
        let mut sum = Telemetry::new(epoch);
        sum.add(first);
        for shard in &self.shards[1..] {
            sum.add(&self.line(shard)?);
        }
        Ok(sum)
    }

    /// A shard's line, whole.
    #[inline(always)]
    fn line(&self, shard: &[AtomicU64; SHARD]) -> Result<Telemetry, Lost> {
        match whole_line(shard) {
            Some(line) => Ok(line),
            None => self.line_again(shard),
        }
    }

    /// The same of one that was being written.
    #[cold]
    fn line_again(&self, shard: &[AtomicU64; SHARD]) -> Result<Telemetry, Lost> {
        for tries in 1..TRIES {
            if tries.is_multiple_of(1024) {
                yield_now()
            } else {
                spin_loop()
            }
            if let Some(line) = whole_line(shard) {
                return Ok(line);
            }
        }
        Err(self.check().err().unwrap_or(Lost::Torn))
    }

    /// Brings an earlier look at this kernel up to date: its shards, what others have sent to it, its state, its age, its
    /// drops and where its outputs go. Its outboxes, if it has several, its bridges and its histogram
    /// stay as they were. `liveness` is that of its process.
    ///
    /// # Errors
    ///
    /// [`Lost`] says why it shows nothing; the kernel is unchanged, or has some words of another one.
    pub fn look(&self, kernel: &mut Kernel, liveness: Liveness) -> Result<(), Lost> {
        let mut bytes = [0; 8 * SHARD];
        kernel.shards.clear();
        for shard in &*self.shards {
            for (bytes, word) in bytes.chunks_exact_mut(8).zip(shard) {
                bytes.copy_from_slice(&word.load(Ordering::Relaxed).to_ne_bytes());
            }
            kernel.shards.push(Shard::of_bytes(&bytes));
        }
        let target = self.entry(offset_of!(KernelEntry, target));
        let waits = self.entry(offset_of!(KernelEntry, waits)) != 0;
        let drops = std::array::from_fn(|i| self.entry(offset_of!(KernelEntry, drops) + 8 * i));
        let slow = self.entry(offset_of!(KernelEntry, slow));
        let ended_at = self.entry(offset_of!(KernelEntry, ended_at));
        let copied_at = self.entry(offset_of!(KernelEntry, mirrored_at));
        let linked = self.entry(offset_of!(KernelEntry, linked));
        let has_ended = self.state() == kernel_state::ENDED;
        let left_behind = short(self.entry.first(), offset_of!(KernelEntry, left_behind)) == LEFT_BEHIND;
        self.check()?;
        kernel.linked = linked;
        kernel.left_behind = left_behind && !has_ended;
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

/// The short word at a place among the bytes. Its neighbour is loaded with it.
#[inline]
fn short<const N: usize>(words: &[AtomicU64; N], offset: usize) -> u32 {
    let [a, b, c, d, e, f, g, h] = words[offset / 8].load(Ordering::Relaxed).to_ne_bytes();
    u32::from_ne_bytes(if offset.is_multiple_of(8) { [a, b, c, d] } else { [e, f, g, h] })
}

/// A shard's line, unless it is being written.
#[inline(always)]
fn whole_line(shard: &[AtomicU64; SHARD]) -> Option<Telemetry> {
    const FIRST: usize = offset_of!(ShardVitals, telemetry) / 8;
    // Relaxed: the check, not the ordering, tells whether the words belong together.
    let words = std::array::from_fn(|i| shard[FIRST + i].load(Ordering::Relaxed));
    let line = Telemetry::from_words(&words)?;
    // One that no shard has written yet is all zeros. That does not mean a latency of 0.
    let is_new = line.min_latency_nanos == 0 && words == [0; 8];
    Some(if is_new { Telemetry::new(0) } else { line })
}
