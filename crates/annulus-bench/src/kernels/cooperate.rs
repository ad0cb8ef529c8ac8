//! Kernels whose blocks work on one message together.

use annulus::prelude::*;
use annulus_sync::{AtomicU32, Ordering};

/// So many rounds of the same work for a block, so that the message's own way does not count.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct Rounds {
    #[ring(key)]
    pub(crate) block: u32,
    pub(crate) rounds: u32,
}

/// Values of a sum.
pub(crate) const SUMMED: u32 = 1024;
/// Where a round's sum begins is below this.
pub(crate) const BEGINNINGS: u32 = 16;

/// Adds 1024 values to `sum` in each round: each thread adds up its share, then the block, and the leader adds
/// the result.
#[ring_kernel(block = 64)]
pub(crate) fn sum_reduced(
    cx: &BlockCx,
    work: &Rounds,
    values: &[u32],
    sum: &[AtomicU32],
    out: &Outbox<Rounds>,
) {
    for round in 0..work.rounds {
        let first = round % BEGINNINGS;
        let mut part = 0u32;
        let mut at = cx.thread_index();
        while at < SUMMED {
            part = part.wrapping_add(values[(first + at) as usize]);
            at += cx.block_dim();
        }
        let all = cx.block_reduce(part, |a, b| a.wrapping_add(b));
        if cx.is_leader() {
            sum[0].fetch_add(all, Ordering::Relaxed);
        }
    }
    if cx.is_leader() {
        out.send(*work);
    }
}

/// The same, with an atomic addition for each value, and a barrier behind which a round's sum is whole.
#[ring_kernel(block = 64)]
pub(crate) fn sum_atomic(
    cx: &BlockCx,
    work: &Rounds,
    values: &[u32],
    sum: &[AtomicU32],
    out: &Outbox<Rounds>,
) {
    for round in 0..work.rounds {
        let first = round % BEGINNINGS;
        let mut at = cx.thread_index();
        while at < SUMMED {
            sum[0].fetch_add(values[(first + at) as usize], Ordering::Relaxed);
            at += cx.block_dim();
        }
        cx.barrier();
    }
    if cx.is_leader() {
        out.send(*work);
    }
}

/// A barrier in each round, and nothing else.
#[ring_kernel(block = 64)]
pub(crate) fn barriers(cx: &BlockCx, work: &Rounds, out: &Outbox<Rounds>) {
    let mut rounds = 0u32;
    for _ in 0..work.rounds {
        cx.barrier();
        rounds += 1;
    }
    if cx.is_leader() {
        out.send(Rounds { rounds, ..*work });
    }
}

/// The same of the warps.
#[ring_kernel(block = 64)]
pub(crate) fn warp_barriers(cx: &BlockCx, work: &Rounds, out: &Outbox<Rounds>) {
    let mut rounds = 0u32;
    for _ in 0..work.rounds {
        cx.warp_barrier();
        rounds += 1;
    }
    if cx.is_leader() {
        out.send(Rounds { rounds, ..*work });
    }
}

/// The side of the matrices of [`product()`], and that of a tile, which has an element for each thread.
pub(crate) const SIDE: usize = 256;
const TILE: usize = 16;

/// `c = a · b` by one block. It loads a tile of each matrix into its memory, and each thread reads it sixteen times
/// from there. `c` has the bits of `f32`.
#[ring_kernel(block = 256)]
pub(crate) fn product(
    cx: &BlockCx,
    work: &Rounds,
    a: &[f32],
    b: &[f32],
    c: &[AtomicU32],
    out: &Outbox<Rounds>,
) {
    let left = cx.shared::<f32, 256>();
    let right = cx.shared::<f32, 256>();
    let me = cx.thread_index() as usize;
    let (row, column) = (me / TILE, me % TILE);
    for at in 0..(SIDE / TILE) * (SIDE / TILE) {
        let (first_row, first_column) = (at / (SIDE / TILE) * TILE, at % (SIDE / TILE) * TILE);
        let mut sum = 0.0f32;
        for tile in 0..SIDE / TILE {
            left.set(me, a[(first_row + row) * SIDE + tile * TILE + column]);
            right.set(me, b[(tile * TILE + row) * SIDE + first_column + column]);
            cx.barrier();
            for k in 0..TILE {
                sum += left.get(row * TILE + k) * right.get(k * TILE + column);
            }
            cx.barrier();
        }
        c[(first_row + row) * SIDE + first_column + column].store(sum.to_bits(), Ordering::Relaxed);
    }
    if cx.is_leader() {
        out.send(*work);
    }
}
