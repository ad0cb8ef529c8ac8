//! A handler whose block shares more than most devices give a block.

use annulus_macros::ring_kernel;
use annulus_runtime::prelude::{BlockCx, Outbox};

use super::Number;

/// Numbers that a block shares in [`shares_much`](struct@shares_much): 100 KiB of them.
pub const MUCH: usize = 12_800;

/// Each thread fills every so many numbers; then it adds up those that lie as far from them as can be. Answers with a
/// sum of all, each times its place.
#[ring_kernel(shared_memory = 102_400)]
pub fn shares_much(cx: &BlockCx, message: &Number, replies: &Outbox<Number>) {
    let numbers = cx.shared::<u64, MUCH>();
    let mut at = cx.thread_index() as usize;
    let mut before = 0;
    while at < MUCH {
        // Zeros, though the message before has left something.
        before |= numbers.get(at);
        numbers.set(at, message.value.wrapping_mul(at as u64 + 1));
        at += cx.block_dim() as usize;
    }
    cx.barrier();
    let mut sum = before;
    let mut at = cx.thread_index() as usize;
    while at < MUCH {
        let far = MUCH - 1 - at;
        sum = sum.wrapping_add(numbers.get(far).wrapping_mul(far as u64));
        at += cx.block_dim() as usize;
    }
    let sum = cx.block_reduce(sum, |a, b| a.wrapping_add(b));
    if cx.is_leader() {
        replies.send(Number { value: sum });
    }
}
