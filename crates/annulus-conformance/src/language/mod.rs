//! What a handler's Rust means elsewhere: one call of a handler on given memory, as Rust and as the text that
//! it was lowered to.
//!
//! [`call`] runs the Rust. [`HostText`] runs the text, compiled by the host's C compiler. Both take a
//! [`Call`] and give an [`Outcome`], and [`difference`] says in what two outcomes differ. [`Inputs`] makes
//! calls of random and edge values.

mod agree;
mod compare;
mod host;
mod inputs;
mod memory;
mod rust;

pub use agree::differences;
pub use compare::{difference, value_difference};
pub use host::HostText;
pub use inputs::Inputs;
pub use memory::Memory;
pub use rust::{call, call_block};

/// How many prints of a call are looked at.
pub const MOST_PRINTS: usize = 128;

/// What one call of a handler works on.
#[derive(Clone, Debug)]
pub struct Call {
    /// The message.
    pub message: Memory,
    /// The state before the call, if the kernel has any.
    pub state: Memory,
    /// The elements of each bound parameter.
    pub bindings: Vec<Memory>,
}

/// What one call of a handler did.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// 0, or the error code.
    pub code: u16,
    /// The state after the call; as it was if the call failed.
    pub state: Memory,
    /// What was sent, one after the other; nothing if the call failed.
    pub outputs: Memory,
    /// The bound memory after the call.
    pub bindings: Vec<Memory>,
    /// What it printed, failed or not; the first [`MOST_PRINTS`].
    pub prints: Vec<String>,
}
