//! Types of the host's that are written in a body.
#![allow(unused_variables)]
use std::fmt::Display;

use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: u32,
    values: [u32; 4],
}

#[ring_kernel]
fn casts(reading: &Reading) {
    let wide = reading.value as u128;
    let letter = reading.value as u8 as char;
    let half = 1i128;
}

#[ring_kernel]
fn lets(reading: &Reading) {
    let shown: &dyn Display = &reading.value;
    let double: fn(u32) -> u32 = twice;
    let call: &dyn Fn(u32) -> u32 = &twice;
    let address: *const u32 = &reading.value;
    let maybe: Option<String> = None;
    let pair: (u32, i128) = (1, 2);
    let boxed: Box<u32>;
}

#[ring_kernel]
fn parts(reading: &Reading) {
    let many = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13);
}

fn twice(x: u32) -> u32 {
    x * 2
}

fn main() {}
