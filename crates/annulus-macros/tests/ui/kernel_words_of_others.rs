//! Words that other systems have for the same, or for what is said elsewhere.

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
    backends = "cuda",
    domain = ActorModel,
    event_driven = true
)]
fn tick(_: &Tick) {}

fn main() {}
