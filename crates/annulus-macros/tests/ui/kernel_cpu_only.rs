//! `cpu_only` stands alone, and a loop budget is a number.
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: u32,
}

#[ring_kernel(cpu_only = true)]
fn valued(_: &Reading) {}

#[ring_kernel(loop_budget = 0)]
fn nothing(_: &Reading) {}

#[ring_kernel(loop_budget)]
fn unsaid(_: &Reading) {}

fn main() {}
