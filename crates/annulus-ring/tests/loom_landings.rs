//! Calls through two kernels, in every interleaving that loom can tell apart, up to a bound.
//!
//! Two callers share one place, which the second takes when the first has given it back. So the second call's answer is
//! written where the first one's was read, by a block that has never met the first caller. The bound is
//! [`PREEMPTIONS`] involuntary switches: an answer that is read while its slot is written again needs one to stop its
//! reader, and one to come back.
#![cfg(loom)]

use annulus_abi::ring::{Envelope, RingLayout, call_through, is_through, kind};
use annulus_ring::{
    region::Region,
    ring::{Consumer, Ends, Header, Landings, Producers, Ring},
};
use annulus_sync::{Arc, Mutex, yield_now};
use loom::thread;

const PREEMPTIONS: usize = 2;

fn model(run: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(PREEMPTIONS);
    model.check(run);
}

fn ring(correlation: bool) -> Ring {
    let layout =
        RingLayout::new(2, 8, 8, Envelope { enqueue_time: false, correlation, trace: false, stamp: false });
    // SAFETY: the modelled memory is fresh, and each model makes the ends that it may.
    unsafe { Ring::new(Region::modelled(256 + 2 * 64), layout) }
}

/// The host of two kernels, of which the first sends to the second.
struct Host {
    producers: Producers,
    landings: [Landings; 2],
    /// The generation of the only place, and whether somebody has it.
    place: Mutex<(u32, bool)>,
}

struct Block {
    inbound: Consumer,
    ends: Ends,
    /// To the next kernel.
    next: Option<Producers>,
}

/// How a call ended: with a number, or with the code of the first kernel.
#[derive(Debug, PartialEq, Eq)]
enum End {
    Answer(u64),
    Failed(u32),
}

fn kernels() -> (Arc<Host>, [Block; 2]) {
    let inbound = [ring(true), ring(true)];
    let landings = [ring(false), ring(false)];
    // SAFETY: there are no sole producers.
    let [to_first, to_second] = inbound.each_ref().map(|ring| unsafe { Producers::new(ring.clone()) });
    // SAFETY: the one consumer of each.
    let [first, second] = inbound.map(|ring| unsafe { Consumer::new(ring) });
    // SAFETY: open rings, one for each kernel's only shard.
    let [of_first, of_second] =
        landings.each_ref().map(|ring| unsafe { Ends::new([ring.clone()].into_iter()) });
    // SAFETY: as above.
    let landings = landings.map(|ring| unsafe { Landings::new([ring].into_iter()) });
    let host = Host { producers: to_first, landings, place: Mutex::new((0, false)) };
    let first = Block { inbound: first, ends: of_first, next: Some(to_second) };
    (Arc::new(host), [first, Block { inbound: second, ends: of_second, next: None }])
}

impl Host {
    /// Takes the place, if it is free, and sends a call's message.
    fn try_call(&self, message: u64) -> Option<u64> {
        let mut place = self.place.lock().unwrap();
        if place.1 {
            return None;
        }
        *place = (place.0 + 1, true);
        let call = call_through(0, place.0);
        drop(place);
        let mut slot = self.producers.reserve(1).expect("the ring has room for all");
        slot.write(message, Header { correlation: call, ..Header::default() });
        Some(call)
    }

    /// Takes the answer, if it is there, and gives the place back.
    fn try_take(&self, call: u64) -> Option<End> {
        let read = |landings: &Landings| {
            landings.look(call, |reply| match reply.kind {
                // SAFETY: blocks answer with numbers.
                kind::MESSAGE => End::Answer(unsafe { reply.read() }),
                kind::FAILED => End::Failed(reply.length),
                kind => panic!("an answer of kind {kind}"),
            })
        };
        let mut ends = self.landings.iter().filter_map(read);
        let end = ends.next()?;
        assert_eq!(ends.next(), None, "a call ends once");
        self.place.lock().unwrap().1 = false;
        Some(end)
    }
}

/// Tries twice: what does not come by then comes when the others are done.
fn twice<T>(mut attempt: impl FnMut() -> Option<T>) -> Option<T> {
    attempt().or_else(|| {
        yield_now();
        attempt()
    })
}

impl Block {
    /// Handles the next message, if there is one: fails with odd ones if it is the first kernel, and else sends on, or
    /// answers, the number behind it.
    fn try_handle(&mut self) -> Option<()> {
        let slot = self.inbound.peek()?;
        // SAFETY: it was just peeked; messages are numbers.
        let message = unsafe { self.inbound.read::<u64>(&slot) };
        let call = slot.header.correlation;
        assert!(is_through(call));
        let (answers, at) = self.ends.of(call);
        match &self.next {
            // SAFETY: the message carries the address, and this is the one answer.
            Some(_) if message % 2 == 1 => unsafe { answers.publish(at, kind::FAILED, 7) },
            Some(next) => {
                let mut slot = next.reserve(1).expect("the ring has room for all");
                slot.write(message + 1, Header { correlation: call, ..Header::default() });
            }
            None => {
                // SAFETY: as above; the slot is this block's until it is published.
                unsafe { answers.write(at, message + 1) };
                // SAFETY: as above.
                unsafe { answers.publish(at, kind::MESSAGE, 8) };
            }
        }
        self.inbound.advance(&slot);
        self.inbound.give_back();
        Some(())
    }
}

/// Two callers, with these messages, of one place. The first one's message has come to the second kernel.
fn two(messages: [u64; 2]) {
    model(move || {
        let (host, [mut first, mut second]) = kernels();
        let mine = host.try_call(messages[0]).expect("the place is free");
        first.try_handle().expect("it was sent");
        let block = thread::spawn(move || {
            let mut handled = 0;
            while handled < 2 && twice(|| second.try_handle()).is_some() {
                handled += 1;
            }
            second
        });
        let other = thread::spawn({
            let host = Arc::clone(&host);
            move || {
                let call = twice(|| host.try_call(messages[1]));
                if call.is_some() {
                    first.try_handle().expect("it was sent");
                }
                (call, first)
            }
        });
        let taken = twice(|| host.try_take(mine));
        let (call, mut first) = other.join().unwrap();
        let mut second = block.join().unwrap();
        // What did not happen meanwhile.
        while second.try_handle().is_some() {}
        let taken = taken.unwrap_or_else(|| host.try_take(mine).expect("it has ended"));
        let call = call.unwrap_or_else(|| {
            let call = host.try_call(messages[1]).expect("the place is free");
            first.try_handle().expect("it was sent");
            second.try_handle();
            call
        });
        let expected =
            |message: u64| if message % 2 == 1 { End::Failed(7) } else { End::Answer(message + 2) };
        assert_eq!(taken, expected(messages[0]));
        assert_eq!(host.try_take(call), Some(expected(messages[1])));
    });
}

#[test]
fn p02_both_calls_are_answered_in_one_slot() {
    two([10, 20]);
}

#[test]
fn p02_the_second_call_fails_in_another_kernel() {
    two([10, 21]);
}

#[test]
fn p02_the_first_call_fails_in_another_kernel() {
    two([11, 20]);
}
