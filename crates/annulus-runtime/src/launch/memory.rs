//! How much memory a launch takes.

use annulus_abi::{kernel::KernelLayout, memory::KernelMemory};
use annulus_kernel::{Binding, KernelDefinition, StateShape};
use annulus_queue::front::Front;

use crate::{
    backend::{BackendError, DeviceBackend, LaunchSize},
    kernel::{
        front::lane_options,
        shared::{max_batch, message_size, mode},
    },
    links::topics,
    options::LaunchOptions,
};

/// Of a launch, what decides how much memory it takes.
pub(crate) fn size<'a>(
    definition: &'static KernelDefinition,
    options: &'a LaunchOptions,
    layout: &'a KernelLayout,
    bindings: &'a [Binding],
) -> LaunchSize<'a> {
    LaunchSize {
        definition,
        layout,
        bindings,
        rows: definition.rows.and(options.outbound.rows.as_deref()),
        grid: options.shape.grid,
        block: options.shape.block,
        actors: match definition.state {
            StateShape::PerActor(_) => options.shape.actors,
            _ => 0,
        },
        sparse: options.shape.sparse_keys,
        evicts: options.shape.evict_actors,
        mode: mode(definition, options),
        max_messages_per_iteration: max_batch(definition, options),
        connectable: options.shape.connectable,
        supersteps: options.shape.supersteps,
        rounds: options.shape.rounds,
        run_mode: options.shape.run_mode,
        through: options.outbound.through != 0,
        hold: options.outbound.hold,
        topics: topics::entries(definition, options),
    }
}

/// All memory of a launch.
pub(crate) fn memory(
    backend: &dyn DeviceBackend,
    options: &LaunchOptions,
    size: &LaunchSize<'_>,
) -> Result<KernelMemory, BackendError> {
    let grid = u64::from(size.grid);
    let layout = size.layout;
    let all = |bytes: usize| bytes as u64 * grid;
    let mut memory = KernelMemory::default();
    memory.inbound = all(layout.inbound.bytes());
    memory.outbound = all(layout.outbound.bytes());
    memory.replies = all(layout.dead_letters_offset() - layout.replies_offset());
    memory.dead_letters = all(layout.prints_offset() - layout.dead_letters_offset());
    memory.prints = all(layout.records_offset() - layout.prints_offset());
    memory.traces = all(layout.histogram_offset() - layout.records_offset());
    memory.control = all(layout.shard_bytes()) - memory.shards();
    if options.has_policies() {
        let own = [&options.inbound].into_iter();
        let lanes: Vec<_> =
            own.chain(options.queues.iter().map(|queue| &queue.inbound)).map(lane_options).collect();
        memory.queues = all(Front::memory_usage(message_size(size.definition, layout), &lanes));
    }
    let taken = backend.memory(size)?;
    (memory.states, memory.bindings) = (taken.states, taken.bindings);
    (memory.links, memory.scratch) = (taken.links, taken.scratch);
    match backend.shares_any_memory() {
        true => memory.host = memory.total(),
        false => {
            (memory.host, memory.shared) = (memory.queues, memory.shards());
            memory.device = memory.total() - memory.host - memory.shared;
        }
    }
    Ok(memory)
}
