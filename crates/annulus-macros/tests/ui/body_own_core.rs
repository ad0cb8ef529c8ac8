//! A device has the standard library's `min` and `max`, and none that only look like them.
use annulus::prelude::*;

mod core {
    pub mod cmp {
        pub fn min(a: u32, _: u32) -> u32 {
            a
        }
    }
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: u32,
}

#[ring_kernel]
fn least(reading: &Reading, least: &mut u32) {
    *least = core::cmp::min(reading.value, *least);
}

fn main() {}
