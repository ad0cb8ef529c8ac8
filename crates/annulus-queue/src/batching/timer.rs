//! One thread that calls the targets that are due, and sleeps when none is.
//!
//! All state is under one lock. The thread never holds it while it calls a target, and a thread that arms the
//! timer may hold its own locks.

use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    io,
    sync::{Condvar, PoisonError, Weak},
    thread,
    time::Instant,
};

use annulus_sync::{Mutex, MutexGuard, contain::contained};

/// The timer of all batchers and alarms of the process.
pub(super) static TIMER: Timer = Timer {
    state: Mutex::new(State { entries: BinaryHeap::new(), started: false }),
    earlier: Condvar::new(),
};

/// Something that is called when it is due.
pub(super) trait Due: Send + Sync {
    /// Called on the timer's thread, with the time that the timer was armed for. Returns when to call again.
    fn fire(&self, at: Instant) -> Option<Instant>;
}

pub(super) struct Timer {
    state: Mutex<State>,
    /// Notified when the first entry was replaced by an earlier one.
    earlier: Condvar,
}

struct State {
    entries: BinaryHeap<Reverse<Entry>>,
    /// Whether the thread runs; it never ends.
    started: bool,
}

struct Entry {
    at: Instant,
    target: Weak<dyn Due>,
}

impl Timer {
    /// Makes sure that the thread runs.
    pub(super) fn start(&'static self) -> io::Result<()> {
        let mut state = self.lock();
        if !state.started {
            thread::Builder::new().name("annulus-batches".into()).spawn(|| self.run())?;
            state.started = true;
        }
        Ok(())
    }

    /// Makes the timer call `target` at `at`, or as soon after that as the system lets the thread run.
    pub(super) fn arm(&self, at: Instant, target: Weak<dyn Due>) {
        let mut state = self.lock();
        let first = state.entries.peek().is_none_or(|Reverse(entry)| at < entry.at);
        state.entries.push(Reverse(Entry { at, target }));
        drop(state);
        if first {
            self.earlier.notify_one();
        }
    }

    /// Removes `target`, which will be dropped.
    pub(super) fn disarm(&self, target: &Weak<dyn Due>) {
        self.lock().entries.retain(|Reverse(entry)| !entry.target.ptr_eq(target));
    }

    fn run(&self) {
        let mut state = self.lock();
        loop {
            let now = Instant::now();
            match state.entries.peek().map(|Reverse(entry)| entry.at) {
                None => state = self.earlier.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(at) if at > now => {
                    let waited = self.earlier.wait_timeout(state, at - now);
                    state = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
                Some(_) => {
                    let due = state.entries.pop();
                    drop(state);
                    if let Some(Reverse(Entry { at, target })) = due {
                        self.call(at, target);
                    }
                    state = self.lock();
                }
            }
        }
    }

    fn call(&self, at: Instant, target: Weak<dyn Due>) {
        // A panic concerns only the target and those who wait for it; the other targets must still be called.
        // The target itself says when it wants to be called again.
        let again = contained(|| target.upgrade().and_then(|target| target.fire(at)));
        if let Some(Some(again)) = again {
            self.arm(again, target);
        }
    }

    /// The heap is whole at every point where a panic could poison its lock, so poison can be ignored.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.at.cmp(&other.at)
    }
}
