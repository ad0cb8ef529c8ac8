//! Shows alerts on standard output and writes them to a file.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::engine::{Alert, EngineError};
use super::in_flight::InFlight;
use crate::failure::Failure;

/// Where alerts go. What [`take`](Self::take) was given is held until [`flush`](Self::flush).
pub(crate) struct AlertSink {
    /// Lines for standard output; `None` where alerts are only counted.
    lines: Option<String>,
    file: Option<AlertFile>,
    /// The names of the series, by number.
    series: Vec<Box<str>>,
    count: u64,
}

impl AlertSink {
    /// A sink that shows alerts if `show`, and writes them to `file` if there is one, which is created or overwritten.
    pub(crate) fn new(show: bool, file: Option<&Path>) -> Result<Self, Failure> {
        let file = file.map(AlertFile::create).transpose()?;
        Ok(Self { lines: show.then(String::new), file, series: Vec::new(), count: 0 })
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
            if let Some(lines) = &mut self.lines {
                let (time, series) = (printable(time), printable(series));
                let (value, z) = (alert.value, alert.z);
                // Writing to a string cannot fail.
                let _ = writeln!(lines, "{time}  {series:<16}  {value:>10}  {z:>+8.1} sigma");
            }
            if let Some(file) = &mut self.file {
                file.write([time, series, &alert.value.to_string(), &alert.z.to_string()])?;
            }
        }
        Ok(())
    }

    /// Whether [`flush`](Self::flush) would write to standard output.
    pub(crate) fn has_lines(&self) -> bool {
        self.lines.as_ref().is_some_and(|lines| !lines.is_empty())
    }

    /// Writes all that is held: to the file first, since whoever reads standard output may have gone.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        if let Some(file) = &mut self.file {
            file.flush()?;
        }
        if let Some(lines) = self.lines.as_mut().filter(|lines| !lines.is_empty()) {
            let mut stdout = io::stdout().lock();
            stdout.write_all(lines.as_bytes()).and_then(|()| stdout.flush()).map_err(Failure::stdout)?;
            lines.clear();
        }
        Ok(())
    }
}

/// A CSV file of alerts.
struct AlertFile {
    path: PathBuf,
    writer: csv::Writer<File>,
}

impl AlertFile {
    fn create(path: &Path) -> Result<Self, Failure> {
        let file = File::create(path)
            .map_err(|error| Failure::Fault(format!("{}: cannot be created: {error}", path.display())))?;
        let mut alerts = Self { path: path.into(), writer: csv::Writer::from_writer(file) };
        alerts.write(["time", "series", "value", "z"])?;
        alerts.flush()?;
        Ok(alerts)
    }

    fn write(&mut self, fields: [&str; 4]) -> Result<(), Failure> {
        self.writer.write_record(fields).map_err(|error| self.failed(error))
    }

    fn flush(&mut self) -> Result<(), Failure> {
        self.writer.flush().map_err(|error| self.failed(error))
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
        let mut sink = AlertSink::new(true, None).unwrap();
        sink.add_series(vec!["a\u{1b}[2J".into()]);
        sink.take(&mut vec![alert(7)], &in_flight("noon")).unwrap();
        assert!(sink.has_lines());
        assert_eq!(sink.lines.unwrap(), "noon  a\\u{1b}[2J               1.5      -4.2 sigma\n");
        assert_eq!(sink.count, 1);
    }

    #[test]
    fn an_alert_on_a_reading_that_was_never_sent_is_a_fault() {
        let mut sink = AlertSink::new(false, None).unwrap();
        sink.add_series(vec!["a".into()]);
        let outcome = sink.take(&mut vec![alert(8)], &in_flight("noon"));
        assert!(matches!(outcome, Err(Failure::Fault(text)) if text.contains("reading 8")));
        assert_eq!(sink.count, 0);
    }
}
