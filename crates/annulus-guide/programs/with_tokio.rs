use std::{error::Error, time::Duration};

use annulus::prelude::*;
use tokio::time::timeout;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Request {
    #[ring(key)]
    user: u32,
    amount: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reply {
    user: u32,
    total: u32,
}

#[ring_kernel]
fn totals(request: &Request, total: &mut u32, replies: &Outbox<Reply>) {
    *total += request.amount;
    replies.send(Reply { user: request.user, total: *total });
}

// ANCHOR: main
type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Outcome<()> {
    tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(serve())
}

async fn serve() -> Outcome<()> {
    let runtime = Runtime::builder().backend(Backend::Auto).build()?;
    let kernel = totals::launch(&runtime, LaunchOptions::production().actors(8))?;

    let users: Vec<_> = (0..8).map(|user| tokio::spawn(shop(kernel.clone(), user))).collect();
    for user in users {
        let reply = user.await??;
        println!("user {}: {}", reply.user, reply.total);
    }

    let shutdown = kernel.shutdown(Duration::from_secs(5)).await;
    println!("{:?}", shutdown.outcome);
    Ok(())
}

/// A clone of the handle is the same kernel.
async fn shop(kernel: KernelHandle<totals>, user: u32) -> Outcome<Reply> {
    for amount in 1..=100 {
        kernel.call(Request { user, amount }).await?;
    }
    // Tokio's time-out works as well as `call_within`. Dropping the future gives the call up.
    let reply = timeout(Duration::from_secs(10), kernel.call(Request { user, amount: 0 })).await??;
    Ok(reply)
}
// ANCHOR_END: main
