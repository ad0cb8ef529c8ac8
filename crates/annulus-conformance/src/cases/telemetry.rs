//! Telemetry: exact, never torn, free while it is off, readable to the end.

use std::{
    thread,
    time::{Duration, Instant},
};

use annulus_runtime::{Backpressure, LaunchOptions, TelemetryError};

use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    kernels::{FAIL, Item, TEAPOT, batch_echo, echo, fragile, number, numbers, swallow, track},
};

/// T-04, T-06: counts are exact when the kernel is at rest, latencies are in order.
pub fn t04_counts_are_exact(bench: &Bench) {
    for grid in [1, 3] {
        let options = LaunchOptions::default().grid(grid).actors(8).name(format!("grid-{grid}"));
        let kernel = track::launch(bench.runtime(), options).unwrap();
        let telemetry = kernel.enable_telemetry().unwrap();
        let before = telemetry.poll();
        assert_eq!(
            (before.messages_processed, before.messages_dropped, before.min_latency_nanos),
            (0, 0, u64::MAX)
        );
        assert_eq!((before.average_latency_nanos(), before.latency_variance()), (0, 0.0));
        let begun = telemetry.now();
        for sequence in 0..500 {
            // Two of ten keys name no actor.
            let _ =
                kernel.send_blocking(Item { key: (sequence % 10) as u32, producer: 0, sequence }).unwrap();
        }
        drain(&kernel);
        let snapshot = telemetry.poll();
        assert_eq!((snapshot.messages_processed, snapshot.messages_dropped), (400, 100));
        assert_eq!((snapshot.queue_depth, snapshot.error_code), (0, annulus_abi::error::UNKNOWN_ACTOR));
        let average = snapshot.average_latency_nanos();
        assert!(
            snapshot.min_latency_nanos <= average && average <= snapshot.max_latency_nanos,
            "{snapshot:?}"
        );
        assert_eq!(snapshot.throughput(1.0), 400.0);
        let last = snapshot.last_processed_timestamp as u64;
        assert!(last <= telemetry.now(), "{snapshot:?}");
        if bench.has_fine_clock() {
            assert!(snapshot.latency_variance() >= 1.0 && begun < last, "{begun} {snapshot:?}");
        }
        assert_eq!(telemetry.poll(), snapshot, "nothing happened");
    }
}

/// T-06: an error's code is shown, and makes the kernel unhealthy until the next reset.
pub fn t05_an_error_is_unhealthy(bench: &Bench) {
    let kernel = fragile::launch(bench.runtime(), LaunchOptions::default()).unwrap();
    let telemetry = kernel.enable_telemetry().unwrap();
    for value in [1, FAIL, 2] {
        let _ = kernel.send_blocking(number(value)).unwrap();
    }
    drain(&kernel);
    let snapshot = telemetry.poll();
    assert_eq!((snapshot.messages_processed, snapshot.messages_dropped, snapshot.error_code), (2, 1, TEAPOT));
    assert!(!snapshot.is_healthy(telemetry.now(), u64::MAX));
    assert!(snapshot.to_string().contains("0x01a2"), "{snapshot}");
    telemetry.reset();
    assert!(telemetry.poll().is_healthy(telemetry.now(), u64::MAX));
}

/// T-05: an idle kernel is healthy for ever; one that does not get on with what waits is not.
pub fn t05_a_stall_is_unhealthy(bench: &Bench) {
    let options = LaunchOptions::default().capacity(64).output_capacity(16).active(false);
    let kernel = echo::launch(bench.runtime(), options).unwrap();
    let telemetry = kernel.enable_telemetry().unwrap();
    assert!(telemetry.poll().is_healthy(telemetry.now(), 0), "nothing waits");
    kernel.send_batch_blocking(&numbers(0..30)).unwrap();
    kernel.activate_blocking().unwrap();
    eventually(|| kernel.status().stalled_shards == 1);
    let snapshot = telemetry.poll();
    assert_eq!((snapshot.messages_processed, snapshot.queue_depth), (16, 14));
    let last = snapshot.last_processed_timestamp as u64;
    assert!(snapshot.is_healthy(last + 1_000_000, 1_000_000), "not that long yet");
    // Where stamps are older than the moment at which telemetry was enabled, that is what counts.
    let late = if bench.has_fine_clock() { last + 1_000_001 } else { telemetry.now() + 1_000_001 };
    assert!(!snapshot.is_healthy(late, 1_000_000));
    (0..30).for_each(|_| {
        let _ = kernel.recv_blocking().unwrap();
    });
    drain(&kernel);
    let snapshot = telemetry.poll();
    assert_eq!((snapshot.messages_processed, snapshot.queue_depth), (30, 0));
    assert!(snapshot.is_healthy(telemetry.now(), 0));
}

/// T-05: messages that come while the kernel is stalled or inactive show as well.
pub fn t05_what_comes_meanwhile_is_seen(bench: &Bench) {
    let options = LaunchOptions::default().capacity(64).output_capacity(16).grid(1);
    let kernel = echo::launch(bench.runtime(), options).unwrap();
    let telemetry = kernel.enable_telemetry().unwrap();
    kernel.send_batch_blocking(&numbers(0..16)).unwrap();
    drain(&kernel);
    assert_eq!(telemetry.poll().queue_depth, 0);
    let _ = kernel.send_blocking(number(16)).unwrap();
    eventually(|| telemetry.poll().queue_depth == 1);
    kernel.deactivate_blocking().unwrap();
    let _ = kernel.send_blocking(number(17)).unwrap();
    eventually(|| telemetry.poll().queue_depth == 2);
}

/// T-10: polls under load are never torn: each is a state that the kernel was in.
pub fn t10_polls_are_never_torn(bench: &Bench) {
    let options = LaunchOptions::default().capacity(256).grid(1);
    let kernel = swallow::launch(bench.runtime(), options).unwrap();
    let telemetry = kernel.enable_telemetry().unwrap();
    let count = bench.size(200_000, 5_000_000);
    thread::scope(|scope| {
        let sender = scope.spawn(|| {
            numbers(0..count).chunks(64).for_each(|chunk| kernel.send_batch_blocking(chunk).unwrap());
            drain(&kernel);
        });
        let mut before = telemetry.poll();
        let mut different = 0;
        while !sender.is_finished() {
            let now = telemetry.poll();
            different += u64::from(now != before);
            assert!(now.messages_processed >= before.messages_processed && now.messages_processed <= count);
            assert!(now.last_processed_timestamp >= before.last_processed_timestamp);
            assert!(now.total_latency_nanos >= before.total_latency_nanos);
            assert!(now.max_latency_nanos >= before.max_latency_nanos);
            assert!(now.min_latency_nanos <= before.min_latency_nanos);
            assert!((0..=256).contains(&now.queue_depth), "{now:?}");
            if now.messages_processed != 0 {
                let average = now.average_latency_nanos();
                assert!(now.min_latency_nanos <= average && average <= now.max_latency_nanos, "{now:?}");
                assert!(now.last_processed_timestamp as u64 <= telemetry.now() + bench.clock_error());
            }
            before = now;
        }
        sender.join().unwrap();
        println!("{different} different snapshots");
    });
    assert_eq!(telemetry.poll().messages_processed, count);
}

/// T-10: polling needs nothing of the kernel: a stalled, an inactive and a terminated one answer.
pub fn t10_polling_needs_no_kernel(bench: &Bench) {
    let kernel = echo::launch(bench.runtime(), LaunchOptions::default().active(false)).unwrap();
    let telemetry = kernel.enable_telemetry().unwrap();
    assert_eq!(telemetry.poll().messages_processed, 0);
    kernel.deactivate_blocking().unwrap();
    assert_eq!(telemetry.poll().messages_processed, 0);
    kernel.terminate_blocking();
    let last = telemetry.poll();
    assert_eq!((last.messages_processed, last.messages_dropped, last.min_latency_nanos), (0, 0, u64::MAX));
    drop(kernel);
    assert_eq!(telemetry.poll(), last);
}

/// T-11: off until enabled; when it is disabled the last snapshot stays, also beyond the kernel's end.
pub fn t11_enabled_lazily(bench: &Bench) {
    let kernel = echo::launch(bench.runtime(), LaunchOptions::default()).unwrap();
    let send = |count| {
        (0..count).for_each(|value| {
            let _ = kernel.call_blocking(number(value)).unwrap();
        });
        drain(&kernel);
    };
    send(3);
    let telemetry = kernel.enable_telemetry().unwrap();
    send(4);
    assert_eq!(telemetry.poll().messages_processed, 7, "counters begin with the launch");
    telemetry.set_enabled(false);
    // The block has seen that when it has obeyed a later command.
    kernel.deactivate_blocking().unwrap();
    kernel.activate_blocking().unwrap();
    let last = telemetry.poll();
    send(5);
    assert_eq!(telemetry.poll(), last, "off");
    assert_eq!(kernel.status().processed, 12, "the status goes on");
    telemetry.set_enabled(true);
    send(1);
    assert_eq!(telemetry.poll().messages_processed, 13);
    telemetry.set_enabled(false);
    kernel.terminate_blocking();
    let last = telemetry.poll();
    assert_eq!(last.messages_processed, 13);
    drop(kernel);
    assert_eq!(telemetry.poll(), last);
}

/// T-11: latencies are in order also when telemetry was enabled late.
pub fn t11_averages_begin_when_enabled(bench: &Bench) {
    let kernel = batch_echo::launch(bench.runtime(), LaunchOptions::default()).unwrap();
    kernel.send_batch_blocking(&numbers(0..1000)).unwrap();
    drain(&kernel);
    let telemetry = kernel.enable_telemetry().unwrap();
    let _ = kernel.send_blocking(number(1)).unwrap();
    drain(&kernel);
    let snapshot = telemetry.poll();
    assert!(snapshot.min_latency_nanos <= snapshot.max_latency_nanos, "{snapshot:?}");
    let average = snapshot.average_latency_nanos();
    assert!((snapshot.min_latency_nanos..=snapshot.max_latency_nanos).contains(&average), "{snapshot:?}");
}

/// T-11: enabling and disabling from several threads leaves every line whole: polls end, and count.
pub fn t11_enabling_races(bench: &Bench) {
    for round in bench.rounds(50, 1_000) {
        let options = LaunchOptions::default().grid(2).name(format!("race-{round}"));
        let kernel = echo::launch(bench.runtime(), options).unwrap();
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let telemetry = kernel.enable_telemetry().unwrap();
                    telemetry.set_enabled(false);
                    telemetry.set_enabled(true);
                    assert!(telemetry.poll().messages_processed <= 10);
                });
            }
            for value in 0..10 {
                assert_eq!(kernel.call_blocking(number(value)), Ok(number(value)));
            }
        });
        drain(&kernel);
        let telemetry = kernel.enable_telemetry().unwrap();
        eventually(|| telemetry.poll().messages_processed == 10);
        kernel.terminate_blocking();
    }
}

/// T-11: a runtime without telemetry lines launches all the same, and says how to get some.
pub fn t11_lines_can_run_out(bench: &Bench) {
    let kernels: Vec<_> = (0..2)
        .map(|i| {
            let options = LaunchOptions::default().capacity(16).grid(4096).output_capacity(16).calls(false);
            swallow::launch(bench.runtime(), options.name(format!("large-{i}"))).unwrap()
        })
        .collect();
    assert!(kernels[0].enable_telemetry().is_ok());
    let error = kernels[1].enable_telemetry().unwrap_err();
    assert_eq!(error, TelemetryError::NoLines { lines: 4096 });
    assert!(error.to_string().contains("RuntimeBuilder::telemetry_lines"), "{error}");
    // Lines come back with the kernel's memory.
    drop(kernels);
    eventually(|| bench.runtime().kernels().is_empty());
    let enabled = || {
        let kernel = bench.relaunch(|| swallow::launch(bench.runtime(), LaunchOptions::default()));
        kernel.enable_telemetry().is_ok()
    };
    eventually(enabled);
}

/// T-12: a reset zeroes the counters at once; the depth is a gauge and stays; what is sent afterwards counts.
pub fn t12_reset(bench: &Bench) {
    let options = LaunchOptions::default().capacity(16).grid(2).backpressure(Backpressure::Reject);
    let kernel = batch_echo::launch(bench.runtime(), options).unwrap();
    let telemetry = kernel.enable_telemetry().unwrap();
    for round in bench.rounds(50, 1_000).map(|round| round + 1) {
        for message in numbers(0..round % 10 + 1) {
            assert_eq!(kernel.call_blocking(message), Ok(message));
        }
        drain(&kernel);
        let snapshot = telemetry.poll();
        assert_eq!((snapshot.messages_processed, snapshot.messages_dropped), (round % 10 + 1, 0));
        assert_ne!(snapshot.min_latency_nanos, u64::MAX);
        telemetry.reset();
        let snapshot = telemetry.poll();
        assert_eq!((snapshot.messages_processed, snapshot.messages_dropped), (0, 0));
        assert_eq!((snapshot.min_latency_nanos, snapshot.max_latency_nanos), (u64::MAX, 0));
        assert_eq!((snapshot.total_latency_nanos, snapshot.last_processed_timestamp), (0, 0));
        assert_eq!((snapshot.error_code, snapshot.average_latency_nanos()), (0, 0));
    }
    let processed = kernel.status().processed;
    assert_ne!(processed, 0, "the status is not reset");
    kernel.deactivate_blocking().unwrap();
    let refused =
        numbers(0..50).into_iter().filter(|&message| kernel.try_send(message).is_err()).count() as u64;
    assert_eq!((refused, telemetry.poll().messages_dropped), (18, 18));
    telemetry.reset();
    assert_eq!(telemetry.poll().messages_dropped, 0);
    eventually(|| telemetry.poll().queue_depth == 32);
    let status = balanced(&kernel);
    assert_eq!((status.drops.rejected, status.processed), (18, processed));
}

/// T-15: with `track_latency` every message is in the histogram, whether telemetry is on or not.
pub fn t15_the_histogram_counts_every_message(bench: &Bench) {
    let options = LaunchOptions::default().track_latency(true).grid(3);
    let kernel = swallow::launch(bench.runtime(), options).unwrap();
    let begun = Instant::now();
    kernel.send_batch_blocking(&numbers(0..10_000)).unwrap();
    drain(&kernel);
    let longest = begun.elapsed();
    let latencies = kernel.latencies().unwrap();
    assert_eq!(latencies.count(), 10_000);
    let quantiles = [0.0, 0.5, 0.99, 0.999, 1.0].map(|q| latencies.quantile(q));
    assert!(quantiles.is_sorted() && quantiles[4] == latencies.max(), "{quantiles:?}");
    assert!(latencies.max() <= (longest + longest / 32 + Duration::from_nanos(32)).as_nanos() as u64);
    kernel.terminate_blocking();
    assert_eq!(kernel.latencies().unwrap().count(), 10_000);
    let untracked = echo::launch(bench.runtime(), LaunchOptions::default()).unwrap();
    assert!(untracked.latencies().is_none());
}
