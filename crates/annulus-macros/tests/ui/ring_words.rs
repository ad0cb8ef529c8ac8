#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
#[ring(key)]
struct Reading {
    #[ring(kee)]
    sensor: u32,
    #[ring]
    plain: u32,
    #[ring(id, id)]
    number: u32,
    #[ring(priority = 3)]
    urgency: u8,
}

fn main() {}
