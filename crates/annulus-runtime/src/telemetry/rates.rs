//! What a kernel did between two looks at its telemetry.

use std::{fmt, time::Duration};

use super::TelemetrySnapshot;
use crate::time::for_people;

/// A [`TelemetrySnapshot`] with the time at which it was taken, so that two of them give rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TelemetrySample {
    /// When it was taken, in nanoseconds on the runtime's clock.
    pub at: u64,
    /// The telemetry.
    pub snapshot: TelemetrySnapshot,
    /// How many messages the kernel's inbound rings hold.
    pub capacity: u64,
}

impl TelemetrySample {
    /// What the kernel did since an earlier sample. `None` if no time passed between them, if `earlier` is
    /// the later one, or if telemetry was reset or enabled in between.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched();
    /// let telemetry = kernel.enable_telemetry()?;
    /// let earlier = telemetry.sample();
    /// kernel.send_batch_blocking(&numbers(0..100))?;
    /// kernel.drained_blocking();
    /// let rates = telemetry.sample().since(&earlier).expect("time has passed");
    /// assert!(rates.processed > 0.0 && rates.dropped == 0.0);
    /// println!("{rates}"); // over 1.02 ms: 98039 processed, 0 dropped a second; …
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn since(&self, earlier: &Self) -> Option<TelemetryRates> {
        let (now, before) = (&self.snapshot, &earlier.snapshot);
        if now.counting_since != before.counting_since {
            return None;
        }
        let window = Duration::from_nanos(self.at.checked_sub(earlier.at).filter(|&nanos| nanos > 0)?);
        let processed = now.messages_processed.checked_sub(before.messages_processed)?;
        let dropped = now.messages_dropped.saturating_sub(before.messages_dropped);
        let measured = processed.saturating_sub(now.unmeasured.saturating_sub(before.unmeasured).into());
        let total = now.total_latency_nanos.saturating_sub(before.total_latency_nanos);
        let rate = |count: u64| count as f64 / window.as_secs_f64();
        Some(TelemetryRates {
            window,
            processed: rate(processed),
            dropped: rate(dropped),
            average_latency: total.checked_div(measured).map(Duration::from_nanos),
            utilization: self.utilization(),
        })
    }

    /// The share of the inbound rings that is taken: 0 to 1, as the kernel last saw it. Messages that
    /// connected kernels sent count as well, so it may be more.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched();
    /// assert_eq!(kernel.enable_telemetry()?.sample().utilization(), 0.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn utilization(&self) -> f64 {
        f64::from(self.snapshot.queue_depth.max(0)) / self.capacity.max(1) as f64
    }
}

impl fmt::Display for TelemetrySample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {:.0} % of the inbound rings taken", self.snapshot, self.utilization() * 100.0)
    }
}

/// What a kernel did in a window of time, from its telemetry alone. It costs less than
/// [`KernelMetrics`](crate::KernelMetrics), which come from all counters of a kernel, and shows less.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct TelemetryRates {
    /// The time between the two samples.
    pub window: Duration,
    /// Messages whose handler succeeded, per second.
    pub processed: f64,
    /// Messages that were dropped, per second, for any cause.
    pub dropped: f64,
    /// The average latency of the messages of the window, from enqueue to the end of their turn. `None` if
    /// none was measured.
    pub average_latency: Option<Duration>,
    /// The share of the inbound rings that is taken at the end of the window.
    pub utilization: f64,
}

impl fmt::Display for TelemetryRates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (window, taken) = (for_people(self.window), self.utilization * 100.0);
        write!(
            f,
            "over {window}: {:.0} processed, {:.0} dropped a second; {taken:.0} % of the inbound rings taken",
            self.processed, self.dropped
        )?;
        match self.average_latency {
            Some(latency) => write!(f, "; {} from enqueue to the end of the turn", for_people(latency)),
            None => Ok(()),
        }
    }
}
