//! What was sent and not handled comes back.

use std::{sync::Mutex, thread};

use annulus_runtime::{
    Backpressure, LaunchOptions, RecvError, SendError, SendOutcome, TryRecvError, TrySendError,
};

use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    kernels::{echo, number, numbers, swallow},
};

/// After termination the messages that waited are handed back, in order and once, whatever the backpressure.
pub fn termination_hands_back(bench: &Bench) {
    for backpressure in
        [Backpressure::Block, Backpressure::Reject, Backpressure::DropOldest, Backpressure::DropNew]
    {
        let options = LaunchOptions::default()
            .active(false)
            .backpressure(backpressure)
            .name(format!("{backpressure:?}"));
        let kernel = echo::launch(bench.runtime(), options).unwrap();
        kernel.deactivate_blocking().unwrap();
        kernel.send_batch_blocking(&numbers(0..100)).unwrap();
        assert_eq!(balanced(&kernel).pending, 100);
        assert!(kernel.take_undelivered().is_empty());
        kernel.terminate_blocking();
        let status = balanced(&kernel);
        assert_eq!((status.pending, status.drops.undelivered, status.drops.total()), (0, 100, 100));
        assert_eq!(kernel.take_undelivered(), numbers(0..100));
        assert!(kernel.take_undelivered().is_empty());
        assert_eq!(kernel.try_recv(), Err(TryRecvError::Closed));
        assert_eq!(kernel.recv_blocking(), Err(RecvError::Closed));
        assert_eq!(kernel.status().drops, status.drops);
    }
}

/// A closed kernel refuses, and hands the message back; refusals after the end do not count as sent.
pub fn a_closed_kernel_refuses(bench: &Bench) {
    for backpressure in
        [Backpressure::Block, Backpressure::Reject, Backpressure::DropOldest, Backpressure::DropNew]
    {
        let options = LaunchOptions::default()
            .backpressure(backpressure)
            .active(false)
            .name(format!("{backpressure:?}"));
        let kernel = echo::launch(bench.runtime(), options).unwrap();
        let _ = kernel.try_send(number(1)).unwrap();
        for end in [false, true] {
            if end {
                kernel.terminate_blocking();
            } else {
                kernel.close();
            }
            assert_eq!(kernel.try_send(number(2)), Err(TrySendError::Closed(number(2))));
            assert_eq!(kernel.send_blocking(number(3)), Err(SendError::Closed(number(3))));
            let error = kernel.send_batch_blocking(&numbers(4..6)).unwrap_err();
            assert_eq!((error.sent, error.cause), (0, SendError::Closed(())));
            assert_eq!(balanced(&kernel).sent, 1);
        }
    }
}

/// Closing refuses what comes; what was sent before is handled.
pub fn what_was_sent_before_closing_is_handled(bench: &Bench) {
    let kernel = echo::launch(bench.runtime(), LaunchOptions::default().grid(2)).unwrap();
    kernel.send_batch_blocking(&numbers(0..1000)).unwrap();
    kernel.close();
    drain(&kernel);
    let status = balanced(&kernel);
    assert_eq!((status.processed, status.pending, status.accepts_messages), (1000, 0, false));
    let mut received: Vec<_> = (0..1000).map(|_| kernel.recv_blocking().unwrap()).collect();
    received.sort_unstable();
    assert_eq!(received, numbers(0..1000));
}

/// Messages that are sent while the kernel is terminated are handled or handed back: every one that was
/// accepted.
pub fn termination_races_with_sends(bench: &Bench) {
    let strategies = [Backpressure::Block, Backpressure::DropOldest, Backpressure::DropNew];
    for round in bench.rounds(100, 1_000) {
        let backpressure = strategies[round as usize % 3];
        let options = LaunchOptions::default().capacity(16).grid(2).backpressure(backpressure).name("race");
        let kernel = swallow::launch(bench.runtime(), options).unwrap();
        let accepted = Mutex::new(0u64);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let mut mine = 0;
                    loop {
                        match kernel.send_blocking(number(mine)) {
                            Ok(SendOutcome::Accepted | SendOutcome::Evicted(_)) => mine += 1,
                            Ok(_) => {}
                            Err(SendError::Closed(_)) => break,
                            Err(error) => panic!("{error}"),
                        }
                    }
                    *accepted.lock().unwrap() += mine;
                });
            }
            eventually(|| kernel.status().sent > 20);
            kernel.terminate_blocking();
        });
        let status = balanced(&kernel);
        let undelivered = kernel.take_undelivered().len() as u64;
        assert_eq!(undelivered, status.drops.undelivered);
        assert_eq!(status.processed + status.drops.evicted + undelivered, *accepted.lock().unwrap());
    }
}
