//! The shared ring, in every interleaving that loom can tell apart, up to a bound.
//!
//! The bound is [`PREEMPTIONS`] involuntary switches per execution: a lost message, a slot used too early or
//! a lost call each need one to stop a thread between two steps and one to come back; the third is margin
//! where it is affordable. Rings have two slots, so that every second message meets a slot that was used
//! before; more slots add no new meeting.
#![cfg(loom)]

use annulus_abi::ring::{Envelope, RingLayout, kind};
use annulus_ring::{
    region::Region,
    ring::{Consumer, Header, Producers, Refused, Ring, SoleProducer},
};
use annulus_sync::{Arc, AtomicU32, Ordering, fence, yield_now};
use loom::thread;

fn model(preemptions: usize, run: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    model.check(run);
}

fn ring() -> Ring {
    let layout = RingLayout::new(
        2,
        8,
        8,
        Envelope { enqueue_time: false, correlation: true, trace: false, stamp: false },
    );
    let region = Region::modelled(256 + 2 * 64);
    // SAFETY: the modelled memory is fresh, and each model makes the ends that it may.
    unsafe { Ring::new(region, layout) }
}

fn consumer(ring: &Ring) -> Consumer {
    // SAFETY: each model makes one consumer at a time.
    unsafe { Consumer::new(ring.clone()) }
}

fn producers(ring: Ring) -> Producers {
    // SAFETY: no model mixes the two kinds of producers.
    unsafe { Producers::new(ring) }
}

/// The next message with its correlation; waits for it.
fn take(consumer: &mut Consumer) -> Option<(u64, u64)> {
    loop {
        if let Some(slot) = consumer.peek() {
            // SAFETY: producers of these models write `u64`s.
            let message = (slot.kind == kind::MESSAGE).then(|| unsafe { consumer.read::<u64>(&slot) });
            consumer.advance(&slot);
            consumer.give_back();
            return message.map(|m| (m, slot.header.correlation));
        }
        if consumer.is_finished() {
            return None;
        }
        yield_now();
    }
}

fn put(producers: &Producers, message: u64) -> bool {
    loop {
        match producers.reserve(1) {
            Ok(mut slots) => {
                slots.write(message, Header { correlation: message + 100, ..Header::default() });
                return true;
            }
            Err(Refused::Full) => yield_now(),
            Err(Refused::Closed) => return false,
        }
    }
}

/// Two producers, one of them twice, through two slots: each message once, whole, in its producer's order.
/// Slots are used again, so a slot that is written before its reader is done is a race that loom reports.
#[test]
fn many_producers_one_consumer() {
    model(2, || {
        let ring = ring();
        let mut consumer = consumer(&ring);
        let producers = producers(ring);
        let other = thread::spawn({
            let producers = producers.clone();
            move || assert!(put(&producers, 1))
        });
        let pair = thread::spawn(move || assert!(put(&producers, 2) && put(&producers, 3)));
        let mut seen = Vec::new();
        for _ in 0..3 {
            let (message, correlation) = take(&mut consumer).expect("open");
            assert_eq!(correlation, message + 100);
            seen.push(message);
        }
        other.join().unwrap();
        pair.join().unwrap();
        seen.retain(|&m| m != 1);
        assert_eq!(seen, [2, 3]);
    });
}

/// A message that says in each of its words which it is.
fn numbered(number: u64) -> u64 {
    number << 32 | number
}

fn sealed_ring() -> (Ring, Region) {
    let layout = RingLayout::new(
        2,
        8,
        8,
        Envelope { enqueue_time: false, correlation: true, trace: false, stamp: false },
    );
    let layout = layout.sealed().expect("small enough");
    assert_eq!((layout.units, layout.slot_stride), (2, 32));
    let region = Region::modelled_sealed(256 + 2 * 32);
    // SAFETY: the modelled memory is fresh, and each model makes the ends that it may.
    (unsafe { Ring::new(region.clone(), layout) }, region)
}

/// Sealed slots, whose units are seen in any order, over two laps: a message that is taken is of one lap, and
/// what its producer did before is seen.
#[test]
fn sealed_slots() {
    model(3, || {
        let (ring, _) = sealed_ring();
        let mut consumer = consumer(&ring);
        let producers = producers(ring);
        let done = Arc::new(AtomicU32::new(0));
        let producer = thread::spawn({
            let done = Arc::clone(&done);
            move || {
                for number in 1..=3 {
                    done.store(number as u32, Ordering::Relaxed);
                    let mut slots = loop {
                        match producers.reserve(1) {
                            Ok(slots) => break slots,
                            Err(_) => yield_now(),
                        }
                    };
                    let header = Header { correlation: numbered(number), ..Header::default() };
                    slots.write(numbered(number), header);
                }
            }
        });
        for number in 1..=3 {
            assert_eq!(take(&mut consumer), Some((numbered(number), numbered(number))));
            assert!(done.load(Ordering::Relaxed) >= number as u32);
        }
        producer.join().unwrap();
    });
}

/// Two of three messages, in open slots and in sealed ones, are looked at before they are taken, while their producer goes on: a
/// look finds them whole and in order, and no more of them than slots, since it gives none back.
#[test]
fn a_look_takes_nothing() {
    for sealed in [false, true] {
        model(3, move || {
            let ring = if sealed { sealed_ring().0 } else { ring() };
            let mut consumer = consumer(&ring);
            let producers = producers(ring);
            let producer = thread::spawn(move || assert!((1..=3).all(|message| put(&producers, message))));
            for next in 1..=3 {
                // SAFETY: producers of these models write `u64`s, and none of these slots was passed over.
                let read = |slot| unsafe { consumer.read::<u64>(&slot) };
                let seen: Vec<_> = (0..3).map_while(|slots| consumer.peek_after(slots)).map(read).collect();
                assert!(seen.len() <= 2 && seen.iter().copied().eq((next..).take(seen.len())), "{seen:?}");
                assert_eq!(take(&mut consumer), Some((next, next + 100)));
            }
            producer.join().unwrap();
        });
    }
}

/// A device that looks at command and units at once, and acquires nothing but where a stamp is not the
/// command that it saw: each message is whole, and handled under a command that is no older than the one that
/// its sender had given.
#[test]
fn a_message_is_handled_after_the_command_before_it() {
    model(3, || {
        let (ring, region) = sealed_ring();
        let layout = *ring.layout();
        let producers = producers(ring);
        let command = Arc::new(AtomicU32::new(0));
        let sender = thread::spawn({
            let command = Arc::clone(&command);
            move || {
                for number in 1..=2u64 {
                    command.store(number as u32, Ordering::Release);
                    let header =
                        Header { correlation: numbered(number), command: number as u32, ..Header::default() };
                    producers.reserve(1).unwrap().write(numbered(number), header);
                }
            }
        });
        for ticket in 0..2u64 {
            let number = ticket as u32 + 1;
            let (mut seen, units) = loop {
                let seen = command.load(Ordering::Relaxed);
                let units = [0, 1].map(|unit| region.load_unit(layout.unit_offset(ticket, unit)));
                if units.iter().all(|unit| unit[3] == layout.lap(ticket)) {
                    break (seen, units);
                }
                yield_now();
            };
            if units[0][0] != seen {
                fence(Ordering::Acquire);
                seen = command.load(Ordering::Relaxed);
            }
            assert!(seen >= number, "message {number} is handled under command {seen}");
            assert_eq!(units[0][..3], [number, 1 << 24 | 8, number]);
            assert_eq!(units[1][..3], [number; 3]);
        }
        sender.join().unwrap();
    });
}

/// The producer without CAS, over two laps.
#[test]
fn sole_producer() {
    model(3, || {
        let ring = ring();
        let mut consumer = consumer(&ring);
        let producer = thread::spawn(move || {
            // SAFETY: it is the only one.
            let mut producer = unsafe { SoleProducer::new(ring) };
            for correlation in 1..=3 {
                while !producer.has_credit(1) {
                    yield_now();
                }
                // SAFETY: there is credit; a slot of this kind has no payload.
                unsafe { producer.publish(kind::NO_REPLY, 0, Header { correlation, ..Header::default() }) };
                producer.show();
            }
            producer.close();
        });
        for expected in 1..=3 {
            let slot = loop {
                match consumer.peek() {
                    Some(slot) => break slot,
                    None => yield_now(),
                }
            };
            assert_eq!((slot.kind, slot.header.correlation), (kind::NO_REPLY, expected));
            consumer.advance(&slot);
            consumer.give_back();
        }
        producer.join().unwrap();
        assert!(consumer.is_finished());
    });
}

/// A look without the consuming end, while slots are used again: it may see a message that is being taken,
/// but when it sees none, everything that was published before it has been given back.
#[test]
fn a_look_misses_nothing() {
    model(2, || {
        let ring = ring();
        let mut consumer = consumer(&ring);
        let published = Arc::new(AtomicU32::new(0));
        let producers = producers(ring.clone());
        let producer = thread::spawn({
            let published = Arc::clone(&published);
            move || {
                for message in 1..=3 {
                    assert!(put(&producers, message));
                    published.store(message as u32, Ordering::Release);
                }
            }
        });
        let looker = thread::spawn(move || {
            let before = published.load(Ordering::Acquire);
            if !ring.may_be_ready() {
                assert!(ring.consumed() >= u64::from(before));
            }
        });
        for _ in 0..3 {
            assert!(take(&mut consumer).is_some());
        }
        producer.join().unwrap();
        looker.join().unwrap();
    });
}

/// What was sent before the ring closed arrives; what was refused does not; the consumer's end is final.
#[test]
fn close_against_send() {
    model(3, || {
        let ring = ring();
        let mut consumer = consumer(&ring);
        let producers = producers(ring.clone());
        let sender = thread::spawn(move || put(&producers, 7));
        let closer = thread::spawn(move || ring.close());
        let mut received = 0;
        while take(&mut consumer).is_some() {
            received += 1;
        }
        assert_eq!(sender.join().unwrap(), received == 1);
        closer.join().unwrap();
    });
}

/// A reservation that is dropped does not hold up what comes behind it.
#[test]
fn dropped_reservation_is_a_tombstone() {
    model(3, || {
        let ring = ring();
        let mut consumer = consumer(&ring);
        let producers = producers(ring);
        let dropper = thread::spawn({
            let producers = producers.clone();
            move || drop(producers.reserve(1))
        });
        assert!(put(&producers, 5));
        let messages: Vec<_> = (0..2).filter_map(|_| take(&mut consumer)).collect();
        assert_eq!(messages, [(5, 105)]);
        dropper.join().unwrap();
    });
}
