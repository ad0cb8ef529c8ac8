#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Borrowed<'a> {
    value: &'a u32,
}

fn main() {}
