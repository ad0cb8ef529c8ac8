#![allow(unused_variables)]
use annulus::prelude::*;

#[ring_kernel]
struct Detector {
    n: u32,
}

#[ring_kernel]
impl Detector {}

fn main() {}
