//! The figures at the end of a run.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::Serialize;

use super::engine::{EngineReport, LatencySummary};

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
    /// From the first reading to the last answer.
    seconds: f64,
    /// Readings processed per second, over all of that time.
    messages_per_second: f64,
    /// From queueing a reading to its answer; null where that was not measured.
    latency_ns: Option<LatencySummary>,
    /// Whether `--rate` held the readings back. Where not, the latency is mostly time in the queue.
    paced: bool,
    /// What ran the kernel.
    backend: String,
}

/// What the pipeline knows of a run and the engine does not.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) sent: u64,
    pub(crate) alerts: u64,
    pub(crate) bad_rows: u64,
    pub(crate) elapsed: Duration,
    pub(crate) paced: bool,
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
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "messages   {} sent, {} processed", grouped(self.sent), grouped(self.processed))?;
        let dropped: Vec<_> =
            self.dropped.iter().map(|(cause, count)| format!("{} {cause}", grouped(*count))).collect();
        writeln!(f, "dropped    {}", if dropped.is_empty() { "none".into() } else { dropped.join(", ") })?;
        if self.bad_rows > 0 {
            writeln!(f, "bad rows   {} skipped", grouped(self.bad_rows))?;
        }
        writeln!(f, "alerts     {}", grouped(self.alerts))?;
        let rate = grouped(self.messages_per_second as u64);
        writeln!(f, "speed      {rate} messages per second over {:.2} s", self.seconds)?;
        match self.latency_ns {
            None => writeln!(f, "latency    not measured by this backend")?,
            Some(LatencySummary { p50, p99, p999, max }) => {
                let [p50, p99, p999, max] = [p50, p99, p999, max].map(duration);
                writeln!(f, "latency    p50 {p50}, p99 {p99}, p99.9 {p999}, max {max}")?;
                if !self.paced {
                    writeln!(
                        f,
                        "           at full speed this is time in the queue; --rate shows the round trip"
                    )?;
                }
            }
        }
        writeln!(f, "backend    {}", self.backend)
    }
}

/// A number with its thousands apart.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Nanoseconds in the unit that suits them, to three digits.
fn duration(nanoseconds: u64) -> String {
    let (value, unit) = match nanoseconds {
        0..1_000 => return format!("{nanoseconds} ns"),
        1_000..1_000_000 => (nanoseconds as f64 / 1e3, "µs"),
        1_000_000..1_000_000_000 => (nanoseconds as f64 / 1e6, "ms"),
        _ => (nanoseconds as f64 / 1e9, "s"),
    };
    let decimals = match value {
        ..10.0 => 2,
        ..100.0 => 1,
        _ => 0,
    };
    format!("{value:.decimals$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(paced: bool) -> Summary {
        let tally =
            Tally { sent: 1_234_567, alerts: 12, bad_rows: 3, elapsed: Duration::from_secs(2), paced };
        let report = EngineReport {
            processed: 1_234_500,
            dropped: vec![("expired", 0), ("handler error", 67)],
            latency: Some(LatencySummary { p50: 950, p99: 1_500, p999: 25_000, max: 3_000_000_000 }),
            backend: "cpu".into(),
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
            "backend    cpu\n",
        ] {
            assert!(text.contains(part), "{part:?} is not in:\n{text}");
        }
        assert!(!summary(true).to_string().contains("time in the queue"));
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
    }

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!([0, 999, 1000, 1_000_000].map(grouped), ["0", "999", "1,000", "1,000,000"]);
    }
}
