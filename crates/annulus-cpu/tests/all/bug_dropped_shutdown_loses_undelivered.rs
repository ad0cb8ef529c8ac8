//! The messages that a shutdown could not deliver were lost if its future had been dropped.

use std::{
    future::Future,
    pin::pin,
    task::{Context, Waker},
    time::Duration,
};

use annulus_cpu::Cpu;
use annulus_runtime::{LaunchOptions, Runtime, prelude::*};

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Number {
    value: u64,
}

#[ring_kernel]
fn swallow(_number: &Number) {}

#[test]
fn they_can_be_taken_afterwards() {
    let runtime = Runtime::builder().backend(Cpu::new().workers(1)).build().expect("threads can be had");
    let kernel =
        swallow::launch(&runtime, LaunchOptions::production().active(false)).expect("the options are right");
    let _ = kernel.send_blocking(Number { value: 7 }).expect("there is room");
    {
        let mut shutdown = pin!(kernel.shutdown(Duration::from_secs(60)));
        let mut context = Context::from_waker(Waker::noop());
        if shutdown.as_mut().poll(&mut context).is_ready() {
            // Done at once: then the future had its chance, and this run shows nothing.
            return;
        }
    }
    kernel.terminate_blocking();
    assert_eq!(kernel.take_undelivered(), [Number { value: 7 }]);
}
