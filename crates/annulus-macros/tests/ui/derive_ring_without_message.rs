#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Reading {
    #[ring(key)]
    sensor: u32,
}

fn main() {}
