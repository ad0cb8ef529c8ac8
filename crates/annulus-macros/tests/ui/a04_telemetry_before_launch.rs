//! telemetry is enabled on the handle that the launch returns, so not before.

use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Number {
    value: u64,
}

#[ring_kernel]
fn total(number: &Number, sum: &mut u64) {
    *sum += number.value;
}

fn main() {
    let runtime = Runtime::builder().backend(Backend::Cpu).build().unwrap();
    let telemetry = kernel.enable_telemetry().unwrap();
    let early = total.enable_telemetry().unwrap();
    let kernel = total::launch(&runtime, LaunchOptions::production()).unwrap();
}
