use std::error::Error;

use annulus::{Pipeline, prelude::*};

// ANCHOR: handlers
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Query {
    #[ring(key)]
    share: u32,
    day: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Price {
    cents: u64,
}

/// Of each share, the day of the last query.
#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Known {
    day: u32,
    cents: u64,
}

/// Answers what it knows. What it does not know goes on to the kernel that computes it.
#[ring_kernel]
fn cache(query: &Query, known: &mut Known, miss: &Outbox<Query>, reply: &Reply<Price>) {
    if known.day == query.day {
        reply.send(Price { cents: known.cents });
    } else {
        known.day = query.day;
        known.cents = worth(query);
        miss.send(*query);
    }
}

#[device_fn]
fn worth(query: &Query) -> u64 {
    100 * (query.share as u64 + 1) + query.day as u64
}

#[ring_kernel]
fn compute(query: &Query, prices: &Outbox<Price>) {
    prices.send(Price { cents: worth(query) });
}
// ANCHOR_END: handlers

fn main() -> Result<(), Box<dyn Error>> {
    // ANCHOR: run
    let runtime = Runtime::builder().build()?;
    let options = LaunchOptions::production().through(64);
    let compute = compute::launch(&runtime, options.clone())?;
    let cache = cache::bind().connect_port(cache::MISS, &compute).launch(&runtime, options.actors(8))?;

    let prices = Pipeline::new(&cache, &compute)?;
    for (share, day) in [(3, 1), (3, 1), (5, 1), (3, 2), (3, 2)] {
        let Price { cents } = prices.call_blocking(Query { share, day })?;
        println!("share {share}, day {day}: {cents} cents");
    }
    let status = prices.status();
    println!("{} answered, {} of them by the cache", status.answered, status.on_the_way);
    println!("computed: {}", compute.status().processed);
    // ANCHOR_END: run
    drop((cache, compute));
    Ok(())
}
