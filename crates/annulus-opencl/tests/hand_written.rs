//! The device runtime with handlers written by hand.

// What the kernel macros name.
extern crate annulus_runtime as annulus;

mod common;

use std::time::Duration;

use annulus_opencl::OpenCl;
use annulus_runtime::{LaunchOptions, Runtime};
use common::{Number, echo};

fn echoes(runtime: &Runtime, options: LaunchOptions, messages: u64) {
    let kernel = echo::launch(runtime, options).unwrap();
    for value in 0..messages {
        kernel.send_blocking(Number { value }).unwrap();
        assert_eq!(kernel.recv_timeout(Duration::from_secs(20)), Ok(Number { value }));
    }
    let shutdown = kernel.shutdown_blocking(Duration::from_secs(20));
    assert!(shutdown.undelivered.is_empty());
    let status = kernel.status();
    assert_eq!(
        (status.processed, status.produced, status.drops.total()),
        (messages, messages, 0),
        "{status}"
    );
}

#[test]
fn a_resident_kernel_echoes() {
    let Some(runtime) = common::runtime(OpenCl::new()) else { return };
    println!("{:#?}", runtime.devices());
    echoes(&runtime, LaunchOptions::low_latency(), 10_000);
}

#[test]
fn epochs_echo() {
    let Some(runtime) = common::runtime(OpenCl::new().force_epochs()) else { return };
    echoes(&runtime, LaunchOptions::low_latency(), 1_000);
}
