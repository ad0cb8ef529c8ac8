//! Batching allocates nothing for a batch in steady state. It has its own file, since it counts the allocations of the
//! whole process.
#![cfg(not(loom))]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    time::Duration,
};

use annulus_queue::{
    QueueOptions,
    batching::{Batch, BatchOptions, Batcher, Recycled},
    queue,
};
use annulus_sync::{AtomicU64, Ordering};

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

struct Counting;

// SAFETY: it only counts, and leaves the rest to the system's allocator, which keeps the contract.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the same contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the memory is the system allocator's, by `alloc`; the rest is the caller's word.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The test. It has no harness, because the harness's thread would allocate too.
fn main() {
    d_04_steady_state_allocates_nothing();
    println!("d_04_steady_state_allocates_nothing ... ok");
}

fn d_04_steady_state_allocates_nothing() {
    let (tx, rx) = queue::<Batch<[u64; 4]>>(QueueOptions::new().capacity(16)).unwrap();
    let options = BatchOptions::new().messages(64).delay(Duration::from_millis(1));
    let batcher = Batcher::new(options, Recycled::new(tx, options, 20)).unwrap();
    let round = || {
        // Five batches by count, and the rest by the timer.
        for n in 0..64 * 5 + 7 {
            batcher.push([n; 4]).unwrap();
        }
        let mut received = 0;
        while received < 64 * 5 + 7 {
            received += rx.recv_blocking().unwrap().len();
        }
    };
    // A list of waiters is allocated when two threads first meet at it, a list of entries when it first grows.
    // Either may be late, since the timer's thread decides it, but there are a handful, however many batches.
    (0..50).for_each(|_| round());
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    (0..200).for_each(|_| round());
    let allocations = ALLOCATIONS.load(Ordering::Relaxed) - before;
    assert!(allocations <= 16, "{allocations} allocations for 200 rounds of 6 batches");
}
