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

#[derive(RingMessage, Clone, Copy)]
#[repr(u64)]
enum Wrong {
    #[ring(from)]
    Nothing,
    #[ring(from)]
    Two(Keyed, Keyed),
    #[ring(from)]
    One(Keyed),
    #[ring(from)]
    Again(Keyed),
    #[ring(from)]
    Marked(#[ring(key)] Keyless),
    Inside(#[ring(from)] Keyless),
    #[ring(key)]
    Word(u32),
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Holds {
    #[ring(from)]
    keyed: Keyed,
}

#[derive(RingMessage)]
enum Bridged {
    #[ring(from)]
    Keyed(Keyed),
    Text(String),
}

fn main() {}
