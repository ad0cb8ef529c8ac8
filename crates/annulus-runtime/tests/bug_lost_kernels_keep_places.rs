//! Calls through a pipeline of which a kernel was lost took their places with them: whoever called next waited for ever,
//! and calls that began after the loss never ended.

// What the kernel macros name.
extern crate annulus_runtime as annulus;

use std::{
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
};

use annulus_macros::{RingMessage, ring_kernel};
use annulus_runtime::{
    CallError, ConnectError, KernelHandle, LaunchOptions, Pipeline, Runtime, prelude::Outbox,
};
use losing::Losing;

mod losing;

#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
struct Number {
    value: u64,
}

#[ring_kernel]
fn echo(number: &Number, out: &Outbox<Number>) {
    out.send(*number);
}

fn poll<T>(future: std::pin::Pin<&mut impl Future<Output = T>>) -> Option<T> {
    match future.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

#[test]
fn p_02_calls_after_a_loss_end_or_begin() {
    let backend = Losing::default();
    let runtime = Runtime::builder().backend(backend.clone()).build().unwrap();
    let launch = |name: &str| -> KernelHandle<echo> {
        let options = LaunchOptions::production().name(name).through(2);
        echo::launch(&runtime, options).unwrap()
    };
    let last = launch("last");
    let options = |name: &str| LaunchOptions::production().name(name).through(2);
    let first = echo::launch_into(&last, options("first")).unwrap();
    let lost = Pipeline::new(&first, &last).unwrap();
    {
        let call = |value| lost.call(Number { value });
        let (mut one, mut two, mut waits) = (pin!(call(1)), pin!(call(2)), pin!(call(3)));
        assert_eq!([poll(one.as_mut()), poll(two.as_mut()), poll(waits.as_mut())], [None; 3]);
        assert_eq!(lost.status().calls, 2, "the third has no place");

        backend.0.lock().unwrap()[0].lost("the fan is broken");
        let ended = Some(Err(CallError::Terminated));
        assert_eq!([poll(one.as_mut()), poll(two.as_mut()), poll(waits.as_mut())], [ended; 3]);
    }
    assert_eq!(lost.call_blocking(Number { value: 4 }), Err(CallError::Terminated));
    assert_eq!(lost.status().open, 0);

    // Others find places, though no number is left below their room that was never used.
    let other = launch("other");
    let pipeline = Pipeline::new(&other, &other).unwrap();
    let mut call = pin!(pipeline.call(Number { value: 5 }));
    assert_eq!(poll(call.as_mut()), None);
    assert_eq!(pipeline.status().calls, 1, "it has a place");

    // The first one lives, and may still hand on what it had: by none of these places a call may lead along it.
    let alone = Pipeline::new(&first, &last).unwrap();
    assert_eq!(alone.call_blocking(Number { value: 6 }), Err(CallError::Terminated));
    drop((lost, alone));
    let _ = first.deactivate_blocking().unwrap();
    assert_eq!(
        first.disconnect(),
        Err(ConnectError::Pipeline { kernel: "first".into() }),
        "as long as it lives"
    );
}
