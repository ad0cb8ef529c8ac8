#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
union Bits {
    number: u32,
    real: f32,
}

fn main() {}
