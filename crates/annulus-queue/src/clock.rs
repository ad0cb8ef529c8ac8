//! The clock for expiry, and for a runtime.
//!
//! A clock that is moved by hand has a [monitor](crate::monitor) of its own, without a thread: whoever moves the clock
//! calls what is due. Whoever arms a target looks at the clock afterwards. The monitor's lock orders the two: either the
//! one who moves the clock finds the target, or the one who has armed it sees the new time.

use std::{
    fmt,
    time::{Duration, Instant},
};

use annulus_sync::{Arc, AtomicU64, Ordering};

// Models have no monitor: it keeps a thread and the system's time.
#[cfg(not(loom))]
use crate::monitor::{MONITOR, Monitor};

/// The clock that a [`MessageQueue`](crate::MessageQueue) uses for the age of messages, and a runtime for all its
/// times: the machine's clock, or one that a test moves by hand.
///
/// Clones show the same time.
#[derive(Clone)]
pub struct Clock(Source);

#[derive(Clone)]
enum Source {
    /// Time is counted from this instant.
    Machine(Instant),
    Manual(Arc<Manual>),
}

/// A clock that is moved by hand.
struct Manual {
    /// Nanoseconds; only grows.
    time: AtomicU64,
    /// Stands for time 0 where an instant is asked for.
    zero: Instant,
    /// Calls what is due, when the clock is moved.
    #[cfg(not(loom))]
    monitor: Monitor,
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
        Self(Source::Manual(Arc::new(Manual {
            time: AtomicU64::new(0),
            zero: Instant::now(),
            #[cfg(not(loom))]
            monitor: Monitor::new(),
        })))
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
    /// Wakes all that wait for a time which has come: blocks with timers, and futures with a limit, of runtimes that
    /// follow this clock. It does not wait until they have done anything.
    ///
    /// ```
    /// # use annulus_queue::Clock;
    /// # use std::time::Duration;
    /// assert!(!Clock::machine().advance(Duration::from_secs(5)));
    /// ```
    pub fn advance(&self, by: Duration) -> bool {
        let Source::Manual(manual) = &self.0 else { return false };
        // Relaxed: the time publishes no other data. The monitor's lock orders it with what is armed.
        manual.time.fetch_add(nanoseconds(by), Ordering::Relaxed);
        #[cfg(not(loom))]
        let _ = manual.monitor.turn(self.instant());
        true
    }

    /// Whether it is moved by hand.
    ///
    /// ```
    /// # use annulus_queue::Clock;
    /// assert!(Clock::manual().is_manual() && !Clock::machine().is_manual());
    /// ```
    pub fn is_manual(&self) -> bool {
        matches!(self.0, Source::Manual(_))
    }

    /// The time as an instant, which is the system's if it is the machine's clock.
    #[doc(hidden)]
    #[inline]
    pub fn instant(&self) -> Instant {
        match &self.0 {
            Source::Machine(_) => Instant::now(),
            Source::Manual(manual) => {
                let since = Duration::from_nanos(manual.time.load(Ordering::Relaxed));
                manual.zero.checked_add(since).unwrap_or(manual.zero)
            }
        }
    }

    /// Who calls what is due by this clock.
    #[cfg(not(loom))]
    #[doc(hidden)]
    pub fn monitor(&self) -> &Monitor {
        match &self.0 {
            Source::Machine(_) => &MONITOR,
            Source::Manual(manual) => &manual.monitor,
        }
    }

    /// Makes sure that somebody calls what is due: whoever moves the clock, or a thread.
    ///
    /// # Errors
    ///
    /// If the system starts no thread.
    #[cfg(not(loom))]
    #[doc(hidden)]
    pub fn start(&self) -> std::io::Result<()> {
        if self.is_manual() { Ok(()) } else { MONITOR.start() }
    }

    pub(crate) fn nanoseconds(&self) -> u64 {
        match &self.0 {
            Source::Machine(start) => nanoseconds(start.elapsed()),
            Source::Manual(manual) => manual.time.load(Ordering::Relaxed),
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
