//! `usize` and `isize` in messages, states, parameters and tables: 64 bits on both sides.

use annulus_macros::{DeviceType, RingMessage, ring_kernel};
use annulus_runtime::prelude::Outbox;

use super::constructs::Answer;

#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Queue {
    pub first: usize,
    pub drift: isize,
    pub values: [u16; 5],
    pub ends: [usize; 2],
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Entry {
    #[ring(key)]
    pub key: u32,
    pub at: usize,
    pub by: isize,
    pub value: u16,
}

/// Counts and indices that stay what they are in Rust.
#[ring_kernel]
pub fn sizes_in_memory(entry: &Entry, queue: &mut Queue, answers: &Outbox<Answer>) {
    let len = queue.values.len();
    let at = entry.at % len;
    queue.values[at] = entry.value;
    queue.first = queue.first.wrapping_add(at) % len;
    queue.drift = queue.drift.wrapping_sub(entry.by).wrapping_mul(3);
    queue.ends[at % 2] = queue.ends[at % 2].wrapping_add(entry.at);
    let first = queue.values[queue.first];
    let words = [
        u32::from(first),
        queue.ends[0] as u32,
        (queue.ends[0] >> 32) as u32,
        (queue.drift >> 7) as u32,
        u32::from(queue.ends[0] < queue.ends[1]),
        queue.ends[1].leading_zeros(),
        queue.values[queue.first..].iter().map(|value| u32::from(*value)).sum(),
        u32::from(usize::BITS == 64),
    ];
    answers.send(Answer { words, sum: queue.drift as i64, x: 0.0, on: queue.drift < entry.by });
}

/// A table of indices, a parameter, and memory of the kernel.
#[ring_kernel]
pub fn bound_sizes(entry: &Entry, places: &[usize], step: &usize, answers: &Outbox<Answer>) {
    let mut at = entry.at;
    let mut words = [0; 8];
    for word in &mut words {
        at = places[at % places.len()].wrapping_add(*step);
        *word = at as u32;
    }
    answers.send(Answer { words, sum: at as i64, x: 0.0, on: at == *step });
}
