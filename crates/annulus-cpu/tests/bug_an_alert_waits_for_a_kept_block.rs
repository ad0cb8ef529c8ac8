//! A worker keeps the block that it delivers a message to. It went on keeping it while it called the alert of
//! a dead letter of the same iteration: an alert that waited for what that block does waited for ever,
//! although another worker was idle.
extern crate annulus_runtime as annulus;

use std::{
    sync::mpsc::channel,
    time::{Duration, Instant},
};

use annulus_cpu::Cpu;
use annulus_runtime::{LaunchOptions, ProcessingMode, Runtime, prelude::*};

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Number {
    value: u64,
}

/// Fails for 0.
#[ring_kernel(cpu_only)]
fn pass_on(number: &Number, next: &Outbox<Number>) -> Result<(), Failure> {
    if number.value == 0 {
        return Err(Failure::of(1));
    }
    next.send(*number);
    Ok(())
}

#[ring_kernel(cpu_only)]
fn take(_number: &Number) {}

#[test]
fn another_worker_runs_it() {
    let runtime = Runtime::builder().backend(Cpu::new().workers(2)).build().expect("threads can be had");
    let options = || LaunchOptions::default().connectable(true).active(false).spin(Duration::ZERO);
    let target = take::launch(&runtime, options().name("target")).expect("the options are right");
    let batches = options().mode(ProcessingMode::Batch).max_messages_per_iteration(16);
    let source = pass_on::launch(&runtime, batches.name("source")).expect("the options are right");
    source.connect(&target).expect("both are inactive");
    target.activate_blocking().expect("the kernel runs");
    let (tell, told) = channel();
    let asked = target.clone();
    assert!(source.dead_letters().expect("it keeps some").set_alert(move |_| {
        let end = Instant::now() + Duration::from_secs(20);
        while asked.status().processed == 0 && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
        }
        let _ = tell.send(asked.status().processed);
    }));
    // In one iteration: the first one fails, the second one is delivered.
    for value in [0, 1] {
        let _ = source.send_blocking(Number { value }).expect("there is room");
    }
    source.activate_blocking().expect("the kernel runs");
    assert_eq!(told.recv(), Ok(1), "what the target had handled while the alert waited for it");
}
