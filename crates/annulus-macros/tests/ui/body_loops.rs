//! Loops over what is no range, and blocks that are left.
#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    values: [u32; 4],
}

#[ring_kernel]
fn loops(reading: &Reading) {
    for value in reading.values {}
    for i in 3.. {}
    let found = 'search: {
        break 'search 1;
    };
    let range = 0..3;
    while let Some(x) = None::<u32> {}
    if reading.values[0] > 1 && let 3 = reading.values[1] {}
}

fn main() {}
