//! Regression: a block that became idle with a full outbound ring, and got messages before it slept, slept without saying that
//! it waits for space. If those messages filled its inbound ring, nobody woke it again: senders waited for space, and receivers
//! saw no stalled shard.

use std::time::{Duration, Instant};

use annulus::{Cpu, prelude::*};

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Number {
    value: u64,
}

#[ring_kernel(mode = Batch)]
fn echo(_cx: &Cx, message: &Number, replies: &Outbox<Number>) {
    replies.send(*message);
}

const SLOTS: u64 = 16;

#[test]
fn full_rings_on_both_sides_drain() {
    let runtime = Runtime::builder().backend(Cpu::new().workers(1)).build().unwrap();
    // A spin that is over after the first look at the clock: the block looks 64 times, then sleeps.
    let options = LaunchOptions::production().capacity(SLOTS as u32).spin(Duration::from_nanos(1));
    let kernel = echo::launch(&runtime, options).unwrap();
    let messages =
        |first: u64| -> Vec<Number> { (first..first + SLOTS).map(|value| Number { value }).collect() };
    for round in 0..200 {
        let first = round * 2 * SLOTS;
        kernel.send_batch_blocking(&messages(first)).unwrap();
        while kernel.status().processed != first + SLOTS {
            std::hint::spin_loop();
        }
        // The outbound ring is full, and the block looks for work a last time.
        kernel.send_batch_blocking(&messages(first + SLOTS)).unwrap();
        let asleep = Instant::now();
        while asleep.elapsed() < Duration::from_micros(50) {
            std::hint::spin_loop();
        }
        for value in first..first + 2 * SLOTS {
            let reply =
                kernel.recv_timeout(Duration::from_secs(20)).expect("the block handles what it was sent");
            assert_eq!(reply.value, value);
        }
    }
}
