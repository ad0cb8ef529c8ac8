use std::{
    error::Error,
    sync::atomic::{AtomicU32, Ordering::Relaxed},
};

use annulus::{Consistency, prelude::*};

// ANCHOR: handler
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Step {
    #[ring(key)]
    worker: u32,
    place: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Found {
    value: u32,
}

/// Each worker reads what the one before it wrote, and writes the next value to a place of its own.
#[ring_kernel]
fn pass_on(cx: &Cx, step: &Step, table: &[AtomicU32], found: &Outbox<Found>) {
    cx.fence(FenceScope::System); // What was taken before comes before what is read now.
    let value = table[step.place as usize].load(Relaxed);
    table[step.place as usize + 1].store(value + 1, Relaxed);
    cx.fence(FenceScope::System); // What was written comes before what is sent now.
    found.send(Found { value });
}
// ANCHOR_END: handler

// ANCHOR: counted
/// The same without fences: each message carries the order of what happened before it.
#[ring_kernel(consistency = ReleaseAcquire, causal_ordering = true)]
fn pass(step: &Step, table: &[AtomicU32], found: &Outbox<Found>) {
    let value = table[step.place as usize].load(Relaxed);
    table[step.place as usize + 1].store(value + 1, Relaxed);
    found.send(Found { value });
}
// ANCHOR_END: counted

// ANCHOR: stamped
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Order {
    number: u32,
}

/// An order, and the stamp of the message that it came with.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Booked {
    number: u32,
    at: u64,
}

#[ring_kernel(causal = true)]
fn book(cx: &Cx, order: &Order, booked: &Outbox<Booked>) {
    booked.send(Booked { number: order.number, at: cx.stamp() });
}

/// Sends bookings on, in whatever order they come.
#[ring_kernel(causal = true)]
fn archive(cx: &Cx, booking: &Booked, archived: &Outbox<Booked>) {
    if cx.stamp() > booking.at {
        archived.send(*booking); // It always is: the booking was sent because of the order.
    }
}
// ANCHOR_END: stamped

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = Runtime::builder().backend(Backend::Auto).build()?;
    // ANCHOR: launch
    let options = LaunchOptions::low_latency().grid(4).consistency(Consistency::Relaxed);
    let kernel = pass_on::bind(&[0; 101]).launch(&runtime, options)?;
    let mut last = 0;
    for place in 0..100 {
        last = kernel.call_blocking(Step { worker: place % 4, place })?.value;
    }
    println!("with fences: the last of 100 found {last}");
    // ANCHOR_END: launch
    let kernel = pass::bind(&[0; 101]).launch(&runtime, pass::options().grid(4))?;
    for place in 0..100 {
        last = kernel.call_blocking(Step { worker: place % 4, place })?.value;
    }
    println!("with messages that order: the last of 100 found {last}");
    // ANCHOR: stamps
    let archive = archive::launch(&runtime, archive::options().connectable(true))?;
    let [one, other] = ["one", "other"].map(|name| book::launch_into(&archive, book::options().name(name)));
    let (one, other) = (one?, other?);
    let _ = one.send_blocking(Order { number: 1 })?;
    let first = archive.recv_blocking()?;
    let seen = Stamp::received().expect("an archived booking has a stamp");
    // This one is sent because the first has come, by another kernel.
    let _ = other.send_blocking(Order { number: 2 })?;
    let second = archive.recv_blocking()?;
    let in_order = Stamp::of(first.at) < seen && seen < Stamp::of(second.at);
    println!("order {}, what came of it, order {}: {in_order}", first.number, second.number);
    // ANCHOR_END: stamps
    Ok(())
}
