//! Items and blocks that stand inside of a body, and macros of the user's.
#![allow(unused_variables, dead_code)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: u32,
}

macro_rules! double {
    ($x:expr) => {
        $x * 2
    };
}

#[ring_kernel]
fn items(reading: &Reading) {
    struct Pair(u32, u32);
    enum Choice {
        One,
    }
    impl Pair {}
    trait Shown {}
    mod inner {}
    type Number = u32;
    unsafe extern "C" {}
    macro_rules! triple {
        () => {};
    }
}

#[ring_kernel]
fn blocks(reading: &Reading) {
    let two = const { 1 + 1 };
    let four = double!(two);
    #[cfg(debug_assertions)]
    let five = 5;
    let last = loop {
        const STEP: u32 = 1;
        break STEP;
    };
}

static mut CALLS: u32 = 0;

#[ring_kernel]
fn counts_in_a_static(reading: &Reading) {
    unsafe { CALLS += 1 };
}

fn main() {}
