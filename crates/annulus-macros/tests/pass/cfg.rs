//! `#[cfg]` takes the kernel away with the function, on either side of the attribute.
#![allow(clippy::non_minimal_cfg, reason = "both sides of the attribute are what is tested")]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    #[cfg(any())]
    gone: String,
    #[cfg_attr(all(), ring(key))]
    sensor: u32,
}

#[ring_kernel]
#[cfg(any())]
fn below(_: &Nowhere, _: &mut [u32]) {}

#[cfg(any())]
#[ring_kernel]
fn above(_: &Nowhere) {}

#[cfg(all())]
#[ring_kernel]
fn above(_: &Reading) {}

#[ring_kernel]
#[cfg(all())]
fn below(_: &Reading) {}

fn main() {
    const { assert!(Reading::KEYED) }
    let _ = (above::launch, below::launch);
}
