//! Bridged messages: what cannot stand in them, and where they cannot go.
#![allow(unused_variables)]
use std::collections::HashMap;

use annulus::prelude::*;

#[derive(RingMessage)]
struct Unordered {
    text: String,
    counts: HashMap<String, u32>,
    size: usize,
}

#[derive(RingMessage)]
#[ring(bridged)]
#[repr(C)]
struct Fixed {
    text: String,
}

#[derive(RingMessage)]
#[ring(direct)]
struct Loose {
    text: String,
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
    name: String,
}

#[derive(RingMessage)]
struct Entry {
    text: String,
}

#[ring_kernel]
fn takes_text(entry: &Entry) {}

fn main() {}
