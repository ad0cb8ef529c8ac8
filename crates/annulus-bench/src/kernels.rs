//! The kernels that are measured.

use annulus::prelude::*;

/// 8 bytes.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct Small {
    number: u64,
}

/// 16 bytes.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct Medium {
    number: u64,
    rest: u64,
}

/// 56 bytes: with a slot's own 8, a whole cache line.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct Large {
    number: u64,
    rest: [u64; 6],
}

/// A message that carries a number.
pub(crate) trait Numbered: RingMessage + PartialEq + std::fmt::Debug {
    fn numbered(number: u64) -> Self;
}

impl Numbered for Small {
    fn numbered(number: u64) -> Self {
        Self { number }
    }
}

impl Numbered for Medium {
    fn numbered(number: u64) -> Self {
        Self { number, rest: !number }
    }
}

impl Numbered for Large {
    fn numbered(number: u64) -> Self {
        Self { number, rest: [!number; 6] }
    }
}

#[ring_kernel(mode = Continuous)]
pub(crate) fn echo_small(_cx: &Cx, message: &Small, replies: &Outbox<Small>) {
    replies.send(*message);
}

#[ring_kernel(mode = Continuous)]
pub(crate) fn echo_medium(_cx: &Cx, message: &Medium, replies: &Outbox<Medium>) {
    replies.send(*message);
}

#[ring_kernel(mode = Continuous)]
pub(crate) fn echo_large(_cx: &Cx, message: &Large, replies: &Outbox<Large>) {
    replies.send(*message);
}

/// What `sink` keeps.
#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
pub(crate) struct Sum {
    sum: u64,
}

/// Takes messages and sends nothing.
#[ring_kernel(mode = Adaptive)]
pub(crate) fn sink(_cx: &Cx, message: &Medium, state: &mut Sum) {
    state.sum = state.sum.wrapping_add(message.number);
}
