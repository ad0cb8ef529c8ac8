//! `#[device(eq)]` where it says nothing, and beside what it writes itself.
use annulus::prelude::*;

#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Field {
    #[device(eq)]
    x: u32,
}

#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
#[device(ord)]
struct Word(u32);

#[derive(DeviceType, Clone, Copy, PartialEq)]
#[repr(C)]
#[device(eq)]
struct Both(u32);

fn main() {}
