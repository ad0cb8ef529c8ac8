#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: f32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Alert {
    value: f32,
}

#[ring_kernel]
fn changed(reading: &Reading, later: &mut Later<Reading>) {}

#[ring_kernel]
fn moved(reading: &Reading, later: Later<Reading>) {}

#[ring_kernel]
fn of_nothing(reading: &Reading, later: &Later) {}

#[ring_kernel]
fn of_another(reading: &Reading, later: &Later<Alert>) {}

#[ring_kernel]
fn twice(reading: &Reading, later: &Later<Reading>, once_more: &Later<Reading>) {}

#[ring_kernel]
fn first(later: &Later<Reading>, reading: &Reading) {}

#[ring_kernel]
fn of_a_block(cx: &BlockCx, reading: &Reading, later: &Later<Reading>) {}

#[ring_kernel(timers = 3, max_timers = 2)]
fn without(reading: &Reading) {}

#[ring_kernel(timers = 3, max_timers = 4)]
fn no_room(reading: &Reading, later: &Later<Reading>) {}

#[ring_kernel(timers = 65537, max_timers = 257)]
fn above(reading: &Reading, later: &Later<Reading>) {}

#[device_fn]
fn handed_on(reading: &Reading, later: &Later<Reading>) {}

struct Archived<T>(T);

#[ring_kernel(cpu_only)]
fn bridged(reading: &Archived<Reading>, later: &Later<Reading>) {}

fn main() {}
