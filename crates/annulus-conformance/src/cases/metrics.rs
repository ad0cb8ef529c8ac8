//! Rates, shares and averages of a window, as a value: R-05.

use std::{thread, time::Duration};

use annulus_runtime::{Interval, KernelMetrics, LaunchOptions, NamedQueue};

use super::policies::ticket;
use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    kernels::{number, policies::gate, queues::batch_sorter, swallow},
};

/// How many messages a rate stands for.
fn count(metrics: &KernelMetrics, rate: f64) -> u64 {
    (rate * metrics.window.as_secs_f64()).round() as u64
}

/// what happened between two statuses, and no more; nothing of a kernel that was another.
pub fn r05_rates_of_a_window(bench: &Bench) {
    let kernel = gate::launch(bench.runtime(), LaunchOptions::production().capacity(64)).unwrap();
    for id in 0..10 {
        let _ = kernel.send_blocking(ticket(id, 0)).unwrap();
    }
    drain(&kernel);
    let earlier = balanced(&kernel);
    for id in 0..20 {
        let _ = kernel.send_blocking(ticket(id, 0)).unwrap();
    }
    drain(&kernel);
    thread::sleep(Duration::from_millis(2));
    let status = balanced(&kernel);
    let metrics = status.since(&earlier).expect("time has passed");
    assert!(metrics.window >= Duration::from_millis(2), "{metrics}");
    let counts = [metrics.sent, metrics.processed, metrics.dropped, metrics.produced];
    assert_eq!(counts.map(|rate| count(&metrics, rate)), [20, 20, 0, 20], "{metrics}");
    assert_eq!(metrics.output_utilization, 30.0 / 64.0, "{metrics}");
    assert_eq!((metrics.utilization, metrics.average_latency), (0.0, None));
    assert!(earlier.since(&status).is_none() && status.since(&status).is_none());
    let since_launch = kernel.metrics();
    assert_eq!(count(&since_launch, since_launch.processed), 30);
    let other = gate::launch(bench.runtime(), LaunchOptions::production().name("other")).unwrap();
    assert!(other.status().since(&earlier).is_none());
}

/// how full a kernel's queues are: of the ring, or of all queues in front of it.
pub fn r05_utilization(bench: &Bench) {
    let options = LaunchOptions::production().capacity(16).active(false).grid(2);
    let kernel = swallow::launch(bench.runtime(), options.clone()).unwrap();
    kernel.deactivate_blocking().unwrap();
    kernel.try_send_batch(&(0..8).map(number).collect::<Vec<_>>()).unwrap();
    assert_eq!(kernel.metrics().utilization, 0.25);
    assert_eq!(kernel.status().inbound_capacity, 32);
    assert!(kernel.metrics().memory > 32 * 8, "{:?}", kernel.metrics());

    let options = options.grid(1).queue(NamedQueue::new("more").capacity(32)).name("queues");
    let kernel = batch_sorter::launch(bench.runtime(), options).unwrap();
    kernel.deactivate_blocking().unwrap();
    let tickets: Vec<_> = (0..24).map(|id| ticket(id, 0)).collect();
    kernel.queue("more").unwrap().try_send_batch(&tickets).unwrap();
    assert_eq!((kernel.status().inbound_capacity, kernel.metrics().utilization), (48, 0.5));
}

/// the average of the latencies that telemetry measures, of the window.
pub fn r05_average_latency(bench: &Bench) {
    let kernel = gate::launch(bench.runtime(), LaunchOptions::production()).unwrap();
    let telemetry = kernel.enable_telemetry().unwrap();
    assert_eq!(kernel.call_blocking(ticket(0, 0)), Ok(ticket(0, 0)));
    eventually(|| kernel.status().latencies == 1);
    let earlier = balanced(&kernel);
    for id in 0..10 {
        assert_eq!(kernel.call_blocking(ticket(id, 0)), Ok(ticket(id, 0)));
    }
    eventually(|| kernel.status().latencies == 11);
    let status = balanced(&kernel);
    let metrics = status.since(&earlier).expect("time has passed");
    assert_eq!(metrics.average_latency, Some((status.latency_total - earlier.latency_total) / 10));
    assert_eq!(status.latency_total.as_nanos(), u128::from(telemetry.poll().total_latency_nanos));
    telemetry.reset();
    let after = kernel.status();
    assert_eq!((after.latencies, after.latency_total), (0, Duration::ZERO));
    assert_eq!(after.since(&status).and_then(|metrics| metrics.average_latency), None);
}

/// R-05, T-13: rates of a window, from telemetry alone; regular times end with the kernel.
pub fn r05_t13_samples(bench: &Bench) {
    let kernel = gate::launch(bench.runtime(), LaunchOptions::production().capacity(64).grid(1)).unwrap();
    let telemetry = kernel.enable_telemetry().unwrap();
    let processed = |count: u64| eventually(|| telemetry.poll().messages_processed == count);
    for id in 0..10 {
        let _ = kernel.send_blocking(ticket(id, 0)).unwrap();
    }
    drain(&kernel);
    processed(10);
    let mut samples = telemetry.poll_every(Interval::DEBUGGING);
    let earlier = samples.next().expect("the kernel runs");
    for id in 0..20 {
        let _ = kernel.send_blocking(ticket(id, 0)).unwrap();
    }
    drain(&kernel);
    processed(30);
    let sample = telemetry.sample();
    let rates = sample.since(&earlier).expect("time has passed");
    let seconds = rates.window.as_secs_f64();
    assert_eq!(
        [rates.processed, rates.dropped].map(|rate| (rate * seconds).round() as u64),
        [20, 0],
        "{rates}"
    );
    assert_eq!((sample.capacity, rates.utilization), (64, 0.0));
    let total = sample.snapshot.total_latency_nanos - earlier.snapshot.total_latency_nanos;
    let measured = 20 - u64::from(sample.snapshot.unmeasured - earlier.snapshot.unmeasured);
    assert_eq!(rates.average_latency, total.checked_div(measured).map(Duration::from_nanos));
    telemetry.reset();
    assert_eq!(telemetry.sample().since(&sample), None, "it was reset");
    kernel.terminate_blocking();
    let last = samples.last().expect("the end is a sample");
    assert_eq!(last.snapshot, telemetry.poll());
}
