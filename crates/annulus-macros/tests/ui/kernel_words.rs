#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: f32,
}

#[ring_kernel(modus = Batch, mode = Fast, max_outputs)]
fn words(reading: &Reading, out: &Outbox<Reading>) {}

#[ring_kernel(Batch, name = detect, max_messages_per_iteration(3))]
fn forms(reading: &Reading) {}

#[ring_kernel(mode = Batch, mode = Batch, name = "")]
fn twice(reading: &Reading) {}

fn main() {}
