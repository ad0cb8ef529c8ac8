use std::{error::Error, time::Duration};

use annulus::{barrier::NamedBarrier, prelude::*};

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = Runtime::builder().backend(Backend::Auto).build()?;
    // ANCHOR: run
    let epoch = NamedBarrier::launch(&runtime, "epoch", 3, Duration::from_millis(100))?;
    let _ = epoch.arrive(0)?; // does not wait
    let passed = epoch.arrive(1)?.wait_blocking()?; // or `.wait().await`, `.wait_timeout(…)`
    for party in passed.missing_parties() {
        println!("party {party} has not come to generation {}", passed.generation);
    }
    // ANCHOR_END: run
    Ok(())
}
