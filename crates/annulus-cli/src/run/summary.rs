//! The figures at the end of a run.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use annulus::for_people;
use indicatif::HumanCount;
use serde::Serialize;

use super::engine::{EngineReport, LatencySummary, LaunchReport};

/// What a run did. Serialized, it is what `--json` prints.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    /// Readings sent to the kernel.
    sent: u64,
    /// Readings that the kernel has judged.
    processed: u64,
    /// Readings lost, by cause; without causes that did not occur.
    dropped: BTreeMap<&'static str, u64>,
    /// Alerts that came back.
    alerts: u64,
    /// Rows of the input that were skipped, hence not sent.
    bad_rows: u64,
    /// From the first reading to the last answer; the launch came before.
    seconds: f64,
    /// Readings processed per second, over all of that time.
    messages_per_second: f64,
    /// From queueing a reading to its answer; null where that was not measured.
    latency_ns: Option<LatencySummary>,
    /// Whether `--rate` held the readings back. Where not, the latency is mostly time in the queue.
    paced: bool,
    /// What ran the kernel.
    backend: String,
    launch: Launch,
    /// Whether a signal ended it before the input or `--messages` did.
    interrupted: bool,
}

/// What came before the first reading.
#[derive(Debug, Serialize)]
struct Launch {
    /// From the launch until every block had answered.
    ready_seconds: f64,
    /// Of that, until the device had its program; null where none is needed.
    compile_seconds: Option<f64>,
    /// Where the program came from: "no" if it was compiled.
    cached: Option<String>,
    #[serde(skip)]
    report: LaunchReport,
}

/// What the pipeline knows about a run, but the engine does not.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) sent: u64,
    pub(crate) alerts: u64,
    pub(crate) bad_rows: u64,
    pub(crate) elapsed: Duration,
    pub(crate) paced: bool,
    pub(crate) interrupted: bool,
}

impl Summary {
    pub(crate) fn new(tally: Tally, report: EngineReport) -> Self {
        let seconds = tally.elapsed.as_secs_f64();
        Self {
            sent: tally.sent,
            processed: report.processed,
            dropped: report.dropped.into_iter().filter(|&(_, count)| count > 0).collect(),
            alerts: tally.alerts,
            bad_rows: tally.bad_rows,
            seconds,
            messages_per_second: if seconds > 0.0 { report.processed as f64 / seconds } else { 0.0 },
            latency_ns: report.latency,
            paced: tally.paced,
            backend: report.backend,
            launch: Launch::new(report.launch),
            interrupted: tally.interrupted,
        }
    }

    fn elapsed(&self) -> Duration {
        Duration::try_from_secs_f64(self.seconds).unwrap_or(Duration::MAX)
    }
}

impl Launch {
    fn new(report: LaunchReport) -> Self {
        let compilation = report.compilation;
        Self {
            ready_seconds: report.ready.as_secs_f64(),
            compile_seconds: compilation.map(|compilation| compilation.took.as_secs_f64()),
            cached: compilation.map(|compilation| compilation.origin.to_string()),
            report,
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "messages   {} sent, {} processed", HumanCount(self.sent), HumanCount(self.processed))?;
        let dropped: Vec<_> =
            self.dropped.iter().map(|(cause, count)| format!("{} {cause}", HumanCount(*count))).collect();
        writeln!(f, "dropped    {}", if dropped.is_empty() { "none".into() } else { dropped.join(", ") })?;
        if self.bad_rows > 0 {
            writeln!(f, "bad rows   {} skipped", HumanCount(self.bad_rows))?;
        }
        writeln!(f, "alerts     {}", HumanCount(self.alerts))?;
        let rate = HumanCount(self.messages_per_second as u64);
        writeln!(f, "speed      {rate} messages per second over {}", for_people(self.elapsed()))?;
        match self.latency_ns {
            None => writeln!(f, "latency    not measured by this backend")?,
            Some(LatencySummary { p50, p99, p999, max }) => {
                let [p50, p99, p999, max] =
                    [p50, p99, p999, max].map(|nanos| for_people(Duration::from_nanos(nanos)));
                writeln!(f, "latency    p50 {p50}, p99 {p99}, p99.9 {p999}, max {max}")?;
                if !self.paced {
                    writeln!(
                        f,
                        "           at full speed this is time in the queue; --rate shows the round trip"
                    )?;
                }
            }
        }
        writeln!(f, "launch     {}", self.launch.report)?;
        writeln!(f, "backend    {}", self.backend)?;
        if self.interrupted {
            writeln!(f, "interrupted by a signal: what was sent before was handled")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use annulus::{Compilation, ProgramOrigin};

    use super::*;

    fn summary(paced: bool) -> Summary {
        let compilation = Compilation::new(Duration::from_millis(1200), ProgramOrigin::Compiled);
        let tally = Tally {
            sent: 1_234_567,
            alerts: 12,
            bad_rows: 3,
            elapsed: Duration::from_secs(2),
            paced,
            interrupted: paced,
        };
        let report = EngineReport {
            processed: 1_234_500,
            dropped: vec![("expired", 0), ("handler error", 67)],
            latency: Some(LatencySummary { p50: 950, p99: 1_500, p999: 25_000, max: 3_000_000_000 }),
            backend: "cpu".into(),
            launch: LaunchReport { compilation: Some(compilation), ready: Duration::from_millis(1534) },
        };
        Summary::new(tally, report)
    }

    #[test]
    fn text_tells_all_figures() {
        let text = summary(false).to_string();
        for part in [
            "1,234,567 sent, 1,234,500 processed",
            "67 handler error\n",
            "3 skipped",
            "alerts     12\n",
            "617,250 messages per second over 2.00 s",
            "p50 950 ns, p99 1.50 µs, p99.9 25.0 µs, max 3.00 s",
            "time in the queue",
            "launch     compiled in 1.20 s (cached: no), ready after 1.53 s\n",
            "backend    cpu\n",
        ] {
            assert!(text.contains(part), "{part:?} is not in:\n{text}");
        }
        assert!(!text.contains("interrupted"));
        assert!(!summary(true).to_string().contains("time in the queue"));
        assert!(
            summary(true)
                .to_string()
                .ends_with("interrupted by a signal: what was sent before was handled\n")
        );
    }

    #[test]
    fn json_has_the_promised_keys() {
        let json = serde_json::to_value(summary(true)).unwrap();
        assert_eq!(json["dropped"], serde_json::json!({ "handler error": 67 }));
        assert_eq!(
            json["latency_ns"],
            serde_json::json!({ "p50": 950, "p99": 1500, "p999": 25_000, "max": 3_000_000_000_u64 })
        );
        assert_eq!(json["messages_per_second"], 617_250.0);
        assert_eq!(
            json["launch"],
            serde_json::json!({ "ready_seconds": 1.534, "compile_seconds": 1.2, "cached": "no" })
        );
        assert_eq!(json["interrupted"], true);
    }
}
