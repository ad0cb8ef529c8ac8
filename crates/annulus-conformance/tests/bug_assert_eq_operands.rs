//! `assert_eq!` and `assert_ne!` compare what stands before the comma with what stands behind it. Their operands were
//! once written beside each other with `==` in between: of `assert_eq!(a || b, c)` devices compared `b` alone,
//! and at `assert_eq!(a < b, c)` the macro panicked.

extern crate annulus_runtime as annulus;

use std::path::Path;

use annulus_conformance::language::differences;
use annulus_kernel::{RingKernel, Target};
use annulus_macros::{RingMessage, ring_kernel};
use annulus_runtime::prelude::Outbox;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Values {
    a: i32,
    b: i32,
    on: bool,
    off: bool,
}

#[ring_kernel]
fn either(values: &Values, out: &Outbox<Values>) {
    assert_eq!(values.on || values.off, values.on);
    out.send(*values);
}

#[ring_kernel]
fn both(values: &Values, out: &Outbox<Values>) {
    assert_ne!(values.on, values.on && values.off, "one of them is off");
    out.send(*values);
}

#[ring_kernel]
fn ordered(values: &Values, out: &Outbox<Values>) {
    assert_eq!(values.a < values.b, values.on);
    debug_assert_ne!(values.a == values.b, values.off);
    out.send(*values);
}

#[test]
fn operands_are_whole() {
    for target in Target::ALL {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("assert_eq_operands_{target}"));
        let kernels = [either::DEFINITION, both::DEFINITION, ordered::DEFINITION];
        let differences = differences(&kernels, target, &folder, 500, 0);
        assert!(differences.is_empty(), "{target}: {}", differences.join("\n"));
    }
}
