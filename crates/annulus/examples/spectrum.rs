//! What tones a sound has: a fast Fourier transform of 64 points, drawn as bars.
//!
//! `cargo run -p annulus --example spectrum -- [cpu|opencl]`
//!
//! Shows arrays inside messages, nested loops with steps, assignments to tuples of places, and functions such as `cos`, which are as
//! exact as the device's own.

mod common;

use std::f32::consts::PI;

use annulus::prelude::*;

const POINTS: usize = 64;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Signal {
    values: [f32; POINTS],
}

/// How strong each frequency is, up to half a turn per sample.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Spectrum {
    strengths: [f32; POINTS / 2],
}

#[ring_kernel]
fn transform(signal: &Signal, spectra: &Outbox<Spectrum>) {
    let mut re = signal.values;
    let mut im = [0.0f32; POINTS];
    for i in 0..POINTS {
        let j = i.reverse_bits() >> (usize::BITS - POINTS.ilog2());
        if i < j {
            re.swap(i, j);
        }
    }
    let mut half = 1;
    while half < POINTS {
        for start in (0..POINTS).step_by(2 * half) {
            for k in 0..half {
                let angle = -PI * k as f32 / half as f32;
                let (cosine, sine) = (angle.cos(), angle.sin());
                let (low, high) = (start + k, start + k + half);
                let (x, y) = (re[high] * cosine - im[high] * sine, re[high] * sine + im[high] * cosine);
                (re[high], im[high]) = (re[low] - x, im[low] - y);
                (re[low], im[low]) = (re[low] + x, im[low] + y);
            }
        }
        half *= 2;
    }
    let mut strengths = [0.0; POINTS / 2];
    for (k, strength) in strengths.iter_mut().enumerate() {
        *strength = re[k].hypot(im[k]) * 2.0 / POINTS as f32;
    }
    spectra.send(Spectrum { strengths });
}

fn main() -> std::process::ExitCode {
    common::run(|runtime| {
        let kernel = transform::launch(runtime, LaunchOptions::low_latency())?;
        // Turns per 64 samples, and how strong.
        let tones = [(3.0, 1.0), (9.0, 0.5), (10.0, 0.75), (27.0, 0.3f32)];
        let values = std::array::from_fn(|n| {
            tones.iter().map(|(turns, strong)| strong * (2.0 * PI * turns * n as f32 / 64.0).sin()).sum()
        });
        let spectrum = kernel.call_blocking(Signal { values })?;
        for (turns, strength) in spectrum.strengths.iter().enumerate() {
            let line = format!("{turns:2} {strength:5.2} {}", "█".repeat((strength * 40.0).round() as usize));
            println!("{}", line.trim_end());
        }
        println!("{}", kernel.status());
        Ok(())
    })
}
