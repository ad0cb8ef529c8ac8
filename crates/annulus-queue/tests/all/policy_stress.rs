//! Four producers and four consumers on real threads, for every strategy with all policies: contents, order,
//! counts.

use std::{thread, time::Duration};

use annulus_queue::{
    Backpressure, Counters, DeadLetters, Deduplication, Message, MessageQueue, QueueOptions, SendError,
    SendOutcome,
};
use annulus_sync::wait::block_on;

const THREADS: u64 = 4;
const EACH: u64 = 50_000;
/// Every message is sent this often.
const COPIES: u64 = 2;

/// Words that belong together, so that a torn copy shows.
struct Packet {
    number: u64,
    check: [u64; 7],
}

impl Packet {
    fn new(number: u64) -> Self {
        Self { number, check: std::array::from_fn(|i| Self::check(number, i)) }
    }

    fn check(number: u64, i: usize) -> u64 {
        number.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(i as u32 * 7)
    }

    fn producer(&self) -> u64 {
        self.number / EACH
    }
}

impl Message for Packet {
    fn id(&self) -> Option<u64> {
        Some(self.number)
    }

    fn priority(&self) -> u8 {
        (self.number % 3) as u8 * 100
    }
}

/// Which numbers were seen: how many, their sum, and the sum of their squares.
#[derive(Default, Clone, Copy, PartialEq, Eq, Debug)]
struct Sum {
    messages: u64,
    numbers: u64,
    squares: u64,
}

impl Sum {
    fn add(&mut self, packet: &Packet) {
        assert_eq!(packet.check, Packet::new(packet.number).check, "torn");
        self.messages += 1;
        self.numbers += packet.number;
        self.squares = self.squares.wrapping_add(packet.number.wrapping_mul(packet.number));
    }

    fn join(self, other: Self) -> Self {
        Self {
            messages: self.messages + other.messages,
            numbers: self.numbers + other.numbers,
            squares: self.squares.wrapping_add(other.squares),
        }
    }
}

#[derive(Default)]
struct Produced {
    evicted: Sum,
    refused: Sum,
    duplicates: Sum,
}

fn produce(queue: &MessageQueue<Packet>, producer: u64) -> Produced {
    let mut produced = Produced::default();
    for number in producer * EACH..(producer + 1) * EACH {
        for copy in 0..COPIES {
            // One copy as a task does, the other as a thread does.
            let outcome = if copy == 0 {
                queue.send_blocking(Packet::new(number))
            } else {
                block_on(queue.send(Packet::new(number)))
            };
            match outcome {
                Ok(SendOutcome::Accepted) => {}
                Ok(SendOutcome::Evicted(packet)) => produced.evicted.add(&packet),
                Ok(SendOutcome::Discarded(packet)) | Err(SendError::Full(packet)) => {
                    produced.refused.add(&packet)
                }
                Ok(SendOutcome::Duplicate(packet)) => produced.duplicates.add(&packet),
                Err(other) => panic!("{other}"),
            }
        }
    }
    produced
}

fn consume(queue: &MessageQueue<Packet>) -> Sum {
    let mut received = Sum::default();
    // Per producer and priority.
    let mut last = [[None; 3]; THREADS as usize];
    while let Ok(packet) = queue.recv_blocking() {
        received.add(&packet);
        let last = &mut last[packet.producer() as usize][packet.number as usize % 3];
        assert!(last.is_none_or(|last| last < packet.number), "out of order among equals");
        *last = Some(packet.number);
    }
    received
}

fn run(backpressure: Backpressure) -> Counters {
    let dead_letters = DeadLetters::new();
    let options = QueueOptions::new()
        .capacity(64)
        .backpressure(backpressure)
        .priority(true)
        .deduplication(Deduplication::ById)
        .deduplication_window(1 << 16)
        // So long that nothing expires: with the machine's clock, the test could not know beforehand which
        // messages expire.
        .expiry(Duration::from_secs(3600));
    let queue = MessageQueue::builder(options).dead_letters(&dead_letters).build().unwrap();
    let (produced, received) = thread::scope(|scope| {
        let consumers: Vec<_> = (0..THREADS).map(|_| scope.spawn(|| consume(&queue))).collect();
        let producers: Vec<_> = (0..THREADS)
            .map(|producer| {
                let queue = &queue;
                scope.spawn(move || produce(queue, producer))
            })
            .collect();
        let counters = queue.counters();
        assert!(counters.depth() <= 64, "all figures are of one moment");
        let produced: Vec<_> = producers.into_iter().map(|thread| thread.join().unwrap()).collect();
        queue.close();
        (produced, consumers.into_iter().map(|thread| thread.join().unwrap()).fold(Sum::default(), Sum::join))
    });
    let sum = |pick: fn(&Produced) -> Sum| produced.iter().map(pick).fold(Sum::default(), Sum::join);
    let (evicted, refused, duplicates) = (sum(|p| p.evicted), sum(|p| p.refused), sum(|p| p.duplicates));
    let mut sent = Sum::default();
    for number in 0..THREADS * EACH {
        (0..COPIES).for_each(|_| sent.add(&Packet::new(number)));
    }
    assert_eq!(
        received.join(evicted).join(refused).join(duplicates),
        sent,
        "every message is somewhere, once"
    );
    let counters = queue.counters();
    assert_eq!((counters.attempts(), counters.depth()), (sent.messages, 0));
    assert_eq!((counters.dequeued, counters.evicted), (received.messages, evicted.messages));
    assert_eq!(counters.rejected + counters.discarded, refused.messages);
    assert_eq!((counters.duplicate, counters.expired), (duplicates.messages, 0));
    counters
}

/// under Block each message arrives exactly once, and each copy is recognised.
#[test]
fn q_28_block_delivers_each_message_once() {
    let counters = run(Backpressure::Block);
    assert_eq!((counters.enqueued, counters.duplicate), (THREADS * EACH, THREADS * EACH));
}

///
#[test]
fn q_28_reject_counts_what_it_refuses() {
    let counters = run(Backpressure::Reject);
    assert_eq!((counters.discarded, counters.evicted), (0, 0));
}

///
#[test]
fn q_28_drop_oldest_hands_back_what_it_evicts() {
    let counters = run(Backpressure::DropOldest);
    assert_eq!(counters.rejected, 0);
}

///
#[test]
fn q_28_drop_new_counts_what_it_discards() {
    let counters = run(Backpressure::DropNew);
    assert_eq!((counters.rejected, counters.evicted), (0, 0));
}
