//! Messages as bytes.

extern crate annulus_runtime as annulus;

use annulus::prelude::*;
use annulus_kernel::{
    NoOutput, decode, decode_by_parts, decode_values, encode, encode_by_parts, encode_values,
};

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

/// One with everything at once: lists of what has padding, variants, or lists itself, and arrays of such.
#[derive(DeviceType, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Nested {
    flags: [bool; 3],
    lists: List<List<Leg, 2>, 3>,
    actions: [Action; 2],
    maybe: Maybe<Text<5>>,
    switches: List<bool, 4>,
    pairs: [[Pair; 2]; 2],
}

#[derive(DeviceType, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Pair(u8, u32);

/// More variants than a plan has room for.
#[derive(DeviceType, Clone, Copy, Debug, PartialEq)]
#[repr(u8)]
#[rustfmt::skip]
#[expect(dead_code, reason = "they are decoded")]
enum Many {
    A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, B0, B1, B2, B3, B4, B5, B6, B7, B8, B9, C0, C1, C2, C3, C4, C5, C6, C7, C8,
    C9, D0, D1, D2, D3, D4, D5, D6, D7, D8, D9, E0, E1, E2, E3, E4, E5, E6, E7, E8, E9, F0, F1, F2, F3, F4 { x: u32 },
}

/// Whatever the bytes are, copying them whole and putting them right gives what the descriptor says, number
/// by number: the same value, or the same error.
fn both_ways_agree<T: DeviceType>(rounds: u64) -> u64 {
    let size = size_of::<T>();
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    let mut next = move || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    let mut taken = 0;
    for round in 0..rounds {
        // Small numbers are lengths, tags and bools that are often valid.
        let bytes: Vec<u8> = (0..size)
            .map(|_| match (round % 4, next() % 16) {
                (0, _) => next() as u8,
                (_, 0) => next() as u8 % 4,
                (_, 1..4) => next() as u8 % 2,
                _ => 0,
            })
            .collect();
        let (fast, slow) = (decode::<T>(&bytes), decode_by_parts::<T>(&bytes));
        let value = match (fast, slow) {
            (Ok(fast), Ok(slow)) => {
                let (mut a, mut b) = (Vec::new(), Vec::new());
                encode_by_parts(&fast, &mut a);
                encode_by_parts(&slow, &mut b);
                assert_eq!(a, b, "{bytes:?}");
                slow
            }
            (Err(fast), Err(slow)) => {
                assert_eq!(fast, slow);
                if size == 0 {
                    continue; // No bytes are no values, of any type.
                }
                assert_eq!(decode_values(T::DESCRIPTOR, &bytes).unwrap_err(), slow.within("[0]"));
                continue;
            }
            (fast, slow) => panic!("{bytes:?}: {:?}, {:?}", fast.err(), slow.err()),
        };
        taken += 1;
        let (mut fast, mut slow, mut values) = (vec![1], vec![1], vec![1]);
        encode(&value, &mut fast);
        encode_by_parts(&value, &mut slow);
        assert_eq!(fast, slow, "{bytes:?}");
        let two = [value; 2];
        // SAFETY: the bytes of two values; any byte is a `MaybeUninit`.
        let of_two = unsafe { std::slice::from_raw_parts(two.as_ptr().cast(), 2 * size) };
        // SAFETY: they are valid values of this type.
        unsafe { encode_values(T::DESCRIPTOR, of_two, &mut values) };
        assert_eq!(values[1..], [&slow[1..], &slow[1..]].concat());
        let decoded = decode_values(T::DESCRIPTOR, &values[1..]).unwrap();
        assert_eq!(decoded.len(), 2 * size);
    }
    taken
}

/// Q-05, Q-06: for types with every kind of part, with a plan and without one.
#[test]
fn q_05_copied_whole_or_number_by_number_is_the_same() {
    assert!((200..19_000).contains(&both_ways_agree::<Nested>(20_000)));
    assert!((200..19_000).contains(&both_ways_agree::<Order>(20_000)));
    assert!((200..19_000).contains(&both_ways_agree::<[Action; 3]>(20_000)));
    assert!((200..19_000).contains(&both_ways_agree::<Many>(20_000)));
    assert!(both_ways_agree::<List<[Side; 2], 3>>(20_000) >= 200);
    assert_eq!(both_ways_agree::<[u64; 5]>(1000), 1000);
    assert_eq!(both_ways_agree::<[Leg; 3]>(1000), 1000);
    assert_eq!(both_ways_agree::<[u8; 0]>(10), 10);
    assert_eq!(both_ways_agree::<NoOutput>(10), 0);
}

/// What a device wrote is encoded, whatever it is: an unknown tag alone, a list of as many items as there
/// are.
#[test]
fn what_a_device_wrote_is_encoded() {
    let bytes = [9u8, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9]
        .map(std::mem::MaybeUninit::new);
    let mut encoded = Vec::new();
    // SAFETY: the bytes are initialised, and the encoder takes any tag.
    unsafe { encode_values(Action::DESCRIPTOR, &bytes[..size_of::<Action>()], &mut encoded) };
    assert_eq!(encoded[..2], [9, 9]);
    assert!(encoded[2..].iter().all(|byte| *byte == 0));
    let mut encoded = Vec::new();
    // SAFETY: the bytes are initialised, and the encoder takes any length.
    unsafe { encode_values(Text::<8>::DESCRIPTOR, &bytes[..12], &mut encoded) };
    assert_eq!(encoded, [8, 0, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9]);
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
