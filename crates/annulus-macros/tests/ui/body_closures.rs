//! What has no meaning on a device, and what to write instead: closures, text, parts of patterns.
#![allow(unused_variables, unused_assignments, nonstandard_style)]
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
fn parts(reading: &Reading) {
    let (mut a, mut b, mut c) = (1, 2, 3);
    let (first, .., last) = (1, 2, 3);
    (.., c) = (1, 2, 3);
}

fn Constructs(x: f32) -> f32 {
    x
}

#[ring_kernel]
fn functions_in_capitals(reading: &Reading) {
    let y = Constructs(reading.value);
}

#[ring_kernel]
fn text(reading: &Reading) {
    let name = "reading";
    let letter = 'r';
    println!("{}", reading.value);
}

fn main() {}
