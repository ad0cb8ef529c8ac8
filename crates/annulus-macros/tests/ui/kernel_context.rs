#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: f32,
}

#[ring_kernel]
fn late(reading: &Reading, cx: &Cx) {}

#[ring_kernel]
fn twice(cx: &Cx, again: &Cx, reading: &Reading) {}

#[ring_kernel]
fn mutable(cx: &mut Cx, reading: &Reading) {}

#[ring_kernel]
fn value(cx: Cx, reading: &Reading) {}

fn main() {}
