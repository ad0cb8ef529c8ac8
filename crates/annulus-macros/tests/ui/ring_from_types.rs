#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Keyed {
    #[ring(key)]
    worker: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Keyless {
    value: u32,
}

/// Some variants have a key.
#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum Mixed {
    #[ring(from)]
    Keyed(Keyed),
    #[ring(from)]
    Keyless(Keyless),
    Tick,
}

#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct NoMessage {
    value: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum OfNone {
    #[ring(from)]
    NoMessage(NoMessage),
}

fn main() {}
