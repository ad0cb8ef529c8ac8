//! A queue in front of a ring, in every interleaving that loom can tell apart: no message is left behind, and
//! each can always be seen somewhere.
//!
//! The bound is [`PREEMPTIONS`] involuntary switches: a missed hand-over needs one switch to stop a thread
//! between its move and its look, and one to come back; the third is margin. The queue holds one message and
//! keeps one in the ring, so that each message meets every boundary.
#![cfg(loom)]

use std::mem::MaybeUninit;

use annulus_abi::ring::{Envelope, RingLayout, kind};
use annulus_queue::{
    Backpressure,
    front::{Bytes, Facts, Fate, Front, LaneOptions, Share, Told},
};
use annulus_ring::{
    region::Region,
    ring::{Consumer, Header, Producers, Refused, Ring},
};
use annulus_sync::{Arc, yield_now};
use loom::thread;

const PREEMPTIONS: usize = 3;

fn model(run: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(PREEMPTIONS);
    model.check(run);
}

#[derive(Default)]
struct Notes {
    gone: Vec<(Fate, u64)>,
}

impl Told for Notes {
    fn gone(&mut self, _: usize, fate: Fate, message: &Bytes, _: Header) {
        // SAFETY: each is a number of these models, all of whose bytes are written.
        let number = u64::from_ne_bytes(std::array::from_fn(|i| unsafe { message[i].assume_init() }));
        self.gone.push((fate, number));
    }

    fn moved(&mut self) {}

    fn freed(&mut self, _: usize, _: usize) {}
}

fn front(backpressure: Backpressure) -> (Arc<Front>, Ring, Consumer) {
    front_of(1, backpressure)
}

fn front_of(lanes: usize, backpressure: Backpressure) -> (Arc<Front>, Ring, Consumer) {
    let layout = RingLayout::new(
        2,
        8,
        8,
        Envelope { enqueue_time: false, correlation: false, trace: false, stamp: false },
    );
    // SAFETY: the modelled memory is fresh, and these are its ends.
    let ring = unsafe { Ring::new(Region::modelled(256 + 2 * 64), layout) };
    // SAFETY: no model makes a sole producer.
    let producers = unsafe { Producers::new(ring.clone()) };
    // SAFETY: the only consumer.
    let consumer = unsafe { Consumer::new(ring.clone()) };
    let lane = LaneOptions {
        capacity: 1,
        backpressure,
        priority: false,
        window: None,
        expiry: None,
        share: Share::Weight(1),
    };
    // SAFETY: the ring carries no bridged messages.
    let front = unsafe { Front::new(8, 1, 1, &vec![lane; lanes], producers) };
    (Arc::new(front), ring, consumer)
}

fn offer(front: &Front, message: u64, notes: &mut Notes) -> Option<Refused> {
    offer_to(front, 0, message, notes)
}

fn offer_to(front: &Front, lane: usize, message: u64, notes: &mut Notes) -> Option<Refused> {
    let message = message.to_ne_bytes().map(MaybeUninit::new);
    front.offer(lane, &message, &[Facts::default()], Header::default(), notes).refused
}

/// What a consumer does after it has given slots back.
fn refill(front: &Front, notes: &mut Notes) {
    if front.wants_refill() {
        front.refill(Header::default(), notes);
    }
}

/// The next message; waits for it.
fn take(consumer: &mut Consumer) -> u64 {
    loop {
        if let Some(slot) = consumer.peek() {
            assert_eq!(slot.kind, kind::MESSAGE);
            // SAFETY: messages of these models are numbers.
            let message = unsafe { consumer.read::<u64>(&slot) };
            consumer.advance(&slot);
            consumer.give_back();
            return message;
        }
        yield_now();
    }
}

/// Two senders, and a consumer that hands over the next message after each one that it takes: all arrive,
/// those of one sender in order.
#[test]
fn nobody_is_left_behind() {
    model(|| {
        let (front, ring, mut consumer) = front(Backpressure::DropOldest);
        let other = thread::spawn({
            let front = Arc::clone(&front);
            move || {
                let mut notes = Notes::default();
                assert_eq!(offer(&front, 3, &mut notes), None);
                notes.gone.len()
            }
        });
        let mut notes = Notes::default();
        assert_eq!(offer(&front, 1, &mut notes), None);
        let mut seen = vec![take(&mut consumer)];
        refill(&front, &mut notes);
        // The other sender's message is there, or will arrive without any further call.
        seen.push(take(&mut consumer));
        refill(&front, &mut notes);
        assert_eq!(other.join().unwrap() + notes.gone.len(), 0);
        seen.sort_unstable();
        assert_eq!(seen, [1, 3]);
        assert_eq!((front.waiting(), ring.depth(), front.accepted()), (0, 0, 2));
    });
}

/// A thread that looks at the waiting messages and then at the ring finds each message. A thread that has
/// seen it taken finds it in neither.
#[test]
fn a_message_is_always_somewhere() {
    model(|| {
        let (front, ring, mut consumer) = front(Backpressure::Reject);
        let mut notes = Notes::default();
        // One in the ring, one in front.
        assert_eq!(offer(&front, 1, &mut notes), None);
        assert_eq!(offer(&front, 2, &mut notes), None);
        assert_eq!(offer(&front, 3, &mut notes), Some(Refused::Full));
        assert_eq!(take(&mut consumer), 1);
        let mover = thread::spawn({
            let front = Arc::clone(&front);
            move || refill(&front, &mut Notes::default())
        });
        let looker = thread::spawn({
            let front = Arc::clone(&front);
            move || {
                let waiting = front.waiting() as u64;
                waiting + ring.depth()
            }
        });
        assert!(looker.join().unwrap() >= 1);
        assert_eq!(take(&mut consumer), 2);
        // A message that was taken from the ring no longer waits, even if the mover has not left yet.
        assert_eq!(front.waiting(), 0);
        mover.join().unwrap();
    });
}

/// A message is accepted before the close, and arrives or is drained; or it is refused.
#[test]
fn close_against_offer() {
    model(|| {
        let (front, ring, mut consumer) = front(Backpressure::Block);
        let mut notes = Notes::default();
        assert_eq!(offer(&front, 1, &mut notes), None);
        let sender = thread::spawn({
            let front = Arc::clone(&front);
            move || offer(&front, 2, &mut Notes::default())
        });
        front.close(Header::default(), &mut notes);
        ring.close();
        let mut arrived = 0;
        let mut left = || {
            while consumer.peek().is_some() {
                take(&mut consumer);
                arrived += 1;
            }
        };
        left();
        let refused = sender.join().unwrap();
        left();
        front.take_all(|_, _, _| arrived += 1);
        assert_eq!(refused.is_none(), arrived == 2);
        assert!(matches!(refused, None | Some(Refused::Closed)));
    });
}

/// An eviction and a hand-over of the same message: it is evicted, or it arrives.
#[test]
fn evicted_or_handed_over() {
    model(|| {
        let (front, ring, mut consumer) = front(Backpressure::DropOldest);
        let mut notes = Notes::default();
        assert_eq!(offer(&front, 1, &mut notes), None);
        assert_eq!(offer(&front, 2, &mut notes), None);
        let sender = thread::spawn({
            let front = Arc::clone(&front);
            move || {
                let mut notes = Notes::default();
                assert_eq!(offer(&front, 3, &mut notes), None);
                notes.gone
            }
        });
        assert_eq!(take(&mut consumer), 1);
        refill(&front, &mut notes);
        let gone = sender.join().unwrap();
        refill(&front, &mut notes);
        let mut arrived = Vec::new();
        while front.waiting() as u64 + ring.depth() != 0 {
            arrived.push(take(&mut consumer));
            refill(&front, &mut notes);
        }
        match &gone[..] {
            [] => assert_eq!(arrived, [2, 3]),
            [(Fate::Evicted, 2)] => assert_eq!(arrived, [3]),
            other => panic!("{other:?}"),
        }
    });
}

/// Two senders to two lanes, and a consumer: all arrive; and whoever has seen a message taken finds it handed
/// over in its lane's counts, and no longer waiting there.
#[test]
fn q31_nobody_is_left_behind_in_another_lane() {
    model(|| {
        let (front, ring, mut consumer) = front_of(2, Backpressure::Reject);
        let other = thread::spawn({
            let front = Arc::clone(&front);
            move || {
                let mut notes = Notes::default();
                assert_eq!(offer_to(&front, 1, 3, &mut notes), None);
            }
        });
        let mut notes = Notes::default();
        assert_eq!(offer_to(&front, 0, 1, &mut notes), None);
        let mut seen = Vec::new();
        for _ in 0..2 {
            let message = take(&mut consumer);
            let counts = front.counts(usize::from(message == 3));
            assert_eq!((counts.handed_over, counts.waiting), (1, 0));
            seen.push(message);
            refill(&front, &mut notes);
        }
        other.join().unwrap();
        seen.sort_unstable();
        assert_eq!(seen, [1, 3]);
        assert_eq!((front.waiting(), ring.depth(), front.accepted(), notes.gone.len()), (0, 0, 2, 0));
    });
}
