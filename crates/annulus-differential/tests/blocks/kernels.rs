//! Handlers of which each line matters: what the planted faults are in.

use annulus_kernel::RingKernel;
use annulus_macros::{device_fn, ring_kernel};
use annulus_runtime::prelude::{Block, BlockCx, Failure, Outbox};

use super::Handler;
use crate::handlers::{In, Out, Pair, Shape, State, Unkeyed};

/// All of them, and how many threads each has.
pub(super) static KERNELS: &[Handler] = &[
    (rotates::DEFINITION, 40),
    (exchanges::DEFINITION, 40),
    (combines::DEFINITION, 40),
    (tears::DEFINITION, 40),
    (keeps::DEFINITION, 40),
];

/// A tree that adds up, and the state that its leader sets: for races alone.
pub(super) static ADDS: Handler = (adds::DEFINITION, 40);

/// One that has a race, which the others have not.
pub(super) static RACES: Handler = (races::DEFINITION, 40);

/// An answer of one word.
#[device_fn]
fn word(word: i64) -> Out {
    Out { words: [word; 3], x: 0.0, y: 0.0, flag: true, pair: Pair { a: 1, b: 2 }, shape: Shape::Empty }
}

/// A hash of all words so far and another one.
#[device_fn]
fn also(hash: i64, word: i64) -> i64 {
    (hash.rotate_left(7) ^ word).wrapping_mul(0x100_0000_01B3)
}

/// Values go round by shared memory; each barrier is needed. In a loop some compilers have more of them.
#[ring_kernel(max_outputs = 6)]
fn rotates(cx: &BlockCx, message: &In, held: &Block<State>, out: &Outbox<Out>) {
    let cells = cx.shared::<i64, 40>();
    let me = cx.thread_index() as usize;
    let mut value = message.g.wrapping_mul(me as i64 + 3);
    cells.set(me, value);
    cx.barrier();
    value = also(value, cells.get((me + 7) % 40));
    cx.barrier();
    cells.set(me, value);
    cx.barrier();
    if cx.is_leader() {
        let mut hash = 1;
        for index in 0..40usize {
            hash = also(hash, cells.get(index));
        }
        let mut state = held.get();
        state.wide = hash;
        held.set(state);
        out.send(word(hash));
    }
}

/// Shuffles and votes.
#[ring_kernel(max_outputs = 6)]
fn exchanges(cx: &BlockCx, message: &In, held: &Block<State>, out: &Outbox<Out>) {
    let cells = cx.shared::<i64, 40>();
    let me = cx.thread_index();
    let own = message.g.wrapping_mul(i64::from(me) + 3);
    let mut hash = cx.shuffle(own, message.f % 40);
    hash = also(hash, cx.shuffle_up(own, 3));
    hash = also(hash, i64::from(cx.shuffle_down(own as i16, message.f)));
    hash = also(hash, i64::from(cx.shuffle_xor(own as f32, 5).to_bits()));
    hash = also(hash, i64::from(cx.ballot(own & 12 == 8)));
    hash = also(hash, i64::from(cx.any(own & 255 == 3)));
    hash = also(hash, i64::from(cx.all(own & 15 != 3)));
    cells.set(me as usize, hash);
    cx.barrier();
    if cx.is_leader() {
        let mut all = 1;
        for index in 0..40usize {
            all = also(all, cells.get(index));
        }
        let mut state = held.get();
        state.wide = all;
        held.set(state);
        out.send(word(all));
    }
}

/// Reductions and scans, in an order that matters.
#[ring_kernel(max_outputs = 6)]
fn combines(cx: &BlockCx, message: &In, held: &Block<State>, out: &Outbox<Out>) {
    let cells = cx.shared::<i64, 40>();
    let me = cx.thread_index();
    let own = message.g.wrapping_mul(i64::from(me) + 3);
    let part = (own % 1000) as f32 / (me as f32 + 3.0);
    let mut hash = i64::from(cx.warp_reduce(part, |a, b| a + b).to_bits());
    hash = also(hash, i64::from(cx.block_reduce(part, |a, b| a + b).to_bits()));
    hash = also(hash, i64::from(cx.block_scan(part, |a, b| a + b).to_bits()));
    hash = also(hash, cx.block_scan_exclusive(own, -7, |a, b| a.rotate_left(5) ^ b));
    cells.set(me as usize, hash);
    cx.barrier();
    if cx.is_leader() {
        let mut all = 1;
        for index in 0..40usize {
            all = also(all, cells.get(index));
        }
        let mut state = held.get();
        state.wide = all;
        held.set(state);
        out.send(word(all));
    }
}

/// Every other message fails in some way, and the next one knows nothing of it.
#[ring_kernel(max_outputs = 6)]
fn tears(cx: &BlockCx, message: &In, held: &Block<State>, out: &Outbox<Out>) -> Result<(), Failure> {
    let marks = cx.shared::<u32, 40>();
    let me = cx.thread_index();
    let kind = message.f % 8;
    if kind == 1 && me == 5 {
        return Ok(());
    }
    if kind == 2 && me == 7 {
        return Err(Failure::of(7));
    }
    if kind == 3 && me > 30 {
        marks.set(9 + me as usize, 1);
    }
    if kind == 4 && me == 1 {
        held.set(held.get());
    }
    if kind == 5 {
        return Ok(());
    }
    cx.barrier();
    let sum = cx.block_reduce(marks.get(me as usize) + 1, |a, b| a + b);
    if cx.is_leader() {
        out.send(word(i64::from(sum)));
    }
    Ok(())
}

/// Values go round in what the kernel keeps; each barrier is needed, and the last element tells of all.
#[ring_kernel(max_outputs = 6)]
fn keeps(cx: &BlockCx, message: &Unkeyed, held: &Block<State>, kept: &Block<[i64]>, out: &Outbox<Out>) {
    let me = cx.thread_index() as usize;
    let last = kept.len() - 1;
    let mut value = also(kept.get(me), message.g);
    cx.barrier();
    kept.set((me + 7) % 40, value);
    cx.barrier();
    value = also(value, kept.get((me + 3) % 40));
    cx.barrier();
    kept.set(me, value);
    cx.barrier();
    if cx.is_leader() {
        let mut hash = 1;
        for index in 0..40usize {
            hash = also(hash, kept.get(index));
        }
        kept.set(last, hash);
        let mut state = held.get();
        state.wide = hash;
        held.set(state);
        out.send(word(hash));
    }
}

/// A tree, in whose loop is a barrier; then all read what the leader has set.
#[ring_kernel(max_outputs = 6)]
fn adds(cx: &BlockCx, message: &In, held: &Block<State>, out: &Outbox<Out>) {
    let cells = cx.shared::<i64, 40>();
    let me = cx.thread_index() as usize;
    cells.set(me, message.g.wrapping_mul(me as i64 + 3));
    cx.barrier();
    let mut half = 32usize;
    while half > 0 {
        if me < half && me + half < 40 {
            cells.set(me, also(cells.get(me), cells.get(me + half)));
        }
        cx.barrier();
        half /= 2;
    }
    if cx.is_leader() {
        let mut state = held.get();
        state.wide = cells.get(0);
        held.set(state);
    }
    cx.barrier();
    cells.set(me, held.get().wide);
    if cx.is_leader() {
        out.send(word(cells.get(0)));
    }
}

/// As [`rotates`], without a barrier.
#[ring_kernel(max_outputs = 6)]
fn races(cx: &BlockCx, message: &In, held: &Block<State>, out: &Outbox<Out>) {
    let cells = cx.shared::<i64, 40>();
    let me = cx.thread_index() as usize;
    cells.set(me, message.g);
    let other = cells.get((me + 7) % 40);
    if cx.is_leader() {
        let mut state = held.get();
        state.wide = other;
        held.set(state);
        out.send(word(other));
    }
}
