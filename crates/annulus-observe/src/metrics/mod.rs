//! Metrics of kernels: one table of names, from which Prometheus' text and OpenTelemetry's instruments come.
//!
//! | what | where |
//! |---|---|
//! | names, kinds, units, help | [`METRICS`] |
//! | from looks to values | `collect` |
//! | counts over launches | `counters` |
//! | Prometheus' text | [`text`] |
//! | OpenTelemetry | `Observer::instrument`, with the feature `otel` |
//! | OTLP | `otlp::Collector`, with the feature `otlp` |
//!
//! Values are those of kernels, or of their shards if asked for. No metric has a message's key as a label:
//! there may be millions.

use std::{borrow::Cow, sync::Arc};

mod collect;
mod counters;
mod instances;
#[cfg(feature = "otel")]
mod otel;
mod prometheus;
mod table;

pub use prometheus::{CONTENT_TYPE, text};
pub use table::{Label, METRICS, Metric, MetricKind, PID, PROCESS, PROCESS_INSTANCE};

pub(crate) use collect::collect;
pub(crate) use counters::Counters;

/// A value of a metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The metric.
    pub metric: &'static Metric,
    /// What it is of, by label; the kernel among them, but for metrics of a process.
    pub labels: Labels,
    /// The value.
    pub value: Value,
    /// Of what only grows: when it was 0, in nanoseconds since 1970 UTC. That is the launch of the kernel, or of the first
    /// that was seen under its name.
    pub since: Option<u64>,
}

/// A number, or many.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A count.
    Count(u64),
    /// Any other number.
    Number(f64),
    /// Counts by size.
    Histogram {
        /// How many are at most so large.
        buckets: Vec<(f64, u64)>,
        /// How many there are.
        count: u64,
        /// Their sum.
        sum: f64,
    },
}

impl Sample {
    /// The value of a label, by the name that Prometheus knows.
    pub fn label(&self, name: &str) -> Option<&str> {
        self.labels.iter().find(|(label, _)| label.prometheus == name).map(|(_, value)| value)
    }
}

/// The labels of a sample: those that it has in common with the others of its kernel, and its own behind them.
#[derive(Clone, Debug, PartialEq)]
pub struct Labels {
    pub(crate) common: Arc<[(&'static Label, String)]>,
    pub(crate) own: Own,
}

/// Labels of one sample alone: at most a shard, and one more.
type Own = [Option<(&'static Label, Cow<'static, str>)>; 2];

impl Labels {
    /// The labels and their values.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Label, &str)> {
        let common = self.common.iter().map(|(label, value)| (*label, &**value));
        common.chain(self.own.iter().flatten().map(|(label, value)| (*label, &**value)))
    }
}

impl FromIterator<(&'static Label, String)> for Labels {
    fn from_iter<I: IntoIterator<Item = (&'static Label, String)>>(labels: I) -> Self {
        Self { common: labels.into_iter().collect(), own: Own::default() }
    }
}
