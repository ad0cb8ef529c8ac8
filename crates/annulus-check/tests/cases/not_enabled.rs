//! telemetry_not_enabled: A-03 where the types allow it.

use std::{thread, time::Duration};

use annulus::{Telemetry, prelude::*};

use super::common::*;

fn never_measured(runtime: &Runtime) {
    let kernel = total::launch(runtime, LaunchOptions::production().actors(1)).unwrap();
    let _ = kernel.send_blocking(Number { value: 1 }).unwrap();
    println!("{}", kernel.latencies().unwrap().count()); //~ telemetry_not_enabled
}

fn options_in_a_variable(runtime: &Runtime) -> Result<(), LaunchError> {
    let options = LaunchOptions::low_latency().capacity(64);
    let kernel = total::launch(runtime, options.clone().track_latency(false))?;
    let same = kernel.clone();
    println!("{}", same.latencies().expect("they are tracked").count()); //~ telemetry_not_enabled
    Ok(())
}

fn stale(telemetry: &Telemetry) {
    telemetry.set_enabled(false);
    for _ in 0..10 {
        println!("{}", telemetry.poll()); //~ telemetry_not_enabled
        thread::sleep(Duration::from_secs(1));
    }
}

// Near misses.

fn measured(runtime: &Runtime) {
    let kernel = total::launch(runtime, LaunchOptions::production().track_latency(true)).unwrap();
    println!("{}", kernel.latencies().unwrap().count());
}

fn perhaps(runtime: &Runtime, options: LaunchOptions, track: bool) {
    let kernel = total::launch(runtime, options).unwrap();
    println!("{}", kernel.latencies().unwrap().count());
    let other =
        total::launch(runtime, LaunchOptions::production().name("other").track_latency(track)).unwrap();
    println!("{}", other.latencies().unwrap().count());
}

fn asks_first(runtime: &Runtime) {
    let kernel = total::launch(runtime, LaunchOptions::production()).unwrap();
    if let Some(latencies) = kernel.latencies() {
        println!("{}", latencies.count());
    }
}

fn last_snapshot(telemetry: &Telemetry) {
    telemetry.set_enabled(false);
    println!("{}", telemetry.poll());
}

fn switched_on_again(telemetry: &Telemetry) {
    telemetry.set_enabled(false);
    println!("{}", telemetry.poll());
    telemetry.set_enabled(true);
    for _ in 0..10 {
        println!("{}", telemetry.poll());
        thread::sleep(Duration::from_secs(1));
    }
}

fn only_sometimes(telemetry: &Telemetry, quiet: bool) {
    if quiet {
        telemetry.set_enabled(false);
    }
    for _ in 0..10 {
        println!("{}", telemetry.poll());
    }
}

fn in_phases(telemetry: &Telemetry) {
    for _ in 0..10 {
        telemetry.set_enabled(true);
        println!("{}", telemetry.poll());
        telemetry.set_enabled(false);
    }
}

struct Watch {
    telemetry: Telemetry,
}

impl Watch {
    fn looks_at_what_never_changes(&self) {
        self.telemetry.set_enabled(false);
        for _ in 0..3 {
            println!("{}", self.telemetry.poll()); //~ telemetry_not_enabled
        }
    }
}
