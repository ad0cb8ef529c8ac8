#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    #[ring(key)]
    sensor: u32,
    #[ring(key)]
    room: u32,
}

fn main() {}
