//! A whole block works on one message: its threads add up a window of a signal in a tree.
//!
//! `cargo run -p annulus --example reduction -- [cpu|opencl]`
//!
//! The sums have the same bits on every backend, since their order is fixed.

mod common;

use annulus::prelude::*;

use common::Random;

/// Threads of a block, and so the leaves of the tree.
const THREADS: u32 = 128;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Window {
    first: u32,
    len: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Power {
    mean: f32,
    peak: f32,
    windows: u32,
}

/// How many windows there were.
#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Seen {
    windows: u32,
}

// ANCHOR: handler
/// The mean and the largest of the squares of a window of `signal`.
#[ring_kernel(block = 128)]
fn power(cx: &BlockCx, window: &Window, signal: &[f32], seen: &Block<Seen>, out: &Outbox<Power>) {
    let sums = cx.shared::<f32, 128>();
    let me = cx.thread_index();

    // Each thread adds up every 128th value.
    let mut sum = 0.0f32;
    let mut peak = 0.0f32;
    let mut at = me;
    while at < window.len {
        let value = signal[(window.first + at) as usize];
        sum += value * value;
        peak = peak.max(value * value);
        at += cx.block_dim();
    }
    sums.set(me as usize, sum);
    cx.barrier();

    // A tree: half as many threads in each step.
    let mut half = cx.block_dim() / 2;
    while half > 0 {
        if me < half {
            sums.set(me as usize, sums.get(me as usize) + sums.get((me + half) as usize));
        }
        cx.barrier();
        half /= 2;
    }

    // The same in one call.
    let peak = cx.block_reduce(peak, |a, b| a.max(b));

    if cx.is_leader() {
        let windows = seen.get().windows + 1;
        seen.set(Seen { windows });
        out.send(Power { mean: sums.get(0) / window.len as f32, peak, windows });
    }
}
// ANCHOR_END: handler

fn main() -> std::process::ExitCode {
    common::run(|runtime| {
        let mut random = Random(7);
        let signal: Vec<f32> = (0..4096)
            .map(|i| {
                let time = i as f32 / 64.0;
                (time * 0.9).sin() * (time * 0.05).sin() + random.part() - 0.5
            })
            .collect();
        let kernel = power::bind(&signal).launch(runtime, power::options().block(THREADS))?;
        for first in (0..4096).step_by(256) {
            let Power { mean, peak, windows } = kernel.call_blocking(Window { first, len: 256 })?;
            println!("{windows:2} {mean:.4} {peak:.4} {}", "█".repeat((mean * 40.0) as usize));
        }
        println!("{}", kernel.status());
        Ok(())
    })
}
