#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum Command {
    Add {
        #[ring(key)]
        account: u32,
        amount: f32,
    },
    Close,
    #[ring(key)]
    Open(u32),
}

fn main() {}
