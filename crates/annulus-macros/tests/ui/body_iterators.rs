//! Methods of iterators that a device has not, and iterators as values.
#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    values: [u32; 4],
}

#[ring_kernel]
fn methods(reading: &Reading) {
    let both = reading.values.iter().chain(reading.values.iter()).count();
    let last = reading.values.iter().rposition(|value| *value == 3);
    let first = reading.values.iter().next();
    let third = reading.values.iter().copied().nth(2);
    let many = (0..4u32).map(|value| value + 1).len();
    let all = reading.values.windows(2).map(|pair| pair[0]).reduce(|a, b| a + b);
}

#[ring_kernel]
fn values(reading: &Reading) {
    let mut items = reading.values.iter();
    while let Some(item) = items.next() {}
    let doubled = reading.values.iter().map(|value| value * 2);
}

fn main() {}
