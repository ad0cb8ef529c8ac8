//! What a kernel with a bridged message is refused for.
#![allow(dead_code)]

use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Direct {
    value: u32,
}

struct Archived<T>(T);

#[ring_kernel(cpu_only)]
fn not_bridged(message: &Archived<Direct>) {
    let _ = message;
}

#[ring_kernel(cpu_only)]
fn changed(message: &mut Archived<Direct>) {
    let _ = message;
}

fn main() {}
