#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: f32,
}

#[ring_kernel]
async fn w15_waiting(reading: &Reading) {}

#[ring_kernel]
unsafe fn dangerous(reading: &Reading) {}

#[ring_kernel]
const fn early(reading: &Reading) {}

#[ring_kernel]
extern "C" fn foreign(reading: &Reading) {}

fn main() {}
