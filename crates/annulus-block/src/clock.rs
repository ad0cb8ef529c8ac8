//! The clock of a runtime, by which its blocks count latencies.

use std::time::Instant;

/// Nanoseconds since the runtime was built, monotonic, the same for host and shards of one runtime.
#[derive(Clone, Copy, Debug)]
pub struct RuntimeClock {
    origin: Instant,
}

impl RuntimeClock {
    /// A clock that shows 1 now: 0 stands for "never" in the words that carry times.
    pub fn start() -> Self {
        Self { origin: Instant::now() }
    }

    /// The time now, in nanoseconds, never 0.
    #[inline]
    pub fn now(&self) -> u64 {
        // 584 years fit into 64 bits of nanoseconds.
        self.origin.elapsed().as_nanos() as u64 + 1
    }
}
