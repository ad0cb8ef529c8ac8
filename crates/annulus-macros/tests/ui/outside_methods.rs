//! Methods of the standard library that make something of the host's or take closures.
#![allow(unused_variables, unused_mut)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    values: [u32; 4],
    value: u32,
}

#[ring_kernel]
fn methods(reading: &Reading, table: &mut [u32]) {
    table.sort_unstable();
    let found = table.binary_search(&3);
    let doubled = reading.values.map(|value| value * 2);
    let narrow = u8::try_from(reading.value);
    let text = "3".parse::<u32>();
    let some = reading.value.checked_add(1).is_some_and(|value| value > 3);
    let and = reading.value.checked_add(1).and_then(|value| value.checked_mul(3));
    let none = Some(3).filter(|value| *value > 3);
    table.sort_by_cached_key(|value| *value);
}

fn main() {}
