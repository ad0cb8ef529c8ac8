#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(Clone, Copy)]
struct Inner(u32);

#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Outer {
    n: u32,
    inner: Inner,
    many: [Inner; 4],
}

#[derive(RingMessage, Clone, Copy)]
#[repr(u8)]
enum Either {
    Number(u32),
    Inner(Inner),
}

fn main() {}
