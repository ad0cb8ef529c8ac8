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

/// 256 bytes.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct Huge {
    number: u64,
    rest: [u64; 31],
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

impl Numbered for Huge {
    fn numbered(number: u64) -> Self {
        Self { number, rest: [!number; 31] }
    }
}

#[ring_kernel(mode = Adaptive, max_messages_per_iteration = 256)]
pub(crate) fn echo_huge(_cx: &Cx, message: &Huge, replies: &Outbox<Huge>) {
    replies.send(*message);
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

/// Takes messages, keeps nothing, and sends nothing: any number of blocks do so beside each other.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 256)]
pub(crate) fn swallow(_cx: &Cx, _message: &Large) {}

#[cfg(test)]
mod tests {
    use annulus::kernel::Target;

    use super::*;

    #[test]
    fn every_kernel_can_run_on_every_device() {
        for definition in
            [echo_small::DEFINITION, echo_medium::DEFINITION, echo_large::DEFINITION, sink::DEFINITION]
        {
            for target in Target::ALL {
                definition.handler_source(target).unwrap_or_else(|error| panic!("{error}"));
            }
        }
    }
}
