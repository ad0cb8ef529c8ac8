//! Sends at a steady rate.

use std::thread;
use std::time::{Duration, Instant};

/// At most this many readings go at once when behind schedule: a large batch would hide the latency of a
/// single reading.
const BURST: u64 = 64;

/// Sleeping may last this much longer than asked for; the rest of a wait is spun.
const SLEEP_SLACK: Duration = Duration::from_micros(200);

/// A schedule on which reading number *n* is due *n / rate* seconds after the start, however late the ones
/// before it were.
pub(crate) struct Pace {
    /// Readings per second, at least 1.
    rate: u64,
    start: Instant,
    /// Readings that the schedule has let go.
    sent: u64,
}

impl Pace {
    /// Starts now.
    pub(crate) fn new(rate: u64) -> Self {
        Self { rate: rate.max(1), start: Instant::now(), sent: 0 }
    }

    /// Starts anew, for when there was nothing to send: the time lost is not to be made up for by a burst.
    pub(crate) fn restart(&mut self) {
        *self = Self::new(self.rate);
    }

    /// Waits until a reading is due or `patience` is over, and tells how many of the next `wanted` readings
    /// are to go now.
    pub(crate) fn wait(&mut self, wanted: usize, patience: Duration) -> usize {
        let begin = Instant::now();
        loop {
            let now = Instant::now();
            let due = due(self.rate, now - self.start).saturating_sub(self.sent);
            if due > 0 {
                let count = due.min(BURST).min(wanted as u64);
                self.sent += count;
                return count as usize;
            }
            if now - begin >= patience {
                return 0;
            }
            let next = self.start + time_of(self.rate, self.sent);
            let left = next.saturating_duration_since(now);
            if left > SLEEP_SLACK {
                thread::sleep((left - SLEEP_SLACK).min(patience));
            } else {
                thread::yield_now();
            }
        }
    }
}

/// How many readings are due `elapsed` after the start.
fn due(rate: u64, elapsed: Duration) -> u64 {
    u64::try_from(elapsed.as_nanos() * u128::from(rate) / 1_000_000_000).unwrap_or(u64::MAX).saturating_add(1)
}

/// When reading number `index`, from 0, is due after the start.
fn time_of(rate: u64, index: u64) -> Duration {
    let whole = Duration::from_secs(index / rate);
    // Rounded up, so that at this very time the reading is due.
    whole + Duration::from_nanos((u128::from(index % rate) * 1_000_000_000).div_ceil(u128::from(rate)) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_is_due_at_its_time_and_not_before() {
        for rate in [1, 3, 1000, 999_983, 5_000_000_000] {
            for index in [1, 2, 7, 1_000_003] {
                let time = time_of(rate, index);
                assert!(due(rate, time) > index, "rate {rate}, reading {index}");
                if rate < 1_000_000 {
                    assert_eq!(
                        due(rate, time - Duration::from_nanos(1)),
                        index,
                        "rate {rate}, reading {index}"
                    );
                }
            }
        }
    }

    #[test]
    fn readings_keep_to_the_schedule() {
        let start = Instant::now();
        let mut pace = Pace::new(1000);
        let mut sent = 0;
        while sent < 51 {
            sent += pace.wait(51 - sent, Duration::from_secs(60));
        }
        assert!(start.elapsed() >= Duration::from_millis(50));
    }

    #[test]
    fn patience_ends_a_wait() {
        let mut pace = Pace::new(1);
        assert_eq!(pace.wait(5, Duration::ZERO), 1, "the first is due at once");
        assert_eq!(pace.wait(5, Duration::from_millis(1)), 0);
    }
}
