//! What calls itself by its own name is refused at the call.
#![allow(unused_variables, unconditional_recursion)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Tree {
    depth: u32,
}

#[device_fn]
fn factorial(n: u32) -> u32 {
    if n < 2 { 1 } else { n * factorial(n - 1) }
}

#[device_impl]
impl Tree {
    fn leaves(&self, depth: u32) -> u32 {
        if depth == 0 { 1 } else { 2 * self.leaves(depth - 1) }
    }

    fn levels(depth: u32) -> u32 {
        1 + Self::levels(depth / 2)
    }
}

#[ring_kernel]
fn grow(tree: &Tree) {
    grow(tree);
}

fn main() {}
