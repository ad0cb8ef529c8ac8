#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: f32,
}

struct Broken;

#[ring_kernel]
fn value(reading: &Reading) -> f32 {
    reading.value
}

#[ring_kernel]
fn result(reading: &Reading) -> Result<f32, Failure> {
    Ok(reading.value)
}

#[ring_kernel]
fn maybe(reading: &Reading) -> Option<()> {
    None
}

#[ring_kernel]
fn error(reading: &Reading) -> Result<(), Broken> {
    Err(Broken)
}

fn main() {}
