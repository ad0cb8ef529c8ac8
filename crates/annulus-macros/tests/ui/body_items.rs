//! `unsafe`, variables without a type, and items in a body.
#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: u32,
}

#[ring_kernel]
fn options(reading: &Reading) -> Result<(), Failure> {
    unsafe { std::hint::unreachable_unchecked() };
    let late;
    late = 3;
    static CALLS: u32 = 0;
    fn inner() {}
    if reading.value > 3 {
        const LIMIT: u32 = 3;
    }
    Ok(())
}

fn main() {}
