//! A receiver stayed with the shard that always had more, and never looked at the others.

use annulus_cpu::Cpu;
use annulus_runtime::{LaunchOptions, Runtime, prelude::*};

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Number {
    #[ring(key)]
    shard: u32,
}

#[ring_kernel(mode = Batch)]
fn echo(number: &Number, replies: &Outbox<Number>) {
    replies.send(*number);
}

#[test]
fn every_shard_is_heard() {
    let runtime = Runtime::builder().backend(Cpu::new().workers(2)).build().expect("threads can be had");
    let options = LaunchOptions::production().grid(2).capacity(1024);
    let kernel = echo::launch(&runtime, options).expect("the options are right");
    let send = |shard, count| {
        for _ in 0..count {
            let _ = kernel.send_blocking(Number { shard }).expect("there is room");
        }
    };
    send(0, 600);
    send(1, 10);
    annulus_runtime::block_on(kernel.drained());
    // Shard 0 is kept busier than the receiver is fast.
    let mut heard = 0;
    for received in 0.. {
        assert!(received < 10_000, "{heard} of shard 1's ten outputs in ten thousand");
        send(0, 1);
        let output = kernel.recv_blocking().expect("the kernel runs");
        heard += output.shard;
        if heard == 10 {
            break;
        }
    }
}
