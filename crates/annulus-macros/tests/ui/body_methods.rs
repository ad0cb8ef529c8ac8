//! Methods that a device has not.
#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    values: [u32; 4],
    divisor: u32,
}

#[ring_kernel]
fn methods(reading: &Reading, table: &[u32]) {
    let sum: u32 = reading.values.iter().sum();
    let quotient = reading.divisor.checked_div(3).unwrap_or(0);
    let first = table.get(0).unwrap();
    let copy = reading.clone();
    let text = reading.divisor.to_string();
    let part = &table[1..3];
}

fn main() {}
