//! A waker that panicked while a kernel ended left it ending for ever: the name stayed taken, and `terminate`
//! hung.

use std::{
    future::Future,
    pin::pin,
    sync::Arc,
    task::{Context, Wake, Waker},
};

use annulus_cpu::Cpu;
use annulus_runtime::{CallError, LaunchOptions, Runtime, prelude::*};

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Number {
    value: u64,
}

#[ring_kernel]
fn echo(number: &Number, replies: &Outbox<Number>) {
    replies.send(*number);
}

struct Panics;

impl Wake for Panics {
    fn wake(self: Arc<Self>) {
        panic!("a waker of the program");
    }
}

#[test]
fn the_kernel_ends_all_the_same() {
    let runtime = Runtime::builder().backend(Cpu::new().workers(1)).build().expect("threads can be had");
    let kernel =
        echo::launch(&runtime, LaunchOptions::production().active(false)).expect("the options are right");
    let waker = Waker::from(Arc::new(Panics));
    let mut context = Context::from_waker(&waker);
    let mut call = pin!(kernel.call(Number { value: 1 }));
    assert!(call.as_mut().poll(&mut context).is_pending());
    let mut recv = pin!(kernel.recv());
    assert!(recv.as_mut().poll(&mut context).is_pending());
    kernel.terminate_blocking();
    assert!(runtime.kernel("echo").is_err(), "the name is free");
    assert_eq!(annulus_runtime::block_on(call).err(), Some(CallError::Terminated));
}
