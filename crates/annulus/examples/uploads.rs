//! Files are uploaded in parts, which come in any order and mixed with those of others. Each upload is an actor under a key of
//! 64 bits: it adds its parts up, and ends when it is complete. So 256 places are enough for 50,000 uploads, of which 200 are
//! under way at a time.
//!
//! `cargo run -p annulus --example uploads -- [cpu|opencl|cuda]`

use std::{collections::BTreeMap, env, error::Error, time::Duration};

use annulus::prelude::*;

/// A part of an upload.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Part {
    #[ring(key)]
    upload: u64,
    /// Where it begins, in bytes.
    offset: u64,
    /// Its length in bytes.
    length: u32,
    /// A checksum of it.
    sum: u32,
    /// Bytes of the whole upload.
    total: u64,
}

/// An upload that is complete.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Complete {
    upload: u64,
    parts: u32,
    sum: u32,
}

// ANCHOR: handler
/// What has come of an upload.
#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Upload {
    bytes: u64,
    parts: u32,
    sum: u32,
}

#[ring_kernel(mode = Batch, max_messages_per_iteration = 32)]
fn collect(part: &Part, upload: &mut Upload, actor: &ThisActor, complete: &Outbox<Complete>) {
    upload.bytes += part.length as u64;
    upload.parts += 1;
    upload.sum = upload.sum.wrapping_add(part.sum);
    if upload.bytes >= part.total {
        complete.send(Complete { upload: part.upload, parts: upload.parts, sum: upload.sum });
        // Its place is free for another upload.
        actor.end();
    }
}
// ANCHOR_END: handler

/// Uploads in all, under way at a time, and parts of each.
const UPLOADS: u64 = 50_000;
const AT_A_TIME: u64 = 200;
const PARTS: u64 = 4;

/// The key of an upload: any number.
fn key(number: u64) -> u64 {
    (number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The parts of some uploads that are under way at the same time: the second half of each comes before the first.
fn parts(uploads: std::ops::Range<u64>) -> impl Iterator<Item = Part> {
    [2, 3, 0, 1].into_iter().flat_map(move |part| {
        uploads.clone().map(move |number| Part {
            upload: key(number),
            offset: part * 1000,
            length: 1000,
            sum: (number ^ part) as u32,
            total: PARTS * 1000,
        })
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let backend: Backend = env::args().nth(1).as_deref().unwrap_or("auto").parse()?;
    let runtime = Runtime::builder().backend(backend).build()?;

    // ANCHOR: launch
    // Any keys, 256 of them at a time.
    let options = LaunchOptions::production().actors(256).sparse_keys(true);
    let collector = collect::launch(&runtime, options)?;
    // ANCHOR_END: launch

    let mut right = BTreeMap::new();
    let mut outputs = Vec::new();
    for first in (0..UPLOADS).step_by(AT_A_TIME as usize) {
        let uploads = first..first + AT_A_TIME;
        for part in parts(uploads.clone()) {
            let _ = collector.send_blocking(part)?;
        }
        for _ in uploads {
            outputs.push(collector.recv_blocking()?);
        }
    }
    for Complete { upload, parts, sum } in outputs {
        right.insert(upload, (parts, sum));
    }
    let is_right = |number: &u64| {
        let sum = (0..PARTS).fold(0_u32, |sum, part| sum.wrapping_add((number ^ part) as u32));
        right.get(&key(*number)) == Some(&(PARTS as u32, sum))
    };
    println!("{} of {UPLOADS} uploads are complete, and right", (0..UPLOADS).filter(is_right).count());

    collector.shutdown_blocking(Duration::from_secs(5));
    println!("{}", collector.status());
    Ok(())
}
