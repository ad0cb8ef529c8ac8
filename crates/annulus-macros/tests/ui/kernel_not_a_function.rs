#![allow(unused_variables)]
use annulus::prelude::*;

#[ring_kernel]
struct W15Detector {
    n: u32,
}

#[ring_kernel]
impl W15Detector {}

fn main() {}
