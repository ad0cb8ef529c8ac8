//! Values of types that no device has are found by the compiler, at the expression.
#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: u32,
}

#[derive(Clone, Copy)]
struct HostOnly {
    value: u32,
}

const LIMIT: u128 = 1 << 100;
const NAME: &str = "limit";

#[ring_kernel]
fn types(reading: &Reading) {
    let host = HostOnly { value: reading.value };
    let wide = u128::from(reading.value) < LIMIT;
    let name = NAME;
    let reference = Some(&reading.value);
    let host = Some(host);
}

fn main() {}
