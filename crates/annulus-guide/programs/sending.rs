use std::{error::Error, time::Duration};

use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Number {
    value: u32,
}

// ANCHOR: order
/// An order may be sent twice, is worth nothing after a while, and may be urgent.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Order {
    #[ring(id)]
    number: u64,
    #[ring(priority)]
    urgency: u8,
}

#[ring_kernel(deduplication = ById, priority = true, expiry = "30 s", capacity = 64)]
fn take(order: &Order, out: &Outbox<Order>) {
    out.send(*order);
}
// ANCHOR_END: order

#[ring_kernel]
fn add_up(number: &Number, sum: &mut u64) {
    *sum += u64::from(number.value);
}

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = Runtime::builder().backend(Backend::Auto).build()?;
    // ANCHOR: reject
    // Inactive, so that its ring of 16 slots fills up in front of our eyes.
    let options = LaunchOptions::low_latency().capacity(16).active(false);
    let kernel = add_up::launch(&runtime, options.name("rejecting"))?;
    for value in 0..16 {
        let _ = kernel.try_send(Number { value })?;
    }
    match kernel.try_send(Number { value: 16 }) {
        Err(TrySendError::Full(number)) => println!("full: {} came back", number.value),
        other => return Err(format!("{other:?}").into()),
    }
    // ANCHOR_END: reject

    // ANCHOR: oldest
    let options =
        LaunchOptions::production().capacity(16).backpressure(Backpressure::DropOldest).active(false);
    let kernel = add_up::launch(&runtime, options.name("forgetful"))?;
    let mut evicted = Vec::new();
    for value in 0..100 {
        if let SendOutcome::Evicted(old) = kernel.send_blocking(Number { value })? {
            evicted.push(old.value);
        }
    }
    let kept = 100 - evicted.len();
    println!("{} were sent, {kept} wait, the oldest left: {}", kernel.status().sent, evicted[0]);
    // ANCHOR_END: oldest
    assert_eq!(kernel.status().drops.evicted, evicted.len() as u64);

    // ANCHOR: policies
    let kernel = take::launch(&runtime, take::options().active(false))?;
    kernel.deactivate_blocking()?;
    for (number, urgency) in [(1, 5), (2, 5), (3, 5), (4, 200), (5, 0), (6, 200)] {
        let _ = kernel.send_blocking(Order { number, urgency })?;
    }
    if let SendOutcome::Duplicate(order) = kernel.send_blocking(Order { number: 3, urgency: 5 })? {
        println!("order {} was sent before", order.number);
    }
    println!("{} of {} are handed over", kernel.status().handed_over, kernel.status().pending);
    kernel.activate_blocking()?;
    let order: Vec<u64> =
        (0..6).map(|_| kernel.recv_blocking().map(|order| order.number)).collect::<Result<_, _>>()?;
    println!("handled: {order:?}");
    // ANCHOR_END: policies

    // ANCHOR: block
    let kernel = add_up::launch(&runtime, LaunchOptions::production().capacity(16).name("patient"))?;
    let numbers: Vec<Number> = (0..100_000).map(|value| Number { value }).collect();
    kernel.send_batch_blocking(&numbers)?;
    let _ = kernel.send_timeout(Number { value: 1 }, Duration::from_secs(1))?;
    kernel.drained_blocking();
    println!("{} processed", kernel.status().processed);
    // ANCHOR_END: block
    Ok(())
}
