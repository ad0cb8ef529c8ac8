use std::{
    error::Error,
    thread,
    time::{Duration, Instant},
};

use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Order {
    #[ring(key)]
    article: u32,
    pieces: u32,
    /// By this an order is recognised when it fails again.
    #[ring(id)]
    number: u64,
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Sold {
    number: u64,
}

/// The article is sold out.
const SOLD_OUT: Failure = Failure::of(1);

#[ring_kernel(actors = 2)]
fn sell(order: &Order, stock: &mut u32, sold: &Outbox<Sold>) -> Result<(), Failure> {
    if order.pieces == 0 {
        *stock += 5; // a delivery
        return Ok(());
    }
    *stock = stock.checked_sub(order.pieces).ok_or(SOLD_OUT)?;
    sold.send(Sold { number: order.number });
    Ok(())
}

// ANCHOR: consume
/// How long an output is waited for before the loop looks after dead letters.
const QUIET: Duration = Duration::from_millis(50);
/// After so many attempts an order is given up.
const ATTEMPTS: u32 = 10;

fn consume(kernel: &KernelHandle<sell>) -> (usize, Vec<Order>) {
    let (mut sold, mut given_up) = (0, Vec::new());
    let mut pause = Duration::from_millis(100);
    let mut next = Instant::now();
    loop {
        match kernel.recv_timeout(QUIET) {
            Ok(Sold { number }) => {
                println!("order {number} is sold");
                sold += 1;
            }
            // Nothing came in time: that is not the end.
            Err(RecvError::Timeout) => {}
            // The kernel has ended, and all that it sent was received.
            Err(RecvError::Closed) => break,
        }
        if Instant::now() >= next {
            let again = kernel.redrive(ATTEMPTS);
            // What fails, fails again at once: each time it is left alone for longer.
            pause = if again.sent == 0 { Duration::from_millis(100) } else { pause * 2 };
            next = Instant::now() + pause;
        }
    }
    // What the kernel did not handle to its end is still there, and so is what was tried too often.
    let letters = kernel.dead_letters().expect("it was launched with them");
    loop {
        let batch = letters.take_batch();
        if batch.is_empty() {
            return (sold, given_up);
        }
        given_up.extend(batch.into_iter().map(|letter| letter.message));
    }
}
// ANCHOR_END: consume

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = Runtime::builder().backend(Backend::Auto).build()?;
    let kernel = sell::launch(&runtime, sell::options())?;
    let consumer = thread::spawn({
        let kernel = kernel.clone();
        move || consume(&kernel)
    });
    let order = |number, article, pieces| Order { article, pieces, number };
    // The second is for an article of which there is none yet, the last for one that never comes.
    for order in [order(1, 0, 0), order(2, 1, 3), order(3, 0, 2), order(4, 0, 9)] {
        let _ = kernel.send_blocking(order)?;
    }
    kernel.drained_blocking();
    let _ = kernel.send_blocking(order(5, 1, 0))?; // a delivery
    while kernel.status().produced < 2 {
        thread::sleep(Duration::from_millis(10));
    }
    kernel.shutdown_blocking(Duration::from_secs(10));
    let (sold, given_up) = consumer.join().expect("it does not panic");
    println!("{sold} sold");
    for order in given_up {
        println!("order {} was given up", order.number);
    }
    Ok(())
}
