//! A runtime's clock, which its blocks use to count latencies.

use std::{
    io,
    sync::Weak,
    time::{Duration, Instant},
};

use annulus_queue::{Clock, monitor::Due};

/// Nanoseconds since the runtime was built. Monotonic, and the same for the host and all shards of one
/// runtime. Clones are the same clock.
#[derive(Clone, Debug)]
pub struct RuntimeClock {
    clock: Clock,
    origin: Instant,
}

impl RuntimeClock {
    /// The machine's clock; it shows 1 now, since 0 means "never" in the words that carry times.
    pub fn start() -> Self {
        Self::start_by(Clock::machine())
    }

    /// The same by another clock, which may be one that is moved by hand.
    pub fn start_by(clock: Clock) -> Self {
        Self { origin: clock.instant(), clock }
    }

    /// The clock that it goes by.
    pub fn source(&self) -> &Clock {
        &self.clock
    }

    /// The time now, in nanoseconds, never 0.
    #[inline]
    pub fn now(&self) -> u64 {
        // 584 years fit into 64 bits of nanoseconds.
        self.clock.instant().duration_since(self.origin).as_nanos() as u64 + 1
    }

    /// When it shows `nanos`, or more; `None` if the system has no such time.
    pub fn instant(&self, nanos: u64) -> Option<Instant> {
        self.origin.checked_add(Duration::from_nanos(nanos.saturating_sub(1)))
    }

    /// Makes sure that what is armed will be called.
    ///
    /// # Errors
    ///
    /// If the system starts no thread.
    pub fn call_what_is_due(&self) -> io::Result<()> {
        self.clock.start()
    }

    /// Has `target` called at `at`. Returns whether that time has come meanwhile: then it may be that nobody calls, if
    /// the clock was moved by hand before.
    pub fn arm(&self, at: Instant, target: Weak<dyn Due>) -> bool {
        self.clock.monitor().arm(at, target);
        self.clock.is_manual() && self.clock.instant() >= at
    }
}
