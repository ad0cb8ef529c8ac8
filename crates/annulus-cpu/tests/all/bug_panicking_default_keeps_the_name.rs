//! A kernel whose state could not be initialised kept its name for ever, though it never ran.

use std::panic::{AssertUnwindSafe, catch_unwind};

use annulus_cpu::Cpu;
use annulus_runtime::{LaunchOptions, Runtime, prelude::*};

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Number {
    value: u64,
}

#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Sum {
    sum: u64,
}

thread_local! {
    static BROKEN: std::cell::Cell<bool> = const { std::cell::Cell::new(true) };
}

impl Default for Sum {
    fn default() -> Self {
        assert!(!BROKEN.get(), "no initial state");
        Self { sum: 0 }
    }
}

#[ring_kernel]
fn add(number: &Number, sum: &mut Sum) {
    sum.sum += number.value;
}

#[test]
fn the_name_is_free_again() {
    let runtime = Runtime::builder().backend(Cpu::new().workers(1)).build().expect("threads can be had");
    let launch = || add::launch(&runtime, LaunchOptions::production());
    assert!(catch_unwind(AssertUnwindSafe(launch)).is_err());
    BROKEN.set(false);
    assert!(launch().is_ok());
}
