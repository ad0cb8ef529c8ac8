#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Query {
    share: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Price {
    value: f32,
}

#[ring_kernel]
fn mutable(query: &Query, miss: &Outbox<Query>, reply: &mut Reply<Price>) {}

#[ring_kernel]
fn value(query: &Query, miss: &Outbox<Query>, reply: Reply<Price>) {}

#[ring_kernel]
fn two_types(query: &Query, miss: &Outbox<Query>, reply: &Reply<Price, Query>) {}

#[ring_kernel]
fn no_message(query: &Query, miss: &Outbox<Query>, reply: &Reply<f32>) {}

#[ring_kernel]
fn alone(query: &Query, reply: &Reply<Price>) {}

#[ring_kernel]
fn first(query: &Query, reply: &Reply<Price>, miss: &Outbox<Query>) {}

#[ring_kernel]
fn twice(query: &Query, miss: &Outbox<Query>, reply: &Reply<Price>, again: &Reply<Price>) {}

#[ring_kernel]
fn unnamed(query: &Query, miss: &Outbox<Query>, _: &Reply<Price>) {}

#[ring_kernel]
fn one_name(query: &Query, reply: &Outbox<Query>, Reply: &Reply<Price>) {}

#[ring_kernel(max_outputs(miss = 2, reply = 2))]
fn often(query: &Query, miss: &Outbox<Query>, reply: &Reply<Price>) {}

#[ring_kernel(max_outputs = 2)]
fn all(query: &Query, miss: &Outbox<Query>, reply: &Reply<Price>) {}

#[ring_kernel]
fn as_message(reply: &Reply<Price>, query: &Query, miss: &Outbox<Query>) {}

#[ring_kernel]
fn body(cx: &BlockCx, inbox: &Inbox<Query>, miss: &Outbox<Query>, reply: &Reply<Price>) {}

#[device_fn]
fn answer(reply: &Reply<Price>) {
    reply.send(Price { value: 1.0 });
}

fn main() {}
