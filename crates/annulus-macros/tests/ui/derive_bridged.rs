//! Bridged messages: how they are written, and where they cannot go. (This crate has them switched off.)
#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage)]
#[ring(bridged)]
#[repr(C)]
struct Fixed {
    text: String,
}

#[derive(RingMessage, Clone, Copy)]
#[ring(direct)]
struct Loose {
    count: u32,
}

#[derive(RingMessage)]
struct Any<T> {
    values: Vec<T>,
}

#[derive(RingMessage)]
#[ring(bridged, direct)]
struct Both(u32);

#[derive(RingMessage)]
#[ring(large, version = "two")]
struct Words(String);

#[derive(RingMessage)]
struct Key {
    #[ring(key)]
    name: Option<String>,
}

#[derive(RingMessage)]
struct Entry {
    text: String,
}

#[ring_kernel]
fn takes_text(entry: &Entry) {}

fn main() {}
