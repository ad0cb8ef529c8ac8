//! Names of the standard library and of the prelude may mean something else where a kernel stands.
#![allow(dead_code, unused_variables, nonstandard_style)]
extern crate annulus;

struct Option;
struct Result<T, E>(T, E);
struct Vec;
struct Some;
mod core {}
mod std {}

#[derive(annulus::prelude::RingMessage, Clone, Copy)]
#[repr(C)]
struct Message {
    #[ring(id)]
    DESCRIPTOR: u32,
}

#[derive(annulus::prelude::DeviceType, Clone, Copy)]
#[repr(u8)]
enum Kind {
    Self_,
    Message(Message),
    Other { tag: u32, field_0: u8 },
}

#[annulus::prelude::ring_kernel]
fn Continuous(_: &Message, kinds: &[Kind], state: &mut u32) {
    *state += 1;
}

fn main() {
    let _ = Continuous::bind(&[]);
}
