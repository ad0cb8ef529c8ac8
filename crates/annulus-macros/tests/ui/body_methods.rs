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
    let quotient = reading.divisor.checked_div(3).map(|quotient| quotient + 1);
    let first = table.get(0).unwrap_or_else(|| &table[1]);
    let words = "a message";
    let second = table.get(1).expect(words);
    let text = reading.divisor.to_string();
    let gamma = 2.0f32.gamma();
    let part = table[1..3].to_vec();
}

fn main() {}
