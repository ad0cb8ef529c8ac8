//! What generic functions have no instances for.
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: u32,
}

#[device_fn]
fn same<T: Copy>(value: T) -> T {
    value
}

#[ring_kernel]
fn instances(reading: &Reading) {
    let _ = same((reading.value, 1u8));
    let _ = same(Some(reading.value));
}

fn main() {}
