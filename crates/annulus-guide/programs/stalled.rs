use std::{error::Error, time::Duration};

use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Number {
    value: u32,
}

#[ring_kernel]
fn echo(number: &Number, out: &Outbox<Number>) {
    out.send(*number);
}

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = Runtime::builder().backend(Backend::Auto).build()?;
    // ANCHOR: stalled
    let kernel = echo::launch(&runtime, LaunchOptions::production().capacity(16))?;
    // 16 outputs fill the outbound ring. Nobody receives, so the kernel takes no more messages, and the inbound
    // ring fills up as well.
    let mut sent = 0;
    let refused = loop {
        match kernel.send_timeout(Number { value: sent }, Duration::from_secs(1)) {
            Ok(_) => sent += 1,
            Err(error) => break error,
        }
    };
    println!("{sent} were sent; then: {refused}");
    println!("{}", kernel.status());
    // ANCHOR_END: stalled

    // ANCHOR: received
    let outputs = std::iter::from_fn(|| kernel.recv_timeout(Duration::from_secs(10)).ok());
    println!("{} were received", outputs.take(sent as usize).count());
    let _ = kernel.send_blocking(Number { value: sent })?; // there is room again
    println!("{} shards stalled", kernel.status().stalled_shards);
    // ANCHOR_END: received
    Ok(())
}
