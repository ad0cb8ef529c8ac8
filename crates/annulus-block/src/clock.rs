//! A runtime's clock, which its blocks use to count latencies.

use std::time::{Duration, Instant};

/// Nanoseconds since the runtime was built. Monotonic, and the same for the host and all shards of one
/// runtime.
#[derive(Clone, Copy, Debug)]
pub struct RuntimeClock {
    origin: Instant,
}

impl RuntimeClock {
    /// A clock that shows 1 now, since 0 means "never" in the words that carry times.
    pub fn start() -> Self {
        Self { origin: Instant::now() }
    }

    /// The time now, in nanoseconds, never 0.
    #[inline]
    pub fn now(&self) -> u64 {
        // 584 years fit into 64 bits of nanoseconds.
        self.origin.elapsed().as_nanos() as u64 + 1
    }

    /// When it shows `nanos`, or more; `None` if the system has no such time.
    pub fn instant(&self, nanos: u64) -> Option<Instant> {
        self.origin.checked_add(Duration::from_nanos(nanos.saturating_sub(1)))
    }
}
