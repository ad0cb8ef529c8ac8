#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum Ticking {
    Order(u32),
    #[ring(tick)]
    Tick,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum Starting {
    Order(u32),
    #[ring(start)]
    Start,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum Ending {
    Order(u32),
    #[ring(stop)]
    Stop,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Order {
    price: u32,
}

#[ring_kernel]
fn how_often(message: &Ticking) {}

#[ring_kernel(on_tick = "1 ms")]
fn which(message: &Starting) {}

#[ring_kernel(on_tick = "1 ms")]
fn of_a_struct(message: &Order) {}

#[ring_kernel]
fn of_a_block(cx: &BlockCx, message: &Starting) {}

#[ring_kernel]
fn of_a_body(cx: &BlockCx, inbox: &Inbox<Ticking>) {}

#[ring_kernel]
fn end_of_a_block(cx: &BlockCx, message: &Ending) {}

fn main() {}
