#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(u8)]
enum Command {
    Resize(usize),
    Rename { text: String },
}

fn main() {}
