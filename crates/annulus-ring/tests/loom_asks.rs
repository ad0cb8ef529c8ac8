//! What a block asks another kernel, in every interleaving that loom can tell apart, up to a bound.
//!
//! The landings, the ring and the addresses are the real ones. What the asker does with them is a twin of `asks.rs` and
//! `asks.c` of `annulus-block`, for an asker with one place: [`Asker::ask`] is `take`, [`Asker::look`] is `look_for_answers`,
//! and [`Asker::end_by_time`] is `overdue`. The asker asks twice. The time of each ask is up after some looks, so its answer may come
//! later: then the place is in use until it has come, and the answer is forgotten.
//!
//! The bound is [`PREEMPTIONS`] involuntary switches: an answer that is read while its slot is written again, or that is taken
//! for another's, needs one to stop the block that writes it, and one to come back.
//!
//! Models whose names begin with `broken` leave out a step, and loom finds what that breaks.
#![cfg(loom)]

use annulus_abi::ring::{Envelope, RingLayout, call_asked, is_ask, kind};
use annulus_ring::{
    region::Region,
    ring::{Consumer, Ends, Header, Landings, Producers, Ring},
};
use annulus_sync::yield_now;
use loom::thread;

const PREEMPTIONS: usize = 3;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Broken {
    Nothing,
    /// The place is free when the time is up.
    FreeByTime,
    /// The second ask has the generation that the place shows.
    SameGeneration,
}

fn ring(correlation: bool) -> Ring {
    let layout =
        RingLayout::new(2, 8, 8, Envelope { enqueue_time: false, correlation, trace: false, stamp: false });
    // SAFETY: the modelled memory is fresh, and each model makes the ends that it may.
    unsafe { Ring::new(Region::modelled(256 + 2 * 64), layout) }
}

struct Asker {
    queries: Producers,
    landings: Landings,
    /// The generation of the ask that the place is in use for.
    busy: Option<u32>,
    /// What was asked, if its answer is awaited.
    awaited: Option<u64>,
    answered: usize,
    broken: Broken,
}

impl Asker {
    fn ask(&mut self, message: u64, is_second: bool) {
        assert_eq!((self.busy, self.awaited), (None, None));
        let shown = self.landings.generation(0);
        let generation = if self.broken == Broken::SameGeneration && is_second { shown } else { shown + 1 };
        (self.busy, self.awaited) = (Some(generation), Some(message));
        let mut slot = self.queries.reserve(1).expect("the ring has room for all");
        let correlation = call_asked(0, generation);
        slot.write(message, Header { correlation, ..Header::default() });
    }

    /// Takes the answer, if it is here.
    fn look(&mut self) {
        let Some(generation) = self.busy.filter(|&generation| self.landings.generation(0) == generation)
        else {
            return;
        };
        self.busy = None;
        let Some(message) = self.awaited.take() else { return };
        let answer = self.landings.look(call_asked(0, generation), |reply| {
            assert_eq!(reply.kind, kind::MESSAGE);
            // SAFETY: the asked block answers with numbers.
            unsafe { reply.read::<u64>() }
        });
        assert_eq!(answer, Some(message + 1), "this is another's answer");
        self.answered += 1;
    }

    /// The time of the ask is up.
    fn end_by_time(&mut self) {
        self.awaited = None;
        if self.broken == Broken::FreeByTime {
            self.busy = None;
        }
    }

    fn try_end(&mut self) {
        self.look();
        if self.awaited.is_some() {
            yield_now();
            self.look();
        }
        self.end_by_time();
    }
}

/// The block that is asked.
struct Asked {
    inbound: Consumer,
    ends: Ends,
}

impl Asked {
    fn try_handle(&mut self) -> Option<()> {
        let slot = self.inbound.peek()?;
        // SAFETY: it was just peeked; queries are numbers.
        let message = unsafe { self.inbound.read::<u64>(&slot) };
        let call = slot.header.correlation;
        assert!(is_ask(call));
        let (answers, at) = self.ends.of(call);
        // SAFETY: the query carries the address, and this is the one answer; the slot is this block's until it is
        // published.
        unsafe { answers.write(at, message + 1) };
        // SAFETY: as above.
        unsafe { answers.publish(at, kind::MESSAGE, 8) };
        self.inbound.advance(&slot);
        self.inbound.give_back();
        Some(())
    }
}

fn asks(broken: Broken) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(PREEMPTIONS);
    model.check(move || {
        let (inbound, landings) = (ring(true), ring(false));
        // SAFETY: there are no sole producers.
        let queries = unsafe { Producers::new(inbound.clone()) };
        // SAFETY: its one consumer.
        let inbound = unsafe { Consumer::new(inbound) };
        // SAFETY: an open ring, for the kernel's only shard.
        let ends = unsafe { Ends::new([landings.clone()].into_iter()) };
        // SAFETY: as above.
        let landings = unsafe { Landings::new([landings].into_iter()) };
        let mut asked = Asked { inbound, ends };
        let mut asker = Asker { queries, landings, busy: None, awaited: None, answered: 0, broken };
        let block = thread::spawn(move || {
            for _ in 0..2 {
                if asked.try_handle().is_none() {
                    yield_now();
                    let _ = asked.try_handle();
                }
            }
            asked
        });
        asker.ask(10, false);
        asker.try_end();
        if asker.busy.is_some() {
            // What is late may come by now.
            yield_now();
            asker.look();
        }
        let again = asker.busy.is_none();
        if again {
            asker.ask(20, true);
            asker.try_end();
        }
        let mut asked = block.join().unwrap();
        // What did not happen meanwhile.
        while asked.try_handle().is_some() {}
        asker.look();
        assert_eq!((asker.busy, asker.awaited), (None, None), "the place is free");
        if !again {
            asker.ask(20, true);
            asked.try_handle().expect("it was sent");
            asker.look();
            assert!(asker.answered != 0);
        }
    });
}

#[test]
fn p02_answers_that_come_late_are_nobody_elses() {
    asks(Broken::Nothing);
}

#[test]
#[should_panic(expected = "this is another's answer")]
fn broken_a_place_is_free_before_its_answer_has_come() {
    asks(Broken::FreeByTime);
}

#[test]
#[should_panic(expected = "this is another's answer")]
fn broken_an_ask_has_the_generation_of_the_last() {
    asks(Broken::SameGeneration);
}
