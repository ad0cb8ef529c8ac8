//! What a bridged message may hold and a device does not read: refused where a handler touches it.

use std::collections::{BTreeMap, BTreeSet};

use annulus::prelude::*;

#[derive(RingMessage)]
struct Order {
    counts: BTreeMap<u32, u32>,
    seen: BTreeSet<u32>,
    wide: u128,
    letter: char,
    boxed: Box<u32>,
}

#[ring_kernel]
fn maps(order: &Archived<Order>, most: &mut u64) {
    if order.seen.is_empty() {
        *most = order.counts.len() as u64;
    }
}

#[ring_kernel]
fn numbers(order: &Archived<Order>, most: &mut u64) {
    *most = order.wide.to_native() as u64;
}

#[ring_kernel]
fn letters(order: &Archived<Order>, most: &mut u64) {
    *most = order.letter.to_native() as u64;
}

#[device_fn]
fn of_boxed(_: &Archived<Box<u32>>) -> u64 {
    7
}

#[ring_kernel]
fn boxes(order: &Archived<Order>, most: &mut u64) {
    *most = of_boxed(&order.boxed);
}

fn main() {}
