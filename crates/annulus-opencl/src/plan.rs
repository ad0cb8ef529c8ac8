//! What a launch fixes: threads, limits, and the records that its blocks read.

use std::time::Duration;

use annulus_kernel::{
    BindingKind, ProcessingMode, StateShape,
    device::layout::{BlockRecord, LaunchRecord, NO_LINE, scratch_bytes},
};
use annulus_runtime::{BackendError, Clock, LaunchSpec};

use crate::{
    backend::{Faults, OpenCl},
    cl::Memory,
    device::{Device, Opened},
    probe::Verdict,
};

/// Messages after which a block leaves an epoch.
const EPOCH_MESSAGES: u32 = 4096;
/// The most looks of an epoch that find nothing: about a millisecond of them. The other blocks wait for the next epoch until then.
const EPOCH_LOOKS: u32 = 1 << 15;
/// How long a look for something to do takes a block, by which a launch's `spin` becomes a number of looks. Measured on PoCL, one
/// thread; on other devices a look takes longer, and so the block looks for longer.
const LOOK: Duration = Duration::from_nanos(30);
/// The longest nap of a resident block: then it looks at the heartbeat.
const NAP: Duration = Duration::from_millis(100);
/// Naps without a heartbeat after which a block ends itself.
const PATIENCE: u32 = 100;
/// Looks that count as a nap on a device that has none.
const PATIENCE_LOOKS: u32 = 1 << 22;
/// The most scratch memory of a block of several threads.
const SCRATCH: u64 = 4 << 20;

/// How a kernel is launched.
pub(crate) struct Plan {
    pub(crate) threads: u32,
    pub(crate) resident: bool,
    /// Messages of a turn.
    pub(crate) limit: u32,
    /// Outbound slots that a message may need.
    pub(crate) credit: u32,
    /// Bytes of a block's scratch memory.
    pub(crate) scratch: u64,
    faults: Faults,
}

impl Plan {
    pub(crate) fn new(
        device: &Device,
        opened: &Opened,
        options: &OpenCl,
        spec: &LaunchSpec,
    ) -> Result<Self, BackendError> {
        let definition = spec.definition;
        let one_at_a_time = matches!(definition.state, StateShape::Whole(_))
            || definition.bindings.iter().any(|binding| binding.kind == BindingKind::Whole);
        let threads = match (one_at_a_time, spec.block) {
            (true, _) => 1,
            (false, 1) => options.threads,
            (false, threads) => threads,
        };
        let most = device.id.max_group();
        if threads > most {
            return Err(BackendError::new(format!(
                "a block of {threads} threads is more than `{}` runs, {most}: launch with a smaller block",
                device.name
            )));
        }
        let limit = match spec.mode {
            ProcessingMode::Continuous => 1,
            ProcessingMode::Batch | ProcessingMode::Adaptive => spec.max_messages_per_iteration,
        };
        let layout = spec.shards[0].layout();
        let scratch = |limit| scratch_bytes(limit, definition.max_outputs, layout);
        // Blocks of one thread read and write messages where they lie, and need no scratch memory.
        let limit = match threads {
            1 => limit,
            _ => u64::from(limit).min(SCRATCH * 16 / scratch(16)).max(1) as u32,
        };
        let calls = layout.inbound.correlation_offset.is_some();
        Ok(Self {
            threads,
            resident: matches!(opened.verdict, Verdict::Persistent(_)) && !options.epochs,
            limit,
            credit: definition.max_outputs.max(calls.into()),
            faults: options.faults,
            scratch: if threads == 1 { 0 } else { scratch(limit) },
        })
    }

    pub(crate) fn record(&self, spec: &LaunchSpec, actors_per_block: u64) -> LaunchRecord {
        let layout = spec.shards[0].layout();
        let place = |offset: Option<usize>| offset.unwrap_or(0) as u64;
        let looks = u32::try_from(spec.spin.as_nanos() / LOOK.as_nanos()).unwrap_or(u32::MAX);
        LaunchRecord {
            shard_stride: layout.shard_bytes() as u64,
            inbound: layout.inbound_offset() as u64,
            outbound: layout.outbound_offset() as u64,
            letters: if layout.letters.is_some() { layout.letters_offset() as u64 } else { 0 },
            histogram: if layout.histogram { layout.histogram_offset() as u64 } else { 0 },
            in_stride: layout.inbound.slot_stride as u64,
            in_time: place(layout.inbound.enqueue_time_offset),
            in_correlation: place(layout.inbound.correlation_offset),
            in_payload: layout.inbound.payload_offset as u64,
            out_stride: layout.outbound.slot_stride as u64,
            out_correlation: place(layout.outbound.correlation_offset),
            out_payload: layout.outbound.payload_offset as u64,
            out_bytes: layout.outbound.payload_size as u64,
            letter_stride: layout.letters.map_or(0, |letters| letters.slot_stride as u64),
            letter_payload: layout.letters.map_or(0, |letters| letters.payload_offset as u64),
            actors: spec.actors,
            actors_per_block,
            clock: clock_function(),
            clock_origin: clock_origin(spec.clock),
            scratch_stride: self.scratch,
            in_shift: layout.inbound.capacity.trailing_zeros(),
            out_shift: layout.outbound.capacity.trailing_zeros(),
            letter_shift: layout.letters.map_or(0, |letters| letters.capacity.trailing_zeros()),
            grid: spec.shards.len() as u32,
            limit: self.limit,
            credit: self.credit,
            idle_polls: looks,
            epoch_messages: if self.resident { self.faults.ends_after } else { EPOCH_MESSAGES },
            epoch_polls: if self.resident { 0 } else { looks.clamp(1, EPOCH_LOOKS) },
            nap_micros: NAP.as_micros() as u32,
            patience: self.faults.patience.unwrap_or(PATIENCE),
            patience_polls: PATIENCE_LOOKS,
        }
    }

    /// Writes what the blocks must find in their records.
    pub(crate) fn fill_records(&self, records: &Memory, spec: &LaunchSpec) -> Result<(), BackendError> {
        let base = records.host().expect("shared memory is seen by the host").cast::<BlockRecord>();
        let first = spec.shards[0].telemetry().map(|line| std::ptr::from_ref(line.place().memory));
        for (index, shard) in spec.shards.iter().enumerate() {
            let telemetry = match shard.telemetry() {
                None => NO_LINE,
                Some(line) if first == Some(std::ptr::from_ref(line.place().memory)) => {
                    line.place().offset as u64
                }
                Some(_) => return Err(BackendError::new("a kernel's telemetry lines lie in one arena")),
            };
            // SAFETY: the memory has a record for each shard.
            let record = unsafe { base.add(index) };
            // SAFETY: the record lies in the memory.
            let place = unsafe { &raw mut (*record.as_ptr()).telemetry };
            // SAFETY: the record is the host's until the kernel starts.
            unsafe { place.write(telemetry) };
        }
        Ok(())
    }
}

/// What the clock that kernels on this machine's processor read shows when the runtime's shows 0.
#[cfg(target_os = "linux")]
fn clock_origin(clock: Clock) -> u64 {
    let before = crate::futex::monotonic();
    let now = clock.now();
    let after = crate::futex::monotonic();
    (before + (after - before) / 2).wrapping_sub(now)
}

/// Where the system's clock is read, for kernels that run in this process.
#[cfg(target_os = "linux")]
fn clock_function() -> u64 {
    libc::clock_gettime as *const () as u64
}

#[cfg(not(target_os = "linux"))]
fn clock_function() -> u64 {
    0
}

#[cfg(not(target_os = "linux"))]
fn clock_origin(_: Clock) -> u64 {
    0
}
