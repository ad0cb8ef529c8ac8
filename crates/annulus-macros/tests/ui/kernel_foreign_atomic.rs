#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: f32,
}

struct AtomicU32;

#[ring_kernel]
fn detect(reading: &Reading, counts: &[AtomicU32]) {}

fn main() {}
