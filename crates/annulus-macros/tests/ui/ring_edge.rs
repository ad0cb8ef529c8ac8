#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Wide {
    #[ring(key)]
    to: u32,
    #[ring(edge)]
    weight: u64,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Narrow {
    #[ring(key)]
    to: u32,
    #[ring(edge)]
    weight: u16,
    #[ring(edge)]
    other: f64,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Twice {
    #[ring(key)]
    to: u32,
    #[ring(edge)]
    weight: u32,
    #[ring(edge)]
    length: f32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Keyless {
    #[ring(edge)]
    weight: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Several {
    #[ring(key)]
    to: u32,
    #[ring(edge)]
    weights: [u32; 2],
}

#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum Either {
    Edge {
        #[ring(key)]
        to: u32,
        #[ring(edge)]
        weight: u32,
    },
}

#[derive(RingMessage, Clone)]
struct Bridged {
    #[ring(key)]
    to: u32,
    #[ring(edge)]
    weight: u32,
    name: String,
}

fn main() {}
