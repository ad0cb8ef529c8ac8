//! A lock for a few tens of nanoseconds, which costs one read-modify-write instead of two.
//!
//! `std`'s mutex learns by a swap when it unlocks whether somebody sleeps. Here unlocking is a plain store, and whoever wants to sleep
//! makes the heavy barrier that the store goes without (`barrier`): a sleeper registers, makes it, and looks once more; who unlocks
//! looks for sleepers after the store.

use std::ops::{Deref, DerefMut};

use crate::{
    event::Event,
    sync::{AtomicBool, Ordering, UnsafeCell},
    wait::{Backoff, block_on},
};

pub(crate) struct Lock<T> {
    locked: AtomicBool,
    /// Notified when it is unlocked and somebody sleeps.
    unlocked: Event,
    /// Whose `locked` is, his.
    value: UnsafeCell<T>,
}

// SAFETY: the value is given to one thread at a time, with a happens-before edge from each to the next (`lock-handed-on`); so it only
// moves between threads, which `T: Send` allows.
unsafe impl<T: Send> Sync for Lock<T> {}

impl<T> Lock<T> {
    pub(crate) fn new(value: T) -> Self {
        Self {
            locked: AtomicBool::new(false),
            unlocked: Event::for_light_notifiers(),
            value: UnsafeCell::new(value),
        }
    }

    #[inline(always)]
    pub(crate) fn lock(&self) -> Guard<'_, T> {
        if !self.try_lock() {
            self.lock_later();
        }
        Guard(self)
    }

    #[inline(always)]
    fn try_lock(&self) -> bool {
        // SYNC: lock-handed-on
        self.locked.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    #[cold]
    fn lock_later(&self) {
        let mut backoff = Backoff::new();
        while !backoff.is_spent() {
            backoff.snooze();
            if !self.locked.load(Ordering::Relaxed) && self.try_lock() {
                return;
            }
        }
        loop {
            let listener = self.unlocked.listen();
            if self.try_lock() {
                return;
            }
            block_on(listener);
        }
    }
}

/// The locked value.
pub(crate) struct Guard<'a, T>(&'a Lock<T>);

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        self.0.value.with(|value| {
            // SAFETY: whoever has the guard has the lock, and lends out the guard as it lends out the value.
            unsafe { &*value }
        })
    }
}

impl<T> DerefMut for Guard<'_, T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        self.0.value.with_mut(|value| {
            // SAFETY: whoever has the guard has the lock, and lends out the guard as it lends out the value.
            unsafe { &mut *value }
        })
    }
}

impl<T> Drop for Guard<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        // SYNC: lock-handed-on
        self.0.locked.store(false, Ordering::Release);
        self.0.unlocked.notify_lightly(1);
    }
}
