#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(DeviceType)]
#[repr(C)]
struct Stats {
    n: u32,
}

fn main() {}
