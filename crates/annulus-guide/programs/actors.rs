use std::{error::Error, time::Duration};

use annulus::prelude::*;

// ANCHOR: protocol
/// What an actor can be told or asked: one enum.
#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum Cart {
    Add {
        #[ring(key)]
        customer: u32,
        cents: u32,
    },
    Total {
        #[ring(key)]
        customer: u32,
    },
    CheckOut {
        #[ring(key)]
        customer: u32,
    },
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Sum {
    customer: u32,
    cents: u32,
}

#[ring_kernel]
fn carts(command: &Cart, cents: &mut u32, sums: &Outbox<Sum>) {
    match *command {
        Cart::Add { cents: more, .. } => *cents += more,
        Cart::Total { customer } => sums.send(Sum { customer, cents: *cents }),
        Cart::CheckOut { customer } => {
            sums.send(Sum { customer, cents: *cents });
            *cents = 0;
        }
    }
}
// ANCHOR_END: protocol

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = Runtime::builder().backend(Backend::Auto).build()?;
    // ANCHOR: use
    let carts = carts::launch(&runtime, LaunchOptions::production().actors(10_000))?;

    let _ = carts.send_blocking(Cart::Add { customer: 77, cents: 1250 })?; // tell
    let _ = carts.send_blocking(Cart::Add { customer: 77, cents: 300 })?;
    let limit = Duration::from_secs(1);
    let sum = carts.call_timeout(Cart::Total { customer: 77 }, limit)?; // ask
    println!("customer {} has {} cents in the cart", sum.customer, sum.cents);
    carts.call_timeout(Cart::CheckOut { customer: 77 }, limit)?;
    println!("then {}", carts.call_timeout(Cart::Total { customer: 77 }, limit)?.cents);
    // ANCHOR_END: use
    Ok(())
}
