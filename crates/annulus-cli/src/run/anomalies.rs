//! `annulus run anomalies`: a ring kernel watches many series and alerts on readings that are far from what
//! they have shown.

use std::io::{self, Write};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use annulus::Backend;
use clap::Args;

use super::alerts::{AlertSink, Show};
use super::csv_input::ColumnNames;
use super::engine::EngineOptions;
use super::feed::{self, FeedOptions};
use super::kernel_engine::KernelEngine;
use super::pace::Pace;
use super::pipeline::Pipeline;
use super::progress::Progress;
use super::source::Source;
use super::summary::Summary;
use super::watch::Watch;
use crate::failure::Failure;
use crate::signals::Interrupt;
use crate::values;

/// Watch many time series for readings that are far from normal
///
/// Each reading of the input is a message to a ring kernel, in which every series is an actor that keeps its
/// own running mean and variance. A reading more than THRESHOLD standard deviations from the mean before it
/// comes back as an alert. Without --input, the readings are a year of hourly weather at New York's airports,
/// built into the program.
///
/// Alerts and the summary go to standard output, progress to standard error.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Anomalies {
    /// Read this CSV file instead, "-" for standard input; it may be gzip-compressed
    ///
    /// It needs a header and one row per reading. Columns are found by name; others are ignored.
    #[arg(long, short, value_name = "FILE")]
    input: Option<PathBuf>,

    /// Column with the time; its text is shown with alerts as it stands
    #[arg(long, value_name = "NAME", default_value = "time", help_heading = "Columns")]
    time_column: String,

    /// Column with the name of the series
    #[arg(long, value_name = "NAME", default_value = "series", help_heading = "Columns")]
    series_column: String,

    /// Column with the value
    #[arg(long, value_name = "NAME", default_value = "value", help_heading = "Columns")]
    value_column: String,

    /// What stands between the columns: one character, or "tab"
    #[arg(long, value_name = "CHARACTER", default_value = ",", value_parser = delimiter, help_heading = "Columns")]
    delimiter: u8,

    /// Skip and count bad rows instead of ending at the first
    #[arg(long)]
    skip_bad: bool,

    /// Alert on readings more than this many standard deviations from the mean
    #[arg(long, value_name = "SIGMAS", default_value = "5", value_parser = threshold)]
    threshold: f32,

    /// Room for this many series, each an actor with its own state
    #[arg(long, value_name = "N", default_value = "1024", value_parser = clap::value_parser!(u32).range(1..=MAX_SERIES))]
    max_series: u32,

    /// Interrupt after this many messages; input that ends sooner is replayed, except standard input
    #[arg(long, short = 'n', value_name = "N")]
    messages: Option<NonZeroU64>,

    /// Send at this rate instead of as fast as possible; needed for a meaningful latency
    #[arg(long, short, value_name = "MESSAGES_PER_SECOND")]
    rate: Option<NonZeroU64>,

    /// Where the kernel runs
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = values::handling_backend())]
    backend: Backend,

    #[command(flatten)]
    watch: Watch,

    /// Also write the alerts to this file: as JSON lines if its name ends in .jsonl or .ndjson, else as CSV
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    alerts: Option<PathBuf>,

    /// Print only the summary, as one JSON object
    #[arg(long, help_heading = "Output")]
    json: bool,

    /// Print JSON lines: an object for each alert, and at the end {"summary": …}
    #[arg(long, conflicts_with = "json", help_heading = "Output")]
    jsonl: bool,

    /// Show neither alerts nor progress, which otherwise goes to standard error if that is a terminal
    #[arg(long, short, help_heading = "Output")]
    quiet: bool,
}

/// Beyond this a series takes more memory than a device of today has to give.
const MAX_SERIES: i64 = 1 << 26;

const EXAMPLES: &str = "\
Examples:
  Find what was odd about New York's weather in 2013:
      annulus run anomalies

  See the throughput, then the latency at a rate that leaves no queue:
      annulus run anomalies --quiet --messages 20000000
      annulus run anomalies --quiet --messages 100000 --rate 20000

  Watch your own file, whose columns have other names:
      annulus run anomalies --input log.csv --time-column when --series-column host --value-column load

  Watch a pipe for as long as it lasts, and keep the alerts; Ctrl-C ends it with the summary:
      tail -n +1 -f log.csv | annulus run anomalies --input - --alerts alerts.csv

  Hand the alerts on to another program:
      annulus run anomalies --jsonl | jq 'select(.z > 10)'

Signals: SIGINT (Ctrl-C) and SIGTERM end the input; what was sent is handled, and summed up. A
second one ends the program at once.

Exit codes:
  0  done, also after a signal, or nobody reads standard output any more
  1  the data or the machine is at fault
  2  the command line is
  130, 143  a second signal ended it";

impl Anomalies {
    pub(crate) fn execute(self) -> Result<(), Failure> {
        let stop = Interrupt::on_signals()?;
        let source = Source::from_flag(self.input);
        if let Some(alerts) = &self.alerts {
            check_alerts_file(alerts, &source)?;
        }
        let canvas = self.watch.canvas()?;
        if source == Source::Stdin && canvas.is_some_and(|canvas| canvas.has_input()) {
            return Err(Failure::Usage(
                "--top needs the keys of this terminal, and --input - reads from it: name a file, or use a pipe".into(),
            ));
        }
        // What is shown while the table is there would go over it.
        let has_output = canvas.is_some_and(|canvas| canvas.has_output());
        let show = match () {
            () if has_output => Show::Nothing,
            () if self.json || self.quiet => Show::Nothing,
            () if self.jsonl => Show::JsonLines,
            () => Show::Text,
        };
        let mut alerts = AlertSink::new(show, self.alerts.as_deref())?;
        let columns =
            ColumnNames { time: self.time_column, series: self.series_column, value: self.value_column };
        let options = EngineOptions {
            backend: self.backend,
            max_series: self.max_series,
            threshold: self.threshold,
            telemetry: self.watch.is_asked(),
        };
        let engine = KernelEngine::launch(&options).map_err(Failure::fault)?;
        let watched = self.watch.begin(engine.runtime(), false)?;
        let feed = FeedOptions {
            source: source.clone(),
            columns,
            delimiter: self.delimiter,
            max_series: self.max_series,
            skip_bad: self.skip_bad,
            replay: self.messages.is_some(),
        };
        let events = feed::start(feed).map_err(Failure::fault)?;

        let mut progress = Progress::new(!self.quiet && canvas.is_none());
        let limit = self.messages.map_or(u64::MAX, NonZeroU64::get);
        let pace = self.rate.map(|rate| Pace::new(rate.get()));
        let pipeline = Pipeline::new(Box::new(engine), pace, limit, &stop, &mut alerts, &mut progress);
        let work = || pipeline.run(&events);
        let (tally, report) = match canvas {
            Some(canvas) => canvas.beside(&watched.observer, &stop, work)?,
            None => work()?,
        };
        if self.messages.is_some() && tally.sent < limit && !tally.interrupted {
            let note = format!(
                "note: {source} ended after {} of {limit} messages and cannot be replayed",
                tally.sent
            );
            let _ = writeln!(io::stderr(), "{note}");
        }

        let summary = Summary::new(tally, report);
        let text = match show {
            _ if self.json => serde_json::to_string(&summary).map_err(Failure::fault)? + "\n",
            _ if self.jsonl => format!("{}\n", serde_json::json!({ "summary": summary })),
            // A line apart from the alerts, where there are any.
            Show::Text if alerts.count() > 0 => format!("\n{summary}"),
            _ => summary.to_string(),
        };
        let mut stdout = io::stdout().lock();
        stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(Failure::stdout)
    }
}

/// Refuses to write alerts where they would do harm.
fn check_alerts_file(alerts: &Path, source: &Source) -> Result<(), Failure> {
    if alerts.as_os_str() == "-" {
        let what = "--alerts needs a file; alerts are shown on standard output without it";
        return Err(Failure::Usage(what.into()));
    }
    let Source::File(input) = source else { return Ok(()) };
    match (input.canonicalize(), alerts.canonicalize()) {
        (Ok(input), Ok(alerts)) if input == alerts => Err(Failure::Usage(format!(
            "--alerts would overwrite the input {}: name another file",
            input.display()
        ))),
        _ => Ok(()),
    }
}

/// What stands between columns.
fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        _ if text == "tab" || text == "\\t" => Ok(b'\t'),
        &[byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\r' | b'\n') => Ok(byte),
        _ => Err("give one ASCII character that is no quote, such as ';', or \"tab\"".into()),
    }
}

/// A number of standard deviations.
fn threshold(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(sigmas) if sigmas > 0.0 && sigmas.is_finite() => Ok(sigmas),
        _ => Err("give a number greater than 0, such as 3 or 4.5".into()),
    }
}
