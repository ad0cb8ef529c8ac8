//! Messages as bytes.

extern crate annulus_runtime as annulus;

use annulus::prelude::*;
use annulus_kernel::{NoOutput, decode, encode};

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Order {
    #[ring(key)]
    account: u32,
    urgent: bool,
    price: f64,
    symbol: Text<7>,
    legs: List<Leg, 3>,
    action: Action,
    history: [i16; 2],
}

#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
struct Leg(u8, i64);

#[derive(DeviceType, Clone, Copy, Debug, PartialEq)]
#[repr(u16)]
enum Action {
    Cancel,
    Fill(f32),
    Move { to: u64, by: i8 } = 700,
    Split(bool, u8),
}

const ACTIONS: [Action; 4] =
    [Action::Cancel, Action::Fill(1.25), Action::Move { to: u64::MAX, by: -3 }, Action::Split(true, 2)];

fn order(action: Action) -> Order {
    Order {
        account: 7,
        urgent: true,
        price: -0.5,
        symbol: Text::new("ÅNG").unwrap(),
        legs: List::new(&[Leg(1, -2), Leg(3, i64::MIN)]).unwrap(),
        action,
        history: [-1, 2],
    }
}

fn bytes_of(order: &Order) -> Vec<u8> {
    let mut bytes = Vec::new();
    order.encode(&mut bytes).unwrap();
    bytes
}

/// Q-04, Q-05: there and back; the size is the type's, and bytes are appended.
#[test]
fn messages_go_there_and_back() {
    let mut bytes = Vec::new();
    for action in ACTIONS {
        order(action).encode(&mut bytes).unwrap();
    }
    assert_eq!(bytes.len(), 4 * size_of::<Order>());
    for (message, action) in bytes.chunks(size_of::<Order>()).zip(ACTIONS) {
        assert_eq!(Order::decode(message), Ok(order(action)));
    }
}

/// Q-06: the same bytes for equal messages, whatever lies in padding and behind the items, and from every
/// thread.
#[test]
fn equal_messages_have_equal_bytes() {
    for action in ACTIONS {
        let expected = bytes_of(&order(action));
        let mut other = order(action);
        other.legs.items[2] = Leg(9, 9);
        other.symbol.items[6] = b'x';
        assert_eq!(other, order(action));
        let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(move || bytes_of(&other))).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), expected);
        }
    }
    // Little-endian, at the offsets of the layout, zero between.
    assert_eq!(
        bytes_of(&order(Action::Cancel))[..16],
        [7, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xE0, 0xBF]
    );
}

/// Q-06: bytes that were cut off, that go on, or that say what no message says are errors that tell where.
#[test]
fn errors_say_where() {
    let bytes = bytes_of(&order(Action::Fill(1.0)));
    let refused = |bytes: &[u8]| Order::decode(bytes).unwrap_err().to_string();
    let size = bytes.len();
    assert_eq!(refused(&bytes[..size - 1]), format!("{} bytes are no Order, which has {size}", size - 1));
    assert_eq!(refused(&[]), format!("0 bytes are no Order, which has {size}"));
    let changed = |offset: usize, byte: u8| {
        let mut bytes = bytes.clone();
        bytes[offset] = byte;
        refused(&bytes)
    };
    let action = std::mem::offset_of!(Order, action);
    let legs = std::mem::offset_of!(Order, legs);
    assert_eq!(changed(4, 2), ".urgent: 2 is no bool, which is 0 or 1");
    assert_eq!(changed(legs, 4), ".legs: there are 4 values, and there is room for 3");
    assert_eq!(changed(action, 77), ".action: 77 is the tag of no variant of Action");
    let split = bytes_of(&order(Action::Split(true, 1)));
    let place =
        split.iter().zip(bytes_of(&order(Action::Split(false, 1)))).position(|(a, b)| *a != b).unwrap();
    let mut wrong = split.clone();
    wrong[place] = 3;
    assert_eq!(refused(&wrong), ".action.Split.0: 3 is no bool, which is 0 or 1");
    assert!(decode::<NoOutput>(&[]).is_err(), "there is no value of it");
}

/// Q-06: whatever the bytes are, they are refused, or are those of a message, which is valid and encodes to
/// what it means.
#[test]
fn any_bytes_are_decoded_or_refused() {
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    let mut taken = 0;
    for round in 0..100_000 {
        let mut bytes = bytes_of(&order(ACTIONS[round % 4]));
        for _ in 0..next() % 4 {
            let at = next() as usize % bytes.len();
            bytes[at] = next() as u8;
        }
        bytes.truncate(if next() % 8 == 0 { next() as usize % bytes.len() } else { bytes.len() });
        let Ok(message) = Order::decode(&bytes) else { continue };
        taken += 1;
        let again = bytes_of(&message);
        assert_eq!(bytes_of(&Order::decode(&again).unwrap()), again);
        // What it means is in the bytes that it came from; all else is zero.
        assert!(again.iter().zip(&bytes).all(|(now, given)| now == given || *now == 0));
    }
    assert!((10_000..99_000).contains(&taken), "both happen: {taken} of 100,000 were taken");
}

/// Values that are no messages.
#[test]
fn any_device_type() {
    let mut bytes = Vec::new();
    encode(&(-2i64), &mut bytes);
    encode(&f32::NAN, &mut bytes);
    assert_eq!(decode::<i64>(&bytes[..8]), Ok(-2));
    assert_eq!(decode::<f32>(&bytes[8..]).unwrap().to_bits(), f32::NAN.to_bits());
}

/// No value of it is all zeros.
#[derive(DeviceType, Clone, Copy, Debug, PartialEq)]
#[repr(u8)]
enum Side {
    Buy = 1,
    Sell = 2,
}

/// Items behind the end of a list are values, too, which anybody may look at.
#[test]
fn items_behind_the_end_are_valid() {
    let mut bytes = Vec::new();
    let mut list = List::<[Side; 2], 3> { len: 1, items: [[Side::Sell; 2]; 3] };
    encode(&list, &mut bytes);
    let decoded = decode::<List<[Side; 2], 3>>(&bytes).unwrap();
    assert_eq!((decoded.len, decoded.items), (1, [[Side::Sell; 2], [Side::Buy; 2], [Side::Buy; 2]]));
    assert!(decode::<List<NoOutput, 3>>(&[0; 4]).is_err(), "it would have items");
    // A device may say that there are more than there is room for.
    list.len = u32::MAX;
    bytes.clear();
    encode(&list, &mut bytes);
    let decoded = decode::<List<[Side; 2], 3>>(&bytes).unwrap();
    assert_eq!((decoded.len, decoded.items), (3, [[Side::Sell; 2]; 3]));
}

/// A type of the program's own that is called as one of the library's, and looks like it.
mod own {
    use annulus_macros::DeviceType;

    #[derive(DeviceType, Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub(super) struct Text {
        pub(super) len: u32,
        pub(super) items: [u8; 4],
    }
}

#[test]
fn a_name_makes_no_list() {
    let text = own::Text { len: 1, items: *b"abcd" };
    let mut bytes = Vec::new();
    encode(&text, &mut bytes);
    assert_eq!(bytes, [1, 0, 0, 0, b'a', b'b', b'c', b'd'], "all of it");
    assert_eq!(decode::<own::Text>(&bytes), Ok(text));
    bytes[0] = 9;
    assert_eq!(decode::<own::Text>(&bytes).map(|text| text.len), Ok(9), "it may mean anything");
    #[cfg(feature = "serde")]
    {
        let json = serde_json::to_string(&annulus_kernel::Described::new(&text)).unwrap();
        assert_eq!(json, r#"{"len":1,"items":[97,98,99,100]}"#);
    }
}
