#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: f32,
}

#[ring_kernel]
fn bound(reading: &Reading, table: &[f32]) {}

#[ring_kernel]
fn free(reading: &Reading) {}

fn launch(runtime: &Runtime) {
    let _ = bound::launch(runtime, LaunchOptions::default());
    let _ = bound::bind(1.0);
    let _ = free::bind(1.0);
}

fn main() {}
