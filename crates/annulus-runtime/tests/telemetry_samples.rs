//! Telemetry at regular times, its rates, and its limits: T-13, T-14, R-05.

use std::{
    future::poll_fn,
    pin::{Pin, pin},
    task::{Context, Poll, Waker},
    thread,
    time::{Duration, Instant},
};

use annulus_runtime::{
    Interval, IntervalTooShort, Load, SampleStream, TelemetrySample, TelemetrySnapshot, TelemetryWarning,
    Thresholds, block_on,
};
use futures_core::Stream;

#[allow(dead_code, missing_docs, unreachable_pub, clippy::unwrap_used)]
mod kernels {
    include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs"));
}
use kernels::{launched, numbers};

/// A sample at a time in milliseconds, of a kernel whose rings hold 1000.
fn sample(millis: u64, processed: u64, dropped: u64, depth: i32) -> TelemetrySample {
    let snapshot = TelemetrySnapshot {
        messages_processed: processed,
        messages_dropped: dropped,
        queue_drops: Default::default(),
        last_processed_timestamp: 0,
        queue_depth: depth,
        total_latency_nanos: processed * 500,
        max_latency_nanos: 900,
        min_latency_nanos: 100,
        error_code: 0,
        unmeasured: 0,
        counting_since: 0,
    };
    TelemetrySample { at: millis * 1_000_000, snapshot, capacity: 1000 }
}

/// T-13: the intervals, and what a poll of a microsecond costs of a core.
#[test]
fn t13_intervals() {
    let shares = [
        (Interval::DASHBOARD, 0.001),
        (Interval::PRODUCTION, 0.01),
        (Interval::DEBUGGING, 0.1),
        (Interval::STRESS, 1.0),
    ];
    for (interval, percent) in shares {
        let share = 100.0 * 1e-6 / interval.time().as_secs_f64();
        assert!((share - percent).abs() < percent * 1e-9, "{interval:?}: {share}");
    }
    assert!(Interval::LOGGING.time() >= Duration::from_millis(100), "\"100 ms+\"");
    assert_eq!(Interval::new(Duration::from_micros(100)), Ok(Interval::STRESS));
    let time = Duration::from_nanos(99_999);
    assert_eq!(Interval::new(time), Err(IntervalTooShort { time }), "A-02: 10 kHz");
}

/// what happened in the window, and no more.
#[test]
fn r05_rates_of_a_window() {
    let (earlier, later) = (sample(1000, 50, 1, 0), sample(1500, 150, 3, 250));
    let rates = later.since(&earlier).unwrap();
    assert_eq!(rates.window, Duration::from_millis(500));
    assert_eq!((rates.processed, rates.dropped, rates.utilization), (200.0, 4.0, 0.25));
    assert_eq!(rates.average_latency, Some(Duration::from_nanos(500)));
    let text = rates.to_string();
    assert_eq!(
        text,
        "over 500 ms: 200 processed, 4 dropped a second; 25 % of the inbound rings taken; 500 ns from enqueue to the \
         end of the turn"
    );
    // Half of them without a measured latency.
    let mut unmeasured = later;
    unmeasured.snapshot.unmeasured = 50;
    assert_eq!(unmeasured.since(&earlier).unwrap().average_latency, Some(Duration::from_nanos(1000)));
    assert_eq!(sample(1500, 50, 1, 0).since(&earlier).unwrap().average_latency, None);
    // No window.
    assert_eq!(earlier.since(&later), None);
    assert_eq!(later.since(&later), None);
    let mut reset = later;
    reset.snapshot.counting_since = 1_200_000_000;
    assert_eq!(reset.since(&earlier), None);
}

/// T-14: each limit, on it and beyond it.
#[test]
fn t14_thresholds() {
    let thresholds = Thresholds::default();
    let before = sample(1000, 50, 7, 0);
    let warnings = |change: &dyn Fn(&mut TelemetrySample)| {
        let mut now = sample(1500, 60, 7, 0);
        change(&mut now);
        now.warnings(&before, &thresholds)
    };
    assert_eq!(warnings(&|_| {}), []);
    assert_eq!(
        warnings(&|now| now.snapshot.messages_dropped = 9),
        [TelemetryWarning::Dropped { count: 2, limit: 0 }]
    );
    let after_reset = warnings(&|now| now.snapshot.messages_dropped = 3);
    assert_eq!(after_reset, [TelemetryWarning::Dropped { count: 3, limit: 0 }]);
    // The kernel processes, so what waits is not stuck.
    let depth = |depth: i32| {
        warnings(&|now| {
            now.snapshot.queue_depth = depth;
            now.snapshot.last_processed_timestamp = now.at as i64;
        })
    };
    assert_eq!(depth(800), []);
    assert_eq!(depth(801), [TelemetryWarning::FillsUp { utilization: 0.801, limit: 0.8 }]);
    assert_eq!(
        [99, 100, 800, 801].map(|depth| thresholds.load(f64::from(depth) / 1000.0)),
        [Load::KeepsUp, Load::Busy, Load::Busy, Load::FillsUp]
    );
    // Nothing processed for a second: normal while nothing waits.
    let silent = |millis: u64, depth: i32| {
        warnings(&|now| {
            now.snapshot.queue_depth = depth;
            now.snapshot.last_processed_timestamp = (now.at - millis * 1_000_000) as i64;
        })
    };
    assert_eq!((silent(1000, 1), silent(1001, 0)), (vec![], vec![]));
    let limit = Duration::from_secs(1);
    assert_eq!(silent(1001, 1), [TelemetryWarning::Stagnant { silent: Duration::from_millis(1001), limit }]);
    // The longest latency over the shortest.
    let longest = |nanos: u64| warnings(&|now| now.snapshot.max_latency_nanos = nanos);
    assert_eq!(longest(1000), []);
    assert_eq!(longest(1100), [TelemetryWarning::LatencyVaries { variance: 11.0, limit: 10.0 }]);
    assert_eq!(warnings(&|now| now.snapshot.error_code = 5), [TelemetryWarning::Failed { code: 5 }]);
    for (warning, says) in [
        (TelemetryWarning::Dropped { count: 2, limit: 0 }, "2 messages were dropped, and the limit is 0: "),
        (
            TelemetryWarning::FillsUp { utilization: 0.801, limit: 0.8 },
            "80 % of the inbound rings are taken, and the ",
        ),
        (TelemetryWarning::LatencyVaries { variance: 11.0, limit: 10.0 }, "the longest latency is 11 times "),
    ] {
        assert!(warning.to_string().starts_with(says), "{warning}");
    }
}

/// Regular times: the first at once, none missed twice, the last one that of the end.
#[test]
fn samples_come_at_regular_times_and_end_with_the_kernel() {
    let kernel = launched();
    let telemetry = kernel.enable_telemetry().unwrap();
    let mut samples = telemetry.poll_every(Interval::PRODUCTION);
    let begun = Instant::now();
    let first = samples.next().unwrap();
    let (second, third) = (samples.next().unwrap(), samples.next().unwrap());
    assert!(begun.elapsed() >= Duration::from_millis(10), "at least the first time, which had begun before");
    assert!(first.at < second.at && second.at < third.at);
    // Late by some: one comes at once, and stands for all of them.
    thread::sleep(Duration::from_millis(35));
    let late = samples.next().unwrap();
    assert!(Duration::from_nanos(late.at - third.at) >= Duration::from_millis(30));
    kernel.send_batch_blocking(&numbers(0..10)).unwrap();
    kernel.drained_blocking();
    kernel.terminate_blocking();
    let rest: Vec<_> = samples.by_ref().collect();
    assert_eq!(rest.len(), 1, "after the end nothing is waited for");
    assert_eq!(rest[0].snapshot.messages_processed, 10);
    assert_eq!(samples.next(), None);
}

async fn next(stream: &mut Pin<&mut SampleStream>) -> Option<TelemetrySample> {
    poll_fn(|context| stream.as_mut().poll_next(context)).await
}

#[test]
fn a_stream_wakes_its_task_at_the_regular_times() {
    let kernel = launched();
    let telemetry = kernel.enable_telemetry().unwrap();
    let mut stream = pin!(telemetry.poll_every(Interval::PRODUCTION).into_stream());
    let begun = Instant::now();
    let samples =
        block_on(async { [next(&mut stream).await, next(&mut stream).await, next(&mut stream).await] });
    assert!(begun.elapsed() >= Duration::from_millis(10));
    assert!(samples.iter().all(Option::is_some));
    // Who polled last is woken.
    let _ = stream.as_mut().poll_next(&mut Context::from_waker(Waker::noop()));
    assert!(block_on(next(&mut stream)).is_some());
}

#[test]
fn a_stream_waits_for_its_time_or_the_end() {
    let kernel = launched();
    let telemetry = kernel.enable_telemetry().unwrap();
    let hour = Interval::new(Duration::from_secs(3600)).unwrap();
    let mut stream = pin!(telemetry.poll_every(hour).into_stream());
    let mut context = Context::from_waker(Waker::noop());
    assert!(stream.as_mut().poll_next(&mut context).is_ready(), "the first at once");
    assert!(stream.as_mut().poll_next(&mut context).is_pending());
    kernel.terminate_blocking();
    assert_eq!(
        stream.as_mut().poll_next(&mut context).map(|last| last.map(|last| last.snapshot)),
        Poll::Ready(Some(telemetry.poll()))
    );
    assert_eq!(stream.as_mut().poll_next(&mut context), Poll::Ready(None));
}
