#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: f32,
}

#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Stats {
    n: u32,
}

struct Unknown;

#[ring_kernel]
fn no_default(reading: &Reading, stats: &mut Stats) {}

#[ring_kernel]
fn no_layout(reading: &Reading, stats: &mut Unknown) {}

fn main() {}
