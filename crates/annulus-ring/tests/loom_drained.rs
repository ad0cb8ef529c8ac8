//! How a host finds that connected kernels are drained whose blocks tell late, in every interleaving that
//! loom can tell apart, up to a bound.
//!
//! The protocol is "Told late" of `annulus-block/PROTOCOL.md`, and the scan that of `annulus_runtime`'s
//! links. A kernel of two blocks is connected to itself. The host has sent one message to the first block,
//! whose handler sends to the second one, whose handler sends to the first one. So the first block may have
//! told that it took its second message before the second block has told that it sent it.
//! [`Block::send`](Block::send) and so on are twins of the device runtime's C text: `ann_count_forwarded` and
//! `ann_rest` of `links.c`, `ann_settle_up` of `books.c`, `ann_come_to_rest` of `idle.c`.
//!
//! The bound is [`PREEMPTIONS`] involuntary switches per execution: one stops a block before it tells, and
//! one the host between its two scans.
//!
//! Slots between the blocks are open, or sealed: then a message orders nothing but itself, and fences beside `rested` stand in
//! ("Sealed slots between kernels").
//!
//! Models whose names begin with `broken` leave out or exchange a step, and loom finds what that breaks.
#![cfg(loom)]

use annulus_sync::{Arc, AtomicU32, AtomicU64, Ordering, fence, yield_now};
use loom::thread;

const PREEMPTIONS: usize = 2;
/// Messages that are handled: the host's, and what came of it.
const MESSAGES: u64 = 3;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Broken {
    Nothing,
    /// A block that has said that it rests sends, and does not take it back.
    Unrest,
    /// A block says that it rests before it has told what it did.
    Rest,
    /// A block takes back that it rests, and does not fence before it sends.
    SendsUnfenced,
    /// A block has taken a message, and does not fence before it rests.
    RestsUnfenced,
}

/// How slots between the blocks are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Slots {
    Open,
    Sealed,
}

/// What a block tells the host.
struct Words {
    processed: AtomicU64,
    consumed: AtomicU64,
    taken: AtomicU64,
    forwarded: AtomicU64,
    rested: AtomicU64,
}

impl Words {
    fn new() -> Self {
        Self {
            processed: AtomicU64::new(0),
            consumed: AtomicU64::new(0),
            taken: AtomicU64::new(0),
            forwarded: AtomicU64::new(0),
            rested: AtomicU64::new(0),
        }
    }
}

/// The two blocks' words, and the slot of each between them.
struct Shared {
    words: [Words; 2],
    slots: [AtomicU32; 2],
}

/// The words of `ann_state` and of the block's own memory.
struct Block {
    shared: Arc<Shared>,
    number: usize,
    processed: u64,
    next_in: u64,
    taken: u64,
    forwarded: u64,
    rested: u64,
    rests: bool,
    slots: Slots,
    broken: Broken,
}

impl Block {
    fn new(shared: &Arc<Shared>, number: usize, slots: Slots, broken: Broken) -> Self {
        let shared = Arc::clone(shared);
        Self {
            shared,
            number,
            processed: 0,
            next_in: 0,
            taken: 0,
            forwarded: 0,
            rested: 0,
            rests: true,
            slots,
            broken,
        }
    }

    fn words(&self) -> &Words {
        &self.shared.words[self.number]
    }

    /// Sends to the other block.
    fn send(&mut self) {
        self.forwarded += 1;
        if self.rests && self.broken != Broken::Unrest {
            self.rested = self.rested.wrapping_sub(1);
            self.words().rested.store(self.rested, Ordering::Relaxed);
            if self.slots == Slots::Sealed && self.broken != Broken::SendsUnfenced {
                // SYNC: unrested (release)
                fence(Ordering::Release);
            }
        }
        self.rests = false;
        // SYNC: device-local-published (release)
        let published = if self.slots == Slots::Open { Ordering::Release } else { Ordering::Relaxed };
        self.shared.slots[1 - self.number].store(1, published);
    }

    /// Takes what the other block has sent.
    fn take(&mut self) {
        // SYNC: device-local-published (acquire)
        let taken = if self.slots == Slots::Open { Ordering::Acquire } else { Ordering::Relaxed };
        while self.shared.slots[self.number].load(taken) == 0 {
            yield_now();
        }
        self.taken += 1;
        self.processed += 1;
    }

    fn settle_up(&self) {
        let words = self.words();
        words.processed.store(self.processed, Ordering::Relaxed);
        words.taken.store(self.taken, Ordering::Relaxed);
        words.forwarded.store(self.forwarded, Ordering::Relaxed);
        fence(Ordering::Release);
        // SYNC: slots-returned (release)
        words.consumed.store(self.next_in, Ordering::Relaxed);
    }

    fn rest(&mut self) {
        self.rested = self.taken;
        self.rests = true;
        if self.slots == Slots::Sealed && self.broken != Broken::RestsUnfenced {
            // SYNC: unrested (acquire)
            fence(Ordering::Acquire);
        }
        // SYNC: rested (release)
        self.words().rested.store(self.rested, Ordering::Release);
    }

    fn come_to_rest(&mut self) {
        if self.broken == Broken::Rest {
            // What was taken and given back is told in time, so that nothing else shows it.
            self.words().taken.store(self.taken, Ordering::Relaxed);
            self.words().consumed.store(self.next_in, Ordering::Relaxed);
            self.rest();
            self.settle_up();
            return;
        }
        self.settle_up();
        self.rest();
    }
}

/// One scan: the counts, if the kernel seems to be at rest.
fn scan(shared: &Shared) -> Option<[u64; 4]> {
    let words = &shared.words;
    // SYNC: rested (acquire)
    let rested = [0, 1].map(|block: usize| words[block].rested.load(Ordering::Acquire));
    // SYNC: slots-returned (acquire)
    let consumed = [0, 1].map(|block: usize| words[block].consumed.load(Ordering::Acquire));
    if consumed != [1, 0] {
        return None;
    }
    let taken = [0, 1].map(|block: usize| words[block].taken.load(Ordering::Acquire));
    let fed: u64 = words.iter().map(|words| words.forwarded.load(Ordering::Acquire)).sum();
    (taken == rested && fed == taken[0] + taken[1]).then(|| [consumed[0], consumed[1], taken[0], taken[1]])
}

fn is_drained(shared: &Shared) -> bool {
    let first = scan(shared);
    if first.is_none() || first != scan(shared) {
        return false;
    }
    let told: u64 = shared.words.iter().map(|words| words.processed.load(Ordering::Relaxed)).sum();
    assert_eq!(told, MESSAGES, "drained, and not all is told");
    true
}

fn drained(slots: Slots, broken: Broken) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(PREEMPTIONS);
    model.check(move || {
        let shared = Arc::new(Shared {
            words: [Words::new(), Words::new()],
            slots: [AtomicU32::new(0), AtomicU32::new(0)],
        });
        let mut first = Block::new(&shared, 0, slots, broken);
        let first = thread::spawn(move || {
            // The host's message is there.
            first.next_in = 1;
            first.processed = 1;
            first.send();
            first.come_to_rest();
            first.take();
            first.come_to_rest();
        });
        let mut second = Block::new(&shared, 1, slots, broken);
        let second = thread::spawn(move || {
            second.take();
            second.send();
            second.come_to_rest();
        });
        is_drained(&shared);
        first.join().unwrap();
        is_drained(&shared);
        second.join().unwrap();
        assert!(is_drained(&shared), "nothing is under way");
    });
}

#[test]
fn what_is_drained_is_told() {
    drained(Slots::Open, Broken::Nothing);
}

#[test]
fn nor_is_anything_missing_with_sealed_slots() {
    drained(Slots::Sealed, Broken::Nothing);
}

#[test]
#[should_panic(expected = "drained, and not all is told")]
fn broken_a_block_sends_and_seems_to_rest() {
    drained(Slots::Open, Broken::Unrest);
}

#[test]
#[should_panic(expected = "drained, and not all is told")]
fn broken_a_block_rests_before_it_has_told() {
    drained(Slots::Open, Broken::Rest);
}

#[test]
#[should_panic(expected = "drained, and not all is told")]
fn broken_a_block_sends_sealed_slots_and_seems_to_rest() {
    drained(Slots::Sealed, Broken::Unrest);
}

#[test]
#[should_panic(expected = "drained, and not all is told")]
fn broken_a_block_does_not_fence_before_it_sends_a_sealed_slot() {
    drained(Slots::Sealed, Broken::SendsUnfenced);
}

#[test]
#[should_panic(expected = "drained, and not all is told")]
fn broken_a_block_does_not_fence_before_it_rests_behind_a_sealed_slot() {
    drained(Slots::Sealed, Broken::RestsUnfenced);
}
