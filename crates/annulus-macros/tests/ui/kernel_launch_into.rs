#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Raw {
    value: f32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: f32,
}

#[ring_kernel]
fn convert(raw: &Raw, out: &Outbox<Reading>) {}

#[ring_kernel]
fn scale(raw: &Raw, factor: &f32, out: &Outbox<Reading>) {}

#[ring_kernel]
fn sort(raw: &Raw, good: &Outbox<Reading>, bad: &Outbox<Raw>) {}

#[ring_kernel]
fn warmest(reading: &Reading) {}

fn launch(convert: &KernelHandle<convert>, warmest: &KernelHandle<warmest>) {
    let _ = convert::launch_into(convert, convert::options());
    let _ = scale::bind(2.0).launch_into(convert, scale::options());
    let _ = scale::bind(2.0).connect(convert);
    let _ = sort::launch_into(warmest, sort::options());
    let _ = warmest::launch_into(warmest, warmest::options());
    let _ = sort::bind().connect(warmest);
    let _ = sort::bind().connect_port(sort::BAD, warmest);
    let _ = scale::bind(2.0).connect_port(sort::GOOD, warmest);
    let _ = sort::bind().connect_port(sort::GOOD, warmest).connect_port(sort::BAD, convert);
}

fn main() {}
