#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum Message {
    Order(u32),
    #[ring(tick)]
    Tick,
}

#[ring_kernel(on_tick = 10)]
fn no_unit(message: &Message) {}

#[ring_kernel(on_tick = "10")]
fn no_unit_in_text(message: &Message) {}

#[ring_kernel(on_tick = "500 ns")]
fn too_fast(message: &Message) {}

#[ring_kernel(on_tick = "0 ms")]
fn never(message: &Message) {}

#[ring_kernel(on_tick = "1441 min")]
fn too_slow(message: &Message) {}

#[ring_kernel(on_tick = "1 ms", on_tick = "2 ms")]
fn twice(message: &Message) {}

#[ring_kernel(on_tick = "1 ms")]
fn of_a_block(cx: &BlockCx, message: &Message) {}

struct Archived<T>(T);

#[ring_kernel(cpu_only, on_tick = "1 ms")]
fn bridged(message: &Archived<Message>) {}

fn main() {}
