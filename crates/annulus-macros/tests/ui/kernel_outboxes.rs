#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: f32,
}

#[ring_kernel]
fn mutable(reading: &Reading, out: &mut Outbox<Reading>) {}

#[ring_kernel]
fn value(reading: &Reading, out: Outbox<Reading>) {}

#[ring_kernel]
fn untyped(reading: &Reading, out: &Outbox) {}

#[ring_kernel]
fn no_message(reading: &Reading, out: &Outbox<u32>) {}

fn main() {}
