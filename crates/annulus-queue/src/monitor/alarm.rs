//! Wakes a task at a time. For the runtime.

use std::{
    io,
    sync::{Arc, PoisonError, Weak},
    task::Waker,
    time::Instant,
};

use annulus_sync::{Mutex, event::wake};

use super::Due;
use crate::clock::Clock;

/// Wakes one task at a time that can be set. Dropping it takes the time back.
#[derive(Debug)]
pub struct Alarm {
    sleeper: Arc<Sleeper>,
    clock: Clock,
}

#[derive(Debug, Default)]
struct Sleeper(Mutex<Option<Waker>>);

impl Alarm {
    /// An alarm that is not set, for times of this clock. Starts the monitor's thread if it is the machine's.
    ///
    /// # Errors
    ///
    /// If the system starts no thread.
    pub fn new(clock: &Clock) -> io::Result<Self> {
        clock.start()?;
        Ok(Self { sleeper: Arc::default(), clock: clock.clone() })
    }

    /// Wakes the task at `at`, or as soon after that as the system lets the thread run. Who calls this looks at the
    /// clock afterwards.
    pub fn set(&self, at: Instant, waker: Waker) {
        let before = self.sleeper.0.lock().unwrap_or_else(PoisonError::into_inner).replace(waker);
        drop(before);
        self.clock.monitor().arm(at, Arc::downgrade(&self.sleeper) as Weak<dyn Due>);
    }

    /// Wakes this task instead, at the time that was set. Does nothing once the time has come: who calls this looks
    /// at the clock afterwards.
    pub fn renew(&self, waker: &Waker) {
        let mut kept = self.sleeper.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.as_ref().is_some_and(|before| !before.will_wake(waker)) {
            let before = kept.replace(waker.clone());
            // The destructor of a waker is code of the program.
            drop(kept);
            drop(before);
        }
    }

    /// Takes the time back.
    pub fn clear(&self) {
        self.clock.monitor().disarm(&(Arc::downgrade(&self.sleeper) as Weak<dyn Due>));
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Due for Sleeper {
    fn fire(&self, _: Instant, _: Instant) -> Option<Instant> {
        let waker = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(waker) = waker {
            wake(waker);
        }
        None
    }
}
