//! When to look.

use std::time::{Duration, Instant};

/// Moments with random times in between, so that what a kernel does at a regular pace is not always met at the
/// same point of it.
pub(super) struct Pace {
    clock: fn() -> Instant,
    end: Instant,
    next: Instant,
    interval: Duration,
    seed: u64,
}

impl Pace {
    pub(super) fn new(time: Duration, rate: f64) -> Self {
        Self::with_clock(time, rate, Instant::now)
    }

    fn with_clock(time: Duration, rate: f64, clock: fn() -> Instant) -> Self {
        let now = clock();
        // What no clock can hold is as good as for ever.
        let end = now.checked_add(time).unwrap_or(now + Duration::from_secs(86_400 * 365));
        let interval = Duration::from_secs_f64(1.0 / rate.clamp(0.1, 1e6));
        Self { clock, end, next: now, interval, seed: 0x9E37_79B9_7F4A_7C15 }
    }

    /// How long to wait for the next look; `None` if the time is over.
    pub(super) fn next_wait(&mut self) -> Option<Duration> {
        let now = (self.clock)();
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        // From a half of the interval to one and a half.
        let gap = self.interval.mul_f64(0.5 + (self.seed >> 11) as f64 / (1u64 << 53) as f64);
        // Looks that were missed are not made up for: they would come in a bunch.
        self.next = (self.next + gap).max(now);
        (self.next < self.end).then(|| self.next - now)
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, sync::OnceLock};

    use super::*;

    thread_local! {
        static NOW: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    }

    fn now() -> Instant {
        static START: OnceLock<Instant> = OnceLock::new();
        *START.get_or_init(Instant::now) + NOW.get()
    }

    #[test]
    fn looks_are_at_random_moments_and_are_not_made_up_for() {
        let mut pace = Pace::with_clock(Duration::from_secs(1), 1000.0, now);
        let mut waits = Vec::new();
        while let Some(wait) = pace.next_wait() {
            assert!(wait <= Duration::from_micros(1500), "{wait:?}");
            waits.push(wait);
            // One look comes late by a tenth of a second.
            let late = Duration::from_millis(if waits.len() == 100 { 100 } else { 0 });
            NOW.set(NOW.get() + wait + late);
        }
        assert!((880..=920).contains(&waits.len()), "{}", waits.len());
        assert!(
            waits.iter().any(|wait| wait.as_micros() < 600)
                && waits.iter().any(|wait| wait.as_micros() > 1400)
        );
        assert_eq!(waits.iter().filter(|wait| wait.is_zero()).count(), 1, "the one that was late");
    }
}
