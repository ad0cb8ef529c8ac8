// ANCHOR: types
use std::{error::Error, time::Duration};

use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Visit {
    #[ring(key)]
    page: u32,
    seconds: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Milestone {
    page: u32,
    visits: u32,
    average: f32,
}

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Page {
    visits: u32,
    seconds: u64,
}
// ANCHOR_END: types

// ANCHOR: handler
/// Tells of every hundredth visit to a page.
#[ring_kernel]
fn count(visit: &Visit, page: &mut Page, milestones: &Outbox<Milestone>) {
    page.visits += 1;
    page.seconds += u64::from(visit.seconds);
    if page.visits.is_multiple_of(100) {
        let average = page.seconds as f32 / page.visits as f32;
        milestones.send(Milestone { page: visit.page, visits: page.visits, average });
    }
}
// ANCHOR_END: handler

// ANCHOR: main
fn main() -> Result<(), Box<dyn Error>> {
    let runtime = Runtime::builder().backend(Backend::Auto).build()?;
    let kernel = count::launch(&runtime, LaunchOptions::production().actors(8))?;

    for visit in 0..250 {
        let _ = kernel.send_blocking(Visit { page: 3, seconds: 10 + visit % 5 })?;
    }
    for _ in 0..2 {
        let milestone = kernel.recv_blocking()?;
        println!(
            "page {}: {} visits, {:.1} seconds on average",
            milestone.page, milestone.visits, milestone.average
        );
    }

    let shutdown = kernel.shutdown_blocking(Duration::from_secs(5));
    println!("{} messages were left", shutdown.undelivered.len());
    println!("{}", kernel.status());
    Ok(())
}
// ANCHOR_END: main
