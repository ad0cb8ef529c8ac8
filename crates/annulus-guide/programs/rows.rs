use std::error::Error;

use annulus::prelude::*;

// ANCHOR: handler
/// Somebody is on the way to a town.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Travel {
    #[ring(key)]
    town: u32,
    #[ring(edge)]
    road: u32, // its length, in km
    so_far: u32,
}

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Nearest {
    is_known: u32,
    km: u32,
}

/// Who is reached by a shorter way tells all neighbours.
#[ring_kernel(mode = Batch)]
fn explore(travel: &Travel, nearest: &mut Nearest, roads: &Outbox<Along<Travel>>) {
    let km = travel.so_far + travel.road;
    if nearest.is_known == 0 || km < nearest.km {
        nearest.is_known = 1;
        nearest.km = km;
        roads.send(Along { row: travel.town, from: 0, message: Travel { so_far: km, ..*travel } });
    }
}
// ANCHOR_END: handler

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = Runtime::builder().backend(Backend::Auto).build()?;
    // ANCHOR: run
    // From town 0 to 1 and 2, from 1 to 3, from 2 to 1 and 3; nobody comes to 4.
    let roads = Rows::of_lists([vec![1, 2], vec![3], vec![1, 3], vec![], vec![0]])?;
    let roads = roads.with_values(&[9_u32, 2, 4, 3, 20, 1])?; // km, in the same order
    let options = LaunchOptions::production().actors(5).rows(roads);
    let explore = explore::launch(&runtime, options.active(false))?;
    explore.connect_along(&explore)?; // the towns are actors of the kernel itself
    explore.activate_blocking()?;

    let _ = explore.send_blocking(Travel { town: 0, road: 0, so_far: 0 })?;
    explore.drained_blocking();
    println!("copies: {}", explore.rows().sent);
    explore.deactivate_blocking()?;
    for (town, nearest) in explore.snapshot_blocking()?.states::<Nearest>()?.iter().enumerate() {
        match nearest.is_known {
            0 => println!("town {town}: no way"),
            _ => println!("town {town}: {} km", nearest.km),
        }
    }
    // ANCHOR_END: run
    Ok(())
}
