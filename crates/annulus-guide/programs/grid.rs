use std::{
    error::Error,
    sync::atomic::{AtomicU32, Ordering},
};

use annulus::prelude::*;

// ANCHOR: handler
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Pixels {
    values: [u8; 64],
}

/// Each message is 64 pixels; the counts of all blocks lie in one table.
#[ring_kernel(mode = Batch)]
fn histogram(pixels: &Pixels, counts: &[AtomicU32]) {
    for value in &pixels.values {
        counts[usize::from(*value)].fetch_add(1, Ordering::Relaxed);
    }
}
// ANCHOR_END: handler

// ANCHOR: main
fn main() -> Result<(), Box<dyn Error>> {
    let image: Vec<u8> = (0..640 * 480u32).map(|i| (i.wrapping_mul(i) / 1009) as u8).collect();
    let runtime = Runtime::builder().backend(Backend::Auto).build()?;
    // Four blocks; the table begins with zeros, and each launch has its own.
    let kernel = histogram::bind(&[0; 256]).launch(&runtime, LaunchOptions::high_throughput().grid(4))?;

    // The kernel is there. What follows launches nothing, however many images come.
    let messages: Vec<Pixels> = image.as_chunks::<64>().0.iter().map(|&values| Pixels { values }).collect();
    kernel.send_batch_blocking(&messages)?;
    kernel.drained_blocking();

    kernel.deactivate_blocking()?;
    let counts = kernel.snapshot_blocking()?.memory::<u32>("counts")?;
    println!("{} pixels, {} of them black", counts.iter().sum::<u32>(), counts[0]);
    assert_eq!(counts[0] as usize, image.iter().filter(|&&value| value == 0).count());
    Ok(())
}
// ANCHOR_END: main
