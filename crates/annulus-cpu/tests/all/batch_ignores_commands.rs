//! A batch once ran to its end before the block looked at its command again: terminate and deactivate waited
//! for up to `max_messages_per_iteration` messages, and a message that was sent after a reset, into the
//! batch, was not counted.

use std::{
    future::Future,
    pin::pin,
    sync::{Mutex, MutexGuard},
    task::{Context, Waker},
    thread,
    time::Duration,
};

use annulus::{Runtime, prelude::*};
use annulus_cpu::Cpu;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Number {
    value: u64,
}

/// Held by a test that wants a handler to wait. No kernel should wait; this one stands for a slow one.
static GATE: Mutex<()> = Mutex::new(());

#[ring_kernel(mode = Batch, max_messages_per_iteration = 64, cpu_only)] // It waits for a lock.
fn gated(message: &Number) {
    let _ = message;
    drop(GATE.lock());
}

static ONE_TEST_AT_A_TIME: Mutex<()> = Mutex::new(());

/// A kernel in the middle of a batch: the first of its messages is being handled.
fn in_a_batch(messages: u64) -> (MutexGuard<'static, ()>, KernelHandle<gated>) {
    let runtime = Runtime::builder().backend(Cpu::new().workers(1)).build().unwrap();
    let kernel = gated::launch(&runtime, LaunchOptions::default()).unwrap();
    kernel.activate_blocking().unwrap();
    let gate = GATE.lock().unwrap();
    let batch: Vec<_> = (0..messages).map(|value| Number { value }).collect();
    kernel.send_batch_blocking(&batch).unwrap();
    // Long enough for the block to be in the first handler; if it is not, the test is easier.
    thread::sleep(Duration::from_millis(20));
    (gate, kernel)
}

/// Deactivates a kernel that is told so before the gate opens.
fn deactivate(kernel: &KernelHandle<gated>, gate: MutexGuard<'static, ()>) {
    let mut inactive = pin!(kernel.deactivate());
    // The first poll gives the command.
    let asked = inactive.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    drop(gate);
    if asked.is_pending() {
        annulus::block_on(inactive).unwrap();
    }
}

#[test]
fn a_batch_ends_when_the_kernel_is_deactivated() {
    let _alone = ONE_TEST_AT_A_TIME.lock();
    let (gate, kernel) = in_a_batch(50);
    deactivate(&kernel, gate);
    let status = kernel.status();
    assert!(status.processed <= 1 && status.pending >= 49, "{status}");
}

#[test]
fn a_batch_ends_when_the_kernel_is_terminated() {
    let _alone = ONE_TEST_AT_A_TIME.lock();
    let (gate, kernel) = in_a_batch(50);
    let mut end = pin!(kernel.terminate());
    // The first poll gives the command.
    let asked = end.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    drop(gate);
    if asked.is_pending() {
        annulus::block_on(end);
    }
    assert!(kernel.take_undelivered().len() >= 49);
}

#[test]
fn what_is_sent_after_a_reset_is_counted() {
    let _alone = ONE_TEST_AT_A_TIME.lock();
    let (gate, kernel) = in_a_batch(1);
    let telemetry = kernel.enable_telemetry().unwrap();
    telemetry.reset();
    kernel.send_batch_blocking(&[Number { value: 1 }, Number { value: 2 }]).unwrap();
    drop(gate);
    annulus::block_on(kernel.drained());
    assert_eq!(telemetry.poll().messages_processed, 2);
}
