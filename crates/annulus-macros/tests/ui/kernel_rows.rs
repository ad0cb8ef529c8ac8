#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Keyless {
    value: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Keyed {
    #[ring(key)]
    to: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Other {
    #[ring(key)]
    to: u32,
}

#[ring_kernel]
fn along_keyless(message: &Keyless, out: &Outbox<Along<Keyless>>) {
    out.send(Along { row: 0, from: 0, message: *message });
}

#[ring_kernel]
fn along(message: &Keyed, out: &Outbox<Along<Keyed>>) {
    out.send(Along { row: message.to, from: 0, message: *message });
}

#[ring_kernel]
fn take_others(message: &Other) {}

#[ring_kernel]
fn plain(message: &Keyed, out: &Outbox<Keyed>) {
    out.send(*message);
}

fn main() {
    let runtime = Runtime::builder().build().unwrap();
    let keyless = along_keyless::launch(&runtime, LaunchOptions::production()).unwrap();
    let kernel = along::launch(&runtime, LaunchOptions::production()).unwrap();
    let others = take_others::launch(&runtime, LaunchOptions::production()).unwrap();
    let plain = plain::launch(&runtime, LaunchOptions::production()).unwrap();
    kernel.connect_along(&others).unwrap();
    plain.connect_along(&kernel).unwrap();
    kernel.connect(&kernel).unwrap();
}
