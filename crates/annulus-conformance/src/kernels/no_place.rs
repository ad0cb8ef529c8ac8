//! Values that lie in no memory of their own: what takes no place, and what is temporary.
#![allow(const_item_mutation, clippy::temporary_assignment, clippy::match_single_binding)] // They are what is tested.

use annulus_macros::{DeviceType, device_fn, ring_kernel};
use annulus_runtime::prelude::Outbox;

use super::{
    constructs::{Answer, Small},
    own_edges::{Deep, LIMITS, doubled, read},
};

#[device_fn]
fn by_value(nothing: [u32; 0], marker: Marker, n: u32) -> u32 {
    let _ = marker;
    n + nothing.len() as u32
}

#[device_fn]
fn nothing_of(deep: &Deep, n: u32) -> [u32; 0] {
    if n == 7 { [] } else { deep.nothing }
}

#[device_fn]
fn none_above(deep: &Deep, n: u32) -> [u32; 0] {
    assert!(n < 250);
    deep.nothing
}

/// It takes no place.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Marker {}

#[derive(DeviceType, Clone, Copy, Debug)]
#[repr(u8)]
pub enum Marked {
    Not(Marker, u32),
    Is { marker: Marker },
}

const MARKED: [Marked; 2] = [Marked::Not(Marker {}, 5), Marked::Is { marker: Marker {} }];

/// What takes no place, in every place; constants that are changed, which are copies.
#[ring_kernel]
pub fn nothing(small: &Small, deep: &mut Deep, answers: &Outbox<Answer>) {
    const TABLE: [u32; 4] = [1, 2, 3, 4];
    let at = usize::from(small.a % 3);
    let mut sum = by_value(deep.nothing, Marker {}, 3) + by_value(nothing_of(deep, 3), Marker {}, 1);
    sum += by_value(none_above(deep, u32::from(small.a)), Marker {}, 1);
    for x in &deep.nothing {
        sum += x;
    }
    sum += read(&deep.nothing[..], &LIMITS) + deep.nothing.first().copied().unwrap_or(9);
    if small.a == 200 {
        sum += deep.nothing[at];
    }
    let marked = match MARKED[at % 2] {
        Marked::Not(_, n) => n,
        Marked::Is { .. } => 77,
    };
    let part = &mut TABLE[1..3];
    part[0] = 50;
    doubled(part);
    let changed = part[0] + part[1];
    TABLE.fill(0);
    TABLE.reverse();
    doubled(&mut TABLE[at..]);
    let words = [sum, marked, changed, TABLE[at], TABLE.len() as u32, 0, 0, 0];
    answers.send(Answer { words, sum: 0, x: 0.0, on: false });
}

/// Temporary values that are changed through a reference, and what was read of them before.
#[ring_kernel]
pub fn temporaries(small: &Small, deep: &mut Deep, answers: &Outbox<Answer>) {
    let mut words = [0u32; 8];
    let list = [1u32, 2, 3, 4, 5];
    let n = &mut usize::from(small.a % 4);
    let row = &mut deep.rows[*n % 2];
    let part = &list[..*n];
    *n = 1_000_000;
    row[1] = 7;
    words[0] = part.len() as u32 + part.get(2).copied().unwrap_or(50);
    let values = &mut [1u32, 2, 3, 4];
    for x in *values {
        values[3] = 9;
        words[1] += x;
    }
    let turns = &mut 3u32;
    for _ in 0..*turns {
        *turns += 1;
        words[2] += 1;
    }
    match u32::from(small.a) + 1 {
        ref mut v => {
            let before = *v;
            *v += 5;
            words[3] = before + *v;
        }
    }
    // Parts of a tuple are copies.
    (deep.points[0], 0).0.x = 3;
    doubled(&mut (words, 1).0[1..]);
    words[4] = deep.points[0].x as u32;
    answers.send(Answer { words, sum: 0, x: 0.0, on: false });
}
