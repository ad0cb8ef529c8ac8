//! Rows B-06, B-08 and X-02: what the threads of a block cannot share, and what only they have.

#![allow(unused_variables)]

use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Number {
    value: u64,
}

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Total {
    sum: u64,
}

#[ring_kernel]
fn b06_an_exclusive_state(cx: &BlockCx, message: &Number, total: &mut Total) {}

#[ring_kernel]
fn b06_exclusive_memory(cx: &BlockCx, message: &Number, memory: &mut [u32]) {}

#[ring_kernel]
fn b06_shared_memory_of_one_thread(cx: &Cx, message: &Number, memory: &Block<[u32]>) {}

#[ring_kernel]
fn b06_memory_that_is_changed_directly(cx: &BlockCx, message: &Number, memory: &mut Block<[u32]>) {}

#[ring_kernel]
fn b06_atomics_of_one_block(cx: &BlockCx, message: &Number, counts: &Block<[AtomicU32]>) {}

#[ring_kernel]
fn b06_memory_of_the_host(cx: &BlockCx, message: &Number, names: &Block<[String]>) {}

#[ring_kernel]
fn b06_a_shared_state_of_one_thread(cx: &Cx, message: &Number, total: &Block<Total>) {}

#[ring_kernel]
fn b06_a_context_that_changes(cx: &mut BlockCx, message: &Number) {}

#[ring_kernel]
fn b06_a_context_behind_the_message(message: &Number, cx: &BlockCx) {}

#[ring_kernel]
fn b06_a_state_that_is_changed_directly(cx: &BlockCx, message: &Number, total: &mut Block<Total>) {}

#[ring_kernel]
fn b06_two_states(cx: &BlockCx, message: &Number, total: &Block<Total>, other: &Block<u32>) {}

#[ring_kernel]
fn b08_an_array_without_a_type(cx: &BlockCx, message: &Number) {
    let values: BlockArray<u32, 8> = cx.shared();
    values.set(0, 1);
}

#[ring_kernel]
fn b08_a_reduction_that_leaves(cx: &BlockCx, message: &Number) {
    let _ = cx.warp_reduce(1u64, |a, b| if a == b { return a } else { b });
}

#[ring_kernel]
fn b08_a_scan_that_moves(cx: &BlockCx, message: &Number) {
    let _ = cx.block_scan(1u64, move |a, b| a + b);
}

#[ring_kernel]
fn x02_a_shuffle_with_a_type(cx: &BlockCx, message: &Number) {
    let _ = cx.shuffle::<u64>(message.value, 0);
}

fn main() {}
