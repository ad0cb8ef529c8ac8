//! What a launch decides: threads, limits, and the records that its blocks read.

use std::{mem::offset_of, time::Duration};

use annulus_abi::launch::{
    AskRecord, BlockRecord, LaunchRecord, LinkRecord, MOST_PARCELS, NO_LINE, StepRecord, scratch_bytes,
    timer_bytes,
};
use annulus_abi::{kernel::KernelLayout, ring::RingHeader};
use annulus_kernel::{BindingKind, KernelDefinition, ProcessingMode, Rows, StateShape};
use annulus_runtime::{BackendError, BackendMemory, LaunchSize, LaunchSpec, RunMode};

use crate::{
    driver::{Abilities, DeviceClock, DeviceLocalMemory, Driver, Memory},
    kernel::Bounds,
    options::{Faults, HostOptions},
    state::States,
};

/// The longest time that a block polls for work in an epoch. Until then the other blocks wait for the next
/// epoch.
const EPOCH_IDLE: Duration = Duration::from_millis(1);
/// The same where a running kernel does not see what its host writes: only other blocks can then send work.
const EPOCH_RUSH: Duration = Duration::from_micros(50);
/// The longest nap of a resident block. After it the block checks the heartbeat.
const NAP: Duration = Duration::from_millis(100);
/// Naps without a heartbeat after which a block ends itself.
const PATIENCE: u32 = 100;
/// Polls that count as one nap on a device without naps.
const PATIENCE_LOOKS: u32 = 1 << 22;
/// Duration of an empty superstep, in polls: each block waits for all others. A guess; it only decides how
/// soon blocks nap.
const SUPERSTEP_LOOKS: u32 = 16;
/// The most scratch memory of a block of several threads.
const SCRATCH: u64 = 4 << 20;

/// Tickets of rings between kernels: 31 bits.
const DEVICE_LOCAL_TICKETS: u32 = u32::MAX >> 1;

/// How a kernel is launched.
pub(crate) struct LaunchPlan {
    pub(crate) threads: u32,
    /// Whether the kernel stays on the device.
    pub(crate) stays: bool,
    /// Inbound slots are sealed.
    pub(crate) sealed: bool,
    /// The most messages of a turn.
    pub(crate) limit: u32,
    /// Outbound slots that a message may need.
    pub(crate) credit: u32,
    /// Bytes of a block's scratch memory.
    pub(crate) scratch: u64,
    /// Whether the blocks take their turns in step.
    pub(crate) supersteps: bool,
    pub(crate) rounds: bool,
    /// Keys are sparse.
    pub(crate) sparse: bool,
    /// Actors are evicted.
    pub(crate) evicts: bool,
    faults: Faults,
}

/// Threads of a block, for a launch that asks for this many.
pub(crate) fn threads(
    abilities: &Abilities,
    options: &HostOptions,
    definition: &KernelDefinition,
    block: u32,
) -> u32 {
    let one_at_a_time = matches!(definition.state, StateShape::Whole(_))
        || definition.bindings.iter().any(|binding| binding.kind == BindingKind::Whole);
    match block {
        // The program sees how many threads its block has.
        threads if definition.shape.is_block_wide() => threads,
        // Its timers are one heap.
        _ if definition.timers.is_some() => 1,
        _ if one_at_a_time && !abilities.far => 1,
        1 => options.threads,
        threads => threads,
    }
}

/// Bytes of the rings between kernels.
fn device_local_bytes(layout: &KernelLayout, blocks: u32, nobody: bool) -> usize {
    // Behind the rings, landings for what other kernels ask: as many as there are for calls of the host, which are half of all.
    let each = layout.landings.map_or(0, |ring| ring.capacity as usize / 2);
    let asks = each * blocks as usize * layout.outbound.open().slot_stride;
    layout.inbound.bytes() * (blocks as usize + usize::from(nobody)) + asks
}

/// Bytes of the records of the kernels that a kernel sends to: behind them lie these kernels' addresses, and the table of topics.
pub(crate) fn link_bytes(definition: &KernelDefinition, topics: usize) -> usize {
    let places = definition.places();
    let addresses = if definition.peers.is_some() { places * size_of::<u64>() } else { 0 };
    let topics = if topics == 0 { 0 } else { (1 + topics) * size_of::<u64>() };
    let way = definition.ask().map_or(0, |_| size_of::<AskRecord>());
    places * size_of::<LinkRecord>() + addresses + topics + way
}

impl LaunchPlan {
    pub(crate) fn new(
        driver: &dyn Driver,
        options: &HostOptions,
        size: &LaunchSize<'_>,
    ) -> Result<Self, BackendError> {
        let abilities = driver.abilities();
        let definition = size.definition;
        // Where calls go through a kernel, one thread hands them on; and one keeps a long hold.
        let threads = if size.through || size.hold != 0 {
            1
        } else {
            threads(&abilities, options, definition, size.block)
        };
        let most = abilities.capabilities.max_block;
        if threads > most {
            return Err(BackendError::new(format!(
                "`{}`: a block of {threads} threads is more than `{}` runs, {most}: launch with a smaller block",
                definition.name,
                driver.name()
            )));
        }
        let limit = match size.mode {
            ProcessingMode::Continuous => 1,
            ProcessingMode::Batch | ProcessingMode::Adaptive => size.max_messages_per_iteration,
        };
        let layout = size.layout;
        let scratch = |limit| {
            scratch_bytes(threads, limit, definition.max_outputs, layout, size.connectable, size.hold)
        };
        // Blocks of one thread read and write messages in place. They need scratch memory only for messages
        // to other kernels.
        let mut limit = match scratch(16) {
            0 => limit,
            // A turn of a block with a hold takes what has room there.
            _ if size.hold != 0 => limit,
            bytes => u64::from(limit).min(SCRATCH * 16 / bytes).max(1) as u32,
        };
        if size.connectable && threads > 1 {
            limit = limit.min(MOST_PARCELS / definition.max_outputs.max(1)).max(1);
        }
        let sealed = layout.inbound.is_sealed();
        assert!(threads > 1 || !sealed, "slots are sealed only where `DeviceHost::seals` said so");
        Ok(Self {
            threads,
            stays: abilities.stays && !options.epochs && size.run_mode == RunMode::Persistent,
            sealed,
            limit,
            credit: definition.max_outputs,
            faults: options.faults,
            supersteps: size.supersteps,
            rounds: size.rounds,
            sparse: size.sparse,
            evicts: size.evicts,
            scratch: scratch(limit)
                + definition.timers.map_or(0, |timers| {
                    timer_bytes(timers.room, timers.places(), definition.ask().is_some(), layout)
                }),
        })
    }

    /// The memory that the launch takes of the device, besides its shards.
    pub(crate) fn memory(&self, size: &LaunchSize<'_>) -> Result<BackendMemory, BackendError> {
        let grid = u64::from(size.grid);
        let states = States::bytes(size.definition.state, size.actors, (size.sparse, size.evicts), grid)?;
        let record = |is_there: bool, bytes: usize| if is_there { bytes as u64 } else { 0 };
        let links = match size.connectable {
            true => {
                let rings = device_local_bytes(size.layout, size.grid, size.definition.peers.is_some());
                let rows = size.rows.map_or_else(|| Rows::default().words(), Rows::words);
                (rings + link_bytes(size.definition, size.topics)) as u64
                    + record(size.definition.rows.is_some(), size_of_val(&*rows))
            }
            false => 0,
        };
        Ok(BackendMemory {
            states: states as u64,
            bindings: size.binding_bytes(),
            links,
            scratch: (self.scratch + size_of::<BlockRecord>() as u64) * grid
                + size_of::<LaunchRecord>() as u64
                + record(self.supersteps, size_of::<StepRecord>()),
        })
    }

    /// How an epoch of this kernel ends.
    pub(crate) fn bounds(&self, driver: &dyn Driver, spec: &LaunchSpec) -> Bounds {
        let Abilities { look, epoch_messages, hears, loop_iterations, .. } = driver.abilities();
        let epoch_messages = match spec.run_mode {
            RunMode::EventDriven => epoch_messages.min(spec.leave_after),
            _ => epoch_messages,
        };
        let look = if self.supersteps { look * SUPERSTEP_LOOKS } else { look };
        let idle = match (hears, spec.connectable || spec.supersteps) {
            (true, _) => spec.spin.min(EPOCH_IDLE),
            // Other blocks may still send something, or wait for this block.
            (false, true) => spec.spin.min(EPOCH_RUSH),
            (false, false) => Duration::ZERO,
        };
        let looks = u32::try_from(idle.as_nanos() / look.as_nanos().max(1)).unwrap_or(u32::MAX).max(1);
        let Some(turns) = loop_iterations else { return Bounds { messages: epoch_messages, looks } };
        // The most turns of loops that a message takes: it is polled, handled, reported, and copied word by
        // word, with all that it sends.
        let layout = spec.shards[0].layout();
        let outputs = u64::from(self.credit.max(1)) * layout.outbound.slot_stride as u64;
        let each = 8 + (layout.inbound.slot_stride as u64 + outputs) / 8;
        let messages = u32::try_from(u64::from(turns / 2) / each).unwrap_or(u32::MAX);
        Bounds { messages: messages.clamp(1, epoch_messages), looks: looks.min(turns / 4) }
    }

    pub(crate) fn record(
        &self,
        driver: &dyn Driver,
        spec: &LaunchSpec,
        actors_per_block: u64,
        device_local: Option<&DeviceLocalMemory>,
    ) -> LaunchRecord {
        let Abilities { clock, look, .. } = driver.abilities();
        let clock = if clock { driver.clock(spec.clock.clone()) } else { DeviceClock::default() };
        let layout = spec.shards[0].layout();
        let look = if self.supersteps { look * SUPERSTEP_LOOKS } else { look };
        let looks =
            |time: Duration| u32::try_from(time.as_nanos() / look.as_nanos().max(1)).unwrap_or(u32::MAX);
        let bounds = self.bounds(driver, spec);
        LaunchRecord {
            actors: spec.actors,
            actors_per_block,
            clock: clock.needs,
            clock_origin: clock.origin,
            scratch_stride: self.scratch,
            device_local: device_local.map_or(0, |device_local| device_local.place),
            grid: spec.shards.len() as u32,
            limit: self.limit,
            credit: self.credit,
            idle_polls: looks(spec.spin),
            epoch_messages: if self.stays { self.faults.ends_after } else { bounds.messages },
            epoch_polls: if self.stays { 0 } else { bounds.looks },
            nap_micros: NAP.as_micros() as u32,
            patience: self.faults.patience.unwrap_or(PATIENCE),
            patience_polls: PATIENCE_LOOKS,
            device_local_first: self.faults.device_local_first & DEVICE_LOCAL_TICKETS,
            trace_seed: spec.trace_seed.unwrap_or(0),
            ..LaunchRecord::of_layout(layout)
        }
    }

    /// Rings between kernels, one for each block, as they begin.
    ///
    /// A kernel that sends to kernels by their addresses has one ring more, which is closed, for what is for
    /// nobody.
    pub(crate) fn device_local_rings(&self, layout: &KernelLayout, blocks: u32, nobody: bool) -> Vec<u8> {
        let bytes = layout.inbound.bytes();
        let mut memory = vec![0; device_local_bytes(layout, blocks, nobody)];
        let (rings, _) = memory.split_at_mut(bytes * (blocks as usize + usize::from(nobody)));
        // Tickets begin at 0, except in tests. The two words that name tickets begin at the same value.
        let first = (self.faults.device_local_first & DEVICE_LOCAL_TICKETS).to_ne_bytes();
        for ring in rings.chunks_exact_mut(bytes) {
            for word in [offset_of!(RingHeader, reserved), offset_of!(RingHeader, consumed)] {
                ring[word..word + first.len()].copy_from_slice(&first);
            }
        }
        if nobody {
            let reserved = offset_of!(RingHeader, reserved);
            let closed = (!DEVICE_LOCAL_TICKETS).to_ne_bytes();
            rings[bytes * blocks as usize..][reserved..reserved + closed.len()].copy_from_slice(&closed);
        }
        memory
    }

    /// Writes what the blocks must find in their records.
    pub(crate) fn fill_records(&self, records: &dyn Memory, spec: &LaunchSpec) -> Result<(), BackendError> {
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
            // SAFETY: only the host accesses the record until the kernel starts.
            unsafe { place.write(telemetry) };
        }
        Ok(())
    }
}
