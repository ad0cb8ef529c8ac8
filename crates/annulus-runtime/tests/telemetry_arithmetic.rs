//! What a snapshot of the telemetry says: T-04 and T-05.

use annulus_runtime::{QueueDrops, TelemetrySnapshot};

const SECOND: u64 = 1_000_000_000;

const NOTHING: TelemetrySnapshot = TelemetrySnapshot {
    messages_processed: 0,
    messages_dropped: 0,
    queue_drops: QueueDrops { rejected: 0, evicted: 0, discarded: 0, duplicate: 0, expired: 0 },
    last_processed_timestamp: 0,
    queue_depth: 0,
    total_latency_nanos: 0,
    max_latency_nanos: 0,
    min_latency_nanos: u64::MAX,
    error_code: 0,
    unmeasured: 0,
    counting_since: 0,
};

#[test]
fn t04_averages_of_nothing_are_zero() {
    assert_eq!(NOTHING.average_latency_nanos(), 0);
    assert_eq!(NOTHING.latency_variance(), 0.0);
    assert_eq!(NOTHING.throughput(5.0), 0.0);
}

#[test]
fn t04_average_throughput_and_variance() {
    let some = TelemetrySnapshot {
        messages_processed: 4,
        total_latency_nanos: 1000,
        max_latency_nanos: 600,
        min_latency_nanos: 50,
        ..NOTHING
    };
    assert_eq!(some.average_latency_nanos(), 250);
    assert_eq!(some.latency_variance(), 12.0);
    assert_eq!(some.throughput(0.5), 8.0);
    assert_eq!((some.throughput(0.0), some.throughput(-1.0), some.throughput(f64::NAN)), (0.0, 0.0, 0.0));
}

#[test]
fn t04_a_latency_of_zero_does_not_divide() {
    let quick =
        TelemetrySnapshot { messages_processed: 1, max_latency_nanos: 7, min_latency_nanos: 0, ..NOTHING };
    assert_eq!(quick.latency_variance(), 7.0);
}

#[test]
fn t05_idle_is_healthy() {
    assert!(NOTHING.is_healthy(u64::MAX, 0));
    let idle = TelemetrySnapshot { messages_processed: 9, last_processed_timestamp: 5, ..NOTHING };
    assert!(idle.is_healthy(100 * SECOND, SECOND));
}

#[test]
fn t05_silence_over_waiting_messages_is_not() {
    let waiting = TelemetrySnapshot { queue_depth: 1, last_processed_timestamp: SECOND as i64, ..NOTHING };
    assert!(waiting.is_healthy(2 * SECOND, SECOND), "the threshold has not passed");
    assert!(!waiting.is_healthy(2 * SECOND + 1, SECOND));
    assert!(waiting.is_healthy(0, 0), "a clock that was read before the snapshot");
    let never = TelemetrySnapshot { queue_depth: 1, ..NOTHING };
    assert!(!never.is_healthy(2 * SECOND, SECOND), "none was ever processed");
}

#[test]
fn t05_an_error_is_not() {
    let failed = TelemetrySnapshot { error_code: 1, ..NOTHING };
    assert!(!failed.is_healthy(0, u64::MAX));
}

#[test]
fn a_snapshot_reads_well() {
    assert_eq!(NOTHING.to_string(), "0 processed, 0 dropped, 0 queued");
    let some = TelemetrySnapshot {
        messages_processed: 2,
        total_latency_nanos: 30,
        max_latency_nanos: 20,
        min_latency_nanos: 10,
        error_code: 0xFF01,
        ..NOTHING
    };
    let expected = "2 processed, 0 dropped, 0 queued, latency 15 ns (10 ns to 20 ns), last error 0xff01 (the handler panicked)";
    assert_eq!(some.to_string(), expected);
}

/// Times have their type; what was not measured is no time of 0.
#[test]
fn latencies_are_durations() {
    use std::time::Duration;
    assert_eq!((NOTHING.average_latency(), NOTHING.min_latency(), NOTHING.max_latency()), (None, None, None));
    let some = TelemetrySnapshot {
        messages_processed: 4,
        total_latency_nanos: 5_000_000,
        min_latency_nanos: 900,
        max_latency_nanos: 2_500_000,
        ..NOTHING
    };
    assert_eq!(some.average_latency(), Some(Duration::from_nanos(1_250_000)));
    assert_eq!(some.min_latency(), Some(Duration::from_nanos(900)));
    assert_eq!(some.max_latency(), Some(Duration::from_micros(2500)));
    assert_eq!(some.total_latency(), Duration::from_millis(5));
    assert!(some.to_string().ends_with(", latency 1.25 ms (900 ns to 2.50 ms)"), "{some}");
}
