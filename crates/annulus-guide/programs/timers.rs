use std::{error::Error, time::Duration};

use annulus::prelude::*;

// ANCHOR: handler
const FULL: u32 = 64;
const LONGEST: u64 = 20_000_000; // Nanoseconds.

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Order {
    cents: u32,
    /// The number of the batch whose time is up; 0 for an order.
    closes: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Closed {
    number: u32,
    orders: u32,
    cents: u64,
}

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Open {
    closed: u32,
    orders: u32,
    cents: u64,
}

/// Sums up orders: always 64, or those that have come in 20 milliseconds.
#[ring_kernel(mode = Batch, timers = 1024)]
fn collect(order: &Order, open: &mut Open, later: &Later<Order>, out: &Outbox<Closed>) {
    let number = open.closed + 1;
    if order.closes == 0 {
        if open.orders == 0 {
            later.send_after(Order { cents: 0, closes: number }, LONGEST);
        }
        open.orders += 1;
        open.cents += order.cents as u64;
    }
    // The time of a batch that was full before concerns nobody any more.
    if open.orders == FULL || order.closes == number {
        out.send(Closed { number, orders: open.orders, cents: open.cents });
        *open = Open { closed: number, orders: 0, cents: 0 };
    }
}
// ANCHOR_END: handler

// ANCHOR: paced
#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum Pace {
    /// So many more are to be sent.
    Send { count: u32 },
    #[ring(tick)]
    Tick,
    #[ring(start)]
    Start,
    #[ring(stop)]
    Stop,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Ticket {
    number: u64,
}

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Paced {
    left: u32,
    next: u64,
}

/// Sends a ticket every five milliseconds, however many are asked for at once.
#[ring_kernel(on_tick = "5 ms")]
fn paced(message: &Pace, state: &mut Paced, out: &Outbox<Ticket>) {
    match message {
        Pace::Start => state.next = 100,
        Pace::Stop => out.send(Ticket { number: state.next }),
        Pace::Send { count } => state.left += *count,
        Pace::Tick => {
            if state.left != 0 {
                out.send(Ticket { number: state.next });
                state.left -= 1;
                state.next += 1;
            }
        }
    }
}
// ANCHOR_END: paced

// ANCHOR: largest
/// The largest batch of so many.
#[derive(RingMessage, Clone, Copy, Default)]
#[repr(C)]
struct Best {
    batches: u32,
    orders: u32,
    cents: u64,
}

/// Says after each batch which was the largest.
#[ring_kernel]
fn largest(batch: &Closed, best: &mut Best, out: &Outbox<Best>) {
    best.batches += 1;
    if batch.cents > best.cents {
        best.orders = batch.orders;
        best.cents = batch.cents;
    }
    out.send(*best);
}
// ANCHOR_END: largest

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = Runtime::builder().backend(Backend::Auto).build()?;
    // ANCHOR: run
    let kernel = collect::launch(&runtime, collect::options().active(false))?;
    kernel.send_batch_blocking(&[Order { cents: 5, closes: 0 }; 100])?;
    kernel.activate_blocking()?;
    let mut orders = 0;
    while orders < 100 {
        // Nobody sends any more: the last batch is closed by its timer.
        let batch = kernel.recv_blocking()?;
        println!("batch {}: {} orders, {} cents", batch.number, batch.orders, batch.cents);
        orders += batch.orders;
    }
    // ANCHOR_END: run
    drop(kernel);
    // ANCHOR: pace
    let kernel = paced::launch(&runtime, paced::options())?;
    let _ = kernel.send_blocking(Pace::Send { count: 3 })?;
    for _ in 0..3 {
        println!("ticket {}", kernel.recv_blocking()?.number);
    }
    kernel.terminate_blocking();
    println!("the next would be {}", kernel.recv_blocking()?.number);
    // ANCHOR_END: pace
    drop(kernel);
    // ANCHOR: chain
    let last = largest::launch(&runtime, largest::options().connectable(true))?;
    let first = collect::launch_into(&last, collect::options().name("first"))?;
    first.send_batch_blocking(&[Order { cents: 7, closes: 0 }; 10])?;
    let best = last.recv_blocking()?; // The timer has closed the batch.
    println!("{} batch, {} orders, {} cents", best.batches, best.orders, best.cents);
    println!("{} timer taken", first.status().timers.map_or(0, |timers| timers.taken));
    // ANCHOR_END: chain
    // ANCHOR: moved
    let clock = Clock::manual();
    let runtime = Runtime::builder().backend(Backend::Cpu).clock(&clock).build()?;
    let kernel = collect::launch(&runtime, collect::options())?;
    kernel.send_batch_blocking(&[Order { cents: 2, closes: 0 }; 3])?;
    kernel.drained_blocking();
    clock.advance(Duration::from_millis(20)); // Its time is up, though no time has passed.
    println!("by hand: {} orders", kernel.recv_blocking()?.orders);
    // ANCHOR_END: moved
    Ok(())
}

// ANCHOR: test
#[test]
fn the_first_order_of_a_batch_sets_its_timer() {
    use annulus::kernel::{TestLater, TestOutbox};

    let (mut later, mut out, mut open) = (TestLater::new(1), TestOutbox::new(1), Open::default());
    for cents in [3, 4] {
        collect(&Order { cents, closes: 0 }, &mut open, &later, &out);
    }
    let timers: Vec<_> = later.take().iter().map(|(nanos, order)| (*nanos, order.closes)).collect();
    assert_eq!(timers, [(LONGEST, 1)]);
    collect(&Order { cents: 0, closes: 1 }, &mut open, &later, &out);
    let closed: Vec<_> = out.take().iter().map(|batch| (batch.orders, batch.cents)).collect();
    assert_eq!(closed, [(2, 7)]);
}
// ANCHOR_END: test
