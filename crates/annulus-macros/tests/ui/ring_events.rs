use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum WithFields {
    Order { price: f32 },
    #[ring(tick)]
    Tick { now: u64 },
    #[ring(start)]
    Start(u32),
    #[ring(stop)]
    Stop(u32),
}

#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum WithKey {
    Order {
        #[ring(key)]
        actor: u32,
    },
    #[ring(tick)]
    Tick,
}

// What is wrong with it is said once.
#[ring_kernel(on_tick = "1 ms")]
fn by_key(_message: &WithKey) {}

#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum TwoTicks {
    #[ring(tick)]
    Fast,
    #[ring(tick)]
    Slow,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum TwoEnds {
    Order(u32),
    #[ring(stop)]
    Stop,
    #[ring(stop)]
    Terminate,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum BothInOne {
    #[ring(tick)]
    #[ring(start)]
    Tick,
    Order,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum OneList {
    #[ring(tick, start)]
    Tick,
    Order,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct OfAField {
    #[ring(tick)]
    now: u64,
}

#[derive(RingMessage, Clone, Copy)]
#[ring(start)]
#[repr(C)]
struct OfAType {
    now: u64,
}

#[derive(RingMessage, Clone)]
enum Bridged {
    Text(String),
    #[ring(start)]
    Start,
}

fn main() {}
