#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: f32,
}

use std::sync::atomic::{AtomicBool, AtomicU32};

struct Limits {
    high: f32,
}

#[ring_kernel]
fn values(
    reading: &Reading,
    maybe: Option<&f32>,
    text: String,
    list: Vec<f32>,
    limits: Limits,
    pair: (u32, u32),
    boxed: Box<f32>,
) {
}

#[ring_kernel]
fn references(
    reading: &Reading,
    text: &str,
    name: &String,
    list: &Vec<f32>,
    maybe: &Option<f32>,
    size: &usize,
    sizes: &[usize],
    dynamic: &dyn Send,
    general: &impl Copy,
    forever: &'static [f32],
) {
}

#[ring_kernel]
fn atomics(reading: &Reading, one: &AtomicU32, mutable: &mut [AtomicU32], flags: &[AtomicBool]) {}

#[ring_kernel]
fn patterns(reading: &Reading, [a, b]: &[f32; 2], #[cfg(test)] n: &u32) {}

fn main() {}
