#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: f32,
}

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Stats {
    n: u32,
}

#[ring_kernel]
fn detect(reading: &Reading, a: &mut Stats, b: &mut Stats) {}

fn main() {}
