//! Calls of functions that devices do not know.
#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: f32,
}

impl Reading {
    fn doubled(&self) -> f32 {
        self.value * 2.0
    }

    fn new(value: f32) -> Self {
        Self { value }
    }
}

#[derive(Clone, Copy)]
struct HostOnly {
    value: u32,
}

#[ring_kernel]
fn methods(reading: &Reading, table: &[u32]) {
    let y = reading.doubled();
    let z = Reading::new(y);
    let w = table.is_sorted();
    let v = table[0].grow(3);
    let pair = Some(y).xor(Some(y));
}

#[device_fn]
fn generic<T: Copy>(value: T) -> T {
    value
}

#[ring_kernel]
fn instances(reading: &Reading) {
    let host = generic(HostOnly { value: 1 });
}

#[device_fn]
fn wrong(value: u32) -> u32 {
    value + 1.5
}

fn main() {}
