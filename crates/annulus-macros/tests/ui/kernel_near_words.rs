use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Tick {
    n: u32,
}

/// The word that was meant is named, instead of all that there are.
#[ring_kernel(max_output = 2, blocks = 2, deduplicate = ById)]
fn tick(_: &Tick, ticks: &Outbox<Tick>) {
    ticks.send(Tick { n: 1 });
}

fn main() {}
