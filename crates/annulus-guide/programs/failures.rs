use std::error::Error;

use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Transfer {
    #[ring(key)]
    account: u32,
    cents: i64,
    /// By this a message is recognised when it fails again.
    #[ring(id)]
    number: u64,
}

// ANCHOR: handler
const OVERDRAWN: Failure = Failure::of(1);

#[ring_kernel]
fn book(transfer: &Transfer, balance: &mut i64) -> Result<(), Failure> {
    *balance += transfer.cents;
    if *balance < 0 {
        return Err(OVERDRAWN); // takes back what the line above did
    }
    assert!(transfer.cents != 0, "a transfer of nothing");
    Ok(())
}
// ANCHOR_END: handler

fn main() -> Result<(), Box<dyn Error>> {
    // A panic in a handler is caught. The standard hook would print it all the same.
    std::panic::set_hook(Box::new(|_| {}));
    let runtime = Runtime::builder().backend(Backend::Auto).build()?;
    // ANCHOR: letters
    let kernel = book::launch(&runtime, LaunchOptions::production().actors(2))?;
    let transfers = [(0, 500), (1, -300), (0, 0), (0, -200)];
    for (number, (account, cents)) in (1..).zip(transfers) {
        let _ = kernel.send_blocking(Transfer { account, cents, number })?;
    }
    kernel.drained_blocking();
    let status = kernel.status();
    println!("{} processed, {} failed", status.processed, status.drops.failed);
    // ANCHOR_END: letters

    // ANCHOR: redrive
    // What was missing comes in; then the dead letters get another try.
    let _ = kernel.send_blocking(Transfer { account: 1, cents: 1000, number: 5 })?;
    let again = kernel.redrive(3);
    println!("{} sent again", again.sent);
    kernel.drained_blocking();
    if let Some(dead_letters) = kernel.dead_letters() {
        for dead_letter in dead_letters.take_batch() {
            println!(
                "transfer {}, after {} attempts: {}",
                dead_letter.message.number, dead_letter.attempts, dead_letter.reason
            );
        }
    }
    // ANCHOR_END: redrive
    kernel.deactivate_blocking()?;
    println!("balances {:?}", kernel.snapshot_blocking()?.states::<i64>()?);
    Ok(())
}
