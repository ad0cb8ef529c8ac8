//! A histogram that all blocks of a kernel fill at once: bound atomics are memory that they share.
//!
//! `cargo run -p annulus --example histogram -- [cpu|opencl]`
//!
//! Messages are an enum, as a kernel that can be asked something has them: values to count, and the question how many there are.

#![allow(clippy::disallowed_types)] // This repository's own rule for protocols, not for the counters of a kernel.

mod common;

use std::sync::atomic::{AtomicU32, Ordering};

use annulus::prelude::*;

use common::Random;

const BUCKETS: u32 = 25;

#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum Request {
    Count { value: f32 },
    Report { bucket: u32 },
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Bucket {
    number: u32,
    count: u32,
}

/// How values come to buckets: a launch parameter, given to `bind`.
#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Scale {
    low: f32,
    width: f32,
}

/// The first and the last bucket take what lies outside.
#[ring_kernel(mode = Batch)]
fn histogram(request: &Request, scale: &Scale, counts: &[AtomicU32], buckets: &Outbox<Bucket>) {
    match *request {
        Request::Count { value } => {
            // A cast to an integer saturates, so what lies below comes to 0.
            let bucket = ((value - scale.low) / scale.width) as usize;
            counts[bucket.min(counts.len() - 1)].fetch_add(1, Ordering::Relaxed);
        }
        Request::Report { bucket } => {
            let count = counts[bucket as usize].load(Ordering::Relaxed);
            buckets.send(Bucket { number: bucket, count });
        }
    }
}

fn main() -> std::process::ExitCode {
    common::run(|runtime| {
        let scale = Scale { low: -3.125, width: 0.25 };
        let kernel = histogram::bind(scale, &[0; BUCKETS as usize])
            .launch(runtime, LaunchOptions::production().grid(2))?;
        let mut random = Random(1);
        for _ in 0..50_000 {
            // Twelve numbers from 0 to 1 have a variance of 1 together, and nearly a normal distribution.
            let sum: f32 = (0..12).map(|_| random.part()).sum();
            let _ = kernel.send_blocking(Request::Count { value: sum - 6.0 })?;
        }
        // The other block may still be counting when this one answers: wait until all is counted.
        kernel.drained_blocking();
        for bucket in 0..BUCKETS {
            // A call is a message and the answer to it.
            let Bucket { number, count } = kernel.call_blocking(Request::Report { bucket })?;
            let middle = scale.low + (number as f32 + 0.5) * scale.width;
            println!("{middle:5.2} {count:6} {}", "█".repeat(count as usize / 100));
        }
        println!("{}", kernel.status());
        Ok(())
    })
}
