//! Closures are written out where they are called, so nothing in them leaves them.
#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    values: [u32; 4],
}

#[device_fn]
fn half(value: u32) -> Option<u32> {
    if value % 2 == 0 { Some(value / 2) } else { None }
}

#[ring_kernel]
fn closures(reading: &Reading) {
    let halved = reading.values.first().and_then(|value| Some(half(*value)? + 1));
    let small = reading.values.iter().any(|value| {
        if *value < 3 {
            return true;
        }
        false
    });
    let limit = reading.values[0];
    let most = reading.values.iter().filter(move |value| **value < limit).count();
    let or = halved.unwrap_or_else(most_of);
    let sorted = reading.values.iter().rev().collect::<Vec<_>>();
}

#[device_fn]
fn most_of() -> u32 {
    3
}

fn main() {}
