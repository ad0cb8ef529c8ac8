use std::{error::Error, time::Duration};

use annulus::{BridgeOptions, NamedQueue, Share, prelude::*, queue::QueueOptions};

// ANCHOR: handler
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Job {
    number: u32,
    queue: u32,
}

/// Does each job, and says which queue it came from.
#[ring_kernel]
fn work(cx: &Cx, job: &Job, done: &Outbox<Job>) {
    done.send(Job { number: job.number, queue: cx.queue() });
}
// ANCHOR_END: handler

fn job(number: u32) -> Job {
    Job { number, queue: 0 }
}

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = Runtime::builder().backend(Backend::Auto).build()?;
    // ANCHOR: named
    let options = LaunchOptions::production()
        .queue(NamedQueue::new("urgent").capacity(64).share(Share::Rank(1)))
        .queue(NamedQueue::new("bulk").share(Share::Weight(3)));
    let kernel = work::launch(&runtime, options.active(false))?;
    kernel.deactivate_blocking()?;

    let (urgent, bulk) = (kernel.queue("urgent")?, kernel.queue("bulk")?);
    kernel.send_batch_blocking(&[1, 2, 3, 4].map(job))?;
    bulk.send_batch_blocking(&[11, 12, 13, 14, 15, 16].map(job))?;
    let _ = urgent.send_blocking(job(21))?;

    kernel.activate_blocking()?;
    let done = (0..11).map(|_| kernel.recv_blocking()).collect::<Result<Vec<Job>, _>>()?;
    println!("jobs:   {:?}", done.iter().map(|job| job.number).collect::<Vec<_>>());
    println!("queues: {:?}", done.iter().map(|job| job.queue).collect::<Vec<_>>());
    // ANCHOR_END: named

    // ANCHOR: status
    for queue in kernel.status().queues {
        println!("{}: {} accepted, {} left", queue.name, queue.counters.enqueued, queue.counters.dequeued);
    }
    // ANCHOR_END: status

    // ANCHOR: reach
    kernel.deactivate_blocking()?;
    bulk.send_batch_blocking(&[31, 32, 33, 34, 35].map(job))?;
    let peeked = bulk.peek();
    println!("next: {:?}; {} wait, {} are handed over", peeked.next, peeked.waiting, peeked.handed_over);
    let cleared = bulk.clear();
    println!("{} came back, {} will be handled", cleared.messages.len(), cleared.handed_over);
    // ANCHOR_END: reach
    kernel.activate_blocking()?;
    kernel.drained_blocking();
    while kernel.try_recv().is_ok() {}

    // ANCHOR: bridges
    let orders = runtime.queues().create::<Job>(QueueOptions::new().name("orders"))?;
    let finished = runtime.queues().create::<Job>(QueueOptions::new().name("finished"))?;
    let consumes = kernel.queue("bulk")?.consume(&orders);
    kernel.publish_to_with(&finished, BridgeOptions::new().delay(Duration::from_millis(1)));

    let _ = orders.send_blocking(job(41))?;
    println!("finished: {:?}", finished.recv_blocking()?);
    println!("{}", consumes.status());

    println!("{}", runtime.queues().get::<u64>("orders").unwrap_err());
    runtime.queues().remove("orders"); // closes it, and so ends the bridge
    consumes.ended_blocking();
    println!("{} moved, ended: {}", consumes.status().moved, consumes.status().ended);
    // ANCHOR_END: bridges

    // ANCHOR: metrics
    let earlier = kernel.status();
    kernel.send_batch_blocking(&[1, 2, 3].map(job))?;
    kernel.drained_blocking();
    let metrics = kernel.status().since(&earlier).ok_or("no time has passed")?;
    println!("processed: {}", metrics.processed > 0.0);
    println!("{:.0} % of the inbound capacity is taken", metrics.utilization * 100.0);
    // ANCHOR_END: metrics
    Ok(())
}
