use std::{
    error::Error,
    sync::atomic::{AtomicU32, Ordering},
};

use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Hit {
    #[ring(key)]
    player: u32,
    points: u32,
}

// ANCHOR: handler
/// The player's points are the actor's own; the histogram is shared by all blocks.
#[ring_kernel]
fn score(hit: &Hit, points: &mut u32, histogram: &[AtomicU32]) {
    *points += hit.points;
    histogram[hit.points as usize % histogram.len()].fetch_add(1, Ordering::Relaxed);
}
// ANCHOR_END: handler

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = Runtime::builder().backend(Backend::Auto).build()?;
    // ANCHOR: snapshot
    let first = score::bind(&[0; 4]).launch(&runtime, LaunchOptions::production().actors(5).grid(2))?;
    for player in 0..5 {
        for points in 1..=3 {
            let _ = first.send_blocking(Hit { player, points: points * (player + 1) })?;
        }
    }
    first.drained_blocking();
    first.deactivate_blocking()?;
    let snapshot = first.snapshot_blocking()?;
    println!("points {:?}", snapshot.states::<u32>()?);
    println!("histogram {:?}", snapshot.memory::<u32>("histogram")?);
    first.terminate_blocking();
    // ANCHOR_END: snapshot

    // ANCHOR: restore
    // On another grid; it could be on another backend, too. Inactive until the state is set.
    let options = LaunchOptions::production().actors(5).grid(1).active(false);
    let second = score::bind(&[0; 4]).launch(&runtime, options)?;
    second.restore_blocking(&snapshot)?;
    second.activate_blocking()?;
    let _ = second.send_blocking(Hit { player: 4, points: 70 })?;
    second.drained_blocking();
    second.deactivate_blocking()?;
    println!("points {:?}", second.snapshot_blocking()?.states::<u32>()?);
    // ANCHOR_END: restore
    Ok(())
}
