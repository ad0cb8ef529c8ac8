//! Rates and shares of a kernel, from two statuses.

use std::{fmt, time::Duration};

use annulus_abi::memory::KernelMemory;

use crate::{kernel::status::KernelStatus, time::for_people};

/// What a kernel did in a window of time. [`KernelStatus::since`] computes it from two statuses,
/// [`KernelControl::metrics`](crate::KernelControl::metrics) from the launch on.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct KernelMetrics {
    /// The time between the two statuses.
    pub window: Duration,
    /// Messages that were sent, per second, whatever became of them.
    pub sent: f64,
    /// Messages whose handler succeeded, per second.
    pub processed: f64,
    /// Messages that were dropped, per second, for any cause.
    pub dropped: f64,
    /// Messages that handlers sent, per second.
    pub produced: f64,
    /// The share of the inbound capacity that is taken now: 0 to 1. Messages that connected kernels sent
    /// count as well, so it may be more.
    pub utilization: f64,
    /// The share of the outbound rings that is taken now: 0 to 1.
    pub output_utilization: f64,
    /// The average latency of the messages of the window, from enqueue to the end of their turn. `None` if
    /// none was measured: telemetry was off, or was reset in the window, or messages carry no time.
    pub average_latency: Option<Duration>,
    /// The bytes of the kernel's memory, by what they are for and where they lie.
    pub memory: KernelMemory,
}

impl KernelStatus {
    /// What the kernel did between an earlier status and this one. `None` if no time passed between them, if
    /// `earlier` is the later one, or if it is of another kernel.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched();
    /// let earlier = kernel.status();
    /// kernel.send_batch_blocking(&numbers(0..100))?;
    /// kernel.drained_blocking();
    /// let metrics = kernel.status().since(&earlier).expect("time has passed");
    /// assert!(metrics.processed > 0.0 && metrics.dropped == 0.0);
    /// assert_eq!(metrics.utilization, 0.0);
    /// println!("{metrics}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn since(&self, earlier: &Self) -> Option<KernelMetrics> {
        if self.name != earlier.name || self.sent < earlier.sent {
            return None;
        }
        self.over(self.uptime.checked_sub(earlier.uptime)?, Some(earlier))
    }

    /// [`since`](Self::since) the launch.
    pub(crate) fn since_launch(&self) -> KernelMetrics {
        let window = self.uptime.max(Duration::from_nanos(1));
        self.over(window, None).expect("the window is not empty")
    }

    fn over(&self, window: Duration, earlier: Option<&Self>) -> Option<KernelMetrics> {
        let seconds = window.as_secs_f64();
        if seconds == 0.0 {
            return None;
        }
        let more = |of: fn(&Self) -> u64| of(self).saturating_sub(earlier.map_or(0, of));
        let rate = |of| more(of) as f64 / seconds;
        let share = |part: u64, of: u64| if of == 0 { 0.0 } else { part as f64 / of as f64 };
        // A reset of telemetry makes both go back.
        let was_reset = earlier.is_some_and(|earlier| earlier.latencies > self.latencies);
        let measured = if was_reset { 0 } else { more(|status| status.latencies) };
        let total = more(|status| u64::try_from(status.latency_total.as_nanos()).unwrap_or(u64::MAX));
        Some(KernelMetrics {
            window,
            sent: rate(|status| status.sent),
            processed: rate(|status| status.processed),
            dropped: rate(|status| status.drops.total()),
            produced: rate(|status| status.produced),
            utilization: share(self.pending, self.inbound_capacity),
            output_utilization: share(self.outputs_waiting, self.outbound_capacity),
            average_latency: total.checked_div(measured).map(Duration::from_nanos),
            memory: self.memory,
        })
    }
}

impl fmt::Display for KernelMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "over {}: {:.0} sent, {:.0} processed, {:.0} dropped, {:.0} produced a second; {:.0} % of the inbound \
             and {:.0} % of the outbound capacity taken",
            for_people(self.window),
            self.sent,
            self.processed,
            self.dropped,
            self.produced,
            self.utilization * 100.0,
            self.output_utilization * 100.0
        )?;
        match self.average_latency {
            Some(latency) => write!(f, "; {} from enqueue to the end of the turn", for_people(latency)),
            None => Ok(()),
        }
    }
}
