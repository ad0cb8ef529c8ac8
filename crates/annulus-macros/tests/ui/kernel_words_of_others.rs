//! M-09, K-06, W-16: words that other systems have for the same, or for what is said elsewhere.

use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Tick {
    n: u32,
}

#[ring_kernel(
    processing_mode = Batch,
    message_queue_size = 256,
    input_queue_size = 256,
    output_queue_size = 256,
    grid_size = 4,
    block_size = 64,
    enable_timestamps = true,
    backend = Cuda,
    event_driven = true,
    use_barriers = true,
    barrier_scope = BarrierScope::Warp,
    barrier_capacity = 256,
    named_barriers = 4,
    barrier_timeout = 100,
    messaging_strategy = MessagePassingStrategy::SharedMemory,
    shared_memory_size = 4096,
    latency_tracking = true,
    enable_telemetry = true
)]
fn m09_k06_w16_one_of_each(_: &Tick) {}

#[ring_kernel(barrier_scope = Grid, messaging_strategy = P2P, mode = Persistent)]
fn m09_peers(_: &Tick) {}

#[ring_kernel(barrier_scope = System, messaging_strategy = NCCL, mode = EventDriven)]
fn m09_collectives(_: &Tick) {}

#[ring_kernel(barrier_scope = ThreadBlock, messaging_strategy = AtomicQueue)]
fn m09_atomic_queue(_: &Tick) {}

#[ring_kernel(barrier_scope = Tile)]
fn b06_a_tile(_: &Tick) {}

fn main() {}
