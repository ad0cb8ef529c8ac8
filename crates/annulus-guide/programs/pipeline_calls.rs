use std::error::Error;

use annulus::{CallError, Pipeline, prelude::*};

// ANCHOR: handlers
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Order {
    pieces: u32,
    cents: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Total {
    cents: u64,
}

const NO_PIECES: u16 = 1;

/// Refuses an order of nothing; of one that is too small nothing comes.
#[ring_kernel]
fn check(order: &Order, out: &Outbox<Order>) -> Result<(), Failure> {
    if order.pieces == 0 {
        return Err(Failure::of(NO_PIECES));
    }
    if order.pieces * order.cents >= 1000 {
        out.send(*order);
    }
    Ok(())
}

#[ring_kernel]
fn price(order: &Order, out: &Outbox<Total>) {
    out.send(Total { cents: order.pieces as u64 * order.cents as u64 });
}

/// Adds the tax.
#[ring_kernel]
fn tax(total: &Total, out: &Outbox<Total>) {
    out.send(Total { cents: total.cents + total.cents / 5 });
}
// ANCHOR_END: handlers

fn main() -> Result<(), Box<dyn Error>> {
    // ANCHOR: run
    let runtime = Runtime::builder().build()?;
    let options = LaunchOptions::production().through(64);
    let tax = tax::launch(&runtime, options.clone())?;
    let price = price::launch_into(&tax, options.clone())?;
    let check = check::launch_into(&price, options)?;

    let whole = Pipeline::new(&check, &tax)?;
    let total = whole.call_blocking(Order { pieces: 3, cents: 500 })?;
    println!("three at 5.00 cost {} cents", total.cents);

    for order in [Order { pieces: 0, cents: 500 }, Order { pieces: 1, cents: 999 }] {
        match whole.call_blocking(order) {
            Ok(total) => println!("{} cents", total.cents),
            Err(CallError::Failed { code: NO_PIECES, .. }) => println!("of what?"),
            Err(error) => println!("{error}"),
        }
    }
    let status = whole.status();
    println!("{} calls: {} answered, {} failed", status.calls, status.answered, status.failed);
    // ANCHOR_END: run
    drop((check, price, tax));
    Ok(())
}
