//! What is allocated on the way: nothing in steady state (D-06, Q-30), and never more than the limits,
//! whatever the bytes say.
#![allow(clippy::disallowed_types)] // An allocator counts, and loom does not run here.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

use annulus::{
    message::{
        Content, FrameReader, FrameWriter,
        header::{HEADER_SIZE, Header, checksum},
    },
    prelude::RingMessage,
};

struct Counting;

static COUNT: AtomicU64 = AtomicU64::new(0);
static HELD: AtomicU64 = AtomicU64::new(0);
static MOST: AtomicU64 = AtomicU64::new(0);

// SAFETY: each call is the system allocator's; only counts are kept beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Relaxed);
        let held = HELD.fetch_add(layout.size() as u64, Relaxed) + layout.size() as u64;
        MOST.fetch_max(held, Relaxed);
        // SAFETY: by the caller's word.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size() as u64, Relaxed);
        // SAFETY: by the caller's word.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[derive(RingMessage, Clone)]
struct Order {
    #[ring(id)]
    number: u64,
    text: String,
    items: Vec<i32>,
    legs: Vec<String>,
}

/// A stream that begins anew once it has grown, and so needs no more room.
struct Again(Vec<u8>);

impl std::io::Write for Again {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() > 1 << 16 {
            self.0.clear();
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn main() {
    let message = Order {
        number: 7,
        text: "a text of some length, so that it is worth compressing ".repeat(4),
        items: (0..16).collect(),
        legs: vec!["one leg".into(), "another leg, and a long one".into()],
    };
    let mut writer = FrameWriter::new(Again(Vec::with_capacity(1 << 18))).compressed(64);
    for _ in 0..500 {
        writer.write(&message).unwrap();
    }
    let before = COUNT.load(Relaxed);
    for _ in 0..1000 {
        writer.write(&message).unwrap();
    }
    assert_eq!(COUNT.load(Relaxed) - before, 0, "allocations for 1000 messages written");

    let mut stream = Vec::new();
    let mut writer = FrameWriter::new(&mut stream).compressed(64);
    for _ in 0..1500 {
        writer.write(&message).unwrap();
    }
    let mut reader = FrameReader::new(&stream[..]);
    let mut read = |count: usize| {
        for _ in 0..count {
            let frame = reader.read().unwrap().unwrap();
            let archived = frame.access::<Order>().unwrap();
            assert_eq!((archived.number.to_native(), archived.items.len()), (7, 16));
        }
    };
    read(500);
    let before = COUNT.load(Relaxed);
    read(1000);
    assert_eq!(COUNT.load(Relaxed) - before, 0, "allocations for 1000 messages read in place");

    // A header that promises as much as it may, and one that promises more.
    let mut header = Header::from_bytes(stream.first_chunk::<HEADER_SIZE>().unwrap()).unwrap();
    header.content = Content::Messages;
    header.checksum = checksum(&[]);
    for size in [1 << 20, (1 << 20) + 1, u64::MAX] {
        (header.size, header.plain) = (size, size);
        let held = HELD.load(Relaxed);
        MOST.store(held, Relaxed);
        assert!(FrameReader::new(&header.to_bytes()[..]).read().is_err());
        assert!(MOST.load(Relaxed) - held < 3 << 20, "{} bytes", MOST.load(Relaxed) - held);
    }
    println!("nothing is allocated in steady state");
}
