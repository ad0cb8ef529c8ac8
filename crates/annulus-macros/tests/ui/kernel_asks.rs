#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Order {
    number: u64,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Query {
    share: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Priced {
    order: u64,
    price: Answer<u64>,
}

/// Without a field `Answer`.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Bare {
    order: u64,
}

/// With two.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Twice {
    bid: Answer<u64>,
    ask: Answer<u64>,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum Event {
    #[ring(from)]
    Order(Order),
    #[ring(from)]
    Priced(Priced),
    #[ring(from)]
    Bare(Bare),
    #[ring(from)]
    Twice(Twice),
}

#[ring_kernel]
fn mutable(event: &Event, done: &Outbox<Order>, price: &mut Ask<Query, Priced>) {}

#[ring_kernel]
fn value(event: &Event, done: &Outbox<Order>, price: Ask<Query, Priced>) {}

#[ring_kernel]
fn one_type(event: &Event, done: &Outbox<Order>, price: &Ask<Query>) {}

#[ring_kernel]
fn alone(event: &Event, price: &Ask<Query, Priced>) {}

#[ring_kernel]
fn twice(event: &Event, done: &Outbox<Order>, price: &Ask<Query, Priced>, again: &Ask<Query, Priced>) {}

#[ring_kernel]
fn replies(event: &Event, done: &Outbox<Order>, price: &Ask<Query, Priced>, reply: &Reply<Order>) {}

#[ring_kernel]
fn unnamed(event: &Event, done: &Outbox<Order>, _: &Ask<Query, Priced>) {}

#[ring_kernel(max_outputs(price = 2))]
fn often(event: &Event, done: &Outbox<Order>, price: &Ask<Query, Priced>) {}

#[ring_kernel]
fn no_variant(order: &Order, done: &Outbox<Order>, price: &Ask<Query, Priced>) {}

#[ring_kernel]
fn itself(priced: &Priced, done: &Outbox<Order>, price: &Ask<Query, Priced>) {}

#[ring_kernel]
fn no_answer(event: &Event, done: &Outbox<Order>, price: &Ask<Query, Bare>) {}

#[ring_kernel]
fn two_answers(event: &Event, done: &Outbox<Order>, price: &Ask<Query, Twice>) {}

#[ring_kernel]
fn no_query(event: &Event, done: &Outbox<Order>, price: &Ask<f32, Priced>) {}

#[ring_kernel]
fn as_message(price: &Ask<Query, Priced>, event: &Event, done: &Outbox<Order>) {}

#[ring_kernel]
fn whole(cx: &BlockCx, event: &Event, done: &Outbox<Order>, price: &Ask<Query, Priced>) {}

#[ring_kernel(timers = 64)]
fn no_timers(event: &Event, done: &Outbox<Order>, told: &Outbox<Query>) {}

#[device_fn]
fn asks(price: &Ask<Query, Priced>) {}

fn main() {}
