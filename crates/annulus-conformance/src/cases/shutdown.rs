//! Graceful shutdown: close, drain, terminate, dispose, within a limit: O-02. A kernel is not deactivated before it is drained, as the
//! specification has it: what is inactive handles nothing. It takes no more messages instead.

use std::{pin::pin, thread, time::Duration};

use annulus_runtime::{KernelState, LaunchOptions, Shutdown, ShutdownOutcome, TrySendError, block_on};

use crate::{
    Bench,
    bench::{balanced, eventually},
    cases::messages::poll_once,
    kernels::{Number, echo, number, numbers, swallow, total},
};

const LONG: Duration = Duration::from_secs(3600);
const SHORT: Duration = Duration::from_millis(20);

fn ended(kernel: &annulus_runtime::KernelControl) {
    assert_eq!(kernel.status().state, KernelState::Terminated);
    balanced(kernel);
}

/// O-02: everything that was sent is handled first.
pub fn o02_a_shutdown_drains(bench: &Bench) {
    let kernel = swallow::launch(bench.runtime(), LaunchOptions::default().grid(3).capacity(1024)).unwrap();
    kernel.send_batch_blocking(&numbers(0..3000)).unwrap();
    assert_eq!(
        kernel.shutdown_blocking(LONG),
        Shutdown { outcome: ShutdownOutcome::Drained, undelivered: vec![] }
    );
    ended(&kernel);
    assert_eq!(kernel.status().processed, 3000);
    assert_eq!(kernel.try_send(number(1)), Err(TrySendError::Closed(number(1))));
}

/// As a future, on any executor.
pub fn a_shutdown_is_a_future(bench: &Bench) {
    let kernel = total::launch(bench.runtime(), LaunchOptions::default()).unwrap();
    kernel.send_batch_blocking(&numbers(0..100)).unwrap();
    assert_eq!(block_on(kernel.shutdown(LONG)).outcome, ShutdownOutcome::Drained);
    ended(&kernel);
    assert_eq!(kernel.status().outputs_waiting, 100);
}

/// Dropping that future does not stop the shutdown.
pub fn a_shutdown_goes_on_without_its_future(bench: &Bench) {
    let kernel = echo::launch(bench.runtime(), LaunchOptions::default().active(false)).unwrap();
    let _ = poll_once(pin!(kernel.shutdown(LONG)));
    eventually(|| kernel.status().state == KernelState::Terminated);
}

/// O-02: an inactive kernel says that it will not drain, and returns what waits, at once.
pub fn o02_an_inactive_kernel_does_not_drain(bench: &Bench) {
    let kernel = echo::launch(bench.runtime(), LaunchOptions::default().active(false)).unwrap();
    kernel.send_batch_blocking(&numbers(0..10)).unwrap();
    let Shutdown { outcome, undelivered } = kernel.shutdown_blocking(LONG);
    assert_eq!((outcome, undelivered), (ShutdownOutcome::Inactive, numbers(0..10)));
    ended(&kernel);
}

/// O-02: when the limit passes the kernel is terminated anyway, and what is left comes back.
pub fn o02_a_deadline_returns_what_is_left(bench: &Bench) {
    let kernel =
        echo::launch(bench.runtime(), LaunchOptions::default().capacity(64).output_capacity(16)).unwrap();
    kernel.send_batch_blocking(&numbers(0..40)).unwrap();
    let Shutdown { outcome, undelivered } = kernel.shutdown_blocking(SHORT);
    assert_eq!(outcome, ShutdownOutcome::DeadlinePassed);
    ended(&kernel);
    let status = kernel.status();
    assert_eq!(undelivered.len() as u64, status.drops.undelivered);
    // What was not handled follows what was; nobody read, so that were 16 at most.
    let received: Vec<Number> = std::iter::from_fn(|| kernel.recv_blocking().ok()).collect();
    assert!(received.len() <= 16);
    assert_eq!([received, undelivered].concat(), numbers(0..40));
}

/// O-02: what was shut down is gone though somebody still has its handle: the runtime does not list it, and another kernel may
/// have its name, with a ring and a state of its own. What it had sent is still received.
pub fn o02_what_was_shut_down_is_disposed_of(bench: &Bench) {
    let launch = || total::launch(bench.runtime(), LaunchOptions::default().name("again")).unwrap();
    let before = launch();
    before.send_batch_blocking(&numbers(1..4)).unwrap();
    assert_eq!(before.shutdown_blocking(LONG).outcome, ShutdownOutcome::Drained);
    assert!(bench.runtime().kernels().is_empty());
    let after = launch();
    after.send_batch_blocking(&numbers(5..6)).unwrap();
    assert_eq!(after.shutdown_blocking(LONG).outcome, ShutdownOutcome::Drained);
    let received = |kernel: &annulus_runtime::KernelHandle<total>| -> Vec<_> {
        std::iter::from_fn(|| kernel.recv_blocking().ok()).collect()
    };
    assert_eq!(received(&after), [number(5)]);
    assert_eq!(received(&before), [1, 3, 6].map(number));
    assert_eq!((before.status().processed, after.status().processed), (3, 1));
}

/// The end is the end.
pub fn a_second_shutdown_finds_it_done(bench: &Bench) {
    let kernel = echo::launch(bench.runtime(), LaunchOptions::default()).unwrap();
    kernel.terminate_blocking();
    assert_eq!(kernel.shutdown_blocking(LONG).outcome, ShutdownOutcome::AlreadyTerminated);
    assert_eq!(block_on(kernel.shutdown(SHORT)).outcome, ShutdownOutcome::AlreadyTerminated);
}

/// A shutdown during which somebody else terminates the kernel does not claim that it was drained.
pub fn a_shutdown_that_was_overtaken_says_so(bench: &Bench) {
    let kernel =
        echo::launch(bench.runtime(), LaunchOptions::default().capacity(64).output_capacity(16)).unwrap();
    kernel.send_batch_blocking(&numbers(0..40)).unwrap();
    eventually(|| kernel.status().stalled_shards == 1);
    thread::scope(|scope| {
        let shutdown = scope.spawn(|| kernel.shutdown_blocking(LONG));
        eventually(|| !kernel.status().accepts_messages);
        thread::sleep(Duration::from_millis(5));
        kernel.terminate_blocking();
        let Shutdown { outcome, undelivered } = shutdown.join().unwrap();
        assert_eq!(outcome, ShutdownOutcome::AlreadyTerminated);
        assert_eq!(undelivered, numbers(16..40));
    });
}

/// Shutdowns of several threads all end.
pub fn shutdowns_race(bench: &Bench) {
    for _ in bench.rounds(20, 200) {
        let kernel = swallow::launch(bench.runtime(), LaunchOptions::default().grid(2)).unwrap();
        kernel.send_batch_blocking(&numbers(0..100)).unwrap();
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    let Shutdown { outcome, undelivered } = kernel.shutdown_blocking(LONG);
                    assert!(matches!(outcome, ShutdownOutcome::Drained | ShutdownOutcome::AlreadyTerminated));
                    assert!(undelivered.is_empty());
                });
            }
        });
        assert_eq!(balanced(&kernel).processed, 100);
    }
}

/// The runtime shuts all of its kernels down, and says how each ended.
pub fn a_runtime_shuts_all_down(bench: &Bench) {
    let launch = |name: &str, active| {
        let kernel =
            swallow::launch(bench.runtime(), LaunchOptions::default().name(name).active(active)).unwrap();
        if !active {
            kernel.deactivate_blocking().unwrap();
        }
        kernel
    };
    let (busy, idle, asleep) = (launch("busy", true), launch("idle", true), launch("asleep", false));
    busy.send_batch_blocking(&numbers(0..1000)).unwrap();
    let _ = asleep.try_send(number(7)).unwrap();
    let outcomes = bench.runtime().shutdown_blocking(LONG);
    let expected = [
        ("asleep".to_owned(), ShutdownOutcome::Inactive),
        ("busy".to_owned(), ShutdownOutcome::Drained),
        ("idle".to_owned(), ShutdownOutcome::Drained),
    ];
    assert_eq!(outcomes, expected);
    [&busy, &idle, &asleep].into_iter().for_each(|kernel| ended(kernel));
    assert_eq!(busy.status().processed, 1000);
    assert_eq!(asleep.take_undelivered(), [number(7)]);
    assert!(bench.runtime().kernels().is_empty());
    assert!(bench.runtime().shutdown_blocking(LONG).is_empty());
}
