//! How a device's clock relates to the host's, while both run.
//!
//! The host asks a block for the time. The block answers at some moment between the question and the poll
//! that finds the answer: this gives a [`Moment`] on both clocks, with an uncertainty of half that interval.
//! Each clock has a crystal of its own, and the two drift apart by up to [`DRIFT`]. So a measurement becomes
//! less certain with time, and a new moment is kept where it is more certain than that. Two moments far apart
//! tell how fast the clocks drift, and this rate extrapolates the relation.
//!
//! A clock may advance in steps. It then shows up to half a step more or less than a smooth clock would: each
//! moment is uncertain by that much more, and so is each stamp that is made from the relation.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// How fast two clocks may drift apart, as a fraction: two crystals of 50 millionths each.
const DRIFT: f64 = 1e-4;
/// How many moments are kept. The oldest and the newest tell the drift.
const KEPT: usize = 64;

/// A moment on both clocks.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// On the host's clock.
    pub host: Instant,
    /// On the device's clock, in nanoseconds.
    pub device: u64,
    /// How far apart the two readings may be.
    pub uncertainty: Duration,
}

impl Moment {
    /// The device's time at some moment between these.
    pub fn between(begun: Instant, ended: Instant, device: u64) -> Self {
        let uncertainty = ended.saturating_duration_since(begun) / 2;
        Self { host: begun + uncertainty, device, uncertainty }
    }
}

/// What is known of a device's clock, shared by all backends of the process that use the device.
#[derive(Debug)]
pub struct ClockSync {
    /// The step in which the device's clock advances.
    step: Duration,
    /// In order of time; at least one.
    moments: Mutex<VecDeque<Moment>>,
}

/// What the device's clock shows at an instant, and how far that may be wrong, in nanoseconds.
struct Shown {
    device: u64,
    uncertainty: f64,
}

impl ClockSync {
    /// A relation from one moment, for a device's clock that advances in these steps.
    pub fn new(first: Moment, step: Duration) -> Self {
        Self { step, moments: Mutex::new(VecDeque::from([coarser(first, step)])) }
    }

    /// The step in which the device's clock advances.
    pub fn step(&self) -> Duration {
        self.step
    }

    /// What the device's clock shows when the runtime's clock shows 0, in nanoseconds, wrapping. The
    /// runtime's clock shows `now` at this `instant`.
    pub fn origin(&self, instant: Instant, now: u64) -> u64 {
        let moments = self.moments.lock().unwrap_or_else(PoisonError::into_inner);
        shown(&moments, instant).device.wrapping_sub(now)
    }

    /// How far a stamp that is made now may be wrong.
    pub fn uncertainty(&self) -> Duration {
        let moments = self.moments.lock().unwrap_or_else(PoisonError::into_inner);
        Duration::from_nanos(shown(&moments, Instant::now()).uncertainty as u64) + self.step / 2
    }

    /// Adds a measurement, if it is better than what is known.
    pub(crate) fn learn(&self, moment: Moment) {
        let moment = coarser(moment, self.step);
        let mut moments = self.moments.lock().unwrap_or_else(PoisonError::into_inner);
        let expected = shown(&moments, moment.host);
        let own = nanos(moment.uncertainty);
        let apart = moment.device.wrapping_sub(expected.device).cast_signed() as f64;
        if apart.abs() > own + expected.uncertainty {
            // One of the clocks was set, or drifts faster than normal clocks do.
            moments.clear();
        } else if own > expected.uncertainty {
            return;
        } else if moments.len() == KEPT {
            moments.pop_front();
        }
        moments.push_back(moment);
    }
}

/// A moment on a clock with these steps: less certain.
fn coarser(moment: Moment, step: Duration) -> Moment {
    Moment { uncertainty: moment.uncertainty + step / 2, ..moment }
}

fn nanos(duration: Duration) -> f64 {
    duration.as_nanos() as f64
}

/// Nanoseconds from one instant to another; negative if `to` is the earlier one.
fn since(from: Instant, to: Instant) -> f64 {
    nanos(to.saturating_duration_since(from)) - nanos(from.saturating_duration_since(to))
}

fn shown(moments: &VecDeque<Moment>, instant: Instant) -> Shown {
    let (Some(first), Some(last)) = (moments.front(), moments.back()) else {
        unreachable!("one moment at least is known");
    };
    let passed = since(last.host, instant);
    let apart = since(first.host, last.host);
    // How much faster the device's clock went than the host's, as a fraction, and how far that may be wrong.
    let (mut drift, mut doubt) = (0.0, DRIFT);
    if apart > 0.0 {
        let wrong = (nanos(first.uncertainty) + nanos(last.uncertainty)) / apart;
        if wrong < DRIFT {
            drift = (last.device.wrapping_sub(first.device).cast_signed() as f64 - apart) / apart;
            doubt = wrong;
        }
    }
    Shown {
        device: last.device.wrapping_add_signed((passed + passed * drift) as i64),
        uncertainty: nanos(last.uncertainty) + passed.abs() * doubt,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A device's clock, and what is measured of it.
    struct Clock {
        begun: Instant,
        /// How much faster than the host's it goes.
        drift: f64,
        ahead: u64,
        /// Nanoseconds.
        step: u64,
        seed: u64,
    }

    impl Clock {
        fn shows(&self, at: Duration) -> u64 {
            let exact = self.ahead.wrapping_add((nanos(at) * (1.0 + self.drift)) as u64);
            exact / self.step * self.step
        }

        fn clock_sync(&mut self) -> ClockSync {
            let first = self.measured(Duration::ZERO, 1);
            ClockSync::new(first, Duration::from_nanos(self.step))
        }

        fn random(&mut self, limit: u64) -> u64 {
            self.seed = self.seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.seed >> 33) % limit
        }

        /// Asked at that time, and answered within so many microseconds.
        fn measured(&mut self, at: Duration, micros: u64) -> Moment {
            let took = 2_000 + self.random(micros * 1000);
            let answered = at + Duration::from_nanos(self.random(took));
            let (begun, ended) = (self.begun + at, self.begun + at + Duration::from_nanos(took));
            Moment::between(begun, ended, self.shows(answered))
        }
    }

    /// How far the relation is wrong at that time, in microseconds.
    fn wrong(clock_sync: &ClockSync, clock: &Clock, at: Duration) -> f64 {
        let shown = clock_sync.origin(clock.begun + at, 0);
        (shown.wrapping_sub(clock.shows(at)).cast_signed() as f64 / 1000.0).abs()
    }

    fn clock(drift: f64) -> Clock {
        Clock { begun: Instant::now(), drift, ahead: 1_700_000_000_123_456_789, step: 1, seed: 1 }
    }

    #[test]
    fn clocks_that_drift_are_followed() {
        for drift in [0.0, 3e-5, -7e-5] {
            let mut clock = clock(drift);
            let clock_sync = clock.clock_sync();
            let mut worst: f64 = 0.0;
            for beat in 1..=12_000 {
                let at = Duration::from_millis(50) * beat;
                worst = worst.max(wrong(&clock_sync, &clock, at));
                clock_sync.learn(clock.measured(at, 40));
            }
            // Ten minutes: uncorrected it would be milliseconds.
            assert!(worst < 25.0, "{drift}: {worst} µs");
            let late = wrong(&clock_sync, &clock, Duration::from_secs(601));
            assert!(late < 8.0, "{drift}: {late} µs");
        }
    }

    #[test]
    fn the_truth_lies_within_the_uncertainty() {
        for step in [1, 1024] {
            let mut clock = Clock { step, ..clock(5e-5) };
            let clock_sync = clock.clock_sync();
            for beat in 1..=2000 {
                let at = Duration::from_millis(50) * beat;
                let moments = clock_sync.moments.lock().unwrap();
                let shown = shown(&moments, clock.begun + at);
                drop(moments);
                let uncertainty = shown.uncertainty + step as f64 / 2.0;
                let wrong = shown.device.wrapping_sub(clock.shows(at)).cast_signed() as f64;
                // Rounding to whole nanoseconds, and to what fits into a number of that size.
                assert!(wrong.abs() <= uncertainty + 600.0, "{wrong} ns of {uncertainty} at {at:?}");
                clock_sync.learn(clock.measured(at, 200));
            }
            let step = Duration::from_nanos(step);
            assert!(clock_sync.uncertainty() >= step, "{:?}", clock_sync.uncertainty());
        }
    }

    #[test]
    fn a_clock_that_was_set_is_believed() {
        let mut clock = clock(0.0);
        let clock_sync = clock.clock_sync();
        clock.ahead -= 5_000_000_000;
        clock_sync.learn(clock.measured(Duration::from_secs(1), 1));
        assert!(wrong(&clock_sync, &clock, Duration::from_secs(1)) < 3.0);
    }

    #[test]
    fn a_worse_moment_is_not_taken() {
        let mut clock = clock(0.0);
        let clock_sync = clock.clock_sync();
        clock_sync.learn(clock.measured(Duration::from_millis(1), 10_000_000));
        assert_eq!(clock_sync.moments.lock().unwrap().len(), 1);
    }

    #[test]
    fn an_origin_follows_from_a_moment() {
        let host = Instant::now();
        let clock_sync =
            ClockSync::new(Moment { host, device: 5_000, uncertainty: Duration::ZERO }, Duration::ZERO);
        let later = host + Duration::from_nanos(700);
        // The runtime's clock shows 1200 then, and the device's 5700: at the runtime's 0 it showed 4500.
        assert_eq!(clock_sync.origin(later, 1_200), 4_500);
        assert_eq!(
            clock_sync.origin(later, 6_000),
            5_700u64.wrapping_sub(6_000),
            "it may have been before the device's 0"
        );
    }
}
