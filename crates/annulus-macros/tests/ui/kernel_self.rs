#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: f32,
}

struct Detector;

impl Detector {
    #[ring_kernel]
    fn detect(&self, reading: &Reading) {}
}

fn main() {}
