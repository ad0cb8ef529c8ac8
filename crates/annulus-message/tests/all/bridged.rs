//! Bridged messages there and back.

use annulus::{
    message::{
        Encoding, MAX_PAYLOAD, Message, Payload,
        bridged::{ALIGNMENT, access},
    },
    prelude::RingMessage,
    queue::{Deduplication, MessageQueue, QueueOptions, SendOutcome},
};

use crate::samples::{Action, Leg, Order, order, tick};

#[derive(RingMessage, Clone, Debug, PartialEq)]
struct Note {
    text: String,
}

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[ring(direct)]
#[repr(C)]
struct Plain(u16);

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[ring(bridged, version = 9)]
enum Small {
    One,
    Two { value: u16 },
}

/// W-12: what goes in comes out, at any place in a buffer; equal messages have equal bytes.
#[test]
fn messages_go_there_and_back() {
    for number in 0..20 {
        let message = order(number);
        for before in [0, 1, 16, 33] {
            let mut bytes = vec![0xEE; before];
            message.encode(&mut bytes).unwrap();
            assert!(bytes[..before].iter().all(|&byte| byte == 0xEE));
            assert_eq!(Order::decode(&bytes[before..]), Ok(message.clone()));
            assert_eq!(message.payload_size(), bytes.len() - before);
            let mut again = Vec::new();
            message.clone().encode(&mut again).unwrap();
            assert_eq!(again, bytes[before..]);
        }
    }
    for small in [Small::One, Small::Two { value: 300 }] {
        let mut bytes = Vec::new();
        small.encode(&mut bytes).unwrap();
        assert_eq!(Small::decode(&bytes), Ok(small));
    }
}

/// the derive writes what the marked fields say, for both kinds, and chooses between them.
#[test]
fn messages_say_what_their_fields_say() {
    let message = order(4);
    const { assert!(Order::KEYED && Order::IDENTIFIED) };
    assert_eq!((message.key(), message.id(), message.priority()), (7, Some(4), 200));
    assert_eq!(message.timestamp(), Some(1_700_000_000_000_000_000));
    assert_eq!((Order::ENCODING, Order::VERSION), (Encoding::Bridged, 3));
    assert_eq!((Small::ENCODING, Small::VERSION), (Encoding::Bridged, 9));
    assert_eq!((Plain::ENCODING, Plain::VERSION, Plain::ROOT_SIZE), (Encoding::Direct, 0, 2));
    assert_eq!((tick(9).key(), tick(9).id(), tick(9).priority(), tick(9).timestamp()), (1, None, 128, None));
}

/// Q-06, W-07: an archive is read where it lies.
#[test]
fn archives_are_read_in_place() {
    let message = order(5);
    let mut bytes = Vec::new();
    message.encode(&mut bytes).unwrap();
    let mut aligned = vec![0u128; bytes.len().div_ceil(ALIGNMENT)];
    // SAFETY: as many bytes as there are numbers for; any byte is part of a number.
    let place = unsafe { std::slice::from_raw_parts_mut(aligned.as_mut_ptr().cast::<u8>(), bytes.len()) };
    place.copy_from_slice(&bytes);
    let archived = access::<Order>(place).unwrap();
    assert_eq!(archived.text.as_str(), message.text);
    assert_eq!(&*archived.symbol, "annulus");
    assert_eq!(archived.account, 7);
    let legs: Vec<_> = archived.legs.iter().map(|leg| Leg(leg.0.to_native(), leg.1)).collect();
    assert_eq!(legs, message.legs);
    assert_eq!(archived.tags.get("tag 3").map(|value| value.to_native()), Some(-1));
    assert!(matches!(message.action, Action::Move { .. }));
    let inside = place.as_ptr_range();
    assert!(inside.contains(&archived.text.as_ptr()), "nothing was copied");
}

/// W-10: up to 65,536 bytes, then an error that says so, and nothing is appended.
#[test]
fn payloads_have_a_most() {
    let most = |len: usize| Note { text: "x".repeat(len) };
    let mut bytes = vec![1];
    most(MAX_PAYLOAD - Note::ROOT_SIZE).encode(&mut bytes).unwrap();
    assert_eq!(bytes.len(), 1 + MAX_PAYLOAD);
    assert_eq!(Note::decode(&bytes[1..]).unwrap().text.len(), MAX_PAYLOAD - Note::ROOT_SIZE);
    bytes.truncate(1);
    let error = most(MAX_PAYLOAD - Note::ROOT_SIZE + 1).encode(&mut bytes).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the payload has more than 65536 bytes, the most that a message has: send it in parts"
    );
    assert_eq!(bytes, [1]);
}

/// the host's queues take bridged messages by the same trait, by priority and without duplicates.
#[test]
fn queues_take_them() {
    let options = QueueOptions::default().priority(true).deduplication(Deduplication::ByPayload);
    let queue = MessageQueue::<Note>::new(options).unwrap();
    let note = |text: &str| Note { text: text.into() };
    assert_eq!(queue.try_send(note("one")), Ok(SendOutcome::Accepted));
    assert_eq!(queue.try_send(note("two")), Ok(SendOutcome::Accepted));
    assert_eq!(queue.try_send(note("one")), Ok(SendOutcome::Duplicate(note("one"))));
    let orders = MessageQueue::<Order>::new(QueueOptions::default().priority(true)).unwrap();
    let _ = orders.try_send(Order { urgency: 1, ..order(1) }).unwrap();
    let _ = orders.try_send(Order { urgency: 2, ..order(2) }).unwrap();
    assert_eq!(orders.try_recv().unwrap().number, 2);
}
