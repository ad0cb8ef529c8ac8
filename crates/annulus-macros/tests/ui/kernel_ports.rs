#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: f32,
}

#[ring_kernel(max_outputs = 2)]
fn one_bound(reading: &Reading, good: &Outbox<Reading>, bad: &Outbox<Reading>) {}

#[ring_kernel(max_outputs(good = 1, good = 2))]
fn said_twice(reading: &Reading, good: &Outbox<Reading>, bad: &Outbox<Reading>) {}

#[ring_kernel(max_outputs(good = 1, ugly = 2))]
fn unknown(reading: &Reading, good: &Outbox<Reading>, bad: &Outbox<Reading>) {}

#[ring_kernel(max_outputs(good))]
fn without_bound(reading: &Reading, good: &Outbox<Reading>, bad: &Outbox<Reading>) {}

#[ring_kernel(max_outputs(good = 0))]
fn nothing(reading: &Reading, good: &Outbox<Reading>, bad: &Outbox<Reading>) {}

#[ring_kernel(max_outputs())]
fn empty(reading: &Reading, good: &Outbox<Reading>, bad: &Outbox<Reading>) {}

#[ring_kernel(max_outputs(good = 200, bad = 57))]
fn too_many(reading: &Reading, good: &Outbox<Reading>, bad: &Outbox<Reading>) {}

#[ring_kernel(max_outputs(out = 2))]
fn only_one(reading: &Reading, out: &Outbox<Reading>) {}

#[ring_kernel(max_outputs(out = 2))]
fn none(reading: &Reading) {}

#[ring_kernel]
fn unnamed(reading: &Reading, _: &Outbox<Reading>, bad: &Outbox<Reading>) {}

#[ring_kernel]
fn by_case(reading: &Reading, bad: &Outbox<Reading>, Bad: &Outbox<Reading>) {}

#[ring_kernel]
fn no_letter(reading: &Reading, good: &Outbox<Reading>, _bad: &Outbox<Reading>) {}

#[ring_kernel]
fn no_message(reading: &Reading, good: &Outbox<Reading>, bad: &Outbox<u32>) {}

#[ring_kernel]
fn seventeen(
    reading: &Reading,
    o1: &Outbox<Reading>,
    o2: &Outbox<Reading>,
    o3: &Outbox<Reading>,
    o4: &Outbox<Reading>,
    o5: &Outbox<Reading>,
    o6: &Outbox<Reading>,
    o7: &Outbox<Reading>,
    o8: &Outbox<Reading>,
    o9: &Outbox<Reading>,
    o10: &Outbox<Reading>,
    o11: &Outbox<Reading>,
    o12: &Outbox<Reading>,
    o13: &Outbox<Reading>,
    o14: &Outbox<Reading>,
    o15: &Outbox<Reading>,
    o16: &Outbox<Reading>,
    o17: &Outbox<Reading>,
) {
}

fn main() {}
