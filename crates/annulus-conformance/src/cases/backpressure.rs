//! What happens to a message when the queue is full, with exact counts. through a kernel.
//!
//! An inactive kernel keeps its queue as it is, so that counts are exact.

use std::{thread, time::Duration};

use annulus_runtime::{Backpressure, KernelHandle, LaunchOptions, SendError, SendOutcome, TrySendError};

use crate::{
    Bench,
    bench::{balanced, drain},
    kernels::{Item, Number, batch_echo, echo, number, numbers, track},
};

const CAPACITY: u64 = 16;

/// a batch for several blocks that has room is sent, lap after lap: a ring whose consumer has read is not taken for full.
pub fn q15_batches_find_the_room_there_is(bench: &Bench) {
    let options = LaunchOptions::default()
        .capacity(CAPACITY as u32)
        .output_capacity(64)
        .grid(4)
        .backpressure(Backpressure::Reject);
    let keyed = track::launch(bench.runtime(), options.clone().actors(8)).unwrap();
    let plain = batch_echo::launch(bench.runtime(), options).unwrap();
    let rounds = bench.size(20, 200);
    for round in 0..rounds {
        // Of 64 places so many are taken at a time, but for the last twelve never the same.
        let count = [48, 32, 20, 64][round as usize % 4];
        let items: Vec<_> = (0..count).map(|n| Item { key: n % 8, producer: 0, sequence: round }).collect();
        match count {
            64 => assert_eq!(keyed.send_batch_blocking(&items), Ok(())),
            _ => assert_eq!(keyed.try_send_batch(&items), Ok(())),
        }
        assert_eq!(plain.try_send_batch(&numbers(0..u64::from(count))), Ok(()));
        for _ in 0..count {
            keyed.recv_blocking().unwrap();
            plain.recv_blocking().unwrap();
        }
        drain(&keyed);
        drain(&plain);
    }
    for status in [balanced(&keyed), balanced(&plain)] {
        assert_eq!((status.drops.total(), status.sent), (0, rounds / 4 * (48 + 32 + 20 + 64)));
    }
}

fn inactive(bench: &Bench, backpressure: Backpressure) -> KernelHandle<echo> {
    let options = LaunchOptions::default().capacity(CAPACITY as u32).backpressure(backpressure).active(false);
    let kernel = echo::launch(bench.runtime(), options).unwrap();
    // Inactive from the first message on, so none of them is on its way.
    kernel.deactivate_blocking().unwrap();
    kernel
}

fn fill(kernel: &KernelHandle<echo>) {
    for message in numbers(0..CAPACITY) {
        assert_eq!(kernel.try_send(message), Ok(SendOutcome::Accepted));
    }
}

/// Activates, drains, and checks which messages were handled.
fn replies(kernel: &KernelHandle<echo>, expected: impl IntoIterator<Item = u64>) {
    let expected: Vec<Number> = expected.into_iter().map(number).collect();
    kernel.activate_blocking().unwrap();
    let received: Vec<_> = expected.iter().map(|_| kernel.recv_blocking().unwrap()).collect();
    assert_eq!(received, expected);
    drain(kernel);
    let status = balanced(kernel);
    assert_eq!(
        (status.processed, status.pending, status.produced),
        (expected.len() as u64, 0, expected.len() as u64)
    );
}

/// a full queue says so; the message comes back, and the refusal is counted.
pub fn q14_block_refuses_without_waiting(bench: &Bench) {
    let kernel = inactive(bench, Backpressure::Block);
    fill(&kernel);
    assert_eq!(kernel.try_send(number(100)), Err(TrySendError::Full(number(100))));
    let waited = kernel.send_timeout(number(101), Duration::from_millis(2));
    assert_eq!(waited, Err(SendError::Timeout(number(101))));
    let status = balanced(&kernel);
    assert_eq!((status.sent, status.pending, status.drops.rejected), (18, 16, 2));
    assert_eq!(status.drops.total(), 2);
}

/// a sender waits for space for as long as it takes, and nothing is lost.
pub fn q14_block_waits_for_space(bench: &Bench) {
    let kernel = inactive(bench, Backpressure::Block);
    fill(&kernel);
    thread::scope(|scope| {
        let sender = scope.spawn(|| {
            assert_eq!(kernel.send_blocking(number(16)), Ok(SendOutcome::Accepted));
            kernel.send_batch_blocking(&numbers(17..100)).unwrap();
        });
        thread::sleep(Duration::from_millis(2));
        assert!(!sender.is_finished());
        replies(&kernel, 0..100);
    });
    assert_eq!(balanced(&kernel).drops.total(), 0);
}

/// Reject says at once that the queue is full, however one sends.
pub fn q15_reject(bench: &Bench) {
    let kernel = inactive(bench, Backpressure::Reject);
    fill(&kernel);
    assert_eq!(kernel.try_send(number(100)), Err(TrySendError::Full(number(100))));
    assert_eq!(kernel.send_blocking(number(101)), Err(SendError::Full(number(101))));
    assert_eq!(kernel.send_timeout(number(102), Duration::from_secs(60)), Err(SendError::Full(number(102))));
    let error = kernel.send_batch_blocking(&numbers(103..106)).unwrap_err();
    assert_eq!((error.sent, error.cause), (0, SendError::Full(())));
    let status = balanced(&kernel);
    assert_eq!((status.sent, status.pending, status.drops.rejected), (20, 16, 4));
}

/// what Reject let in is handled; what it refused is not.
pub fn q15_reject_then_drain(bench: &Bench) {
    let kernel = inactive(bench, Backpressure::Reject);
    let error = kernel.send_batch_blocking(&numbers(0..20)).unwrap_err();
    assert_eq!((error.sent, error.cause), (16, SendError::Full(())));
    assert!(error.to_string().starts_with("16 messages of the batch were sent"), "{error}");
    assert_eq!(balanced(&kernel).drops.rejected, 1);
    replies(&kernel, 0..16);
}

/// DropNew hands the new message back, and the send is no error.
pub fn q17_drop_new(bench: &Bench) {
    let kernel = inactive(bench, Backpressure::DropNew);
    fill(&kernel);
    assert_eq!(kernel.try_send(number(100)), Ok(SendOutcome::Discarded(number(100))));
    assert_eq!(kernel.send_blocking(number(101)), Ok(SendOutcome::Discarded(number(101))));
    assert_eq!(kernel.send_batch_blocking(&numbers(102..105)), Ok(()));
    let status = balanced(&kernel);
    assert_eq!((status.sent, status.pending, status.drops.discarded, status.drops.total()), (21, 16, 5, 5));
}

/// what DropNew let in is handled.
pub fn q17_drop_new_then_drain(bench: &Bench) {
    let kernel = inactive(bench, Backpressure::DropNew);
    kernel.send_batch_blocking(&numbers(0..20)).unwrap();
    replies(&kernel, 0..16);
    assert_eq!(balanced(&kernel).drops.discarded, 4);
}

/// Sends `count` messages under DropOldest; says what was evicted.
fn overflow(kernel: &KernelHandle<echo>, count: u64) -> Vec<u64> {
    let send = |message| match kernel.try_send(message) {
        Ok(SendOutcome::Accepted) => None,
        Ok(SendOutcome::Evicted(old)) => Some(old.value),
        other => panic!("DropOldest does not refuse: {other:?}"),
    };
    numbers(0..count).into_iter().filter_map(send).collect()
}

/// DropOldest evicts the oldest message that has not been handed over, and hands it back.
pub fn q16_drop_oldest(bench: &Bench) {
    let kernel = inactive(bench, Backpressure::DropOldest);
    let evicted = overflow(&kernel, 40);
    // What was handed over stays: two batches, of one message each in this mode.
    assert_eq!(evicted, Vec::from_iter(2..24));
    let status = balanced(&kernel);
    assert_eq!((status.sent, status.pending, status.drops.evicted, status.drops.total()), (40, 18, 22, 22));
    kernel.send_batch_blocking(&numbers(40..42)).unwrap();
    assert_eq!(balanced(&kernel).drops.evicted, 24);
}

/// what remains is the newest, in order.
pub fn q16_drop_oldest_then_drain(bench: &Bench) {
    let kernel = inactive(bench, Backpressure::DropOldest);
    let _ = overflow(&kernel, 40);
    replies(&kernel, (0..2).chain(24..40));
}

/// A kernel that keeps up drops nothing, and one that does not loses only what is counted, under every
/// strategy.
pub fn counts_are_exact_under_every_strategy(bench: &Bench) {
    let strategies =
        [Backpressure::Block, Backpressure::Reject, Backpressure::DropOldest, Backpressure::DropNew];
    for (i, backpressure) in strategies.into_iter().enumerate() {
        let options = LaunchOptions::default()
            .capacity(32)
            .grid(2)
            .backpressure(backpressure)
            .name(format!("{backpressure:?}"));
        let kernel = batch_echo::launch(bench.runtime(), options).unwrap();
        let each = bench.size(5_000, 50_000);
        let handled = thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for message in numbers(0..each) {
                        let _ = kernel.send_blocking(message);
                    }
                });
            }
            let receiver = scope.spawn(|| {
                let mut received = 0;
                while kernel.recv_blocking().is_ok() {
                    received += 1;
                }
                received
            });
            // Senders are not joined yet: closing waits for them by their count.
            crate::bench::eventually(|| kernel.status().sent == 3 * each);
            kernel.close();
            drain(&kernel);
            kernel.terminate_blocking();
            receiver.join().unwrap()
        });
        let status = balanced(&kernel);
        assert_eq!((status.sent, status.pending), (3 * each, 0));
        assert_eq!((status.processed, status.produced), (handled, handled));
        let drops = status.drops;
        let by_cause = [0, drops.rejected, drops.evicted, drops.discarded];
        assert_eq!(by_cause[i], drops.total(), "{drops:?} under {backpressure:?}");
    }
}
