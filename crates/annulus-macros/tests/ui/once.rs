//! What is forgotten or mistyped once is told once; of a message that is taken and sent, once for each.
#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(Clone, Copy)]
#[repr(C)]
struct Reading {
    sensor: u32,
    value: f32,
}

#[derive(Clone, Copy, Default)]
#[repr(C)]
struct Stats {
    n: u32,
    sum: f32,
}

#[ring_kernel]
fn without_derive(reading: &Reading, sum: &mut f32, out: &Outbox<Reading>) {
    *sum += reading.value;
    out.send(*reading);
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Number {
    value: f32,
}

#[ring_kernel]
fn state_without_derive(number: &Number, stats: &mut Stats, out: &Outbox<Number>) {
    stats.n += 1;
    stats.sum += number.value;
    out.send(Number { value: stats.sum });
}

#[device_fn]
fn half(value: f32) -> f32 {
    value / 2.0
}

#[ring_kernel]
fn mistyped(number: &Number, out: &Outbox<Number>) {
    out.send(Number { value: hlaf(number.value) });
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Alert {
    value: f32,
}

#[ring_kernel]
fn output_without_derive(number: &Number, out: &Outbox<Alert>) {
    if number.value > 5.0 {
        out.send(Alert { value: 1.0 });
    } else {
        out.send(Alert { value: number.value });
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = Runtime::builder().backend(annulus::backend::Noop).build()?;
    let kernel = without_derive::launch(&runtime, LaunchOptions::production())?;
    let kernel = state_without_derive::launch(&runtime, LaunchOptions::production())?;
    let _ = kernel.send_blocking(Number { value: 1.0 })?;
    Ok(())
}
