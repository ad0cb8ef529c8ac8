#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: f32,
}

struct Limits {
    high: f32,
}

#[ring_kernel]
fn parameter(reading: &Reading, limits: &Limits) {}

#[ring_kernel]
fn table(reading: &Reading, limits: &[Limits]) {}

fn main() {}
