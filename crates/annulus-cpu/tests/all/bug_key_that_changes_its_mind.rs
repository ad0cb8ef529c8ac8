//! A message type whose key is not the same each time it is asked made a block reach beyond its share of the
//! actors' states.

use std::cell::Cell;

use annulus_cpu::Cpu;
use annulus_runtime::{LaunchOptions, Runtime, block_on, prelude::*};

#[derive(DeviceType, Clone, Copy, Debug)]
#[repr(C)]
struct Fickle {
    value: u64,
}

thread_local! {
    static SHARD: Cell<u64> = const { Cell::new(0) };
}

// Safe code may do this, so it must be harmless.
impl RingMessage for Fickle {}

impl annulus_kernel::Message for Fickle {
    const KEYED: bool = true;

    fn key(&self) -> u64 {
        // On the thread that sends, a key of the last shard; on the workers, which never set it, others.
        let shard = SHARD.get();
        if shard == 0 { self.value } else { shard }
    }
}

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Count {
    count: u64,
}

#[ring_kernel(cpu_only)]
fn count(message: &Fickle, count: &mut Count, counts: &Outbox<Fickle>) {
    count.count += 1;
    counts.send(Fickle { value: count.count.max(message.value) });
}

#[test]
fn it_finds_a_state_of_its_block_or_none() {
    let runtime = Runtime::builder().backend(Cpu::new().workers(1)).build().expect("threads can be had");
    // Three blocks: two actors in the first, one in each other.
    let options = LaunchOptions::production().actors(4).grid(3).calls(false);
    let kernel = count::launch(&runtime, options).expect("the options are right");
    SHARD.set(2);
    for value in [0, 1, 2, 3, 4, 1 << 40, u64::MAX] {
        let _ = kernel.send_blocking(Fickle { value }).expect("there is room");
    }
    block_on(kernel.drained());
    let status = kernel.status();
    // Keys 0, 1 and 2 stand for index 0 of the block; the others for none.
    assert_eq!((status.processed, status.drops.unknown_actor), (3, 4));
}
