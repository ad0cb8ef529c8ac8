//! Functions without `#[device_fn]`: the compiler looks for the companion, and finds the function alone.
#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: f32,
}

fn half(x: f32) -> f32 {
    x / 2.0
}

mod other {
    pub fn third(x: f32) -> f32 {
        x / 3.0
    }
}

#[ring_kernel]
fn functions(reading: &Reading) {
    let y = half(reading.value);
    let z = other::third(y);
    let w = missing(z);
}

mod imported {
    use std::cmp::max;

    use super::*;

    #[ring_kernel]
    fn of_the_library(reading: &Reading) {
        let most = max(1u32, 2);
    }
}

fn main() {}
