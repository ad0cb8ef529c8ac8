#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    #[ring(key)]
    sensor: u32,
    value: f32,
}

#[ring_kernel]
fn detect(reading: &Reading, history: &mut [f32]) {
    history[0] = reading.value;
}

#[ring_kernel]
fn detect_together(cx: &BlockCx, reading: &Reading, history: &Block<[f32]>) {
    history.set(0, reading.value);
}

fn main() {}
