// A message that is refused is refused once, wherever it is used as one.
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
struct Unlaid {
    value: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Keyed {
    #[ring(key)]
    value: f32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Hosts {
    name: &'static str,
    letter: char,
    maybe: Option<(u32, f32)>,
    count: std::num::NonZeroU32,
}

#[ring_kernel]
fn letters(message: &Hosts, count: &mut u32) {
    let _ = message;
    *count += 1;
}

#[ring_kernel]
fn pass(message: &Unlaid, out: &Outbox<Keyed>) {
    out.send(Keyed { value: message.value as f32 });
}

fn write<M: annulus::message::Payload>(_: M) {}

fn main() {
    write(Unlaid { value: 1 });
    write(Keyed { value: 1.0 });
}
