//! A message without key waited for the shard that was chosen first, though another had room long since.

use std::{
    sync::{
        Barrier,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
    time::Duration,
};

use annulus_cpu::Cpu;
use annulus_runtime::{LaunchOptions, Runtime, prelude::*};

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Job {
    /// Which gate to stop at until the test opens it; 0 for none.
    gate: u32,
}

static STOPPED: Barrier = Barrier::new(3);
static GATES: [Barrier; 2] = [Barrier::new(2), Barrier::new(2)];

#[ring_kernel(cpu_only)] // It waits at a barrier.
fn work(job: &Job) {
    if let Some(gate) = (job.gate as usize).checked_sub(1) {
        STOPPED.wait();
        GATES[gate].wait();
    }
}

/// Both blocks stop in a handler and both queues fill up; then one goes on, whichever it is, and a sender
/// gets through.
#[test]
fn it_goes_where_there_is_room() {
    let runtime = Runtime::builder().backend(Cpu::new().workers(2)).build().expect("threads can be had");
    for goes_on in 0..2 {
        let options = LaunchOptions::production().grid(2).capacity(16);
        let kernel = work::launch(&runtime, options).expect("the options are right");
        // Messages without key are dealt out in turn while the shards are equally loaded.
        kernel.send_batch_blocking(&[Job { gate: 1 }, Job { gate: 2 }]).expect("there is room");
        STOPPED.wait();
        while kernel.try_send(Job { gate: 0 }).is_ok() {}
        let (sent, done): (Sender<()>, Receiver<()>) = channel();
        thread::scope(|scope| {
            let sender = kernel.clone();
            scope.spawn(move || {
                for _ in 0..200 {
                    let _ = sender.send_blocking(Job { gate: 0 }).expect("it waits for room");
                }
                sent.send(()).expect("the test waits");
            });
            // Let the sender come to wait.
            thread::sleep(Duration::from_millis(20));
            GATES[goes_on].wait();
            let through = done.recv_timeout(Duration::from_secs(30));
            GATES[1 - goes_on].wait();
            through.expect("the sender is not left behind");
        });
    }
}
