//! Overflow fails a message on the device where the handler's build checks it, as it does on the host.

extern crate annulus_runtime as annulus;

use std::time::Duration;

use annulus::prelude::*;
use annulus_abi::error;
use annulus_opencl::OpenCl;
use annulus_runtime::block_on;

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Sum {
    which: u32,
    small: i8,
    a: u64,
    b: i64,
}

#[device_fn]
fn doubled(value: i8) -> i8 {
    value * 2
}

/// One way to overflow in each call.
#[ring_kernel]
fn calculates(sum: &Sum, results: &Outbox<Sum>) {
    let Sum { which, mut small, mut a, mut b } = *sum;
    match which {
        0 => a += 1,
        1 => a *= a,
        2 => b -= 2,
        3 => b = -b,
        4 => b = b.pow(3),
        5 => a <<= b,
        6 => small = doubled(small),
        7 => b = b.abs(),
        _ => b *= b,
    }
    results.send(Sum { which, small, a, b });
}

#[test]
fn overflow_has_its_code_on_the_device() {
    let runtime = match Runtime::builder().backend(OpenCl::new()).build() {
        Ok(runtime) => runtime,
        Err(error) => return println!("skipped: {error}"),
    };
    let kernel = calculates::launch(&runtime, LaunchOptions::production()).expect("it can be launched");
    let mut failed = 0;
    let mut code = |which, a, b, small| {
        let _ = kernel.send_blocking(Sum { which, small, a, b }).expect("the kernel is open");
        block_on(kernel.drained());
        let _ = kernel.try_recv();
        let status = kernel.status();
        let fails = status.drops.failed > failed;
        failed = status.drops.failed;
        if fails { status.last_error } else { 0 }
    };
    let checked = if cfg!(debug_assertions) { error::OVERFLOW } else { 0 };
    let cases = [
        (0, u64::MAX, 0, 0, checked),
        (0, u64::MAX - 1, 0, 0, 0),
        (1, 1 << 32, 0, 0, checked),
        (1, (1 << 32) - 1, 0, 0, 0),
        (2, 0, i64::MIN + 1, 0, checked),
        (2, 0, i64::MIN + 2, 0, 0),
        (3, 0, i64::MIN, 0, checked),
        (3, 0, i64::MAX, 0, 0),
        (4, 0, 2_097_152, 0, checked),
        (4, 0, -2_097_152, 0, 0),
        (5, 1, 64, 0, checked),
        (5, 1, -1, 0, checked),
        (5, 1, 63, 0, 0),
        (6, 0, 0, 64, checked),
        (6, 0, 0, -64, 0),
        (7, 0, i64::MIN, 0, checked),
        (8, 0, -3_037_000_500, 0, checked),
        (8, 0, -3_037_000_499, 0, 0),
    ];
    for (which, a, b, small, expected) in cases {
        assert_eq!(code(which, a, b, small), expected, "{which}: {a}, {b}, {small}");
    }
    kernel.shutdown_blocking(Duration::from_secs(5));
}
