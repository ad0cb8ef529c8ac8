//! a block's shared arrays on CUDA, which a launch gives it, on the libraries that stand in for NVIDIA's: each
//! case in a process of its own, whose environment says what the device has.
#![cfg(target_os = "linux")]

extern crate annulus_runtime as annulus;

use std::process::Command;

use annulus_conformance::{
    cuda,
    kernels::{Number, shared::shares_much},
};
use annulus_cuda::Cuda;
use annulus_kernel::{BlockCx, Outbox, RingKernel};
use annulus_macros::ring_kernel;
use annulus_runtime::{LaunchOptions, Runtime};

/// Which case the child runs.
const CASE: &str = "ANNULUS_CUDA_CASE";

/// Runs a case of [`in_a_child`] on devices of two multiprocessors.
fn run(case: &str, variables: &[(&str, &str)]) {
    let folder = match cuda::build() {
        Ok(folder) => folder,
        Err(error) => return println!("skipped: no stand-in for CUDA: {error}"),
    };
    let mut command = Command::new("timeout");
    command.arg("100").arg(std::env::current_exe().unwrap());
    command.args(["--exact", "in_a_child", "--ignored", "--nocapture"]);
    command.env("ANNULUS_NVRTC", folder).env(CASE, case);
    command.env("ANNULUS_STAND_IN_MULTIPROCESSORS", "2").envs(variables.iter().copied());
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{case}: {said}{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
#[ignore = "the other tests run it, each with an environment of its own"]
fn in_a_child() {
    cuda::stand_in().unwrap();
    match std::env::var(CASE).unwrap().as_str() {
        "counted" => what_a_launch_gives_is_counted(),
        "less" => a_device_with_less_refuses(),
        "most" => a_block_has_all_there_is(),
        other => panic!("there is no case `{other}`"),
    }
}

fn runtime() -> Runtime {
    Runtime::builder().backend(Cuda::new().without_cache()).build().unwrap()
}

#[test]
fn x02_what_a_launch_gives_is_counted() {
    run("counted", &[]);
}

/// One block of 100 KiB and what it has itself is all that a multiprocessor of 228 KiB takes: the launch knows it.
fn what_a_launch_gives_is_counted() {
    let runtime = runtime();
    let options = || LaunchOptions::default().block(64).name("shares");
    for supersteps in [false, true] {
        let launch = |grid| shares_much::launch(&runtime, options().grid(grid).supersteps(supersteps));
        let refused = launch(3).unwrap_err().to_string();
        assert!(refused.contains("2 of the 2"), "{refused}");
        let kernel = launch(2).unwrap();
        for value in 0..20 {
            let first = kernel.call_blocking(Number { value }).unwrap();
            assert_eq!(kernel.call_blocking(Number { value }), Ok(first));
        }
        drop(kernel);
    }
}

/// What devices of compute capability 8.6 have.
#[test]
fn x02_a_device_with_less_refuses() {
    run("less", &[("ANNULUS_STAND_IN_ATTRIBUTES", "97=101376")]);
}

/// Nothing is compiled for it.
fn a_device_with_less_refuses() {
    let runtime = runtime();
    // The block itself may take 17,536 bytes.
    assert_eq!(runtime.devices()[0].capabilities.shared_memory, Some(101_376 - 17_536));
    let wanted = shares_much::DEFINITION.needs().unwrap().shared_bytes(64);
    let refused = shares_much::launch(&runtime, LaunchOptions::default().block(64)).unwrap_err().to_string();
    for part in [
        format!("a block of 64 threads of `shares_much` shares {wanted} bytes"),
        "can share 83840: share smaller arrays".into(),
    ] {
        assert!(refused.contains(&part), "`{part}` is not in: {refused}");
    }
}

/// What a block of the largest devices has, less what the block itself may take and what 64 threads need to meet.
const MOST: usize = (227 << 10) - 17_536 - 8192;

#[test]
fn x02_a_block_has_all_there_is() {
    run("most", &[]);
}

#[ring_kernel(shared_memory = 232_448, untested)]
fn fills(cx: &BlockCx, message: &Number, replies: &Outbox<Number>) {
    let bytes = cx.shared::<u8, MOST>();
    let mut at = cx.thread_index() as usize;
    while at < bytes.len() {
        bytes.set(at, message.value as u8);
        at += cx.block_dim() as usize;
    }
    cx.barrier();
    if cx.is_leader() {
        let ends = u64::from(bytes.get(0)) + u64::from(bytes.get(bytes.len() - 1));
        replies.send(Number { value: ends });
    }
}

/// The arrays may have more than a compiler gives a program itself, up to what the device has.
fn a_block_has_all_there_is() {
    let runtime = runtime();
    let most = runtime.devices()[0].capabilities.shared_memory.unwrap();
    assert_eq!(most, (227 << 10) - 17_536);
    assert_eq!(fills::DEFINITION.needs().unwrap().array_bytes(), MOST);
    let kernel = fills::launch(&runtime, LaunchOptions::default().block(64)).unwrap();
    assert_eq!(kernel.call_blocking(Number { value: 77 }), Ok(Number { value: 154 }));
}
