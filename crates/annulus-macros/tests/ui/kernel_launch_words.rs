use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Tick {
    n: u32,
}

#[ring_kernel(
    capacity = 1000,
    output_capacity = 2_000_000,
    backpressure = DropSome,
    deduplication = Always,
    deduplication_window = 8,
    priority = 1,
    expiry = 30,
    grid = 0,
    block = 2048,
    actors = many,
    sparse_keys = 1,
    evict_actors = "seldom",
    run_mode = Sometimes,
    leave_after = 0,
    spin = "soon",
    consistency = Strong,
    causal_ordering = 1,
    count_turns = yes,
    tracing = 1,
    trace_sample = 1.5,
    colour = 3
)]
fn tick(_: &Tick) {}

/// Nothing is followed, so no part of it.
#[ring_kernel(trace_sample = 0.5)]
fn quiet(_: &Tick) {}

#[ring_kernel(trace_sample = 0.5, tracing = false)]
fn silent(_: &Tick) {}

fn main() {}
