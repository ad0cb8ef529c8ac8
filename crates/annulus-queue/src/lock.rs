//! A lock that is held for a few tens of nanoseconds. It costs one read-modify-write instead of two.
//!
//! `std`'s mutex unlocks by a swap, to learn whether somebody sleeps. Here unlocking is a plain store without
//! a barrier; a thread that wants to sleep makes the heavy barrier instead (`barrier`). A sleeper registers,
//! makes the barrier, and checks the lock once more. The thread that unlocks looks for sleepers after the
//! store.

use std::ops::{Deref, DerefMut};

use annulus_sync::{
    AtomicBool, AtomicUsize, Ordering, UnsafeCell,
    contain::this_thread,
    event::Event,
    wait::{Backoff, block_on},
};

pub(crate) struct Lock<T> {
    locked: AtomicBool,
    /// Notified when it is unlocked and somebody sleeps.
    unlocked: Event,
    /// The thread that runs the program's code under the lock, or 0. Written only by the thread that holds
    /// the lock.
    lent_to: AtomicUsize,
    /// Accessed only by the thread that holds the lock.
    value: UnsafeCell<T>,
}

// SAFETY: the value is given to one thread at a time, with a happens-before edge from each to the next
// (`lock-handed-on`); so it only moves between threads, which `T: Send` allows.
unsafe impl<T: Send> Sync for Lock<T> {}

impl<T> Lock<T> {
    pub(crate) fn new(value: T) -> Self {
        Self {
            locked: AtomicBool::new(false),
            unlocked: Event::for_light_notifiers(),
            lent_to: AtomicUsize::new(0),
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
        // Relaxed: it is this thread's number only if this thread has stored it.
        #[cfg(not(loom))]
        assert!(
            self.lent_to.load(Ordering::Relaxed) != this_thread(),
            "what looks at a queue's message with `peek` uses the same queue, which is locked meanwhile: it would wait \
             for itself for ever"
        );
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

impl<T> Guard<'_, T> {
    /// Calls the program's code under the lock. If that code tries to take the lock, it panics instead of
    /// waiting for itself.
    pub(crate) fn lend<R>(&self, call: impl FnOnce(&T) -> R) -> R {
        struct Lent<'a>(&'a AtomicUsize);
        impl Drop for Lent<'_> {
            fn drop(&mut self) {
                self.0.store(0, Ordering::Relaxed);
            }
        }
        self.0.lent_to.store(this_thread(), Ordering::Relaxed);
        let _lent = Lent(&self.0.lent_to);
        call(&**self)
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        self.0.value.with(|value| {
            // SAFETY: the owner of the guard holds the lock. A borrow of the value borrows the guard in the
            // same way.
            unsafe { &*value }
        })
    }
}

impl<T> DerefMut for Guard<'_, T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        self.0.value.with_mut(|value| {
            // SAFETY: the owner of the guard holds the lock. A borrow of the value borrows the guard in the
            // same way.
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
