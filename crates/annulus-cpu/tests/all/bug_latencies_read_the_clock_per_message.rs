//! Tracking latencies read the clock after each message, which cost a stream three quarters. It is read once
//! an iteration, as for telemetry, so a message's latency ends with the last handler of its iteration.

use std::time::Duration;

use annulus_cpu::Cpu;
use annulus_runtime::{LaunchOptions, ProcessingMode, Runtime, block_on, prelude::*};

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Work {
    rounds: u64,
}

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Mixed {
    value: u64,
}

#[ring_kernel]
fn mix(work: &Work, mixed: &mut Mixed) {
    for round in 0..work.rounds {
        mixed.value = mixed.value.wrapping_mul(6364136223846793005).wrapping_add(round);
    }
}

#[test]
fn latencies_end_with_the_iteration() {
    let runtime = Runtime::builder().backend(Cpu::new().workers(1)).build().expect("threads can be had");
    let options = LaunchOptions::default().mode(ProcessingMode::Batch).max_messages_per_iteration(16);
    let kernel =
        mix::launch(&runtime, options.track_latency(true).active(false)).expect("the options are right");
    // Sent within far less than their handlers take, a good part of a millisecond each; all handled in one
    // iteration.
    kernel.send_batch_blocking(&[Work { rounds: 3_000_000 }; 16]).expect("there is room");
    kernel.activate_blocking().expect("the kernel runs");
    block_on(kernel.drained());
    let latencies = kernel.latencies().expect("they are tracked");
    let (least, most) = (latencies.quantile(0.0), latencies.max());
    assert_eq!(latencies.count(), 16);
    assert!(least > most / 2, "{:?} to {:?}", Duration::from_nanos(least), Duration::from_nanos(most));
}
