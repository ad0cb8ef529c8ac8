#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: f32,
}

#[ring_kernel(mode = Continuous, max_messages_per_iteration = 32)]
fn said(reading: &Reading) {}

#[ring_kernel(max_messages_per_iteration = 2)]
fn unsaid(reading: &Reading) {}

fn main() {}
