//! Associated types of `#[device_trait]`: in signatures, constants and generic functions, as Rust and as text.

// What the kernel macros name.
extern crate annulus_runtime as annulus;

use std::path::Path;

use annulus_conformance::language::differences;
use annulus_kernel::{RingKernel, Target, Typed};
use annulus_macros::{DeviceType, RingMessage, device_fn, device_impl, device_trait, ring_kernel};
use annulus_runtime::prelude::Outbox;

const CALLS: u64 = 500;

/// What has a sum, of a type of its own.
#[device_trait]
trait Summed {
    type Sum: Typed + Copy;

    const NONE: Self::Sum;

    fn widened(&self) -> Self::Sum;

    fn plus(sum: Self::Sum, more: Self::Sum) -> Self::Sum;

    /// A default that has the type in its signature and in its body.
    fn twice(&self) -> Self::Sum {
        let once: Self::Sum = self.widened();
        Self::plus(once, once)
    }
}

#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
struct Small {
    value: u8,
}

#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
struct Point {
    x: i16,
    y: i16,
}

/// Another type of the program.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
struct Far {
    x: i64,
    y: i64,
}

#[device_impl]
impl Summed for Small {
    type Sum = u32;

    const NONE: u32 = 7;

    fn widened(&self) -> u32 {
        u32::from(self.value)
    }

    fn plus(sum: u32, more: u32) -> u32 {
        sum.wrapping_mul(3).wrapping_add(more)
    }
}

#[device_impl]
impl Summed for Point {
    type Sum = Far;

    const NONE: Far = Far { x: 0, y: -1 };

    fn widened(&self) -> Far {
        Far { x: i64::from(self.x), y: i64::from(self.y) }
    }

    fn plus(sum: Self::Sum, more: Self::Sum) -> Far {
        Far { x: sum.x + more.y, y: sum.y - more.x }
    }
}

#[device_fn]
fn total<T: Summed>(values: &[T]) -> T::Sum {
    let mut sum = T::NONE;
    for value in values {
        sum = T::plus(sum, value.twice());
    }
    sum
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Values {
    small: [Small; 5],
    points: [Point; 3],
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Sums {
    far: Far,
    small: u32,
    one: u32,
}

#[ring_kernel]
fn sums(values: &Values, out: &Outbox<Sums>) {
    let one: <Small as Summed>::Sum = values.small[0].twice();
    out.send(Sums { far: total(&values.points), small: total(&values.small), one });
}

#[test]
fn associated_types_are_those_of_the_type() {
    for target in Target::ALL {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("associated_{target}"));
        let differences = differences(&[sums::DEFINITION], target, &folder, CALLS, 0);
        assert!(differences.is_empty(), "{target}: {}", differences.join("\n"));
    }
}
