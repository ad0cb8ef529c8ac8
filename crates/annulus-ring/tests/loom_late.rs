//! What a block tells its host late (`ANN_DEFERS`), in every interleaving that loom can tell apart, up to a
//! bound.
//!
//! The protocol is "Told late" of `annulus-block/PROTOCOL.md`. The block here is a twin of the device
//! runtime's C text: [`Block::store_counts`], [`store_gauges`](Block::store_gauges),
//! [`begin_to_pay`](Block::begin_to_pay), [`settle_up`](Block::settle_up) and [`owe`](Block::owe) are
//! `ann_store_counts` and so on of `books.c`, [`answer_one`](Block::answer_one) is `ann_answer_one` of
//! `alone.c`, and [`idle`](Block::idle) is the beginning of `ann_idle` of `idle.c`. The host is the real one:
//! the ends of `annulus_ring`. Each message gets one answer.
//!
//! The bound is [`PREEMPTIONS`] involuntary switches per execution: a word that is seen too early needs one
//! to stop the block between two stores, and one to return to it. Three messages go through rings of two
//! slots, so that one slot is used again. Of the C's rules when the host is told, two are here, with smaller
//! numbers: after so many turns, and when the block finds nothing. The third, a quarter of the ring, would be
//! each turn of so small a ring.
//!
//! Models whose names begin with `broken` leave out or exchange a step, and loom finds what that breaks.
#![cfg(loom)]

use std::{cell::Cell, mem::MaybeUninit};

use annulus_abi::ring::{Envelope, RingLayout, kind};
use annulus_ring::{
    region::Region,
    ring::{Consumer, Header, Producers, Ring},
};
use annulus_sync::{Arc, AtomicU64, Ordering, fence, yield_now};
use loom::thread;

const PREEMPTIONS: usize = 2;
const MESSAGES: u64 = 3;
/// Turns after which the host is told (`ANN_OWED_TURNS`).
const OWED_TURNS: u32 = 2;
/// Where the words lie that the block writes by itself.
const RESERVED: usize = 0;
const CONSUMED: usize = 128;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Broken {
    Nothing,
    /// No fence in front of gauges and slots given back.
    Fence,
    /// The counts are stored behind the fence, with what they have to come before.
    Counts,
    /// The turn that is not published yet is told with those before it.
    Turn,
    /// A block that finds nothing does not tell what it owes.
    Idle,
}

fn ring(sealed: bool) -> (Ring, Region) {
    let layout = RingLayout::new(
        2,
        8,
        8,
        Envelope { enqueue_time: false, correlation: false, trace: false, stamp: false },
    );
    let bytes = 256 + 2 * 64;
    let (layout, region) = match sealed {
        true => (layout.sealed().expect("small enough"), Region::modelled_sealed(bytes)),
        false => (layout, Region::modelled(bytes)),
    };
    // SAFETY: the modelled memory is fresh, and each model makes the ends that it may.
    (unsafe { Ring::new(region.clone(), layout) }, region)
}

/// The words of `ann_state` and of the block's own memory.
struct Block {
    inbound: (Ring, Region),
    outbound: (Ring, Region),
    /// The control block's word.
    told_processed: Arc<AtomicU64>,
    next_in: u64,
    next_out: u64,
    processed: u64,
    owed: u32,
    broken: Broken,
}

impl Block {
    fn store_counts(&self) {
        self.told_processed.store(self.processed, Ordering::Relaxed);
    }

    fn fence_release(&self) {
        if self.broken != Broken::Fence {
            fence(Ordering::Release);
        }
    }

    /// Behind a fence: the gauges, and the slots that are given back.
    fn store_gauges(&mut self, next_out: u64) {
        self.outbound.1.u64(RESERVED).store(next_out, Ordering::Relaxed);
        // SYNC: slots-returned (release)
        self.inbound.1.u64(CONSUMED).store(self.next_in, Ordering::Relaxed);
        if self.broken == Broken::Counts {
            self.store_counts();
        }
        self.owed = 0;
    }

    /// In front of the fence that publishes answers: what is owed of earlier turns goes with it.
    fn begin_to_pay(&self) -> bool {
        let owes = self.owed != 0;
        if owes && self.broken != Broken::Counts {
            self.store_counts();
        }
        owes
    }

    fn settle_up(&mut self) {
        if self.owed == 0 {
            return;
        }
        if self.broken != Broken::Counts {
            self.store_counts();
        }
        self.fence_release();
        self.store_gauges(self.next_out);
    }

    fn owe(&mut self) {
        self.owed += 1;
        if self.owed >= OWED_TURNS {
            self.settle_up();
        }
    }

    /// Publishes a message's answer: by units that prove themselves, or behind one fence.
    fn answer_one(&mut self, ticket: u64, answer: u64) {
        let (ring, region) = &self.outbound;
        let layout = *ring.layout();
        let meta = u32::from(kind::MESSAGE) << 24 | 8;
        if layout.is_sealed() {
            let image = [0, meta, answer as u32, (answer >> 32) as u32, 0, 0].map(MaybeUninit::new);
            for (unit, words) in image.as_chunks().0.iter().enumerate() {
                // SAFETY: the model asks for nothing.
                unsafe { region.store_unit(layout.unit_offset(ticket, unit), words, layout.lap(ticket)) };
            }
            return;
        }
        let slot = layout.slot_offset(ticket);
        // SAFETY: the model asks for nothing; loom reports races.
        unsafe { region.write(slot + layout.payload_offset, answer) };
        region.u32(slot + 4).store(meta, Ordering::Relaxed);
        let owes = self.begin_to_pay();
        // SYNC: slot-published (release)
        self.fence_release();
        if owes {
            self.store_gauges(ticket + u64::from(self.broken == Broken::Turn));
        }
        self.outbound.1.u32(slot).store(layout.lap(ticket), Ordering::Relaxed);
    }

    /// A turn; whether it found a message.
    fn turn(&mut self) -> bool {
        let (ring, region) = &self.inbound;
        let slot = ring.layout().slot_offset(self.next_in);
        // SYNC: slot-published (acquire)
        if region.u32(slot).load(Ordering::Acquire) != ring.layout().lap(self.next_in) {
            return false;
        }
        // SAFETY: senders write `u64`s; loom reports races.
        let message: u64 = unsafe { region.read(slot + ring.layout().payload_offset) };
        self.answer_one(self.next_out, message + 100);
        self.next_out += 1;
        self.next_in += 1;
        self.processed += 1;
        self.owe();
        true
    }

    fn idle(&mut self) {
        if self.broken != Broken::Idle {
            self.settle_up();
        }
        yield_now();
    }

    fn run(mut self) {
        while self.processed < MESSAGES || self.owed != 0 {
            // Room for answers there is: the host takes one before it sends a third message.
            if !self.turn() {
                self.idle();
            }
        }
    }
}

struct Host {
    senders: Producers,
    answers: Consumer,
    told_processed: Arc<AtomicU64>,
    sent: u64,
    received: Cell<u64>,
}

impl Host {
    fn send(&mut self) {
        loop {
            if let Ok(mut slot) = self.senders.reserve(1) {
                slot.write(self.sent, Header::default());
                self.sent += 1;
                return;
            }
            yield_now();
        }
    }

    fn receive(&mut self) {
        let slot = loop {
            if let Some(slot) = self.answers.peek() {
                break slot;
            }
            yield_now();
        };
        // SAFETY: the block writes `u64`s.
        let answer = unsafe { self.answers.read::<u64>(&slot) };
        assert_eq!(answer, self.received.get() + 100);
        self.answers.advance(&slot);
        self.answers.give_back();
        self.received.set(self.received.get() + 1);
    }

    /// Whether the answer to a message can be received, or was.
    fn is_answered(&self, number: u64) -> bool {
        number < self.received.get() || self.answers.is_ready_after((number - self.received.get()) as u32)
    }

    /// What the host may conclude from what it was told.
    fn look(&self) {
        let told = self.answers.ring().reserved();
        assert!((0..told).all(|number| self.is_answered(number)), "in the gauge, and not there");
        let consumed = self.senders.ring().consumed();
        assert!(self.told_processed.load(Ordering::Relaxed) >= consumed, "consumed, and not counted");
        assert!((0..consumed).all(|number| self.is_answered(number)), "consumed, and not answered");
    }
}

fn told_late(sealed: bool, broken: Broken) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(PREEMPTIONS);
    model.check(move || {
        let (inbound, outbound) = (ring(false), ring(sealed));
        let told_processed = Arc::new(AtomicU64::new(0));
        let mut host = Host {
            // SAFETY: the only producers.
            senders: unsafe { Producers::new(inbound.0.clone()) },
            // SAFETY: the only consumer.
            answers: unsafe { Consumer::new(outbound.0.clone()) },
            told_processed: Arc::clone(&told_processed),
            sent: 0,
            received: Cell::new(0),
        };
        let block = Block {
            inbound,
            outbound,
            told_processed,
            next_in: 0,
            next_out: 0,
            processed: 0,
            owed: 0,
            broken,
        };
        let block = thread::spawn(move || block.run());
        host.send();
        host.send();
        host.look();
        host.receive();
        // Needs a slot that is told to be free.
        host.send();
        host.look();
        host.receive();
        host.receive();
        while host.senders.ring().consumed() != MESSAGES {
            yield_now();
        }
        host.look();
        block.join().unwrap();
    });
}

#[test]
fn open_answers_pay_for_the_turns_before() {
    told_late(false, Broken::Nothing);
}

#[test]
fn sealed_answers_leave_it_to_a_fence_of_its_own() {
    told_late(true, Broken::Nothing);
}

#[test]
#[should_panic(expected = "Causality violation")]
fn broken_without_the_fence() {
    told_late(true, Broken::Fence);
}

#[test]
#[should_panic(expected = "consumed, and not counted")]
fn broken_counts_behind_the_fence() {
    told_late(true, Broken::Counts);
}

#[test]
#[should_panic(expected = "in the gauge, and not there")]
fn broken_a_turn_is_told_that_is_not_published() {
    told_late(false, Broken::Turn);
}

#[test]
#[should_panic(expected = "exceeded maximum number of branches")]
fn broken_nothing_is_told_at_rest() {
    told_late(true, Broken::Idle);
}
