//! How long a thread looks busily before it sleeps.

use std::time::{Duration, Instant};

use crate::backoff::Backoff;

/// How a thread waits in the blocking verbs of a queue.
///
/// Spinning answers within a fraction of a microsecond and costs a core; sleeping costs nothing, and some
/// microseconds to wake up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum WaitStrategy {
    /// Never sleeps. It pauses, and lets other threads run, but takes a core for as long as it waits.
    Spin,
    /// Looks busily for a while, then sleeps.
    SpinThenPark {
        /// How long it looks, give or take a few microseconds.
        spin: Duration,
    },
    /// Sleeps at once.
    Park,
}

impl Default for WaitStrategy {
    /// Looks for 10 µs, about what waking up costs, then sleeps.
    fn default() -> Self {
        Self::SpinThenPark { spin: Duration::from_micros(10) }
    }
}

impl WaitStrategy {
    /// After a step that had no result: takes more until one has, the deadline has passed, or it is time to
    /// sleep.
    pub fn look<R>(self, deadline: Option<Instant>, mut step: impl FnMut() -> Option<R>) -> Option<R> {
        let until = match self {
            Self::Spin => deadline,
            Self::SpinThenPark { spin } => {
                // An end that the clock cannot express never comes.
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
