//! What the pipeline asks of the ring kernel behind it.

use std::fmt;
use std::time::Duration;

use annulus::{Backend, Compilation, for_people};

/// One reading, as it is sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reading {
    /// Which series, from 0 and below the engine's `max_series`, in the order of first appearance.
    pub(crate) series: u32,
    /// Finite.
    pub(crate) value: f32,
}

/// A reading that is far from what its series has shown before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Alert {
    /// Which reading, counted from 0 in the order sent.
    pub(crate) sequence: u64,
    /// The reading's series.
    pub(crate) series: u32,
    /// The reading's value.
    pub(crate) value: f32,
    /// Its distance from the mean before it, in standard deviations.
    pub(crate) z: f32,
}

/// Judges readings, each by the earlier ones of its series ([`step`](super::detect::step)).
///
/// Readings of one series are judged in the order sent. Alerts arrive in any order. After an alert has come
/// back, the next call that takes `alerts` appends it there, once.
pub(crate) trait Engine {
    /// Queues `readings`, in order, as the next ones of the sequence; waits for space as needed, and takes in
    /// alerts while it does, so that a full way back never stops the way there.
    fn send(&mut self, readings: &[Reading], alerts: &mut Vec<Alert>) -> Result<(), EngineError>;

    /// Takes in the alerts that have come back; does not wait.
    fn poll(&mut self, alerts: &mut Vec<Alert>) -> Result<(), EngineError>;

    /// Waits until every reading sent so far is settled (processed or dropped) and all their alerts are in
    /// `alerts`.
    fn drain(&mut self, alerts: &mut Vec<Alert>) -> Result<(), EngineError>;

    /// Readings sent and not yet processed or dropped; may be stale.
    fn queue_depth(&self) -> u64;

    /// Readings processed; may be stale, exact after [`drain`](Self::drain).
    fn processed(&self) -> u64;

    /// The final figures; the pipeline asks for them after [`drain`](Self::drain).
    fn report(&self) -> EngineReport;
}

/// What an engine has done.
#[derive(Clone, Debug)]
pub(crate) struct EngineReport {
    /// Readings that the handler has judged.
    pub(crate) processed: u64,
    /// Readings lost, by cause. A cause may be listed with 0.
    pub(crate) dropped: Vec<(&'static str, u64)>,
    /// From queueing a reading to its answer, where the engine measures that.
    pub(crate) latency: Option<LatencySummary>,
    /// What ran the kernel.
    pub(crate) backend: String,
    pub(crate) launch: LaunchReport,
}

/// What came before the first reading, which no other figure counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct LaunchReport {
    /// How the device came by its program, if it needed one.
    pub(crate) compilation: Option<Compilation>,
    /// How long it took until every block had answered.
    pub(crate) ready: Duration,
}

impl fmt::Display for LaunchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(compilation) = self.compilation {
            write!(f, "{compilation}, ")?;
        }
        write!(f, "ready after {}", for_people(self.ready))
    }
}

/// A distribution of latencies, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub(crate) struct LatencySummary {
    /// Half of the readings were answered within this.
    pub(crate) p50: u64,
    /// 99 % were.
    pub(crate) p99: u64,
    /// 99.9 % were.
    pub(crate) p999: u64,
    /// All were.
    pub(crate) max: u64,
}

/// Why an engine could not start or go on: a message that names cause and remedy.
#[derive(Debug)]
pub(crate) struct EngineError(pub(crate) String);

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What an engine is launched with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EngineOptions {
    pub(crate) backend: Backend,
    /// Series are numbered below this.
    pub(crate) max_series: u32,
    /// Standard deviations beyond which a reading is an alert.
    pub(crate) threshold: f32,
    /// Whether telemetry is enabled from the start, for those who watch.
    pub(crate) telemetry: bool,
}
