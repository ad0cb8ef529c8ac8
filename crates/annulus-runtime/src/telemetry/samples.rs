//! Telemetry at regular times: as an iterator, and as a stream.
//!
//! The iterator sleeps. A future has no clock, so the process' [monitor](annulus_queue::monitor) wakes a stream.
//!
//! Neither waits for the kernel's end, since waiting makes a device's pump work: the end is seen at the next
//! regular time.

use std::{
    fmt,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    thread,
    time::{Duration, Instant},
};

use futures_core::Stream;

use super::{Interval, Telemetry, TelemetrySample};
use crate::within::Until;

impl Telemetry {
    /// [`poll`](Self::poll), with the time and the capacity, so that two samples give rates. It reads a clock
    /// as well.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched();
    /// let telemetry = kernel.enable_telemetry()?;
    /// let sample = telemetry.sample();
    /// assert!(sample.at <= telemetry.now() && sample.capacity == 4096);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sample(&self) -> TelemetrySample {
        let core = self.kernel.core();
        let capacity = u64::from(core.options.inbound.capacity) * core.shards.len() as u64;
        let snapshot = self.poll();
        TelemetrySample { at: self.now(), snapshot, capacity }
    }

    /// Samples at regular times, the first one at once. The last one is that of the kernel's end; then it
    /// returns `None`. It keeps no kernel alive.
    ///
    /// A reader that is late gets one sample, not all that it has missed, and then the next at its regular
    /// time. [`into_stream`](Samples::into_stream) makes it a stream.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus_runtime::Interval;
    /// let kernel = launched();
    /// let mut samples = kernel.enable_telemetry()?.poll_every(Interval::DEBUGGING);
    /// kernel.send_batch_blocking(&numbers(0..10))?;
    /// let mut before = samples.next().expect("the kernel runs");
    /// # let ends = std::thread::spawn(move || { kernel.drained_blocking(); kernel.terminate_blocking() });
    /// for sample in samples {
    ///     if let Some(rates) = sample.since(&before) {
    ///         println!("{rates}");
    ///     }
    ///     before = sample;
    /// }
    /// assert_eq!(before.snapshot.messages_processed, 10); // and the kernel has ended
    /// # ends.join().unwrap();
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn poll_every(&self, interval: Interval) -> Samples {
        let telemetry = Self { kernel: Arc::clone(&self.kernel) };
        Samples { telemetry, interval: interval.time(), next: Instant::now(), has_ended: false }
    }
}

/// A kernel's telemetry at regular times: an iterator that blocks. See [`Telemetry::poll_every`].
pub struct Samples {
    telemetry: Telemetry,
    interval: Duration,
    /// When the next one is due.
    next: Instant,
    has_ended: bool,
}

impl Samples {
    /// As a stream, for futures.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus_runtime::Interval;
    /// # use std::{future::poll_fn, pin::pin};
    /// # use futures_core::Stream;
    /// # annulus::block_on(async {
    /// let kernel = launched();
    /// let stream = kernel.enable_telemetry()?.poll_every(Interval::DEBUGGING).into_stream();
    /// let mut stream = pin!(stream);
    /// for _ in 0..3 {
    ///     // As `stream.next().await` of `futures::StreamExt` does.
    ///     let sample = poll_fn(|context| stream.as_mut().poll_next(context)).await;
    ///     println!("{}", sample.expect("the kernel runs"));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn into_stream(self) -> SampleStream {
        SampleStream { samples: self, pause: None }
    }

    /// When the next sample is due; `None` if it is due now.
    fn due(&self) -> Option<Instant> {
        let is_early =
            !self.has_ended && Instant::now() < self.next && !self.telemetry.kernel.core().is_finished();
        is_early.then_some(self.next)
    }

    /// The sample that is due.
    fn sample_due(&mut self) -> Option<TelemetrySample> {
        if self.has_ended {
            return None;
        }
        // Asked first: after the end nothing changes.
        self.has_ended = self.telemetry.kernel.core().is_finished();
        self.next = after(self.next, self.interval, Instant::now());
        Some(self.telemetry.sample())
    }
}

/// The first regular time after now.
fn after(last: Instant, interval: Duration, now: Instant) -> Instant {
    let late = now.saturating_duration_since(last);
    let missed = late.as_nanos() / interval.as_nanos().max(1);
    let steps = u32::try_from(missed + 1).unwrap_or(u32::MAX);
    // A time that no clock can hold never comes.
    interval
        .checked_mul(steps)
        .and_then(|time| last.checked_add(time))
        .unwrap_or_else(|| crate::time::deadline(Duration::MAX))
}

impl Iterator for Samples {
    type Item = TelemetrySample;

    fn next(&mut self) -> Option<TelemetrySample> {
        while let Some(due) = self.due() {
            thread::sleep(due.saturating_duration_since(Instant::now()));
        }
        self.sample_due()
    }
}

impl fmt::Debug for Samples {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Samples")
            .field("telemetry", &self.telemetry)
            .field("interval", &self.interval)
            .field("has_ended", &self.has_ended)
            .finish_non_exhaustive()
    }
}

/// A kernel's telemetry at regular times: a stream. See [`Samples::into_stream`].
#[must_use = "a stream does nothing unless it is polled"]
pub struct SampleStream {
    samples: Samples,
    /// Until the next one is due.
    pause: Option<Until>,
}

impl Stream for SampleStream {
    type Item = TelemetrySample;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<TelemetrySample>> {
        while let Some(due) = self.samples.due() {
            let pause = self.pause.get_or_insert_with(|| Until::at(due));
            match pause.poll_time(context) {
                Some(poll) => ready!(poll),
                // No thread can be started: late is better than never.
                None => thread::sleep(due.saturating_duration_since(Instant::now())),
            }
        }
        // The next one is due at another time.
        self.pause = None;
        Poll::Ready(self.samples.sample_due())
    }
}

impl fmt::Debug for SampleStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SampleStream").field("samples", &self.samples).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Regular times stay regular, whoever is late.
    #[test]
    fn a_late_reader_misses_times_and_keeps_the_rest() {
        let (begin, step) = (Instant::now(), Duration::from_millis(10));
        let at = |millis: u64| begin + Duration::from_millis(millis);
        for (now, next) in [(0, 10), (9, 10), (10, 20), (19, 20), (35, 40), (1000, 1010)] {
            assert_eq!(after(begin, step, at(now)), at(next), "{now} ms");
        }
        assert_eq!(after(at(50), step, at(30)), at(60), "a clock that was behind");
        assert!(after(begin, Duration::MAX, begin) > at(1_000_000));
    }
}
