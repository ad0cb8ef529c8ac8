//! Loops over what has no beginning or is worked out by closures, and ranges that are values.
#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    values: [u32; 4],
}

#[ring_kernel]
fn loops(reading: &Reading) {
    for value in reading.values.iter().map(|value| value + 1) {}
    for value in reading.values.iter().filter(|value| **value > 3) {}
    for value in reading.values.iter().chain(&[1, 2]) {}
    for value in reading.values.iter().rev().take_while(|value| **value > 3).enumerate() {}
    let range = 0..3;
    let values = reading.values.iter();
    if let 3 = reading.values[1] || reading.values[0] > 1 {}
}

fn main() {}
