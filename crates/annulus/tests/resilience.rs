//! E-01, E-04, E-05 on the CPU, where a test moves the clock and a handler can be kept from returning.
#![allow(clippy::disallowed_types)] // The gate belongs to a handler.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use annulus::{
    Clock, Cpu, Ending, LaunchOptions, RecvError, Runtime,
    prelude::*,
    resilience::{Cause, Retry, Supervisor},
};

const MILLISECOND: u64 = 1_000_000;

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Attempt {
    retry: Retry,
    at: u64,
}

/// An attempt that always fails.
#[ring_kernel]
fn attempts(cx: &Cx, attempt: &Attempt, out: &Outbox<Attempt>, later: &Later<Attempt>) {
    let mut retry = attempt.retry;
    let next = retry.pause();
    out.send(Attempt { retry, at: cx.now() });
    if let Some(nanos) = next {
        later.send_after(Attempt { retry, at: 0 }, nanos);
    }
}

/// E-01: the document's attempts at 0, 200 and 600 ms, to the nanosecond, by a clock that the test moves; and no fourth.
#[test]
fn e01_attempts_come_at_their_times() {
    let clock = Clock::manual();
    let runtime = Runtime::builder().backend(Cpu::new()).clock(&clock).build().unwrap();
    let kernel = attempts::launch(&runtime, LaunchOptions::production()).unwrap();
    let begun = runtime.now();
    let _ = kernel.send_blocking(Attempt { retry: Retry::default(), at: 0 }).unwrap();
    let mut after = vec![kernel.recv_blocking().unwrap().at - begun];
    for pause in [200, 400] {
        // An output is there before the block tells of its timer.
        while kernel.status().timers.unwrap().next_due.is_none_or(|due| due <= runtime.now()) {
            std::thread::yield_now();
        }
        let due = kernel.status().timers.unwrap().next_due.unwrap();
        assert_eq!(due, runtime.now() + pause * MILLISECOND);
        clock.advance(Duration::from_nanos(pause * MILLISECOND - 1));
        assert!(kernel.try_recv().is_err());
        clock.advance(Duration::from_nanos(1));
        after.push(kernel.recv_blocking().unwrap().at - begun);
    }
    assert_eq!(after, [0, 200 * MILLISECOND, 600 * MILLISECOND]);
    clock.advance(Duration::from_secs(3600));
    kernel.drained_blocking();
    assert_eq!((kernel.status().timers.unwrap().waiting, kernel.try_recv().is_err()), (0, true));
}

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Number {
    value: u32,
}

#[ring_kernel]
fn echo(number: &Number, out: &Outbox<Number>) {
    out.send(*number);
}

/// E-04: a consumer's loop: nothing in time is not the end, and the end is not an error to try again after.
#[test]
fn e04_nothing_in_time_is_not_the_end() {
    let runtime = Runtime::builder().backend(Cpu::new()).build().unwrap();
    let kernel = echo::launch(&runtime, LaunchOptions::production()).unwrap();
    let (mut received, mut empty) = (Vec::new(), 0);
    loop {
        match kernel.recv_timeout(Duration::from_millis(1)) {
            Ok(Number { value }) => received.push(value),
            Err(RecvError::Timeout) if empty < 3 => {
                empty += 1;
                let _ = kernel.send_blocking(Number { value: empty }).unwrap();
                kernel.drained_blocking();
            }
            Err(RecvError::Timeout) => {
                let shutdown = kernel.shutdown_blocking(Duration::from_secs(60));
                assert!(shutdown.undelivered.is_empty());
            }
            Err(RecvError::Closed) => break,
        }
    }
    assert_eq!((received, empty), (vec![1, 2, 3], 3));
}

static GATE: AtomicBool = AtomicBool::new(false);

/// Does not return from a message 7 until the gate is open.
#[ring_kernel(cpu_only)]
fn stuck(number: &Number, out: &Outbox<Number>) {
    while number.value == 7 && !GATE.load(Ordering::Relaxed) {
        std::thread::yield_now();
    }
    out.send(*number);
}

/// Opens the gate, also if the test fails: else a worker would wait for ever.
struct Opened;

impl Drop for Opened {
    fn drop(&mut self) {
        GATE.store(true, Ordering::Relaxed);
    }
}

/// E-05: a handler that does not return makes its supervisor launch the kernel again, elsewhere.
#[test]
fn e05_a_handler_that_does_not_return() {
    let supervisor = Supervisor::new()
        .stalled_after(Duration::from_secs(1))
        .pauses(Duration::from_millis(1), Duration::from_millis(1));
    // One worker stays in the handler; the name is free for the next kernel all the same.
    let runtime = Runtime::builder().backend(Cpu::new().workers(2)).build().unwrap();
    let supervised =
        supervisor.start(move |_| Ok(stuck::launch(&runtime, LaunchOptions::production())?)).unwrap();
    let first = supervised.kernel().unwrap();
    assert_eq!(first.call_blocking(Number { value: 1 }).unwrap().value, 1);
    for value in [7, 8] {
        let _ = first.send_blocking(Number { value }).unwrap();
    }
    let opened = Opened;
    let begun = Instant::now();
    while supervised.status().restarts == 0 {
        assert!(begun.elapsed() < Duration::from_secs(120), "{}", supervised.status());
        std::thread::sleep(Duration::from_millis(1));
    }
    let second = supervised.running_timeout(Duration::from_secs(60)).unwrap();
    assert_eq!(second.call_blocking(Number { value: 2 }).unwrap().value, 2);
    let Some(Cause::Stalled { shard: 0, message: 1, time }) = supervised.status().cause else {
        panic!("{}", supervised.status())
    };
    assert!(time >= Duration::from_secs(1));
    assert!(
        second.status().notes[0].starts_with("restart 1, since shard 0 was in the handler of message 1 for ")
    );
    assert_eq!(first.status().ending, None);
    drop(opened);
    assert_eq!(first.ended_blocking(), Ending::Asked);
}
