//! What is sent: plain messages that know their number and whether they are whole.

use std::hint::black_box;

use annulus_queue::{Message, lossy::Plain};

/// A message of a benchmark.
pub(crate) trait Payload: Copy + Send + Sync + Unpin + Message + Plain + 'static {
    /// The message with this number.
    fn new(number: u64) -> Self;
    /// Its number, after a look at both of its ends; `u64::MAX` if it is torn.
    fn number(&self) -> u64;
}

/// That many words, all of them the number.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Words<const N: usize>([u64; N]);

pub(crate) type Bytes8 = Words<1>;
pub(crate) type Bytes56 = Words<7>;
pub(crate) type Bytes248 = Words<31>;

impl<const N: usize> Payload for Words<N> {
    #[inline(always)]
    fn new(number: u64) -> Self {
        Self([number; N])
    }

    #[inline(always)]
    fn number(&self) -> u64 {
        let message = black_box(self);
        if message.0[0] == message.0[N - 1] { message.0[0] } else { u64::MAX }
    }
}

// SAFETY: an array of words and nothing else.
unsafe impl<const N: usize> Plain for Words<N> {}

impl<const N: usize> Message for Words<N> {
    #[inline(always)]
    fn id(&self) -> Option<u64> {
        Some(self.0[0])
    }

    /// Spread over all of them.
    #[inline(always)]
    fn priority(&self) -> u8 {
        (self.0[0].wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8
    }
}
