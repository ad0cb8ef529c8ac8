//! Dropping handles and runtimes, in every state.

use std::future::poll_fn;

use annulus_runtime::{KernelHandle, KernelState, LaunchOptions, block_on};
use futures_core::Stream;

use crate::{
    Bench,
    bench::{drain, eventually},
    kernels::{echo, number, numbers},
};

fn launch(bench: &Bench, active: bool) -> KernelHandle<echo> {
    let options =
        LaunchOptions::default().capacity(64).output_capacity(16).grid(2).active(active).name("dropped");
    bench.relaunch(|| echo::launch(bench.runtime(), options.clone()))
}

/// A handle may be dropped whatever its kernel does; then the name is free again.
pub fn a_handle_is_dropped_in_any_state(bench: &Bench) {
    for _ in bench.rounds(10, 100) {
        drop(launch(bench, true));

        let active = launch(bench, true);
        active.activate_blocking().unwrap();
        active.send_batch_blocking(&numbers(0..10)).unwrap();
        drop(active);

        let inactive = launch(bench, false);
        inactive.send_batch_blocking(&numbers(0..10)).unwrap();
        drop(inactive);

        let closed = launch(bench, true);
        let _ = closed.send_blocking(number(1)).unwrap();
        closed.close();
        drop(closed);

        let full = launch(bench, true);
        full.send_batch_blocking(&numbers(0..100)).unwrap();
        drop(full);

        let terminated = launch(bench, true);
        terminated.terminate_blocking();
        drop(terminated);

        let receiving = launch(bench, true);
        let other = receiving.clone();
        drop(receiving);
        assert!(other.try_send(number(1)).is_ok(), "a clone keeps it");
        let outputs = other.outputs();
        drop(other);
        // A stream does not: it ends with the kernel, after what that still sent.
        let mut outputs = std::pin::pin!(outputs);
        block_on(async { while poll_fn(|context| outputs.as_mut().poll_next(context)).await.is_some() {} });
    }
    eventually(|| bench.runtime().kernels().is_empty());
}

/// A stalled kernel goes as well.
pub fn a_stalled_kernel_is_dropped(bench: &Bench) {
    let kernel = launch(bench, true);
    kernel.send_batch_blocking(&numbers(0..60)).unwrap();
    eventually(|| kernel.status().stalled_shards == 2);
    drop(kernel);
    let again = launch(bench, true);
    let _ = again.send_blocking(number(1)).unwrap();
    assert_eq!(again.recv_blocking(), Ok(number(1)));
}

/// A runtime's value may go before its kernels: they keep what they need.
pub fn the_runtime_is_dropped_first(bench: &Bench) {
    let runtime = bench.another_runtime();
    let kernel = echo::launch(&runtime, LaunchOptions::default()).unwrap();
    drop(runtime);
    let _ = kernel.send_blocking(number(1)).unwrap();
    assert_eq!(kernel.recv_blocking(), Ok(number(1)));
    drain(&kernel);
}

/// A runtime ends with its last handle, in whatever state that kernel is, and at whatever moment.
pub fn a_runtime_ends_with_its_last_handle(bench: &Bench) {
    for round in bench.rounds(30, 300) {
        let runtime = bench.another_runtime();
        let options = LaunchOptions::default().output_capacity(16).active(round % 3 != 0);
        let kernel = echo::launch(&runtime, options).unwrap();
        kernel.send_batch_blocking(&numbers(0..round % 20)).unwrap();
        let control = runtime.kernel("echo").unwrap();
        if round % 2 == 0 {
            drop(runtime);
            drop(kernel);
        } else {
            drop(kernel);
            drop(runtime);
        }
        eventually(|| control.status().state == KernelState::Terminated);
    }
}

/// What is known by name alone does not keep a kernel running, and outlives it.
pub fn a_control_outlives_its_kernel(bench: &Bench) {
    let kernel = launch(bench, true);
    let control = bench.runtime().kernel("dropped").unwrap();
    assert_eq!(control.grid(), 2);
    drop(kernel);
    eventually(|| control.status().state == KernelState::Terminated);
    control.terminate_blocking();
    assert!(bench.runtime().kernel("dropped").is_err());
}

/// Handles that are dropped by several threads at once.
pub fn handles_are_dropped_by_many(bench: &Bench) {
    for _ in bench.rounds(50, 500) {
        let kernel = launch(bench, true);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                let kernel = kernel.clone();
                scope.spawn(move || {
                    let _ = kernel.try_send(number(1));
                    drop(kernel);
                });
            }
            drop(kernel);
        });
    }
}
