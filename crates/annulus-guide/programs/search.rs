use std::{error::Error, time::Duration};

use annulus::prelude::*;

// ANCHOR: handler
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Step {
    #[ring(key)]
    node: u32,
    hops: u32,
}

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Reached {
    is_reached: u32,
    hops: u32,
}

/// A node that is reached tells its neighbours: one output, however many they are.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16)]
fn reach(step: &Step, reached: &mut Reached, edges: &Outbox<Along<Step>>) {
    if reached.is_reached == 0 {
        *reached = Reached { is_reached: 1, hops: step.hops };
        edges.send(Along { row: step.node, from: 0, message: Step { hops: step.hops + 1, ..*step } });
    }
}
// ANCHOR_END: handler

const NODES: u32 = 4096;

/// Each node has edges to 16 others.
fn graph() -> Result<Rows, Box<dyn Error>> {
    let to = |node: u32| (1..=16).map(move |edge| (node * 7 + edge * edge * 31) % NODES);
    Ok(Rows::of_lists((0..NODES).map(|node| to(node).collect::<Vec<_>>()))?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = Runtime::builder().backend(Backend::Auto).build()?;
    // ANCHOR: stands
    const SHARDS: u32 = 2;
    // 4096 nodes with 16 edges each, and rings of 64 messages: what is on its way has no room.
    let options = LaunchOptions::production().actors(NODES.into()).grid(SHARDS).capacity(64).rows(graph()?);
    let kernel = reach::launch(&runtime, options.clone().active(false))?;
    kernel.connect_along(&kernel)?;
    kernel.activate_blocking()?;
    let _ = kernel.send_blocking(Step { node: 0, hops: 0 })?;
    if !kernel.drained_timeout(Duration::from_secs(1)) {
        println!("{}", runtime.why());
    }
    kernel.terminate_blocking();
    // ANCHOR_END: stands

    // ANCHOR: goes
    // A node sends once, so a shard has at most as many outputs on their way as it has nodes; and one more, so that it takes a
    // message when all are.
    let hold = NODES.div_ceil(SHARDS) + 1;
    let kernel = reach::launch(&runtime, options.hold(hold).active(false))?;
    kernel.connect_along(&kernel)?;
    kernel.activate_blocking()?;
    let _ = kernel.send_blocking(Step { node: 0, hops: 0 })?;
    kernel.drained_blocking();
    println!("{} outputs became {} messages", kernel.rows().outputs, kernel.rows().sent);
    // ANCHOR_END: goes
    Ok(())
}
