#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(DeviceType, Clone, Copy)]
#[repr(C, packed)]
struct Packed {
    tag: u8,
    value: u32,
}

#[derive(DeviceType, Clone, Copy)]
#[repr(C, u8)]
enum Mixed {
    Circle(f32),
    Empty,
}

#[derive(DeviceType, Clone, Copy)]
#[repr(usize)]
enum Wide {
    Only,
}

#[derive(DeviceType, Clone, Copy)]
#[repr(u8)]
enum Never {}

fn main() {}
