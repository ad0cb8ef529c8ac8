//! What has no meaning on a device, and what to write instead: closures, tuples, text.
#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: f32,
}

#[ring_kernel]
fn closures(reading: &Reading) {
    let double = |x: f32| x * 2.0;
    let y = double(reading.value);
}

#[ring_kernel]
fn tuples(reading: &Reading) {
    let pair = (reading.value, 1);
    let (a, b) = pair;
}

#[ring_kernel]
fn text(reading: &Reading) {
    let name = "reading";
    let letter = 'r';
    println!("{}", reading.value);
}

fn main() {}
