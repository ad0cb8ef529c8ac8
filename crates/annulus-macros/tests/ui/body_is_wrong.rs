//! A type error in a body is the compiler's own, and reported where it is.
#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: u32,
}

#[ring_kernel]
fn wrong(reading: &Reading, state: &mut u32) {
    *state = reading.value + 1.5;
    let x: u32 = 1.0;
    *state = missing;
}

fn main() {}
