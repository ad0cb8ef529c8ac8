use std::error::Error;

use annulus::{RunMode, prelude::*};

// ANCHOR: handler
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Sample {
    value: u32,
}

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Sum {
    all: u64,
}

#[ring_kernel(mode = Adaptive, max_messages_per_iteration = 32)]
fn collect(sample: &Sample, sum: &mut Sum) {
    sum.all += u64::from(sample.value);
}
// ANCHOR_END: handler

// ANCHOR: time
/// Answers how long a sample was under way, if it says when it was taken.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 32)]
fn age(cx: &Cx, taken: &Taken, ages: &Outbox<Age>) {
    ages.send(Age { nanos: cx.now().saturating_sub(taken.at) });
}
// ANCHOR_END: time

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Taken {
    at: u64,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Age {
    nanos: u64,
}

// ANCHOR: turns
/// Turns that a kernel takes for messages that are all there when it begins.
fn turns(runtime: &Runtime, mode: ProcessingMode, messages: u32) -> Result<u64, Box<dyn Error>> {
    let options = collect::options().active(false).mode(mode).count_turns(true);
    let kernel = collect::launch(runtime, options)?;
    kernel.send_batch_blocking(&(0..messages).map(|value| Sample { value }).collect::<Vec<_>>())?;
    kernel.activate_blocking()?;
    kernel.drained_blocking();
    Ok(kernel.status().turns)
}
// ANCHOR_END: turns

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = Runtime::builder().backend(Backend::Cpu).build()?;
    for mode in [ProcessingMode::Continuous, ProcessingMode::Batch, ProcessingMode::Adaptive] {
        let (few, many) = (turns(&runtime, mode, 3)?, turns(&runtime, mode, 1000)?);
        println!("{mode:?}: 3 messages in {few} turns, 1000 in {many}");
    }

    // ANCHOR: leaves
    let options = collect::options().active(false).run_mode(RunMode::EventDriven).leave_after(100);
    let kernel = collect::launch(&runtime, options)?;
    let earlier = kernel.status().epochs;
    kernel.send_batch_blocking(&(0..1000).map(|value| Sample { value }).collect::<Vec<_>>())?;
    kernel.activate_blocking()?;
    kernel.drained_blocking();
    let epochs = kernel.status().epochs - earlier;
    println!("event-driven: 1000 messages in several epochs: {}", epochs >= 8);
    // ANCHOR_END: leaves

    let kernel = age::launch(&runtime, age::options())?;
    let before = runtime.now();
    let age = kernel.call_blocking(Taken { at: before })?;
    println!("an age between two looks at the clock: {}", age.nanos <= runtime.now() - before);
    Ok(())
}
