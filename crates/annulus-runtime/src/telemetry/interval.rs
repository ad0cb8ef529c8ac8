//! How often telemetry is polled.

use std::{error::Error, fmt, time::Duration};

/// A time between polls: 100 µs or longer, since nothing needs more than 10,000 polls a second.
///
/// What a poll costs is a line of 64 bytes for each shard: the reader fetches it from the cache of whoever
/// wrote it. The table has the share of one core that a poll of a microsecond takes, as the specification has
/// it (row T-13).
///
/// | constant | interval | polls a second | share of a core |
/// |---|---|---|---|
/// | [`LOGGING`](Self::LOGGING) | 1 s | 1 | 0.0001 % |
/// | [`DASHBOARD`](Self::DASHBOARD) | 100 ms | 10 | 0.001 % |
/// | [`PRODUCTION`](Self::PRODUCTION) | 10 ms | 100 | 0.01 % |
/// | [`DEBUGGING`](Self::DEBUGGING) | 1 ms | 1000 | 0.1 % |
/// | [`STRESS`](Self::STRESS) | 100 µs | 10,000 | 1 % |
///
/// ```
/// use annulus_runtime::Interval;
/// use std::time::Duration;
/// assert_eq!(Interval::PRODUCTION.time(), Duration::from_millis(10));
/// assert_eq!(Interval::new(Duration::from_millis(10)), Ok(Interval::PRODUCTION));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Interval(Duration);

impl Interval {
    /// For lines in a log: once a second.
    pub const LOGGING: Self = Self(Duration::from_secs(1));
    /// For figures that people look at: 10 times a second.
    pub const DASHBOARD: Self = Self(Duration::from_millis(100));
    /// For monitoring in production: 100 times a second.
    pub const PRODUCTION: Self = Self(Duration::from_millis(10));
    /// For development: 1000 times a second.
    pub const DEBUGGING: Self = Self(Duration::from_millis(1));
    /// For stress tests: 10,000 times a second, the most there is.
    pub const STRESS: Self = Self(Duration::from_micros(100));

    /// Another interval.
    ///
    /// ```
    /// use annulus_runtime::Interval;
    /// use std::time::Duration;
    /// let error = Interval::new(Duration::from_micros(20)).unwrap_err();
    /// assert_eq!(error.to_string(), "the interval is 20.0 µs, and must be 100 µs or longer: use Interval::STRESS");
    /// ```
    ///
    /// # Errors
    ///
    /// It is shorter than [`STRESS`](Self::STRESS).
    pub fn new(time: Duration) -> Result<Self, IntervalTooShort> {
        if time < Self::STRESS.0 { Err(IntervalTooShort { time }) } else { Ok(Self(time)) }
    }

    /// The time between two polls.
    pub const fn time(self) -> Duration {
        self.0
    }
}

/// The interval is shorter than [`Interval::STRESS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntervalTooShort {
    /// The interval that was asked for.
    pub time: Duration,
}

impl fmt::Display for IntervalTooShort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = crate::for_people(self.time);
        write!(f, "the interval is {time}, and must be 100 µs or longer: use Interval::STRESS")
    }
}

impl Error for IntervalTooShort {}
