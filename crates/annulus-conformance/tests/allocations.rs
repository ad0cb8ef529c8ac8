//! Bridged messages on the CPU allocate nothing in steady state (D-06, Q-30): neither who sends, nor the
//! block, nor who receives.
#![allow(clippy::disallowed_types)] // An allocator counts, and loom does not run here.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::Duration,
};

use annulus_conformance::kernels::bridged::{Level, Log, batch_numbers};
use annulus_cpu::Cpu;
use annulus_runtime::{KernelHandle, LaunchOptions, Runtime, SendOutcome};

struct Counting;

static COUNT: AtomicU64 = AtomicU64::new(0);

// SAFETY: each call is the system allocator's; only a count is kept beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Relaxed);
        // SAFETY: by the caller's word.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: by the caller's word.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How many rounds there are at most until one allocates nothing.
const ROUNDS: usize = 8;

/// The fewest allocations of a round, of those behind the first: buffers grow to the largest batch that came at once, which on
/// a busy machine may be one of a later round. What is allocated for each message, or for each round, is in all of them.
fn in_steady_state(mut round: impl FnMut()) -> u64 {
    round();
    let mut fewest = u64::MAX;
    for _ in 1..ROUNDS {
        let before = COUNT.load(Relaxed);
        round();
        fewest = fewest.min(COUNT.load(Relaxed) - before);
        if fewest == 0 {
            break;
        }
    }
    fewest
}

/// Messages in slots and in spill blocks.
fn logs() -> Vec<Log> {
    (0..64)
        .map(|number| Log {
            number,
            urgency: 0,
            text: "text ".repeat(number as usize),
            values: vec![1; 16],
            level: Level::Wrong { code: 7, cause: Some("a cause".into()) },
        })
        .collect()
}

/// Sends the messages, which are moved in and so must have been made before, and receives what comes.
fn one_by_one(kernel: &KernelHandle<batch_numbers>, logs: &mut Vec<Log>) {
    let count = logs.len();
    for log in logs.drain(..) {
        assert_eq!(kernel.try_send(log), Ok(SendOutcome::Accepted));
    }
    for _ in 0..count {
        while kernel.try_recv().is_err() {
            std::hint::spin_loop();
        }
    }
}

// One test, so that nobody else allocates meanwhile.
#[test]
fn d06_q30_bridged_messages_allocate_nothing() {
    let runtime = Runtime::builder().backend(Cpu::new()).build().unwrap();
    for (name, options) in
        [("straight", LaunchOptions::default()), ("behind a queue", LaunchOptions::default().priority(true))]
    {
        // Callers that sleep may allocate: these do not.
        let options = options.name(name).spin(Duration::from_secs(10));
        let kernel = batch_numbers::launch(&runtime, options).unwrap();
        let mut rounds = [(); ROUNDS].map(|()| logs()).into_iter();
        let singles = in_steady_state(|| one_by_one(&kernel, &mut rounds.next().unwrap()));
        assert_eq!(singles, 0, "{name}, one by one");

        let batch = logs();
        let batches = in_steady_state(|| {
            kernel.try_send_batch(&batch).unwrap();
            for _ in 0..batch.len() {
                while kernel.try_recv().is_err() {
                    std::hint::spin_loop();
                }
            }
        });
        assert_eq!(batches, 0, "{name}, in a batch");

        let mut calls = (0..ROUNDS).flat_map(|_| logs()).collect::<Vec<_>>().into_iter();
        let called = in_steady_state(|| {
            for log in calls.by_ref().take(64) {
                kernel.call_blocking(log).unwrap();
            }
        });
        if name == "straight" {
            assert_eq!(called, 0, "{name}, calls");
        }
    }
    // What is counted is counted.
    assert_ne!(in_steady_state(|| drop(logs())), 0);
}
