//! Rings with sealed slots: what goes in comes out, in every size, and units are never of two laps.
#![cfg(all(not(loom), target_arch = "x86_64"))]

use std::{
    alloc::{Layout, alloc_zeroed, dealloc},
    collections::VecDeque,
    mem::MaybeUninit,
    ptr::NonNull,
    thread,
};

use annulus_abi::ring::{Envelope, RingLayout, kind};
use annulus_ring::{
    region::Region,
    ring::{Consumer, Header, Producers, Refused, Ring, Slot, SlotReservation, SoleProducer},
    sealed,
};
use proptest::prelude::*;

/// Zeroed memory for a ring.
struct Memory(NonNull<u8>, Layout, RingLayout);

impl Memory {
    /// `None`, and says why, where this processor cannot seal.
    fn new(open: RingLayout) -> Option<Self> {
        if !sealed::is_offered() {
            println!("skipped: this processor has no AVX, and promises nothing of 16-byte stores");
            return None;
        }
        let layout = open.sealed().expect("small enough");
        let memory = Layout::from_size_align(layout.bytes(), 128).unwrap();
        // SAFETY: a ring has a header, so the layout's size is not zero.
        let base = NonNull::new(unsafe { alloc_zeroed(memory) }).unwrap();
        Some(Self(base, memory, layout))
    }

    fn region(&self) -> Region {
        // SAFETY: the memory is that long and that aligned, and freed after the region's last use.
        unsafe { Region::new(self.0, self.1.size()) }
    }

    fn ring(&self) -> Ring {
        // SAFETY: the region is as long as the layout says and was zero; each test makes the ends that it
        // may.
        unsafe { Ring::new(self.region(), self.2) }
    }

    fn ends(&self) -> (Producers, Consumer) {
        // SAFETY: no sole producer is made.
        let producers = unsafe { Producers::new(self.ring()) };
        // SAFETY: each test calls this once.
        (producers, unsafe { Consumer::new(self.ring()) })
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and used no more.
        unsafe { dealloc(self.0.as_ptr(), self.1) };
    }
}

const ENVELOPES: [Envelope; 6] = [
    Envelope { enqueue_time: false, correlation: false, trace: false, stamp: false },
    Envelope { enqueue_time: true, correlation: false, trace: false, stamp: false },
    Envelope { enqueue_time: false, correlation: true, trace: false, stamp: false },
    Envelope { enqueue_time: true, correlation: true, trace: false, stamp: false },
    Envelope { enqueue_time: false, correlation: false, trace: true, stamp: false },
    Envelope { enqueue_time: true, correlation: true, trace: true, stamp: false },
];

/// Writes message `number` by its type, and gives the bytes of a message that it read by its type.
struct Typed {
    write: fn(&mut SlotReservation, u8, Header),
    read: fn(&Consumer, &Slot) -> Vec<u8>,
}

impl Typed {
    const fn of<const N: usize, T: Copy + From<[u8; N]> + Into<[u8; N]>>() -> Self {
        Self {
            write: |slots, number, header| slots.write(T::from(pattern_of(number)), header),
            // SAFETY: just peeked, and a `T` or its bytes were written.
            read: |consumer, slot| unsafe { consumer.read::<T>(slot) }.into().to_vec(),
        }
    }
}

/// Messages of `size` bytes, over three laps of a ring of two slots, by their bytes and, where it is given, by their
/// type. Gives whether they are small enough to be sealed.
fn round_trip(size: usize, align: usize, typed: Option<Typed>) -> bool {
    let mut all = true;
    for envelope in ENVELOPES {
        let open = RingLayout::new(2, size, align, envelope);
        if open.sealed().is_none() {
            all = false;
            continue;
        }
        let Some(memory) = Memory::new(open) else { return true };
        let (producers, mut consumer) = memory.ends();
        for number in 0..6u8 {
            assert!(!consumer.is_ready() && consumer.peek().is_none() && !consumer.ring().may_be_ready());
            let header = Header {
                enqueue_time: u64::MAX - u64::from(number),
                correlation: 1 << 40 | u64::from(number),
                trace: 1 << 41 | u64::from(number),
                stamp: 1 << 42 | u64::from(number),
                command: 0xC0DE_0000 + u32::from(number),
            };
            let message: Vec<u8> = (0..size).map(|at| pattern(number, at)).collect();
            let mut slots = producers.reserve(1).unwrap();
            match &typed {
                Some(typed) if number % 2 == 0 => (typed.write)(&mut slots, number, header),
                // SAFETY: the ring carries no bridged messages.
                _ => unsafe { slots.write_bytes(maybe_uninit(&message), header) },
            }
            drop(slots);
            assert!(consumer.is_ready() && consumer.ring().may_be_ready());
            let slot = consumer.peek().expect("published");
            assert_eq!((slot.kind, slot.length as usize), (kind::MESSAGE, size));
            let expected = Header {
                enqueue_time: if envelope.enqueue_time { header.enqueue_time } else { 0 },
                correlation: if envelope.correlation { header.correlation } else { 0 },
                trace: if envelope.trace { header.trace } else { 0 },
                stamp: if envelope.stamp { header.stamp } else { 0 },
                command: 0,
            };
            assert_eq!(format!("{:?}", slot.header), format!("{expected:?}"));
            // The stamp is where a device looks for it.
            assert_eq!(memory.region().load_unit(memory.2.unit_offset(number.into(), 0))[0], header.command);
            if let Some(typed) = &typed {
                assert_eq!((typed.read)(&consumer, &slot), message, "{size} bytes, {envelope:?}");
            }
            let mut copy = vec![MaybeUninit::new(0); size];
            // SAFETY: just peeked.
            unsafe { consumer.read_bytes(&slot, &mut copy) };
            // SAFETY: it held bytes from the beginning, and was sent as bytes.
            let copy: Vec<u8> = copy.iter().map(|byte| unsafe { byte.assume_init() }).collect();
            assert_eq!(copy, message, "{size} bytes, {envelope:?}");
            consumer.advance(&slot);
            consumer.give_back();
        }
    }
    all
}

fn maybe_uninit(bytes: &[u8]) -> &[MaybeUninit<u8>] {
    // SAFETY: the same bytes, which may now be thought of as uninitialised.
    unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len()) }
}

fn pattern(number: u8, at: usize) -> u8 {
    (at as u8).wrapping_mul(37) ^ number.wrapping_mul(101) ^ 0x5A
}

fn pattern_of<const N: usize>(number: u8) -> [u8; N] {
    std::array::from_fn(|at| pattern(number, at))
}

/// Whether messages of this size are small enough.
fn is_sealed(size: usize) -> bool {
    size + 32 <= annulus_abi::ring::SEALED_MOST
}

#[test]
fn every_size_comes_out_as_it_went_in() {
    for size in 0..=330 {
        assert_eq!(round_trip(size, 1, None), is_sealed(size), "{size} bytes");
    }
}

/// By their type as well. A unit holds 12 bytes of a message: each rest, and both sides of each number of units.
#[test]
fn every_type_comes_out_as_it_went_in() {
    macro_rules! sizes {
        ($($size:literal)*) => {$(
            let typed = Typed::of::<$size, [u8; $size]>();
            assert_eq!(round_trip($size, 1, Some(typed)), is_sealed($size), "{} bytes", $size);
        )*};
    }
    sizes!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 31 32 33 35 36 37 39 40 41);
    sizes!(47 48 49 51 52 53 59 60 61 63 64 65 71 72 73 95 96 97 107 108 109 119 120 121 127 128 129);
    sizes!(143 144 145 179 180 181 191 192 193 215 216 217 223 224 225 227 228 229 231 232 233 240);
    sizes!(255 256 257 299 300 301 303 304 305 311 312 313 315 316 317 320);
}

macro_rules! aligned {
    ($($name:ident $align:literal: $($size:literal)*;)*) => {$(
        #[derive(Clone, Copy)]
        #[repr(C, align($align))]
        struct $name<const N: usize>([u8; N]);
        impl<const N: usize> From<[u8; N]> for $name<N> {
            fn from(bytes: [u8; N]) -> Self {
                Self(bytes)
            }
        }
        impl<const N: usize> From<$name<N>> for [u8; N] {
            fn from(message: $name<N>) -> Self {
                message.0
            }
        }
        $(assert!(round_trip($size, $align, Some(Typed::of::<$size, $name<$size>>())));)*
    )*};
}

#[test]
fn every_alignment_comes_out_as_it_went_in() {
    aligned! {
        By2 2: 2 30 200;
        By4 4: 4 12 36 204;
        By8 8: 8 16 40 48 56 64 200;
        By16 16: 16 48 208;
        By32 32: 32 96 224;
        By64 64: 64 128 192;
    }
}

/// A message that says in each of its words which it is.
type Whole = [u32; 20];

fn whole(number: u32) -> Whole {
    [number; 20]
}

/// Many producers, real threads, many laps of few slots: each message once, whole, each producer's in order.
#[test]
fn many_producers_and_many_laps() {
    const EACH: u32 = 20_000;
    let Some(memory) = Memory::new(RingLayout::new(4, size_of::<Whole>(), 4, ENVELOPES[3])) else { return };
    let (producers, mut consumer) = memory.ends();
    thread::scope(|scope| {
        for producer in 0..3u32 {
            let producers = producers.clone();
            scope.spawn(move || {
                let mut next = 0;
                while next < EACH {
                    let Ok(mut slots) = producers.reserve(2) else {
                        thread::yield_now();
                        continue;
                    };
                    while slots.remaining() != 0 && next < EACH {
                        let number = producer << 24 | next;
                        slots
                            .write(whole(number), Header { correlation: number.into(), ..Header::default() });
                        next += 1;
                    }
                }
            });
        }
        let mut next = [0; 3];
        while next != [EACH; 3] {
            let Some(slot) = consumer.peek() else {
                thread::yield_now();
                continue;
            };
            if slot.kind == kind::MESSAGE {
                // SAFETY: just peeked, and that is what producers write.
                let message = unsafe { consumer.read::<Whole>(&slot) };
                assert!(
                    message.iter().all(|word| u64::from(*word) == slot.header.correlation),
                    "{message:?}"
                );
                let producer = (message[0] >> 24) as usize;
                assert_eq!(message[0] & 0xFF_FFFF, next[producer]);
                next[producer] += 1;
            } else {
                assert_eq!(slot.kind, kind::TOMBSTONE);
            }
            consumer.advance(&slot);
            consumer.give_back();
        }
    });
}

/// A unit is one store's, whole, while others are stored over it: what the protocol asks of the processor.
#[test]
fn a_unit_is_never_torn() {
    let Some(memory) = Memory::new(RingLayout::new(2, 0, 1, Envelope::default())) else { return };
    let region = memory.region();
    thread::scope(|scope| {
        scope.spawn(|| {
            for number in 1..=1_000_000u32 {
                let content = [std::mem::MaybeUninit::new(number); 3];
                // SAFETY: inside the region, which nobody else stores to; `Memory` is of processors that can.
                unsafe { region.store_unit(256, &content, number) };
            }
        });
        let mut last = 0;
        while last < 1_000_000 {
            let unit = region.load_unit(256);
            assert_eq!(unit, [unit[3]; 4]);
            assert!(unit[3] >= last, "{} after {last}", unit[3]);
            last = unit[3];
        }
    });
}

#[test]
#[should_panic(expected = "a sole producer's slots are open")]
fn a_sole_producer_does_not_seal() {
    let Some(memory) = Memory::new(RingLayout::new(2, 8, 8, Envelope::default())) else {
        panic!("a sole producer's slots are open")
    };
    // SAFETY: no other producer.
    let _ = unsafe { SoleProducer::new(memory.ring()) };
}

#[derive(Clone, Copy, Debug)]
enum Step {
    /// Reserve so many, and write so many of them.
    Send(u32, u32),
    Receive,
    GiveBack,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        (1..5u32, 0..5u32).prop_map(|(reserve, write)| Step::Send(reserve, write)),
        Just(Step::Receive),
        Just(Step::Receive),
        Just(Step::GiveBack),
    ];
    prop::collection::vec(step, 0..200)
}

proptest! {
    /// Both ends beside a queue that does the same: messages and tombstones, and when it is full.
    #[test]
    fn as_a_queue_does(steps in steps(), capacity in 1..4u32) {
        let capacity = 1 << capacity;
        let layout = RingLayout::new(capacity, size_of::<Whole>(), 4, ENVELOPES[1]);
        let Some(memory) = Memory::new(layout) else { return Ok(()) };
        let (producers, mut consumer) = memory.ends();
        let mut queue = VecDeque::new();
        let (mut number, mut held) = (0, 0);
        for step in steps {
            match step {
                Step::Send(reserve, write) => {
                    let free = capacity - queue.len() as u32 - held;
                    match producers.reserve(reserve) {
                        Err(refused) => prop_assert!(refused == Refused::Full && free == 0),
                        Ok(mut slots) => {
                            let count = slots.remaining();
                            prop_assert!(count >= 1 && count <= reserve.min(free));
                            for place in 0..count {
                                if place < write {
                                    number += 1;
                                    slots.write(whole(number), Header::default());
                                }
                                queue.push_back((place < write).then_some(number));
                            }
                        }
                    }
                }
                Step::Receive => {
                    let slot = consumer.peek();
                    prop_assert_eq!(slot.is_some(), !queue.is_empty());
                    if let Some(slot) = slot {
                        // SAFETY: just peeked, and that is what producers write.
                        let read = (slot.kind == kind::MESSAGE).then(|| unsafe { consumer.read::<Whole>(&slot) });
                        prop_assert_eq!(read, queue.pop_front().unwrap().map(whole));
                        consumer.advance(&slot);
                        held += 1;
                    }
                }
                Step::GiveBack => {
                    consumer.give_back();
                    held = 0;
                }
            }
        }
    }
}
