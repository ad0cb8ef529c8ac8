#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: f32,
}

#[ring_kernel(mode = Fast, max_outputs = 0)]
async fn detect<T>(reading: Reading, size: &char) -> f32 {
    reading.value
}

fn main() {}
