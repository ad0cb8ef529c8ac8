use std::{error::Error, time::Duration};

use annulus::{Interval, Thresholds, prelude::*};

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Number {
    value: u64,
}

#[ring_kernel(mode = Batch)]
fn collatz(number: &Number, longest: &mut u32) {
    let mut value = number.value;
    let mut steps = 0;
    while value > 1 {
        value = if value.is_multiple_of(2) { value / 2 } else { 3 * value + 1 };
        steps += 1;
    }
    *longest = (*longest).max(steps);
}

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = Runtime::builder().backend(Backend::Auto).build()?;
    // ANCHOR: poll
    let kernel = collatz::launch(&runtime, LaunchOptions::production().track_latency(true))?;
    let telemetry = kernel.enable_telemetry()?;

    let numbers: Vec<Number> = (1..=10_000).map(|value| Number { value }).collect();
    kernel.send_batch_blocking(&numbers)?;
    kernel.drained_blocking();

    let now = telemetry.poll();
    println!("{} processed, {} dropped", now.messages_processed, now.messages_dropped);
    let stuck_after = Duration::from_secs(1).as_nanos() as u64;
    println!("healthy: {}", now.is_healthy(telemetry.now(), stuck_after));
    // ANCHOR_END: poll
    assert!(now.min_latency_nanos <= now.max_latency_nanos);

    // ANCHOR: quantiles
    if let Some(latencies) = kernel.latencies() {
        println!("{} latencies", latencies.count());
        let (median, most) = (latencies.quantile(0.5), latencies.quantile(0.99));
        eprintln!("p50 {median} ns, p99 {most} ns, max {} ns", latencies.max());
    }
    // ANCHOR_END: quantiles

    // ANCHOR: every
    let mut samples = telemetry.poll_every(Interval::PRODUCTION);
    let mut before = samples.next().ok_or("the kernel has ended")?;
    kernel.send_batch_blocking(&numbers)?;
    for sample in samples.take(3) {
        if let Some(rates) = sample.since(&before) {
            eprintln!("{rates}");
        }
        for warning in sample.warnings(&before, &Thresholds::default()) {
            eprintln!("{warning}");
        }
        before = sample;
    }
    // ANCHOR_END: every
    kernel.drained_blocking();

    // ANCHOR: status
    let status = kernel.status();
    println!("{}: {}, {} sent, {} pending", status.name, status.state, status.sent, status.pending);
    for (cause, count) in status.drops.by_cause() {
        println!("  {cause}: {count}");
    }
    // ANCHOR_END: status
    Ok(())
}
