#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: f32,
}

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Stats {
    n: u32,
}

#[ring_kernel]
fn nothing() {}

#[ring_kernel]
fn context(cx: &Cx) {}

#[ring_kernel]
fn state(cx: &Cx, stats: &mut Stats) {}

#[ring_kernel]
fn table(table: &[f32]) {}

#[ring_kernel]
fn outbox(out: &Outbox<Reading>) {}

fn main() {}
