//! telemetry is reset by what enabling it returns, so not before.

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
    let kernel = total::launch(&runtime, LaunchOptions::production()).unwrap();
    kernel.reset();
    runtime.kernel("total").unwrap().reset();
}
