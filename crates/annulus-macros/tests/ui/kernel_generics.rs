#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: f32,
}

#[ring_kernel]
fn generic<T: DeviceType>(reading: &Reading, value: &T) {}

#[ring_kernel]
fn borrowed<'a>(reading: &'a Reading) {}

#[ring_kernel]
fn clause(reading: &Reading)
where
    u32: Copy,
{
}

fn main() {}
