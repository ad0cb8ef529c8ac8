//! The clock for expiry.

use std::{
    fmt,
    time::{Duration, Instant},
};

use annulus_sync::{Arc, AtomicU64, Ordering};

/// The clock that a [`MessageQueue`](crate::MessageQueue) uses for the age of messages: the machine's clock,
/// or one that a test moves by hand.
///
/// Clones show the same time.
#[derive(Clone)]
pub struct Clock(Source);

#[derive(Clone)]
enum Source {
    /// Time is counted from this instant.
    Machine(Instant),
    /// Nanoseconds; only grows.
    Manual(Arc<AtomicU64>),
}

impl Clock {
    /// The machine's monotonic clock. Reading it takes about 20 ns.
    ///
    /// ```
    /// let clock = annulus_queue::Clock::machine();
    /// assert!(clock.now() <= clock.now());
    /// ```
    pub fn machine() -> Self {
        Self(Source::Machine(Instant::now()))
    }

    /// A clock that stands still until it is moved, for tests.
    ///
    /// ```
    /// # use annulus_queue::Clock;
    /// # use std::time::Duration;
    /// let clock = Clock::manual();
    /// clock.advance(Duration::from_secs(5));
    /// assert_eq!(clock.now(), Duration::from_secs(5));
    /// ```
    pub fn manual() -> Self {
        Self(Source::Manual(Arc::new(AtomicU64::new(0))))
    }

    /// The time since the clock was made.
    ///
    /// ```
    /// assert!(annulus_queue::Clock::manual().now().is_zero());
    /// ```
    pub fn now(&self) -> Duration {
        Duration::from_nanos(self.nanoseconds())
    }

    /// Moves a manual clock forward, up to 584 years in all. Returns whether it is a manual clock: the
    /// machine's clock cannot be moved.
    ///
    /// ```
    /// # use annulus_queue::Clock;
    /// # use std::time::Duration;
    /// assert!(!Clock::machine().advance(Duration::from_secs(5)));
    /// ```
    pub fn advance(&self, by: Duration) -> bool {
        let Source::Manual(time) = &self.0 else { return false };
        // Relaxed: the time publishes no other data.
        time.fetch_add(nanoseconds(by), Ordering::Relaxed);
        true
    }

    pub(crate) fn nanoseconds(&self) -> u64 {
        match &self.0 {
            Source::Machine(start) => nanoseconds(start.elapsed()),
            Source::Manual(time) => time.load(Ordering::Relaxed),
        }
    }
}

/// Saturates after 584 years.
pub(crate) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.0 {
            Source::Machine(_) => "machine",
            Source::Manual(_) => "manual",
        };
        f.debug_struct("Clock").field("kind", &kind).field("now", &self.now()).finish()
    }
}
