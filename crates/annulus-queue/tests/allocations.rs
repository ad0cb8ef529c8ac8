//! What queues allocate, counted by the allocator: the reported bytes at the start, and nothing per message.
//!
//! One test, since the counts cover the whole process.
#![cfg(not(loom))]
#![allow(clippy::disallowed_types, reason = "an allocator is outside every model")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
    time::Duration,
};

use annulus_queue::{
    Backpressure, Clock, DeadLetters, Deduplication, Message, MessageQueue, QueueOptions, Reason,
    SendOutcome, lossy, queue,
    single_consumer::{Many, One, ProducerMode, Receiver, Sender, memory_usage, mpsc, spsc},
};
use annulus_sync::wait::block_on;

struct Counting;

static BYTES: AtomicUsize = AtomicUsize::new(0);
static CALLS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is left to the system's allocator; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BYTES.fetch_add(layout.size(), Relaxed);
        CALLS.fetch_add(1, Relaxed);
        // SAFETY: the caller's promises are the system allocator's conditions.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        BYTES.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the pointer came from `alloc` above, so from the system's allocator, with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// How many more bytes are allocated after `make` than before, and the value that it made.
fn allocated<R>(make: impl FnOnce() -> R) -> (usize, R) {
    let before = BYTES.load(Relaxed);
    let made = make();
    (BYTES.load(Relaxed) - before, made)
}

/// How often `run` allocates.
fn allocations(run: impl FnOnce()) -> usize {
    let before = CALLS.load(Relaxed);
    run();
    CALLS.load(Relaxed) - before
}

#[derive(Clone, Copy)]
struct Reading {
    number: u64,
    _values: [u64; 6],
}

impl Message for Reading {
    const PAYLOAD_HASH: Option<fn(&Self) -> u64> = Some(|reading| reading.number);

    fn id(&self) -> Option<u64> {
        Some(self.number)
    }

    fn priority(&self) -> u8 {
        self.number as u8
    }
}

fn reading(number: u64) -> Reading {
    Reading { number, _values: [number; 6] }
}

/// Every kind of queue: each policy alone, and all together.
fn kinds() -> Vec<QueueOptions> {
    let plain = QueueOptions::new().capacity(64).name("readings");
    vec![
        plain.clone(),
        plain.clone().capacity(1 << 16),
        plain.clone().priority(true),
        plain.clone().deduplication(Deduplication::ById),
        plain.clone().deduplication(Deduplication::ByPayload).deduplication_window(1000),
        plain.clone().expiry(Duration::from_secs(1)),
        plain.priority(true).deduplication(Deduplication::ById).expiry(Duration::from_secs(1)).capacity(1024),
    ]
}

/// what `memory_usage` says is what is allocated, to the byte.
fn memory_usage_is_exact() {
    for options in kinds() {
        let said = MessageQueue::<Reading>::memory_usage_of(&options);
        // The name is counted as the queue's own, so it is made inside.
        let (bytes, queue) = allocated(|| MessageQueue::<Reading>::new(options.clone()).unwrap());
        assert_eq!((bytes, queue.memory_usage()), (said, said), "{options:?}");
    }
    for options in &kinds()[..2] {
        let (bytes, _ends) = allocated(|| queue::<Reading>(options.clone()).unwrap());
        assert_eq!(bytes, options.clone().memory_usage::<Reading>(), "{options:?}");
    }
    let (bytes, _ends) = allocated(|| queue::<u8>(QueueOptions::new()).unwrap());
    assert_eq!(bytes, QueueOptions::new().memory_usage::<u8>());
    for options in &kinds()[..2] {
        let (bytes, _ends) = allocated(|| spsc::<Reading>(options.clone()).unwrap());
        assert_eq!(bytes, memory_usage::<Reading, One>(options), "{options:?}");
        let (bytes, _ends) = allocated(|| mpsc::<Reading>(options.clone()).unwrap());
        assert_eq!(bytes, memory_usage::<Reading, Many>(options), "{options:?}");
    }
    let (bytes, _ends) = allocated(|| lossy::ring::<[u64; 8]>(100).unwrap());
    assert_eq!(bytes, lossy::memory_usage::<[u64; 8]>(100));
}

/// no message costs an allocation, for any policies and any outcome.
fn nothing_is_allocated_per_message() {
    for options in kinds() {
        for backpressure in
            [Backpressure::Block, Backpressure::Reject, Backpressure::DropOldest, Backpressure::DropNew]
        {
            let options = options.clone().capacity(64).backpressure(backpressure);
            let clock = Clock::manual();
            let mut builder = MessageQueue::builder(options.clone()).clock(&clock);
            let dead_letters = DeadLetters::with_alert(16, |alert| assert_eq!(alert.reason, Reason::Expired));
            if expires(&options) {
                builder = builder.dead_letters(&dead_letters);
            }
            let queue = builder.build().unwrap();
            let run = |round: u64| {
                for number in 0..300 {
                    // Some come twice; those beyond the capacity meet a full queue.
                    let _ = queue.try_send(reading(round * 1000 + number - number % 3 % 2));
                }
                clock.advance(Duration::from_millis(600));
                for _ in 0..40 {
                    let _ = queue.try_recv();
                }
            };
            run(0);
            assert_eq!(allocations(|| (1..50).for_each(run)), 0, "{options:?}");
        }
    }
    let (tx, rx) = queue(QueueOptions::new()).unwrap();
    let moved = allocations(|| {
        for number in 0..10_000 {
            assert!(matches!(tx.try_send(reading(number)), Ok(SendOutcome::Accepted)));
            assert!(rx.try_recv().is_ok());
        }
    });
    assert_eq!(moved, 0);
    // A thread that blocks for the first time allocates what it sleeps on.
    block_on(async {});
    let (mut tx, mut rx) = spsc(QueueOptions::new().capacity(64)).unwrap();
    assert_eq!(allocations(|| move_by_every_verb(&mut tx, &mut rx)), 0);
    let (mut tx, mut rx) = mpsc(QueueOptions::new().capacity(64)).unwrap();
    assert_eq!(allocations(|| move_by_every_verb(&mut tx, &mut rx)), 0);
    let (mut tx, mut rx) = lossy::ring::<[u64; 7]>(64).unwrap();
    let moved = allocations(|| {
        for number in 0..10_000 {
            tx.send([number; 7]);
            assert!(number % 3 != 0 || rx.try_recv().is_ok());
        }
    });
    assert_eq!(moved, 0);
}

fn move_by_every_verb<P: ProducerMode>(tx: &mut Sender<Reading, P>, rx: &mut Receiver<Reading, P>) {
    for number in 0..10_000 {
        assert!(tx.try_send(reading(number)).is_ok() && rx.try_recv().is_ok());
        assert!(tx.send_blocking(reading(number)).is_ok() && rx.recv_blocking().is_ok());
        assert!(block_on(tx.send(reading(number))).is_ok() && block_on(rx.recv()).is_ok());
        let mut place = tx.try_reserve().unwrap();
        place.write(reading(number));
        assert!(place.commit().is_ok());
        assert!(rx.peek(|reading| reading.number) == Ok(number));
        assert_eq!(rx.clear(), 1);
        // More than there is space for.
        assert_eq!(tx.try_send_batch((0..70).map(reading), |_| ()), 64);
        assert_eq!(rx.try_recv_batch(70, |_| ()), 64);
    }
}

fn expires(options: &QueueOptions) -> bool {
    MessageQueue::<Reading>::builder(options.clone()).dead_letters(&DeadLetters::new()).build().is_ok()
}

/// The test. It has no harness, because the harness's thread would allocate too.
fn main() {
    q_30_q_37_queues_allocate_what_they_say_and_nothing_per_message();
    println!("q_30_q_37_queues_allocate_what_they_say_and_nothing_per_message ... ok");
}

fn q_30_q_37_queues_allocate_what_they_say_and_nothing_per_message() {
    memory_usage_is_exact();
    nothing_is_allocated_per_message();
}
