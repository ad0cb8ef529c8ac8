#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: f32,
}

const MANY: u32 = 8;

#[ring_kernel(mode = Batch, max_messages_per_iteration = 65537, max_outputs = 257)]
fn above(reading: &Reading, out: &Outbox<Reading>) {}

#[ring_kernel(mode = Batch, max_messages_per_iteration = 0, max_outputs = 0)]
fn below(reading: &Reading, out: &Outbox<Reading>) {}

#[ring_kernel(mode = Batch, max_messages_per_iteration = MANY, max_outputs = -1)]
fn no_literal(reading: &Reading, out: &Outbox<Reading>) {}

fn main() {}
