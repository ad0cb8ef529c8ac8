//! A block that waits for room is woken by whoever makes it, up to a bound.
//!
//! The ring, the wake flag and the word are the real ones. What the block does with them is a twin of
//! `annulus-block/src/credit.rs` (`or_stall`) and `annulus-cpu/src/run.rs`: it says that it waits, tries once
//! more, parks, and looks once more. Whoever wakes it runs it.
//!
//! The bound is 3 involuntary switches per execution: a wake-up that is lost needs one to stop the block
//! between its try and its word, and one to come back; the third is margin. Three outputs go through two
//! slots.
#![cfg(loom)]

use annulus_abi::ring::{Envelope, RingLayout, kind};
use annulus_ring::{
    region::Region,
    ring::{Consumer, Header, Ring, SoleProducer},
};
use annulus_sync::{Arc, AtomicU32, Mutex, stall, wake_flag::WakeFlag, without_fences, yield_now};
use loom::thread;

const OUTPUTS: u64 = 3;
const BY_HOST: u32 = 1;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Broken {
    Nothing,
    /// The block's fences: when it says that it waits, and when it parks.
    BlocksFences,
    ReceiversFence,
    /// The block neither tries nor looks once more.
    BlocksLooks,
    /// The block does not say that it waits.
    Word,
}

fn without_fences_if<R>(broken: bool, f: impl FnOnce() -> R) -> R {
    if broken { without_fences(f) } else { f() }
}

struct Block {
    outbound: SoleProducer,
    region: Region,
    stalled: bool,
}

struct Shared {
    flag: WakeFlag,
    word: AtomicU32,
    block: Mutex<Block>,
    broken: Broken,
}

impl Shared {
    /// Whether there is room for an output; says so in the word if not (`or_stall`).
    fn or_stall(&self, block: &mut Block) -> bool {
        let mut room = block.outbound.has_credit(1);
        if room != block.stalled {
            return room;
        }
        if !room {
            if self.broken != Broken::Word {
                without_fences_if(self.broken == Broken::BlocksFences, || stall::say(&self.word, BY_HOST));
            }
            room = self.broken != Broken::BlocksLooks && block.outbound.has_credit(1);
        }
        if room {
            stall::take_back(&self.word);
        }
        block.stalled = !room;
        room
    }

    /// A worker runs the block until it sleeps.
    fn run(&self) {
        let mut block = self.block.lock().unwrap();
        loop {
            if block.outbound.next() == OUTPUTS {
                return;
            }
            if self.or_stall(&mut block) {
                let layout = *block.outbound.ring().layout();
                let payload = layout.slot_offset(block.outbound.next()) + layout.payload_offset;
                let output = block.outbound.next();
                // SAFETY: the model asks for nothing; loom reports races.
                unsafe { block.region.write(payload, output) };
                // SAFETY: there is credit, and the payload is written.
                unsafe { block.outbound.publish(kind::MESSAGE, 8, Header::default()) };
                continue;
            }
            without_fences_if(self.broken == Broken::BlocksFences, || self.flag.park());
            let has_room = self.broken != Broken::BlocksLooks && block.outbound.has_credit(1);
            if !has_room || !self.flag.claim() {
                return;
            }
        }
    }
}

fn outputs_go_on(broken: Broken) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(move || {
        let layout = RingLayout::new(
            2,
            8,
            8,
            Envelope { enqueue_time: false, correlation: false, trace: false, stamp: false },
        );
        let region = Region::modelled(256 + 2 * 64);
        // SAFETY: the modelled memory is fresh, and has one end of each kind.
        let ring = unsafe { Ring::new(region.clone(), layout) };
        // SAFETY: as above.
        let mut receiver = unsafe { Consumer::new(ring.clone()) };
        // SAFETY: as above.
        let outbound = unsafe { SoleProducer::new(ring) };
        let shared = Arc::new(Shared {
            flag: WakeFlag::new(),
            word: AtomicU32::new(0),
            block: Mutex::new(Block { outbound, region, stalled: false }),
            broken,
        });
        assert!(shared.flag.wake(), "it sleeps at first");
        let worker = thread::spawn({
            let shared = Arc::clone(&shared);
            move || shared.run()
        });
        for number in 0..OUTPUTS {
            let slot = loop {
                if let Some(slot) = receiver.peek() {
                    break slot;
                }
                yield_now();
            };
            // SAFETY: the block writes `u64`s.
            assert_eq!(unsafe { receiver.read::<u64>(&slot) }, number);
            receiver.advance(&slot);
            receiver.give_back();
            let waits = without_fences_if(broken == Broken::ReceiversFence, || stall::is_said(&shared.word));
            if waits && shared.flag.wake() {
                shared.run();
            }
        }
        worker.join().unwrap();
    });
}

#[test]
fn a_block_that_waits_for_room_is_woken() {
    outputs_go_on(Broken::Nothing);
}

#[test]
#[should_panic(expected = "exceeded maximum number of branches")]
fn broken_a_block_without_fences() {
    outputs_go_on(Broken::BlocksFences);
}

#[test]
#[should_panic(expected = "exceeded maximum number of branches")]
fn broken_a_receiver_without_its_fence() {
    outputs_go_on(Broken::ReceiversFence);
}

#[test]
#[should_panic(expected = "exceeded maximum number of branches")]
fn broken_a_block_that_looks_no_more() {
    outputs_go_on(Broken::BlocksLooks);
}

#[test]
#[should_panic(expected = "exceeded maximum number of branches")]
fn broken_a_block_that_does_not_say_that_it_waits() {
    outputs_go_on(Broken::Word);
}
