//! The kernels that are measured.

pub(crate) mod asks;
pub(crate) mod cooperate;
pub(crate) mod loops;
pub(crate) mod timers;

use annulus::prelude::*;
use annulus_sync::{AtomicU32, Ordering};

/// 8 bytes.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct Small {
    number: u64,
}

/// 16 bytes.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct Medium {
    number: u64,
    rest: u64,
}

/// 56 bytes: with a slot's own 8, a whole cache line.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct Large {
    number: u64,
    rest: [u64; 6],
}

/// 256 bytes.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct Huge {
    number: u64,
    rest: [u64; 31],
}

/// A message that carries a number.
pub(crate) trait Numbered: RingMessage + PartialEq + std::fmt::Debug {
    fn numbered(number: u64) -> Self;
}

impl Numbered for Small {
    fn numbered(number: u64) -> Self {
        Self { number }
    }
}

impl Numbered for Medium {
    fn numbered(number: u64) -> Self {
        Self { number, rest: !number }
    }
}

impl Numbered for Large {
    fn numbered(number: u64) -> Self {
        Self { number, rest: [!number; 6] }
    }
}

impl Numbered for Huge {
    fn numbered(number: u64) -> Self {
        Self { number, rest: [!number; 31] }
    }
}

#[ring_kernel(mode = Adaptive, max_messages_per_iteration = 256)]
pub(crate) fn echo_huge(_cx: &Cx, message: &Huge, replies: &Outbox<Huge>) {
    replies.send(*message);
}

#[ring_kernel(mode = Continuous)]
pub(crate) fn echo_small(_cx: &Cx, message: &Small, replies: &Outbox<Small>) {
    replies.send(*message);
}

#[ring_kernel(mode = Continuous)]
pub(crate) fn echo_medium(_cx: &Cx, message: &Medium, replies: &Outbox<Medium>) {
    replies.send(*message);
}

#[ring_kernel(mode = Continuous)]
pub(crate) fn echo_large(_cx: &Cx, message: &Large, replies: &Outbox<Large>) {
    replies.send(*message);
}

/// What `sink` keeps.
#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
pub(crate) struct Sum {
    sum: u64,
}

/// Takes messages and sends nothing.
#[ring_kernel(mode = Adaptive)]
pub(crate) fn sink(_cx: &Cx, message: &Medium, state: &mut Sum) {
    state.sum = state.sum.wrapping_add(message.number);
}

/// The same, and looks at the time of its turn.
#[ring_kernel(mode = Adaptive)]
pub(crate) fn timed_sink(cx: &Cx, message: &Medium, state: &mut Sum) {
    state.sum = state.sum.wrapping_add(message.number ^ cx.now());
}

/// A message that may keep its kernel busy; 16 bytes.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct Held {
    pub(crate) number: u64,
    /// Turns of a loop.
    pub(crate) turns: u64,
}

impl Numbered for Held {
    fn numbered(number: u64) -> Self {
        Self { number, turns: 0 }
    }
}

/// Takes messages, and works as long on each as it says.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 64)]
pub(crate) fn held_sink(message: &Held, state: &mut Sum) {
    let mut sum = state.sum ^ message.number;
    for _ in 0..message.turns {
        sum = sum.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    }
    state.sum = sum;
}

/// A message with an id and a priority; 16 bytes.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct Ticket {
    #[ring(id)]
    id: u64,
    #[ring(priority)]
    priority: u8,
}

impl Numbered for Ticket {
    /// One of four priorities.
    fn numbered(number: u64) -> Self {
        Self { id: number, priority: (number % 4) as u8 }
    }
}

/// [`sink()`] of tickets, whatever their order.
#[ring_kernel(mode = Adaptive)]
pub(crate) fn ticket_sink(_cx: &Cx, message: &Ticket, state: &mut Sum) {
    state.sum = state.sum.wrapping_add(message.id);
}

/// Takes messages, keeps nothing, and sends nothing: any number of blocks do so beside each other.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 256)]
pub(crate) fn swallow(_cx: &Cx, _message: &Large) {}

/// Counts messages in a table that all blocks share.
#[ring_kernel]
pub(crate) fn tabled(message: &Small, table: &[AtomicU32]) {
    table[message.number as usize % table.len()].fetch_add(1, Ordering::Relaxed);
}

/// A message that goes to and fro between kernels, so many times more; 56 bytes.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct Hop {
    left: u64,
    rest: [u64; 6],
}

impl Hop {
    pub(crate) fn new(left: u64) -> Self {
        Self { left, rest: [!left; 6] }
    }
}

/// Sends a message on until it has gone as often as it should.
#[ring_kernel(mode = Continuous)]
pub(crate) fn hop(_cx: &Cx, message: &Hop, next: &Outbox<Hop>) {
    if message.left > 0 {
        next.send(Hop { left: message.left - 1, rest: message.rest });
    }
}

/// Asks for [`BURST`] messages.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct Burst {
    first: u64,
}

impl Burst {
    pub(crate) fn new(number: u64) -> Self {
        Self { first: number * BURST }
    }
}

/// Messages for each that `burst` takes.
pub(crate) const BURST: u64 = 16;

/// Sends many messages for each that it takes.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 32, max_outputs = 16)]
pub(crate) fn burst(_cx: &Cx, message: &Burst, next: &Outbox<Large>) {
    for i in 0..BURST {
        let number = message.first + i;
        next.send(Large { number, rest: [!number; 6] });
    }
}

/// The same, in turn by two outboxes.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 32, max_outputs(even = 8, odd = 8))]
pub(crate) fn burst_by_two(_cx: &Cx, message: &Burst, even: &Outbox<Large>, odd: &Outbox<Large>) {
    for i in 0..BURST {
        let number = message.first + i;
        let large = Large { number, rest: [!number; 6] };
        if number.is_multiple_of(2) {
            even.send(large);
        } else {
            odd.send(large);
        }
    }
}

/// The same, in turn to those of a table.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 32, max_outputs = 16)]
pub(crate) fn burst_to(_cx: &Cx, message: &Burst, known: &[Peer<Large>], next: &Outbox<Addressed<Large>>) {
    for i in 0..BURST {
        let number = message.first + i;
        let to = known[(i % known.len() as u64) as usize];
        next.send(Addressed { to, message: Large { number, rest: [!number; 6] } });
    }
}

/// What goes to an actor; as long as [`Large`].
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct Edge {
    number: u64,
    #[ring(key)]
    to: u32,
    #[ring(edge)]
    weight: u32,
    rest: [u64; 5],
}

/// As [`struct@burst`], each to another actor.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 32, max_outputs = 16)]
pub(crate) fn burst_keyed(_cx: &Cx, message: &Burst, next: &Outbox<Edge>) {
    for i in 0..BURST {
        let number = message.first + i;
        next.send(Edge { number, to: number as u32 % DEGREE, weight: i as u32, rest: [!number; 5] });
    }
}

/// Neighbours of each vertex that the next one sends to.
pub(crate) const DEGREE: u32 = 100;

/// One output along a row of [`DEGREE`] keys.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 32)]
pub(crate) fn burst_along(_cx: &Cx, message: &Burst, next: &Outbox<Along<Edge>>) {
    let number = message.first;
    let row = number as u32 % 7;
    next.send(Along { row, from: 0, message: Edge { number, to: 0, weight: 0, rest: [!number; 5] } });
}

/// As [`struct@swallow`].
#[ring_kernel(mode = Batch, max_messages_per_iteration = 256)]
pub(crate) fn swallow_edges(_cx: &Cx, _message: &Edge) {}

/// What the next one publishes on.
pub(crate) const NEWS: Topic = Topic::of("news");

/// The same, on a topic.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 32, max_outputs = 16)]
pub(crate) fn burst_on(_cx: &Cx, message: &Burst, next: &Outbox<Published<Large>>) {
    for i in 0..BURST {
        let number = message.first + i;
        next.send(Published { topic: NEWS, message: Large { number, rest: [!number; 6] } });
    }
}

/// One in eight of them on a topic.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 32, max_outputs = 2)]
pub(crate) fn burst_few_on(_cx: &Cx, message: &Burst, next: &Outbox<Published<Large>>) {
    for i in 0..BURST / 8 {
        let number = message.first + i;
        next.send(Published { topic: NEWS, message: Large { number, rest: [!number; 6] } });
    }
}

/// 40 bytes: in a slot's line there is room for a tag, too.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct Forty {
    number: u64,
    rest: [u64; 4],
}

/// Takes what several kernels send. One does.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(u32)]
#[allow(dead_code)]
pub(crate) enum Either {
    #[ring(from)]
    Forty(Forty),
    Number(u64),
}

/// Sends many messages of 40 bytes for each that it takes.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 32, max_outputs = 16)]
pub(crate) fn burst_forty(_cx: &Cx, message: &Burst, next: &Outbox<Forty>) {
    for i in 0..BURST {
        let number = message.first + i;
        next.send(Forty { number, rest: [!number; 4] });
    }
}

/// Takes such messages, and keeps nothing.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 256)]
pub(crate) fn swallow_forty(_cx: &Cx, _message: &Forty) {}

/// Takes them in a variant.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 256)]
pub(crate) fn swallow_either(_cx: &Cx, _message: &Either) {}

/// Numbers that `swallow_once` knows, each with its place in their order: 512 buckets of four.
pub(crate) const WINDOW_WORDS: usize = 2 * 4 * 512;

/// Takes messages, and counts those of the last 1024 numbers as duplicates: in a window of four-way buckets,
/// of which the oldest gives way. Word 0 counts messages, word 1 duplicates.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 256)]
pub(crate) fn swallow_once(_cx: &Cx, message: &Large, window: &mut [u64]) {
    let number = message.number + 1;
    let bucket = 1 + (number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 55) as usize % 511;
    let now = window[0] + 1;
    window[0] = now;
    let first = bucket * 8;
    let mut oldest = first;
    let mut known = false;
    for way in 0..4 {
        let at = first + way * 2;
        if window[at] == number && now - window[at + 1] <= 1024 {
            known = true;
        }
        if window[at + 1] < window[oldest + 1] {
            oldest = at;
        }
    }
    if known {
        window[1] += 1;
    } else {
        window[oldest] = number;
        window[oldest + 1] = now;
    }
}

#[cfg(test)]
mod tests {
    use annulus::kernel::Target;

    use super::*;

    #[test]
    fn every_kernel_can_run_on_every_device() {
        for definition in [
            echo_small::DEFINITION,
            echo_medium::DEFINITION,
            echo_large::DEFINITION,
            sink::DEFINITION,
            timed_sink::DEFINITION,
            held_sink::DEFINITION,
            hop::DEFINITION,
            asks::inquire::DEFINITION,
            asks::inform::DEFINITION,
            timers::again_later::DEFINITION,
            timers::again_by_link::DEFINITION,
            timers::alarm::DEFINITION,
            burst::DEFINITION,
            burst_keyed::DEFINITION,
            burst_along::DEFINITION,
            swallow_once::DEFINITION,
            cooperate::sum_reduced::DEFINITION,
            cooperate::sum_atomic::DEFINITION,
            cooperate::barriers::DEFINITION,
            cooperate::warp_barriers::DEFINITION,
            cooperate::product::DEFINITION,
            loops::add_zipped::DEFINITION,
            loops::add_indexed::DEFINITION,
            loops::add_cut::DEFINITION,
            loops::dot_in_lanes::DEFINITION,
            loops::add_arrays::DEFINITION,
        ] {
            for target in Target::ALL {
                definition.handler_source(target).unwrap_or_else(|error| panic!("{error}"));
            }
        }
    }
}
