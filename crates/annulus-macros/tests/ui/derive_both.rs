#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(DeviceType, RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: f32,
}

fn main() {}
