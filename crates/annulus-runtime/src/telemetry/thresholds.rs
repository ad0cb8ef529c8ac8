//! When telemetry is a reason to look closer.

use std::{fmt, time::Duration};

use super::TelemetrySample;
use crate::time::for_people;

/// Limits of what is normal. The defaults are those of the specification (row T-14), and a second for a
/// kernel that stands still.
///
/// ```
/// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
/// # use kernels::*;
/// # use annulus_runtime::Thresholds;
/// let kernel = launched();
/// let telemetry = kernel.enable_telemetry()?;
/// let thresholds = Thresholds::default();
/// let before = telemetry.sample();
/// kernel.send_batch_blocking(&numbers(0..10))?;
/// kernel.drained_blocking();
/// for warning in telemetry.sample().warnings(&before, &thresholds) {
///     println!("{warning}");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// How many messages may be dropped between two samples. 0 unless said.
    pub dropped: u64,
    /// A share of the inbound rings below which the kernel keeps up. 0.1 unless said.
    pub keeps_up: f64,
    /// A share of the inbound rings above which they may soon be full. 0.8 unless said.
    pub fills_up: f64,
    /// How long messages may wait while none is processed. A second unless said.
    pub stagnant: Duration,
    /// How many times as long as the shortest latency the longest may be. 10 unless said.
    pub latency_variance: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            dropped: 0,
            keeps_up: 0.1,
            fills_up: 0.8,
            stagnant: Duration::from_secs(1),
            latency_variance: 10.0,
        }
    }
}

/// How full a kernel's inbound rings are, by its [`Thresholds`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// The kernel keeps up with its senders.
    KeepsUp,
    /// Between the two limits.
    Busy,
    /// The rings may soon be full.
    FillsUp,
}

/// What is not normal.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum TelemetryWarning {
    /// Messages were dropped since the earlier sample: more than the limit.
    Dropped {
        /// How many.
        count: u64,
        /// The limit.
        limit: u64,
    },
    /// The inbound rings may soon be full.
    FillsUp {
        /// The share that is taken.
        utilization: f64,
        /// The limit.
        limit: f64,
    },
    /// Messages wait, and none is processed.
    Stagnant {
        /// For how long.
        silent: Duration,
        /// The limit.
        limit: Duration,
    },
    /// The longest latency is many times the shortest.
    LatencyVaries {
        /// How many times.
        variance: f64,
        /// The limit.
        limit: f64,
    },
    /// A handler failed.
    Failed {
        /// The last code.
        code: u16,
    },
}

impl Thresholds {
    /// Which limits a share of the inbound rings is between.
    ///
    /// ```
    /// use annulus_runtime::{Load, Thresholds};
    /// let thresholds = Thresholds::default();
    /// assert_eq!([0.05, 0.5, 0.9].map(|share| thresholds.load(share)), [Load::KeepsUp, Load::Busy, Load::FillsUp]);
    /// ```
    pub fn load(&self, utilization: f64) -> Load {
        match utilization {
            share if share > self.fills_up => Load::FillsUp,
            share if share < self.keeps_up => Load::KeepsUp,
            _ => Load::Busy,
        }
    }
}

impl TelemetrySample {
    /// What is beyond the limits, given an earlier sample; nothing for a kernel that is idle or keeps up.
    /// Messages that were dropped count from the earlier sample on, or, if telemetry was reset since, from
    /// the reset.
    ///
    /// [`Thresholds`] has an example.
    pub fn warnings(&self, earlier: &Self, thresholds: &Thresholds) -> Vec<TelemetryWarning> {
        let (now, before) = (&self.snapshot, &earlier.snapshot);
        let mut warnings = Vec::new();
        let was_reset = now.messages_dropped < before.messages_dropped;
        let count = now.messages_dropped - if was_reset { 0 } else { before.messages_dropped };
        if count > thresholds.dropped {
            warnings.push(TelemetryWarning::Dropped { count, limit: thresholds.dropped });
        }
        let utilization = self.utilization();
        if thresholds.load(utilization) == Load::FillsUp {
            warnings.push(TelemetryWarning::FillsUp { utilization, limit: thresholds.fills_up });
        }
        let silent = now.silent(self.at);
        if now.queue_depth > 0 && silent > thresholds.stagnant {
            warnings.push(TelemetryWarning::Stagnant { silent, limit: thresholds.stagnant });
        }
        let variance = now.latency_variance();
        if variance > thresholds.latency_variance {
            warnings.push(TelemetryWarning::LatencyVaries { variance, limit: thresholds.latency_variance });
        }
        if now.error_code != 0 {
            warnings.push(TelemetryWarning::Failed { code: now.error_code });
        }
        warnings
    }
}

impl fmt::Display for TelemetryWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Dropped { count, limit } => write!(
                f,
                "{count} messages were dropped, and the limit is {limit}: look at the status for the cause; raise the \
                 capacity, or choose a backpressure that waits"
            ),
            Self::FillsUp { utilization, limit } => write!(
                f,
                "{:.0} % of the inbound rings are taken, and the limit is {:.0} %: the kernel is slower than its \
                 senders; more blocks, or less sending",
                utilization * 100.0,
                limit * 100.0
            ),
            Self::Stagnant { silent, limit } => write!(
                f,
                "messages wait and none was processed for {}, and the limit is {}: look at the status for a stall, and \
                 for a handler that does not return",
                for_people(silent),
                for_people(limit)
            ),
            Self::LatencyVaries { variance, limit } => write!(
                f,
                "the longest latency is {variance:.0} times the shortest, and the limit is {limit:.0}: look for bursts, \
                 for long handlers, and for a processor that others use"
            ),
            Self::Failed { code } => write!(
                f,
                "a handler failed with {code:#06x} ({}): read the dead letters",
                annulus_abi::error::describe(code)
            ),
        }
    }
}
