#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Stats {
    n: u32,
}

struct Unknown;

#[ring_kernel]
fn state(stats: &Stats) {}

#[ring_kernel]
fn unknown(unknown: &Unknown) {}

fn main() {}
