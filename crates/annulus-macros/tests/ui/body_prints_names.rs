//! Names that the text of a `device_print!` has, and the program has not.

use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Reading {
    value: f32,
}

#[ring_kernel]
fn a_name_that_nothing_has(reading: &Reading) {
    device_print!("{} {nothing:.2}", reading.value);
}

fn main() {}
