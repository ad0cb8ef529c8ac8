//! The monitor: one thread of the process that acts when a time has come. Whoever waits for a time waits here:
//! batches that must go, futures with a limit, sends that stand still, handlers that may be slow.
//!
//! # A turn
//!
//! [`Monitor::turn`] gets the time, calls all targets that are due, and returns when the next one is due. It reads no
//! clock and waits for nothing, so a test drives a monitor of its own with times of its own. The thread takes turns
//! with the system's clock. Between them it sleeps until the next target is due; if nothing is due, until somebody
//! arms a target. So a process in which nothing is due has no turns at all ([`Monitor::turns`]).
//!
//! # Locks
//!
//! All state is under one lock. It is not held while a target is called, and whoever arms a target may hold locks of
//! its own. Targets are code of others: one that takes long makes the others late, and one that panics harms nobody
//! else.
#![doc(hidden)]

mod alarm;

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, binary_heap::PeekMut},
    fmt, io,
    sync::{Condvar, PoisonError, Weak},
    thread,
    time::{Duration, Instant},
};

pub use alarm::Alarm;
use annulus_sync::{Mutex, MutexGuard, contain::contained};

/// The monitor of the process.
pub static MONITOR: Monitor = Monitor::new();

/// Something that is called when it is due.
pub trait Due: Send + Sync {
    /// Called with the time that it was armed for, and the time of the turn, which is not earlier. Returns when to
    /// call again: later than now.
    fn fire(&self, at: Instant, now: Instant) -> Option<Instant>;
}

/// Calls targets when they are due; see the module.
pub struct Monitor {
    state: Mutex<State>,
    /// Notified when the first entry was replaced by an earlier one.
    earlier: Condvar,
}

struct State {
    entries: BinaryHeap<Reverse<Entry>>,
    /// Whether the thread runs; it never ends.
    started: bool,
    turns: u64,
}

struct Entry {
    at: Instant,
    target: Weak<dyn Due>,
}

impl Monitor {
    /// A monitor without a thread, for which nothing is due.
    #[allow(clippy::new_without_default, reason = "there is one, and those of tests")]
    pub const fn new() -> Self {
        let state = State { entries: BinaryHeap::new(), started: false, turns: 0 };
        Self { state: Mutex::new(state), earlier: Condvar::new() }
    }

    /// Makes sure that the thread runs.
    ///
    /// # Errors
    ///
    /// If the system starts no thread.
    pub fn start(&'static self) -> io::Result<()> {
        let mut state = self.lock();
        if !state.started {
            thread::Builder::new().name("annulus-monitor".into()).spawn(|| self.run())?;
            state.started = true;
        }
        Ok(())
    }

    /// Has `target` called at `at`, or as soon after that as the system lets the thread run. A target may be armed
    /// for several times.
    pub fn arm(&self, at: Instant, target: Weak<dyn Due>) {
        let mut state = self.lock();
        let first = state.entries.peek().is_none_or(|Reverse(entry)| at < entry.at);
        state.entries.push(Reverse(Entry { at, target }));
        drop(state);
        if first {
            self.earlier.notify_one();
        }
    }

    /// Takes back all times of `target`, which will be dropped.
    pub fn disarm(&self, target: &Weak<dyn Due>) {
        self.lock().entries.retain(|Reverse(entry)| !entry.target.ptr_eq(target));
    }

    /// Calls all targets that are due at `now`. Returns when the next one is due, if any is. A target that wants to
    /// be called again is due in a later turn.
    pub fn turn(&self, now: Instant) -> Option<Instant> {
        self.lock().turns += 1;
        loop {
            let Reverse(Entry { at, target }) = {
                let mut state = self.lock();
                let next = state.entries.peek_mut()?;
                if next.0.at > now {
                    return Some(next.0.at);
                }
                PeekMut::pop(next)
            };
            // A panic concerns only the target and those who wait for it.
            let again = contained(|| target.upgrade().and_then(|target| target.fire(at, now))).flatten();
            if let Some(again) = again {
                self.arm(again.max(now + Duration::from_nanos(1)), target);
            }
        }
    }

    /// How many turns there have been.
    pub fn turns(&self) -> u64 {
        self.lock().turns
    }

    fn run(&self) {
        loop {
            self.sleep();
            self.turn(Instant::now());
        }
    }

    /// Sleeps until something is due.
    fn sleep(&self) {
        let mut state = self.lock();
        loop {
            let Some(at) = state.entries.peek().map(|Reverse(entry)| entry.at) else {
                state = self.earlier.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            match at.checked_duration_since(Instant::now()) {
                None | Some(Duration::ZERO) => return,
                Some(rest) => {
                    let waited = self.earlier.wait_timeout(state, rest);
                    state = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
    }

    /// The heap is whole at every point where a panic could poison its lock, so poison can be ignored.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Monitor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.lock();
        f.debug_struct("Monitor")
            .field("entries", &state.entries.len())
            .field("turns", &state.turns)
            .finish_non_exhaustive()
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

#[cfg(test)]
mod tests {
    use std::sync::{Arc, mpsc};

    use super::*;

    /// Tells when it is called, and wants to be called again as often as it has pauses.
    struct Teller(mpsc::Sender<(u32, Instant)>, u32, Mutex<Vec<Duration>>);

    impl Due for Teller {
        fn fire(&self, at: Instant, now: Instant) -> Option<Instant> {
            assert!(at <= now);
            self.0.send((self.1, at)).unwrap();
            self.2.lock().unwrap().pop().map(|pause| now + pause)
        }
    }

    struct Panics;

    impl Due for Panics {
        fn fire(&self, _: Instant, _: Instant) -> Option<Instant> {
            panic!("told to")
        }
    }

    fn weak(target: &Arc<impl Due + 'static>) -> Weak<dyn Due> {
        Arc::downgrade(target) as Weak<dyn Due>
    }

    /// Times of the test's own: no thread, no clock.
    #[test]
    fn o_01_a_turn_calls_what_is_due_and_says_what_is_next() {
        let monitor = Monitor::new();
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let (tx, rx) = mpsc::channel();
        let teller = |number, pauses: &[u64]| {
            let pauses = pauses.iter().rev().map(|&millis| Duration::from_millis(millis)).collect();
            Arc::new(Teller(tx.clone(), number, Mutex::new(pauses)))
        };
        let called = || rx.try_iter().map(|(number, _)| number).collect::<Vec<_>>();
        assert_eq!(monitor.turn(start), None, "nothing is due, ever");

        let (once, again, never) = (teller(1, &[]), teller(2, &[5, 0, 5]), teller(3, &[]));
        monitor.arm(at(20), weak(&once));
        monitor.arm(at(10), weak(&again));
        monitor.arm(at(15), weak(&never));
        let panics = Arc::new(Panics);
        monitor.arm(at(10), weak(&panics));
        assert_eq!((monitor.turn(at(9)), called()), (Some(at(10)), vec![]));
        assert_eq!((monitor.turn(at(10)), called()), (Some(at(15)), vec![2]));
        monitor.disarm(&weak(&never));
        assert_eq!((monitor.turn(at(14)), called()), (Some(at(15)), vec![]));
        // Called at 15, and at once again: that is another turn.
        let next = monitor.turn(at(15)).unwrap();
        assert!(next > at(15) && next < at(16), "a turn ends");
        assert_eq!((called(), monitor.turn(at(16)), called()), (vec![2], Some(at(20)), vec![2]));
        // Late: each once, in the order of their times.
        assert_eq!((monitor.turn(at(100)), called()), (None, vec![1, 2]));
        // A target that is gone is not called.
        monitor.arm(at(101), weak(&once));
        drop(once);
        assert_eq!((monitor.turn(at(200)), called()), (None, vec![]));
        assert_eq!(monitor.turns(), 8);
    }

    /// The mark: with nothing due, the thread has no turns, however long it lasts.
    #[test]
    fn o_01_a_monitor_with_nothing_due_takes_no_turns() {
        let monitor: &'static Monitor = Box::leak(Box::new(Monitor::new()));
        monitor.start().unwrap();
        monitor.start().unwrap();
        let (tx, rx) = mpsc::channel();
        let soon = Arc::new(Teller(tx, 1, Mutex::new(Vec::new())));
        monitor.arm(Instant::now(), weak(&soon));
        let limit = Duration::from_secs(60);
        rx.recv_timeout(limit).unwrap();
        // In an hour; what is armed and taken back; what is earlier than the hour, and far away.
        monitor.arm(Instant::now() + Duration::from_secs(3600), weak(&soon));
        let turns = monitor.turns();
        for _ in 0..100 {
            let other: Arc<dyn Due> = Arc::new(Panics);
            monitor.arm(Instant::now() + Duration::from_secs(1800), Arc::downgrade(&other));
            monitor.disarm(&Arc::downgrade(&other));
        }
        thread::sleep(Duration::from_millis(200));
        assert_eq!((turns, monitor.turns()), (1, 1));
        monitor.arm(Instant::now(), weak(&soon));
        rx.recv_timeout(limit).unwrap();
        assert_eq!(monitor.turns(), 2);
    }
}
