#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: f32,
}

#[ring_kernel]
fn detect(reading: &Reading) {
    reading.valeu;
}

fn main() {}
