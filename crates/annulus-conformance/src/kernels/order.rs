//! Litmus tests: two accesses of shared words, with or without a fence between them.

use annulus_kernel::{KernelDefinition, RingKernel};
use annulus_macros::{DeviceType, RingMessage, device_fn, ring_kernel};
use annulus_runtime::prelude::{Cx, FenceScope, Outbox};
use annulus_sync::{AtomicU32, Ordering};

use super::Number;

/// The words `x` and `y`, and two results for each of four sides.
pub const PLANES: usize = 10;

/// What [`litmus`](struct@litmus) does to a word.
pub mod access {
    /// Nothing.
    pub const NONE: u32 = 0;
    /// Stores 1 to `x`.
    pub const STORE_X: u32 = 1;
    /// Stores 1 to `y`.
    pub const STORE_Y: u32 = 2;
    /// Loads `x`, and keeps what it sees, plus 1.
    pub const LOAD_X: u32 = 3;
    /// Loads `y`, and keeps what it sees, plus 1.
    pub const LOAD_Y: u32 = 4;
}

/// One side of a litmus test, in many rounds. Each round has words of its own.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Litmus {
    /// The side, which is a shard.
    #[ring(key)]
    pub side: u32,
    /// The first access of each round.
    pub first: u32,
    /// The scope of the fence behind it: 1 for the block, 2 for the device, 3 for the system, 0 for none.
    pub fence: u32,
    /// The second access.
    pub second: u32,
    /// The first round.
    pub from: u32,
    /// The round behind the last.
    pub until: u32,
}

/// One relaxed access.
#[device_fn]
fn touch(words: &[AtomicU32], what: u32, round: usize, result: usize) {
    let plane = words.len() / PLANES;
    match what {
        access::STORE_X => words[round].store(1, Ordering::Relaxed),
        access::STORE_Y => words[plane + round].store(1, Ordering::Relaxed),
        access::LOAD_X | access::LOAD_Y => {
            let at = if what == access::LOAD_X { round } else { plane + round };
            let seen = words[at].load(Ordering::Relaxed);
            words[result * plane + round].store(seen + 1, Ordering::Relaxed);
        }
        _ => {}
    }
}

/// A side of a litmus test.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 64)]
pub fn litmus(cx: &Cx, run: &Litmus, words: &[AtomicU32]) {
    let results = 2 + 2 * run.side as usize;
    for round in run.from..run.until {
        touch(words, run.first, round as usize, results);
        match run.fence {
            1 => cx.fence(FenceScope::Block),
            2 => cx.fence(FenceScope::Device),
            3 => cx.fence(FenceScope::System),
            _ => {}
        }
        touch(words, run.second, round as usize, results + 1);
    }
}

/// The same, on devices that order memory for themselves alone: a fence's scope is not the system.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 64)]
pub fn litmus_of_a_device(cx: &Cx, run: &Litmus, words: &[AtomicU32]) {
    let results = 2 + 2 * run.side as usize;
    for round in run.from..run.until {
        touch(words, run.first, round as usize, results);
        match run.fence {
            1 => cx.fence(FenceScope::Block),
            2 => cx.fence(FenceScope::Device),
            _ => {}
        }
        touch(words, run.second, round as usize, results + 1);
    }
}

/// What [`fenced`](struct@fenced) keeps.
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Fenced {
    last: u64,
}

/// A function with a fence of its own.
#[device_fn]
fn put(cx: &Cx, words: &[AtomicU32], value: u32) {
    words[1].store(value, Ordering::Relaxed);
    cx.fence(FenceScope::Device);
    words[0].fetch_add(1, Ordering::Relaxed);
}

/// Fences that every target has, in the handler and in a function, beside its other statements.
#[ring_kernel]
pub fn fenced(cx: &Cx, number: &Number, kept: &mut Fenced, words: &[AtomicU32], seen: &Outbox<Number>) {
    put(cx, words, number.value as u32);
    kept.last = number.value;
    cx.fence(FenceScope::Block);
    let value = words[1].load(Ordering::Relaxed);
    if value != 0 {
        cx.fence(FenceScope::Device);
    }
    seen.send(Number { value: u64::from(value) + kept.last });
}

/// All of them.
pub const ORDER: &[&KernelDefinition] = &[litmus::DEFINITION];
