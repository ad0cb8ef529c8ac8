//! Millions of messages: each exactly once, or counted.

use std::{ops::Range, thread};

use annulus_runtime::{Backpressure, KernelHandle, LaunchOptions, SendOutcome};

use crate::{
    Bench,
    bench::{balanced, drain},
    kernels::{Item, PRODUCERS, REPORT, audit, mix},
};

const ACTORS: u64 = 16;

fn launch(bench: &Bench, options: LaunchOptions) -> KernelHandle<audit> {
    audit::bind(ACTORS).launch(bench.runtime(), options.actors(ACTORS)).unwrap()
}

fn items(producer: u32, sequences: Range<u64>) -> impl Iterator<Item = Item> {
    sequences.map(move |sequence| Item { key: (sequence % ACTORS) as u32, producer, sequence })
}

/// What all actors saw together.
struct Seen {
    received: u64,
    checksum: u64,
    misordered: u64,
    gaps: u64,
}

fn account(kernel: &KernelHandle<audit>) -> Seen {
    let mut seen = Seen { received: 0, checksum: 0, misordered: 0, gaps: 0 };
    for key in 0..ACTORS as u32 {
        let account = kernel.call_blocking(Item { key, producer: REPORT, sequence: 0 }).unwrap();
        seen.received += account.received.iter().sum::<u64>();
        seen.checksum = seen.checksum.wrapping_add(account.checksum);
        seen.misordered += account.misordered;
        seen.gaps += account.gaps;
    }
    seen
}

/// Ten million messages of four producers under Block: each delivered exactly once, in order, with its
/// contents. Four million unless long cases run at their full size.
pub fn ten_million_messages(bench: &Bench) {
    const BATCH: u64 = 512;
    let kernel = launch(bench, LaunchOptions::high_throughput().grid(2));
    // How many each producer has sent.
    let sent: Vec<u64> = thread::scope(|scope| {
        let send = |producer| {
            let kernel = &kernel;
            scope.spawn(move || {
                let mut batch = Vec::with_capacity(BATCH as usize);
                let mut end = 0;
                for round in bench.rounds(2_000, 5_000) {
                    end = (round + 1) * BATCH;
                    batch.clear();
                    batch.extend(items(producer, round * BATCH..end));
                    kernel.send_batch_blocking(&batch).unwrap();
                }
                end
            })
        };
        let threads: Vec<_> = (0..PRODUCERS as u32).map(send).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    drain(&kernel);
    let total = sent.iter().sum();
    let status = balanced(&kernel);
    assert_eq!((status.sent, status.processed, status.drops.total()), (total, total, 0));
    let seen = account(&kernel);
    assert_eq!((seen.received, seen.misordered, seen.gaps), (total, 0, 0));
    let contents =
        |(producer, &sent): (u64, &u64)| (0..sent).map(move |sequence| mix(sequence ^ (producer << 56)));
    assert_eq!(seen.checksum, (0..).zip(&sent).flat_map(contents).fold(0, u64::wrapping_add));
}

/// A million messages under a strategy that drops: what was not handled is counted, and handed back, to the
/// message.
fn a_million(bench: &Bench, backpressure: Backpressure) {
    let each = bench.size(250_000, 2_500_000);
    let kernel = launch(bench, LaunchOptions::default().capacity(256).grid(2).backpressure(backpressure));
    let back: u64 = thread::scope(|scope| {
        let send = |producer| {
            let kernel = &kernel;
            scope.spawn(move || {
                let not_queued = |item| match kernel.try_send(item) {
                    Ok(SendOutcome::Accepted) => false,
                    Ok(SendOutcome::Evicted(_)) => backpressure == Backpressure::DropOldest,
                    Ok(SendOutcome::Discarded(new)) => new == item,
                    Ok(SendOutcome::Duplicate(_)) => false,
                    Err(error) => error.into_inner() == item,
                };
                items(producer, 0..each).filter(|&item| not_queued(item)).count() as u64
            })
        };
        let threads: Vec<_> = (0..PRODUCERS as u32).map(send).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    drain(&kernel);
    let status = balanced(&kernel);
    let total = each * PRODUCERS as u64;
    assert_eq!((status.sent, status.pending, status.drops.total()), (total, 0, back));
    let seen = account(&kernel);
    assert_eq!((seen.received, seen.misordered), (total - back, 0));
    println!("{back} of {total} dropped under {backpressure:?}");
}

/// Q-15 under load.
pub fn q15_a_million_under_reject(bench: &Bench) {
    a_million(bench, Backpressure::Reject);
}

/// Q-16 under load.
pub fn q16_a_million_under_drop_oldest(bench: &Bench) {
    a_million(bench, Backpressure::DropOldest);
}

/// Q-17 under load.
pub fn q17_a_million_under_drop_new(bench: &Bench) {
    a_million(bench, Backpressure::DropNew);
}
