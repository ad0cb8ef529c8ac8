//! `#[device_trait]` where it cannot stand, and an `impl` that lacks one of the two attributes.
use annulus::prelude::*;

#[device_trait]
struct NoTrait;

#[device_trait(word)]
trait Word {}

#[device_trait]
trait Of<T> {
    fn of(&self) -> T;
}

#[device_trait]
trait Generic {
    fn with<T: Copy>(&self, other: T) -> T;
}

#[device_trait]
trait Area {
    fn area(&self) -> u32;
}

trait Plain {
    fn plain(&self) -> u32;
}

#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Square(u32);

impl Area for Square {
    fn area(&self) -> u32 {
        self.0 * self.0
    }
}

#[device_impl]
impl Plain for Square {
    fn plain(&self) -> u32 {
        self.0
    }
}

#[device_impl(other)]
impl Square {
    fn side(&self) -> u32 {
        self.0
    }
}

fn main() {}
