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
mod later;
mod memory;
mod rust;

pub use agree::differences;
pub use compare::{difference, value_difference};
pub use host::HostText;
pub use inputs::Inputs;
pub use later::{Places, Timer};
pub use memory::Memory;
pub use rust::{call, call_block};

/// How many prints of a call are looked at.
pub const MOST_PRINTS: usize = 128;

/// What a handler hears by its `&Cx` of the turn and of the message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// The queue that the message came from.
    pub queue: u32,
    /// The time.
    pub now: u64,
    /// The message's stamp.
    pub stamp: u64,
}

/// What one call of a handler works on.
#[derive(Clone, Debug)]
pub struct Call {
    /// The message.
    pub message: Memory,
    /// The state before the call, if the kernel has any.
    pub state: Memory,
    /// The elements of each bound parameter.
    pub bindings: Vec<Memory>,
    /// What it hears by its context.
    pub told: Told,
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
    /// When what it has sent to itself is taken, in the order in which it was sent; nothing if the call failed.
    pub timers: Vec<Timer>,
    /// The messages of these timers, in the same order.
    pub later: Memory,
    /// The bound memory after the call.
    pub bindings: Vec<Memory>,
    /// What it printed, failed or not; the first [`MOST_PRINTS`].
    pub prints: Vec<String>,
}
