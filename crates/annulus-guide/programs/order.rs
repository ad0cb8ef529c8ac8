use std::{
    error::Error,
    sync::atomic::{AtomicU32, Ordering::Relaxed},
};

use annulus::{Consistency, prelude::*};

// ANCHOR: handler
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Step {
    #[ring(key)]
    worker: u32,
    place: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Found {
    value: u32,
}

/// Each worker reads what the one before it wrote, and writes the next value to a place of its own.
#[ring_kernel]
fn pass_on(cx: &Cx, step: &Step, table: &[AtomicU32], found: &Outbox<Found>) {
    cx.fence(FenceScope::System); // What was taken before comes before what is read now.
    let value = table[step.place as usize].load(Relaxed);
    table[step.place as usize + 1].store(value + 1, Relaxed);
    cx.fence(FenceScope::System); // What was written comes before what is sent now.
    found.send(Found { value });
}
// ANCHOR_END: handler

// ANCHOR: counted
/// The same without fences: each message carries the order of what happened before it.
#[ring_kernel(consistency = ReleaseAcquire, causal_ordering = true)]
fn pass(step: &Step, table: &[AtomicU32], found: &Outbox<Found>) {
    let value = table[step.place as usize].load(Relaxed);
    table[step.place as usize + 1].store(value + 1, Relaxed);
    found.send(Found { value });
}
// ANCHOR_END: counted

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = Runtime::builder().backend(Backend::Auto).build()?;
    // ANCHOR: launch
    let options = LaunchOptions::low_latency().grid(4).consistency(Consistency::Relaxed);
    let kernel = pass_on::bind(&[0; 101]).launch(&runtime, options)?;
    let mut last = 0;
    for place in 0..100 {
        last = kernel.call_blocking(Step { worker: place % 4, place })?.value;
    }
    println!("with fences: the last of 100 found {last}");
    // ANCHOR_END: launch
    let kernel = pass::bind(&[0; 101]).launch(&runtime, pass::options().grid(4))?;
    for place in 0..100 {
        last = kernel.call_blocking(Step { worker: place % 4, place })?.value;
    }
    println!("with messages that order: the last of 100 found {last}");
    Ok(())
}
