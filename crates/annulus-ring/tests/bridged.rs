//! Bridged messages in a ring: in slots and in spill blocks, from archives and from images.
#![cfg(not(loom))]

use std::{
    alloc::{Layout, alloc_zeroed, dealloc},
    mem::MaybeUninit,
    ptr::NonNull,
};

use annulus_abi::{
    bridged::{Head, INLINE},
    kernel::{KernelLayout, KernelShape},
    ring::{Envelope, RingLayout, kind},
};
use annulus_ring::{
    region::Region,
    ring::{Archived, Consumer, Header, Producers, Ring, SoleProducer},
};

struct Memory(NonNull<u8>, Layout, RingLayout);

impl Memory {
    fn new(max_payload: usize) -> Self {
        let layout = KernelLayout::new(&KernelShape {
            inbound_capacity: 16,
            outbound_capacity: 16,
            message: Head::payload(max_payload),
            output: (0, 1),
            envelope: Envelope::default(),
            dead_letters_capacity: 0,
            prints_capacity: 0,
            print_words: 0,
            histogram: false,
            ports: 0,
        })
        .bridged(max_payload)
        .inbound;
        let memory = Layout::from_size_align(layout.bytes(), 128).unwrap();
        // SAFETY: a ring has a header, so the layout's size is not zero.
        Self(NonNull::new(unsafe { alloc_zeroed(memory) }).unwrap(), memory, layout)
    }

    fn ring(&self) -> Ring {
        // SAFETY: the memory is that long and that aligned, and freed after the region's last use.
        let region = unsafe { Region::new(self.0, self.2.bytes()) };
        // SAFETY: the region is as long as the layout says, and was zero; each test makes the ends that it
        // may.
        unsafe { Ring::new(region, self.2) }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the memory came from `alloc_zeroed` with this layout, and is freed once.
        unsafe { dealloc(self.0.as_ptr(), self.1) };
    }
}

fn archive(number: usize, length: usize) -> Vec<u8> {
    (0..length).map(|i| (number * 31 + i * 7) as u8).collect()
}

fn write(producers: &Producers, key: u64, archive: &[u8]) {
    let mut slot = producers.reserve(1).unwrap();
    // SAFETY: all bytes of the archive are written.
    unsafe {
        slot.write_bridged(key, Header::default(), |room| {
            let far = archive.len() > room.near.len();
            let place = if far { room.far } else { room.near };
            assert!(place.as_ptr().addr().is_multiple_of(16));
            place[..archive.len()].write_copy_of_slice(archive);
            Ok::<_, ()>((archive.len(), far))
        })
    }
    .unwrap();
}

/// Archives of every length, over several laps: in place, as images, and copied into another ring.
#[test]
fn archives_come_out_as_they_went_in() {
    for max_payload in [64, 208, 512, 4096] {
        let (first, second) = (Memory::new(max_payload), Memory::new(max_payload));
        // SAFETY: no sole producer is made of it.
        let producers = unsafe { Producers::new(first.ring()) };
        // SAFETY: its one consumer.
        let mut consumer = unsafe { Consumer::new(first.ring()) };
        // SAFETY: its one producer.
        let mut copies = unsafe { SoleProducer::new(second.ring()) };
        // SAFETY: its one consumer.
        let mut copied = unsafe { Consumer::new(second.ring()) };
        let most = producers.ring().layout().payload_most();
        for number in 0..100 {
            let length = [0, 1, 63, most - 1, most, number * 37 % most][number % 6];
            let (key, bytes) = (u64::MAX - number as u64, archive(number, length));
            if number % 2 == 0 {
                write(&producers, key, &bytes);
            } else {
                let mut image = vec![MaybeUninit::uninit(); size_of::<Head>() + length];
                let head = Head { length: length as u32, begin: INLINE, key };
                // SAFETY: there is room for it; it may lie anywhere.
                unsafe { image.as_mut_ptr().cast::<Head>().write_unaligned(head) };
                image[size_of::<Head>()..].write_copy_of_slice(&bytes);
                // SAFETY: it is an image.
                unsafe { producers.reserve(1).unwrap().write_bytes(&image, Header::default()) };
            }
            let slot = consumer.peek().expect("published");
            assert_eq!((slot.kind, slot.length as usize), (kind::MESSAGE, size_of::<Head>() + length));
            // SAFETY: the slot was just peeked, and is a message.
            let found = unsafe { consumer.archived(&slot) };
            assert_eq!((found.head().key, found.archive()), (key, &bytes[..]));
            assert!(found.archive().as_ptr().addr().is_multiple_of(16), "{length} of {max_payload}");
            assert!(copies.has_credit(1));
            // SAFETY: there is credit, and the slot holds a message that fits.
            unsafe { copies.publish_copy(kind::DEAD_LETTER, 7, Header::default(), consumer.payload(&slot)) };
            consumer.advance(&slot);
            consumer.give_back();

            let slot = copied.peek().expect("published");
            assert_eq!((slot.kind, slot.length), (kind::DEAD_LETTER, 7));
            // SAFETY: the slot was just peeked, and is a dead letter.
            let mut image = vec![MaybeUninit::uninit(); unsafe { copied.bytes_of(&slot) }];
            // SAFETY: as above.
            unsafe { copied.read_bytes(&slot, &mut image) };
            // SAFETY: it was just copied.
            let found = unsafe { Archived::new(image.as_ptr().cast()) };
            assert_eq!((found.head().key, found.archive()), (key, &bytes[..]));
            assert_eq!(found.head().begin, INLINE);
            copied.advance(&slot);
            copied.give_back();
        }
    }
}

/// An archive that is not written leaves a tombstone, and the rest of the reservation.
#[test]
fn what_does_not_fit_is_a_tombstone() {
    let memory = Memory::new(512);
    // SAFETY: no sole producer is made of it.
    let producers = unsafe { Producers::new(memory.ring()) };
    // SAFETY: its one consumer.
    let mut consumer = unsafe { Consumer::new(memory.ring()) };
    let mut slots = producers.reserve(2).unwrap();
    // SAFETY: nothing is written.
    let refused = unsafe { slots.write_bridged(0, Header::default(), |_| Err("no")) };
    assert_eq!((refused, slots.remaining()), (Err("no"), 2));
    assert!(consumer.peek().is_none());
    drop(slots);
    write(&producers, 1, &[1, 2, 3]);
    let kinds: Vec<u8> = std::iter::from_fn(|| {
        let slot = consumer.peek()?;
        consumer.advance(&slot);
        Some(slot.kind)
    })
    .collect();
    assert_eq!(kinds, [kind::TOMBSTONE, kind::TOMBSTONE, kind::MESSAGE]);
}
