//! Values of types that no device has, where only the compiler knows the type.
#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: u32,
    values: [u32; 4],
}

#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Vector {
    x: f32,
    y: f32,
}

const LETTER: char = 'a';
const NAMES: [&str; 2] = ["a", "b"];
const DOUBLE: fn(u32) -> u32 = |x| x * 2;

#[ring_kernel]
fn constants(reading: &Reading) {
    let letter = LETTER;
    let names = NAMES;
    let call = DOUBLE;
    let both = [&reading.values[0], &reading.values[1]];
}

#[ring_kernel]
fn methods(reading: &Reading, table: &mut [u32]) {
    table.sort_unstable_by_key(|value| *value);
    let all = reading.values.as_slice();
}

fn main() {}
