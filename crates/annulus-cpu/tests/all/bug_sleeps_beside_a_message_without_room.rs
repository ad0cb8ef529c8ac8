//! A block that parked while a message arrived and its outbound ring was full slept on: it had not said
//! that it was stalled, so the receiver that made room did not wake it, and the sender had seen it awake.

use std::{
    hint::{black_box, spin_loop},
    time::Duration,
};

use annulus_cpu::Cpu;
use annulus_runtime::{LaunchOptions, Runtime, prelude::*};

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Number {
    value: u64,
}

#[ring_kernel(mode = Batch)]
fn echo(number: &Number, replies: &Outbox<Number>) {
    replies.send(*number);
}

/// Fills the outbound ring exactly, and sends one more message just when the block finds nothing else to do.
#[test]
fn a_block_wakes_when_there_is_room_again() {
    const ROOM: u64 = 16;
    let runtime = Runtime::builder().backend(Cpu::new().workers(1)).build().expect("threads can be had");
    let options = LaunchOptions::production().capacity(16).spin(Duration::ZERO);
    let kernel = echo::launch(&runtime, options).expect("the options are right");
    let mut next = 0;
    let mut send = || {
        let _ = kernel.send_blocking(Number { value: next }).expect("the kernel is open");
        next += 1;
    };
    let mut handled = 0;
    for round in 0..60_000u32 {
        (0..ROOM).for_each(|_| send());
        handled += ROOM;
        while kernel.status().processed < handled {
            spin_loop();
        }
        // Each round a little later than the one before.
        (0..round % 512).for_each(|_| black_box(()));
        send();
        handled += 1;
        for _ in 0..=ROOM {
            // Not a limit on speed: only a hang lasts that long.
            let reply = kernel.recv_timeout(Duration::from_secs(20));
            assert!(reply.is_ok(), "{reply:?} in round {round}: {}", kernel.status());
        }
    }
}
