//! How long a thread spins before it sleeps.

use std::time::{Duration, Instant};

use crate::backoff::Backoff;

/// How a thread waits in the blocking verbs of a queue.
///
/// Spinning reacts within a fraction of a microsecond, but occupies a core. Sleeping occupies no core, but
/// waking up takes some microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum WaitStrategy {
    /// Never sleeps. It pauses and yields to other threads, but occupies a core for as long as it waits.
    Spin,
    /// Spins for a while, then sleeps.
    SpinThenPark {
        /// How long it spins, accurate to a few microseconds.
        spin: Duration,
    },
    /// Sleeps at once.
    Park,
}

impl Default for WaitStrategy {
    /// Spins for 10 µs, about as long as waking up takes, then sleeps.
    fn default() -> Self {
        Self::SpinThenPark { spin: Duration::from_micros(10) }
    }
}

impl WaitStrategy {
    /// Called after a step without a result. Repeats `step` until it has a result, the deadline has passed,
    /// or it is time to sleep.
    pub fn look<R>(self, deadline: Option<Instant>, mut step: impl FnMut() -> Option<R>) -> Option<R> {
        let until = match self {
            Self::Spin => deadline,
            Self::SpinThenPark { spin } => {
                // An end that the clock cannot represent never comes.
                let end = Instant::now().checked_add(spin);
                end.into_iter().chain(deadline).min()
            }
            Self::Park => return None,
        };
        let mut backoff = Backoff::new();
        // In a model, the sooner it sleeps the more of sleeping is checked.
        while !cfg!(loom) && until.is_none_or(|until| Instant::now() < until) {
            backoff.snooze();
            if let Some(result) = step() {
                return Some(result);
            }
        }
        None
    }
}
