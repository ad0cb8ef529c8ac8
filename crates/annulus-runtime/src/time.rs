//! Durations as text for people, and deadlines of time limits.

use std::{
    fmt,
    time::{Duration, Instant},
};

use annulus_block::RuntimeClock;

/// A duration in the unit that suits it, with three digits: `205 ns`, `9.98 µs`, `1.20 s`, `2 min 5 s`.
///
/// ```
/// use std::time::Duration;
/// use annulus_runtime::for_people;
/// assert_eq!(for_people(Duration::from_nanos(9_980)).to_string(), "9.98 µs");
/// assert_eq!(for_people(Duration::from_millis(1200)).to_string(), "1.20 s");
/// assert_eq!(for_people(Duration::from_secs(3725)).to_string(), "1 h 2 min");
/// ```
pub fn for_people(time: Duration) -> ForPeople {
    ForPeople(time)
}

/// The moment `limit` from now; a limit that no clock can hold becomes thirty years.
pub(crate) fn deadline(limit: Duration) -> Instant {
    after(Instant::now(), limit)
}

/// The same by the runtime's clock.
pub(crate) fn deadline_by(clock: &RuntimeClock, limit: Duration) -> Instant {
    after(clock.source().instant(), limit)
}

fn after(now: Instant, limit: Duration) -> Instant {
    now.checked_add(limit).unwrap_or_else(|| now + Duration::from_secs(30 * 365 * 86_400))
}

/// A duration that prints for people; see [`for_people`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForPeople(Duration);

impl fmt::Display for ForPeople {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.0.as_nanos();
        // The largest values of each unit that do not round up to the next unit with three digits.
        let (value, unit) = match nanos {
            0..1_000 => return f.pad(&format!("{nanos} ns")),
            1_000..999_500 => (nanos as f64 / 1e3, "µs"),
            999_500..999_500_000 => (nanos as f64 / 1e6, "ms"),
            999_500_000..59_950_000_000 => (nanos as f64 / 1e9, "s"),
            _ => {
                let seconds = (nanos + 500_000_000) / 1_000_000_000;
                return f.pad(&match seconds / 60 {
                    minutes @ 0..60 => format!("{minutes} min {} s", seconds % 60),
                    minutes => format!("{} h {} min", minutes / 60, minutes % 60),
                });
            }
        };
        let decimals = match value {
            ..9.995 => 2,
            ..99.95 => 1,
            _ => 0,
        };
        f.pad(&format!("{value:.decimals$} {unit}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_has_three_digits_and_its_unit() {
        let cases = [
            (0, "0 ns"),
            (999, "999 ns"),
            (1_000, "1.00 µs"),
            (9_994, "9.99 µs"),
            (9_995, "10.0 µs"),
            (99_949, "99.9 µs"),
            (99_950, "100 µs"),
            (999_499, "999 µs"),
            (999_500, "1.00 ms"),
            (205_000_000, "205 ms"),
            (999_500_000, "1.00 s"),
            (59_949_999_999, "59.9 s"),
            (59_950_000_000, "1 min 0 s"),
            (125_400_000_000, "2 min 5 s"),
            (3_599_499_999_999, "59 min 59 s"),
            (3_599_500_000_000, "1 h 0 min"),
            (u64::MAX, "5124095 h 34 min"),
        ];
        for (nanos, expected) in cases {
            assert_eq!(for_people(Duration::from_nanos(nanos)).to_string(), expected, "{nanos}");
        }
        assert_eq!(format!("{:>9}", for_people(Duration::from_nanos(5))), "     5 ns");
    }
}
