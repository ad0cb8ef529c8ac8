//! What a function that devices call cannot take, return or be.
use annulus::prelude::*;

#[device_fn]
async fn waits() {}

#[device_fn]
unsafe fn trusts() {}

#[device_fn]
fn borrows<'a>(values: &'a [u32]) -> &'a u32 {
    &values[0]
}

#[device_fn]
fn opaque(value: impl Copy, text: &str, twice: &&u32, object: &dyn Copies) -> impl Copy {
    0
}

#[device_fn]
fn never() -> ! {
    panic!()
}

#[device_fn]
fn boxed(values: Vec<u32>, counts: &mut [std::sync::atomic::AtomicU32]) {}

#[device_fn(fast)]
fn words() {}

#[device_fn]
struct NoFunction;

#[device_fn]
impl Meter {}

#[device_impl]
fn no_block() {}

trait Copies {}

#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Meter {
    level: u32,
}

#[device_impl]
impl Meter {
    fn generic<T: Copy>(&self, value: T) -> T {
        value
    }

    fn boxed(self: Box<Self>) {}

    fn shows(&self) -> String {
        format!("{}", self.level)
    }

    fn reads(&self) -> &u32 {
        &self.level
    }
}

fn main() {}
