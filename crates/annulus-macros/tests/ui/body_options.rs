//! `Option`, `?`, `unsafe`, waiting, and items in a body.
#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: u32,
}

const TOO_LOW: Failure = Failure::of(1);

#[ring_kernel]
fn options(reading: &Reading) -> Result<(), Failure> {
    let some = Some(reading.value);
    let none: Option<u32> = None;
    low(reading.value)?;
    unsafe { std::hint::unreachable_unchecked() };
    let late;
    late = 3;
    static CALLS: u32 = 0;
    fn inner() {}
    Ok(())
}

fn low(value: u32) -> Result<(), Failure> {
    if value < 3 { Err(TOO_LOW) } else { Ok(()) }
}

fn main() {}
