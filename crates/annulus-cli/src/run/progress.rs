//! Shows on standard error how a run is doing: on a terminal, and only there.

use std::time::{Duration, Instant};

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How often the line changes, at most.
const PAUSE: Duration = Duration::from_millis(100);

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

/// One line that is overwritten, and cut to the terminal's width.
pub(crate) struct Progress {
    line: ProgressBar,
    /// When the line was last changed, and what had been processed then.
    last: (Instant, u64),
}

impl Progress {
    /// Shows nothing unless `enabled`.
    pub(crate) fn new(enabled: bool) -> Self {
        // Where standard error is no terminal, this draws nothing.
        let target = if enabled { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let style =
            ProgressStyle::with_template("{wide_msg}").expect("the template is a constant that parses");
        let line = ProgressBar::with_draw_target(None, target).with_style(style);
        Self { line, last: (Instant::now(), 0) }
    }

    /// Shows the line where it is time for it.
    pub(crate) fn tick(&mut self, status: impl FnOnce() -> Status) {
        let (last, processed_then) = self.last;
        if self.line.is_hidden() || last.elapsed() < PAUSE {
            return;
        }
        let status = status();
        self.last = (Instant::now(), status.processed);
        let seconds = (self.last.0 - last).as_secs_f64();
        let rate = status.processed.saturating_sub(processed_then) as f64 / seconds.max(f64::EPSILON);
        self.line.set_message(line(status, rate as u64));
    }

    /// Takes the line off the terminal while `other` puts something else there.
    pub(crate) fn suspend<R>(&self, other: impl FnOnce() -> R) -> R {
        self.line.suspend(other)
    }

    /// Takes the line off the terminal for good.
    pub(crate) fn finish(&mut self) {
        self.line.finish_and_clear();
    }
}

fn line(status: Status, rate: u64) -> String {
    let Status { sent, queue_depth, alerts, .. } = status;
    let [sent, rate, queue_depth, alerts] = [sent, rate, queue_depth, alerts].map(HumanCount);
    format!("{sent} sent · {rate} messages/s · queue {queue_depth} · alerts {alerts}")
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
