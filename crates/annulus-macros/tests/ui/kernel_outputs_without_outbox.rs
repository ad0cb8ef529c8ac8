#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: f32,
}

#[ring_kernel(max_outputs = 4)]
fn silent(reading: &Reading) {}

fn main() {}
