use std::error::Error;

use annulus::{Handling, TraceContext, TraceEvent, prelude::*};

// ANCHOR: handlers
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Order {
    pieces: u32,
    cents: u32,
}

const NO_PIECES: u16 = 1;

#[ring_kernel]
fn check(order: &Order, out: &Outbox<Order>) -> Result<(), Failure> {
    if order.pieces == 0 {
        return Err(Failure::of(NO_PIECES));
    }
    out.send(*order);
    Ok(())
}

#[ring_kernel]
fn discount(order: &Order, out: &Outbox<Order>) {
    out.send(Order { cents: order.cents - order.cents / 10, ..*order });
}
// ANCHOR_END: handlers

fn main() -> Result<(), Box<dyn Error>> {
    // ANCHOR: run
    let runtime = Runtime::builder().build()?;
    // Of all others one in a thousand is followed.
    let options = LaunchOptions::production().tracing(true).trace_sample(0.001);
    let discount = discount::launch(&runtime, options.clone().connectable(true))?;
    let check = check::launch_into(&discount, options)?;

    // These are followed in any case: they continue a trace of the program's.
    let request = TraceContext { trace_id: 0x1234_5678, span_id: 1 };
    {
        let _scope = request.enter();
        let _ = check.send_blocking(Order { pieces: 3, cents: 500 })?;
        let _ = check.send_blocking(Order { pieces: 0, cents: 500 })?;
    }
    println!("received: {} cents each", discount.recv_blocking()?.cents);
    check.drained_blocking();
    // ANCHOR_END: run

    // ANCHOR: told
    // A kernel tells what its handlers did a moment later. After its end it has told all.
    check.terminate_blocking();
    discount.terminate_blocking();
    let events = runtime.take_traces();
    let calls: Vec<&Handling> = events
        .iter()
        .filter_map(|event| match event {
            TraceEvent::Handled(handling) => Some(handling),
            _ => None,
        })
        .collect();
    for first in calls.iter().filter(|call| call.from_host) {
        let waited = first.taken.duration_since(first.sent)?;
        let took = first.done.duration_since(first.taken)?;
        assert!(waited.as_secs() < 60 && took.as_secs() < 60);
        match &first.error {
            Some((_, what)) => println!("{}: {what}", first.kernel),
            None => println!("{}: {} output", first.kernel, first.outputs),
        }
        for next in calls.iter().filter(|call| call.parent_id == first.span_id) {
            println!("  {}: {} output", next.kernel, next.outputs);
        }
    }
    // ANCHOR_END: told
    Ok(())
}
