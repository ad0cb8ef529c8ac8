//! Shows on standard error how a run is doing.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use super::summary::grouped;

/// What the line shows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Status {
    /// Messages sent.
    pub(crate) sent: u64,
    /// Messages processed.
    pub(crate) processed: u64,
    /// Messages waiting.
    pub(crate) queue_depth: u64,
    /// Alerts so far.
    pub(crate) alerts: u64,
}

/// One line that is overwritten on a terminal; a line per second elsewhere.
pub(crate) struct Progress {
    enabled: bool,
    on_terminal: bool,
    started: Instant,
    /// When the last line was shown, and what had been processed then.
    last: (Instant, u64),
    /// A line is on the terminal and the cursor at its end.
    line_shown: bool,
}

/// Goes to the start of the terminal's line and clears it.
const CLEAR_LINE: &str = "\r\x1b[K";

impl Progress {
    /// Shows nothing unless `enabled`.
    pub(crate) fn new(enabled: bool) -> Self {
        let on_terminal = io::stderr().is_terminal();
        let started = Instant::now();
        Self { enabled, on_terminal, started, last: (started, 0), line_shown: false }
    }

    /// Shows the line where it is time for it.
    pub(crate) fn tick(&mut self, status: impl FnOnce() -> Status) {
        let pause = if self.on_terminal { Duration::from_millis(100) } else { Duration::from_secs(1) };
        if self.enabled && self.last.0.elapsed() >= pause {
            self.show(status());
        }
    }

    /// Takes the line off the terminal, so that other output can go there.
    pub(crate) fn clear(&mut self) {
        if self.line_shown {
            write(CLEAR_LINE);
            self.line_shown = false;
        }
    }

    /// Shows how things stand at the end, with the throughput of the whole run.
    pub(crate) fn finish(&mut self, status: Status) {
        if self.enabled {
            self.last = (self.started, 0);
            self.show(status);
        }
        if self.line_shown {
            write("\n");
            self.line_shown = false;
        }
    }

    fn show(&mut self, status: Status) {
        let (last, processed_then) = self.last;
        self.last = (Instant::now(), status.processed);
        let seconds = (self.last.0 - last).as_secs_f64();
        let rate = status.processed.saturating_sub(processed_then) as f64 / seconds.max(f64::EPSILON);
        let line = line(status, rate as u64);
        if self.on_terminal {
            write(&format!("{CLEAR_LINE}{line}"));
            self.line_shown = true;
        } else {
            write(&format!("{line}\n"));
        }
    }
}

fn line(status: Status, rate: u64) -> String {
    let Status { sent, queue_depth, alerts, .. } = status;
    format!(
        "{} sent · {} messages/s · queue {} · alerts {}",
        grouped(sent),
        grouped(rate),
        grouped(queue_depth),
        grouped(alerts)
    )
}

/// Progress is a courtesy: where standard error is gone, the run goes on.
fn write(text: &str) {
    let mut stderr = io::stderr().lock();
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_shows_throughput_queue_depth_and_alerts() {
        let status = Status { sent: 12_000, processed: 11_500, queue_depth: 500, alerts: 3 };
        assert_eq!(line(status, 1_000_000), "12,000 sent · 1,000,000 messages/s · queue 500 · alerts 3");
    }
}
