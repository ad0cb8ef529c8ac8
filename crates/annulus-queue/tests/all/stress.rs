//! Four producers and four consumers on real threads: contents, order, counts and drops, for every strategy.

use std::{
    sync::atomic::{AtomicI64, Ordering},
    thread,
};

use annulus_queue::{
    Backpressure, Counters, QueueOptions, Receiver, SendError, SendOutcome, Sender, TryRecvError, queue,
};
use annulus_sync::wait::block_on;

const THREADS: u64 = 4;
const EACH: u64 = 100_000;

/// Eight words that belong together, so that a torn copy shows.
struct Message {
    producer: u64,
    number: u64,
    check: [u64; 6],
}

impl Message {
    fn new(producer: u64, number: u64) -> Self {
        Self { producer, number, check: std::array::from_fn(|i| Self::check(producer, number, i)) }
    }

    fn check(producer: u64, number: u64, i: usize) -> u64 {
        (producer << 32 | number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(i as u32 * 7)
    }

    fn assert_whole(&self) {
        for (i, check) in self.check.iter().enumerate() {
            assert_eq!(*check, Self::check(self.producer, self.number, i), "torn");
        }
    }
}

/// How often each of all messages was seen, as its number's sum, and how many.
#[derive(Default, Clone, Copy, PartialEq, Eq, Debug)]
struct Sum {
    messages: u64,
    numbers: u64,
}

impl Sum {
    fn add(&mut self, message: &Message) {
        message.assert_whole();
        self.messages += 1;
        self.numbers += message.producer * EACH + message.number;
    }

    fn join(self, other: Self) -> Self {
        Self { messages: self.messages + other.messages, numbers: self.numbers + other.numbers }
    }
}

#[derive(Default)]
struct Produced {
    evicted: Sum,
    refused: Sum,
}

fn produce(tx: &Sender<Message>, producer: u64) -> Produced {
    let mut produced = Produced::default();
    for number in 0..EACH {
        match tx.send_blocking(Message::new(producer, number)) {
            Ok(SendOutcome::Accepted) => {}
            Ok(SendOutcome::Evicted(message)) => produced.evicted.add(&message),
            Ok(SendOutcome::Discarded(message)) | Err(SendError::Full(message)) => {
                assert_eq!((message.producer, message.number), (producer, number), "one's own comes back");
                produced.refused.add(&message);
            }
            other => panic!("{:?}", other.map(|_| ()).map_err(|error| error.to_string())),
        }
    }
    produced
}

fn consume(rx: &Receiver<Message>) -> Sum {
    let mut received = Sum::default();
    let mut last = [None; THREADS as usize];
    while let Ok(message) = rx.recv_blocking() {
        received.add(&message);
        let last = &mut last[message.producer as usize];
        assert!(last.is_none_or(|last| last < message.number), "out of order");
        *last = Some(message.number);
    }
    received
}

fn run(strategy: Backpressure) -> Counters {
    let (tx, rx) = queue(QueueOptions::new().capacity(64).backpressure(strategy)).unwrap();
    let (produced, received) = thread::scope(|scope| {
        let consumers: Vec<_> = (0..THREADS).map(|_| scope.spawn(|| consume(&rx))).collect();
        let producers: Vec<_> = (0..THREADS)
            .map(|producer| {
                let tx = tx.clone();
                scope.spawn(move || produce(&tx, producer))
            })
            .collect();
        let produced: Vec<_> = producers.into_iter().map(|thread| thread.join().unwrap()).collect();
        // Balances hold also while messages move.
        let counters = tx.counters();
        assert_eq!(
            counters.enqueued,
            counters.dequeued + counters.evicted + counters.abandoned + counters.depth()
        );
        tx.close();
        (produced, consumers.into_iter().map(|thread| thread.join().unwrap()).fold(Sum::default(), Sum::join))
    });
    let evicted = produced.iter().fold(Sum::default(), |sum, p| sum.join(p.evicted));
    let refused = produced.iter().fold(Sum::default(), |sum, p| sum.join(p.refused));
    let total = THREADS * EACH;
    assert_eq!(
        received.join(evicted).join(refused),
        Sum { messages: total, numbers: total * (total - 1) / 2 },
        "every message is somewhere, once"
    );
    let counters = rx.counters();
    assert_eq!(counters.attempts(), total);
    assert_eq!(counters.depth(), 0);
    assert_eq!((counters.dequeued, counters.evicted), (received.messages, evicted.messages));
    assert_eq!(counters.rejected + counters.discarded, refused.messages);
    counters
}

/// under Block, all arrive.
#[test]
fn q_14_block_loses_nothing() {
    assert_eq!(run(Backpressure::Block).enqueued, THREADS * EACH);
}

///
#[test]
fn q_15_reject_counts_what_it_refuses() {
    let counters = run(Backpressure::Reject);
    assert_eq!(counters.discarded, 0);
}

/// every send is queued.
#[test]
fn q_16_drop_oldest_queues_every_message() {
    let counters = run(Backpressure::DropOldest);
    assert_eq!((counters.enqueued, counters.rejected, counters.discarded), (THREADS * EACH, 0, 0));
}

///
#[test]
fn q_17_drop_new_counts_what_it_discards() {
    let counters = run(Backpressure::DropNew);
    assert_eq!((counters.rejected, counters.evicted), (0, 0));
}

/// tasks instead of threads, with a queue that is nearly always full or empty, so that both ends sleep.
#[test]
fn q_14_async_ends_sleep_and_wake() {
    let (tx, rx) = queue(QueueOptions::new().capacity(16)).unwrap();
    let received: u64 = thread::scope(|scope| {
        for producer in 0..THREADS {
            let tx = tx.clone();
            scope.spawn(move || {
                block_on(async {
                    for number in 0..EACH / 4 {
                        assert!(tx.send(Message::new(producer, number)).await.is_ok());
                    }
                });
            });
        }
        drop(tx);
        let consumers: Vec<_> = (0..THREADS)
            .map(|_| {
                scope.spawn(|| {
                    block_on(async {
                        let mut received = 0;
                        while let Ok(message) = rx.recv().await {
                            message.assert_whole();
                            received += 1;
                        }
                        received
                    })
                })
            })
            .collect();
        consumers.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(received, THREADS * EACH / 4);
}

/// How many `Counted` there are.
static ALIVE: AtomicI64 = AtomicI64::new(0);

struct Counted;

impl Counted {
    fn new() -> Self {
        ALIVE.fetch_add(1, Ordering::Relaxed);
        Self
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        ALIVE.fetch_sub(1, Ordering::Relaxed);
    }
}

/// no leak and no double drop, with receivers that leave while senders send.
#[test]
fn q_02_every_message_is_dropped_once() {
    for strategy in
        [Backpressure::Block, Backpressure::Reject, Backpressure::DropOldest, Backpressure::DropNew]
    {
        for round in 0..50 {
            let (tx, rx) = queue(QueueOptions::new().capacity(16).backpressure(strategy)).unwrap();
            thread::scope(|scope| {
                for _ in 0..THREADS {
                    let (tx, rx) = (tx.clone(), rx.clone());
                    scope.spawn(move || while tx.send_blocking(Counted::new()).is_ok() || !tx.is_closed() {});
                    scope.spawn(move || (0..round * 20).for_each(|_| drop(rx.try_recv())));
                }
                drop(rx);
            });
            assert_eq!(
                tx.try_send(Counted::new()).map_err(|error| error.to_string()).err().as_deref(),
                Some(
                    "closed to new messages: the queue was closed, or the kernel that takes from it was closed or has terminated"
                )
            );
            let counters = tx.counters();
            assert_eq!((counters.depth(), ALIVE.load(Ordering::Relaxed)), (0, 0));
        }
    }
}

/// A queue that is dropped whole drops what is in it, also after many laps.
#[test]
fn q_02_a_dropped_queue_drops_its_messages() {
    let held = std::sync::Arc::new(());
    let (tx, rx) = queue(QueueOptions::new().capacity(16)).unwrap();
    for _ in 0..100 {
        let _ = tx.try_send(held.clone());
        let _ = rx.try_recv();
    }
    assert_eq!(rx.try_recv(), Err(TryRecvError::Empty));
    for _ in 0..7 {
        let _ = tx.try_send(held.clone());
    }
    assert_eq!(std::sync::Arc::strong_count(&held), 8);
    drop((rx, tx));
    assert_eq!(std::sync::Arc::strong_count(&held), 1);
}
