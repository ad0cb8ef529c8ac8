//! Kernels of the cases.

use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Number {
    pub(super) value: u64,
}

#[ring_kernel]
pub(super) fn double(number: &Number, out: &Outbox<Number>) {
    out.send(Number { value: number.value.wrapping_mul(2) });
}

#[ring_kernel]
pub(super) fn total(number: &Number, sum: &mut u64) {
    *sum = sum.wrapping_add(number.value);
}
