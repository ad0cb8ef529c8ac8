//! Rows B-06, B-08 and X-02: what rustc refuses.

use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Number {
    value: u64,
}

#[ring_kernel]
fn b06_a_barrier_of_one_thread(cx: &Cx, message: &Number) {
    cx.barrier();
}

#[ring_kernel(cpu_only)]
fn b08_an_array_of_structs(cx: &BlockCx, message: &Number) {
    let _ = cx.shared::<Number, 8>();
}

#[ring_kernel]
fn x02_a_shuffle_of_one_thread(cx: &Cx, message: &Number) {
    cx.shuffle(1u32, 0);
}

#[ring_kernel(cpu_only)]
fn x02_a_shuffle_of_a_message(cx: &BlockCx, message: &Number) {
    let _ = cx.shuffle(*message, 0);
}

fn main() {}
