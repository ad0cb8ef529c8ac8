#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Id(u32);

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Signed {
    #[ring(key)]
    sensor: i32,
    #[ring(id)]
    id: [u8; 4],
    #[ring(priority)]
    urgency: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Typed {
    #[ring(key)]
    sensor: Id,
}

fn main() {}
