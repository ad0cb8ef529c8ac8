//! Row W-14: what bodies do not have, and what only they have.

#![allow(unused_variables)]

use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Number {
    value: u64,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Keyed {
    #[ring(key)]
    key: u32,
    value: u64,
}

#[ring_kernel(body)]
fn w14_a_word_for_it(cx: &BlockCx, inbox: &Inbox<Number>) {}

#[ring_kernel]
fn w14_of_one_thread(cx: &Cx, inbox: &Inbox<Number>) {}

#[ring_kernel]
fn w14_without_a_context(inbox: &Inbox<Number>) {}

#[ring_kernel]
fn w14_behind_the_message(cx: &BlockCx, number: &Number, inbox: &Inbox<Number>) {}

#[ring_kernel]
fn w14_that_changes(cx: &BlockCx, inbox: &mut Inbox<Number>) {}

#[ring_kernel]
fn w14_of_what(cx: &BlockCx, inbox: &Inbox) {}

#[ring_kernel]
fn w14_by_value(cx: &BlockCx, inbox: Inbox<Number>) {}

#[ring_kernel]
fn w14_bridged(cx: &BlockCx, inbox: &Inbox<Archived<Number>>) {}

#[ring_kernel]
fn w14_two_outboxes(cx: &BlockCx, inbox: &Inbox<Number>, good: &Outbox<Number>, bad: &Outbox<Number>) {}

#[ring_kernel]
fn w14_timers(cx: &BlockCx, inbox: &Inbox<Number>, later: &Later<Number>) {}

#[ring_kernel]
fn w14_with_a_key(cx: &BlockCx, inbox: &Inbox<Keyed>) {}

fn main() {}
