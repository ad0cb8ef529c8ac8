use std::error::Error;

use annulus::prelude::*;

// ANCHOR: handler
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Job {
    number: u32,
}

#[ring_kernel(connectable = true)]
fn work(job: &Job, done: &Outbox<Job>) {
    done.send(*job);
}

/// Each job is for whoever has room.
#[ring_kernel(connectable = true)]
fn deal(job: &Job, jobs: &Outbox<Addressed<Job>>) {
    jobs.send(Addressed { to: Peer::<Job>::ANY, message: *job });
}
// ANCHOR_END: handler

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = Runtime::builder().backend(Backend::Auto).build()?;
    // ANCHOR: run
    let [anna, carl] = ["anna", "carl"].map(|name| work::launch(&runtime, work::options().name(name)));
    let (anna, carl) = (anna?, carl?);
    let bert = work::launch(&runtime, work::options().name("bert").capacity(16).active(false))?;
    let deal = deal::launch(&runtime, deal::options().active(false))?;
    deal.connect_peers(&[anna.peer(), bert.peer(), carl.peer()])?;
    deal.activate_blocking()?;

    for number in 0..100 {
        let _ = deal.send_blocking(Job { number })?;
    }
    for worker in [&anna, &carl] {
        for _ in 0..42 {
            worker.recv_blocking()?;
        }
    }
    bert.activate_blocking()?;
    deal.drained_blocking(); // all of it has come, and is counted
    for peer in deal.peers().peers {
        println!("{}: {}", peer.kernel.unwrap_or_default(), peer.sent);
    }
    // ANCHOR_END: run
    Ok(())
}
