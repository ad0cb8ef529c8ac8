//! Shows alerts on standard output and writes them to a file.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::engine::{Alert, EngineError};
use super::in_flight::InFlight;
use crate::failure::Failure;

/// How alerts are shown on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Show {
    Nothing,
    Text,
    JsonLines,
}

/// Where alerts go. What [`take`](Self::take) was given is held until [`flush`](Self::flush).
pub(crate) struct AlertSink {
    show: Show,
    /// Lines for standard output.
    lines: String,
    file: Option<AlertFile>,
    /// The names of the series, by number.
    series: Vec<Box<str>>,
    count: u64,
}

impl AlertSink {
    /// A sink that also writes alerts to `file` if there is one, which is created or overwritten.
    pub(crate) fn new(show: Show, file: Option<&Path>) -> Result<Self, Failure> {
        let file = file.map(AlertFile::create).transpose()?;
        Ok(Self { show, lines: String::new(), file, series: Vec::new(), count: 0 })
    }

    /// Learns the names of the next series.
    pub(crate) fn add_series(&mut self, names: Vec<Box<str>>) {
        self.series.extend(names);
    }

    /// How many alerts there have been.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Takes `alerts` in; their times are in `in_flight`.
    pub(crate) fn take(&mut self, alerts: &mut Vec<Alert>, in_flight: &InFlight) -> Result<(), Failure> {
        for alert in alerts.drain(..) {
            let (Some(time), Some(series)) =
                (in_flight.time(alert.sequence), self.series.get(alert.series as usize))
            else {
                let Alert { sequence, series, .. } = alert;
                let what = format!(
                    "the kernel alerts on reading {sequence} of series {series}, which it was not sent"
                );
                return Err(Failure::fault(EngineError(what)));
            };
            self.count += 1;
            let (value, z) = (alert.value, alert.z);
            let told = Told { time, series, value, z };
            // Writing to a string cannot fail.
            let _ = match self.show {
                Show::Nothing => Ok(()),
                Show::JsonLines => writeln!(self.lines, "{}", told.json()),
                Show::Text => {
                    let (time, series) = (printable(time), printable(series));
                    writeln!(self.lines, "{time}  {series:<16}  {value:>10}  {z:>+8.1} sigma")
                }
            };
            if let Some(file) = &mut self.file {
                file.write(&told)?;
            }
        }
        Ok(())
    }

    /// Whether [`flush`](Self::flush) would write to standard output.
    pub(crate) fn has_lines(&self) -> bool {
        !self.lines.is_empty()
    }

    /// Writes everything that is held: to the file first, since the reader of standard output may have gone.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        if let Some(file) = &mut self.file {
            file.flush()?;
        }
        if self.has_lines() {
            let mut stdout = io::stdout().lock();
            stdout.write_all(self.lines.as_bytes()).and_then(|()| stdout.flush()).map_err(Failure::stdout)?;
            self.lines.clear();
        }
        Ok(())
    }
}

/// An alert as it is written.
#[derive(serde::Serialize)]
struct Told<'a> {
    time: &'a str,
    series: &'a str,
    value: f32,
    z: f32,
}

impl Told<'_> {
    fn json(&self) -> String {
        serde_json::to_string(self).expect("strings and numbers can be told in JSON")
    }
}

/// A file of alerts: JSON lines if its name says so, else CSV.
struct AlertFile {
    path: PathBuf,
    writer: Writer,
}

enum Writer {
    Csv(Box<csv::Writer<File>>),
    JsonLines(BufWriter<File>),
}

/// The ends of names of files with a JSON value a line.
const JSON_LINES: [&str; 2] = ["jsonl", "ndjson"];

impl AlertFile {
    fn create(path: &Path) -> Result<Self, Failure> {
        let file = File::create(path)
            .map_err(|error| Failure::Fault(format!("{}: cannot be created: {error}", path.display())))?;
        let is_json = path.extension().is_some_and(|end| JSON_LINES.iter().any(|known| end == *known));
        let writer = match is_json {
            true => Writer::JsonLines(BufWriter::new(file)),
            false => Writer::Csv(Box::new(csv::Writer::from_writer(file))),
        };
        let mut alerts = Self { path: path.into(), writer };
        if let Writer::Csv(writer) = &mut alerts.writer {
            // Also if no alert comes.
            let written = writer.write_record(["time", "series", "value", "z"]);
            written.map_err(|error| alerts.failed(error))?;
        }
        alerts.flush()?;
        Ok(alerts)
    }

    fn write(&mut self, alert: &Told<'_>) -> Result<(), Failure> {
        let Told { time, series, value, z } = alert;
        match &mut self.writer {
            Writer::Csv(writer) => writer
                .write_record([time, series, &*value.to_string(), &*z.to_string()])
                .map_err(|error| self.failed(error)),
            Writer::JsonLines(writer) => {
                writeln!(writer, "{}", alert.json()).map_err(|error| self.failed(error))
            }
        }
    }

    fn flush(&mut self) -> Result<(), Failure> {
        let flushed = match &mut self.writer {
            Writer::Csv(writer) => writer.flush(),
            Writer::JsonLines(writer) => writer.flush(),
        };
        flushed.map_err(|error| self.failed(error))
    }

    fn failed(&self, error: impl std::fmt::Display) -> Failure {
        Failure::Fault(format!("{}: cannot be written: {error}", self.path.display()))
    }
}

/// `text` without what a terminal would obey.
fn printable(text: &str) -> Cow<'_, str> {
    match text.contains(char::is_control) {
        false => text.into(),
        true => text.escape_debug().to_string().into(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::run::batch::Batch;
    use crate::run::engine::Reading;

    fn in_flight(time: &str) -> InFlight {
        let mut batch = Batch::default();
        batch.push(time, Reading { series: 0, value: 1.5 });
        let mut in_flight = InFlight::new(1 << 20);
        in_flight.push(7, Arc::new(batch));
        in_flight
    }

    fn alert(sequence: u64) -> Alert {
        Alert { sequence, series: 0, value: 1.5, z: -4.25 }
    }

    #[test]
    fn an_alert_is_shown_with_time_series_value_and_distance() {
        let line = |show| {
            let mut sink = AlertSink::new(show, None).unwrap();
            sink.add_series(vec!["a\u{1b}[2J".into()]);
            sink.take(&mut vec![alert(7)], &in_flight("noon")).unwrap();
            assert_eq!((sink.has_lines(), sink.count), (show != Show::Nothing, 1));
            sink.lines
        };
        assert_eq!(line(Show::Text), "noon  a\\u{1b}[2J               1.5      -4.2 sigma\n");
        let json = r#"{"time":"noon","series":"a\u001b[2J","value":1.5,"z":-4.25}"#;
        assert_eq!(line(Show::JsonLines), format!("{json}\n"));
        assert_eq!(line(Show::Nothing), "");
    }

    #[test]
    fn an_alert_on_a_reading_that_was_never_sent_is_a_fault() {
        let mut sink = AlertSink::new(Show::Nothing, None).unwrap();
        sink.add_series(vec!["a".into()]);
        let outcome = sink.take(&mut vec![alert(8)], &in_flight("noon"));
        assert!(matches!(outcome, Err(Failure::Fault(text)) if text.contains("reading 8")));
        assert_eq!(sink.count, 0);
    }
}
