//! How long to spin before sleeping.

use crate::{spin_loop, yield_now};

/// How long to spin before looking less often: exponential and bounded.
///
/// The limits are crossbeam-utils': up to 64 pauses a step, yields from the seventh step on, spent after the
/// tenth.
///
/// ```
/// # use annulus_sync::wait::Backoff;
/// let mut backoff = Backoff::new();
/// while !backoff.is_spent() {
///     // look; if there is nothing yet:
///     backoff.snooze();
/// }
/// // now it is worth going to sleep
/// ```
#[derive(Debug, Default)]
pub struct Backoff {
    /// How many steps were taken, up to `YIELD_STEPS + 1`.
    step: u32,
}

impl Backoff {
    const SPIN_STEPS: u32 = 6;
    // In a model, the sooner it sleeps the more of sleeping is checked.
    const YIELD_STEPS: u32 = if cfg!(loom) { 0 } else { 10 };

    /// A fresh start.
    ///
    /// ```
    /// assert!(!annulus_sync::wait::Backoff::new().is_spent());
    /// ```
    pub fn new() -> Self {
        Self { step: 0 }
    }

    /// A backoff that is spent from the start, for callers that must not wait.
    pub fn spent() -> Self {
        Self { step: Self::YIELD_STEPS + 1 }
    }

    /// Pauses this core, longer each time up to a bound. For use after losing a race whose winner has already
    /// finished.
    ///
    /// ```
    /// let mut backoff = annulus_sync::wait::Backoff::new();
    /// backoff.spin();
    /// ```
    #[inline]
    pub fn spin(&mut self) {
        pause(self.step.min(Self::SPIN_STEPS));
        self.step = (self.step + 1).min(Self::SPIN_STEPS);
    }

    /// Pauses this core, longer each time, and later yields to other threads. For use while waiting for
    /// another thread.
    ///
    /// ```
    /// let mut backoff = annulus_sync::wait::Backoff::new();
    /// backoff.snooze();
    /// ```
    #[inline]
    pub fn snooze(&mut self) {
        if self.step <= Self::SPIN_STEPS {
            pause(self.step);
        } else {
            yield_now();
        }
        self.step = (self.step + 1).min(Self::YIELD_STEPS + 1);
    }

    /// Whether [`snooze`](Self::snooze) was called so often that sleeping is cheaper.
    ///
    /// ```
    /// # use annulus_sync::wait::Backoff;
    /// let mut backoff = Backoff::new();
    /// (0..11).for_each(|_| backoff.snooze());
    /// assert!(backoff.is_spent());
    /// ```
    pub fn is_spent(&self) -> bool {
        self.step > Self::YIELD_STEPS
    }

    /// Starts afresh.
    ///
    /// ```
    /// # use annulus_sync::wait::Backoff;
    /// let mut backoff = Backoff::new();
    /// (0..11).for_each(|_| backoff.snooze());
    /// backoff.reset();
    /// assert!(!backoff.is_spent());
    /// ```
    pub fn reset(&mut self) {
        self.step = 0;
    }
}

#[cfg(not(loom))]
#[inline]
fn pause(step: u32) {
    for _ in 0..1u32 << step {
        spin_loop();
    }
}

/// In a model, one pause lets every other thread run. More pauses add nothing.
#[cfg(loom)]
fn pause(_: u32) {
    spin_loop();
}
