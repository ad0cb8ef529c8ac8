//! A doorbell: one thread sleeps until another thread, or a device, has something new.
//!
//! There is one *sleeper* and any number of *ringers*. The sleeper stores how deep it sleeps, fences, looks
//! once more at all that could be new, and sleeps on the word `rung` (`SYNC: doorbell`). A ringer makes
//! something new, fences, and looks how deep the sleeper sleeps. If it has to wake the sleeper, it stores
//! `rung` and wakes it. One of the two fences comes first: either the ringer sees the sleeper, or the sleeper
//! sees what is new.
//!
//! There are two depths. In a light sleep, a device that can ring wakes the sleeper for anything new. In a
//! deep sleep, it wakes it only for dead letters and prints. Threads wake it from both, by
//! [`ring`](Doorbell::ring). A thread that is about to wait for a device records that where the sleeper
//! looks. Then it calls [`expect`](Doorbell::expect), which ends a deep sleep: the sleeper sees
//! somebody wait, and sleeps lightly from then on (`SYNC: expected`, the same pair of fences).
//!
//! | word | meaning | written by |
//! |---|---|---|
//! | `depth` | how the sleeper sleeps; 0 while it is awake | the sleeper |
//! | `asleep` | the same, where devices see it | the sleeper |
//! | `rung` | 1 since somebody rang | ringers store 1; the sleeper stores 0 before it looks |
//!
//! A ringer that saw one sleep may store `rung` during the next one. Then the sleeper looks once in vain.

use std::time::Duration;

use crate::{AtomicU32, Ordering, fence};

/// The words that devices see, and how a thread sleeps on one of them.
pub trait Door {
    /// How deep the sleeper sleeps: 0, or a [`Depth`].
    fn asleep(&self) -> &AtomicU32;

    /// Not 0 since somebody rang.
    fn rung(&self) -> &AtomicU32;

    /// Sleeps while `rung` is 0, for at most `limit`. May return early. Checking the word and going to sleep
    /// are one atomic step with respect to [`wake`](Self::wake).
    fn wait(&self, limit: Duration);

    /// Wakes the thread that [waits](Self::wait). The caller has stored `rung`.
    fn wake(&self);
}

/// How deep the sleeper sleeps. The numbers are those of the word that devices see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Depth {
    /// All that is new wakes it.
    Light = 1,
    /// Threads wake it, and devices that have dead letters or prints.
    Deep = 2,
}

const AWAKE: u32 = 0;

/// The doorbell; see the module.
#[derive(Debug)]
pub struct Doorbell<D> {
    door: D,
    depth: AtomicU32,
}

impl<D: Door> Doorbell<D> {
    /// A doorbell whose sleeper is awake. The door's words are 0.
    pub fn new(door: D) -> Self {
        Self { door, depth: AtomicU32::new(AWAKE) }
    }

    /// The door that it was made of.
    pub fn door(&self) -> &D {
        &self.door
    }

    /// Called after making something new: wakes the sleeper from any depth.
    ///
    /// Costs a SeqCst fence and a load while it is awake.
    pub fn ring(&self) {
        // SYNC: doorbell
        fence(Ordering::SeqCst);
        if self.depth.load(Ordering::Relaxed) != AWAKE {
            self.wake();
        }
    }

    /// Called before waiting for a device, and after recording that where the sleeper looks: wakes the
    /// sleeper if it sleeps deep.
    #[inline]
    pub fn expect(&self) {
        // SYNC: doorbell, expected
        fence(Ordering::SeqCst);
        if self.depth.load(Ordering::Relaxed) == Depth::Deep as u32 {
            self.wake();
        }
    }

    #[cold]
    fn wake(&self) {
        // SYNC: doorbell-rung (release)
        self.door.rung().store(1, Ordering::Release);
        self.door.wake();
    }

    /// Called by the sleeper: sleeps for at most `limit`. Does not sleep if `is_idle` returns false, because
    /// something is new. For a deep sleep, a thread that waits also counts as new.
    pub fn sleep(&self, depth: Depth, limit: Duration, is_idle: impl FnOnce() -> bool) {
        // SYNC: doorbell-rung (acquire): who looks sees what it was rung for.
        self.door.rung().swap(0, Ordering::AcqRel);
        self.door.asleep().store(depth as u32, Ordering::Relaxed);
        self.depth.store(depth as u32, Ordering::Relaxed);
        // SYNC: doorbell, expected
        fence(Ordering::SeqCst);
        if is_idle() {
            self.door.wait(limit);
        }
        self.depth.store(AWAKE, Ordering::Relaxed);
        self.door.asleep().store(AWAKE, Ordering::Relaxed);
    }
}
