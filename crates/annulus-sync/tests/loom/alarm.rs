//! A block that sleeps until its timer is due is woken then, in every interleaving that loom can tell apart: there is no bound.
//!
//! The flag is the real one. The word, and the list of times at which the monitor calls, are twins of `annulus-cpu/src/alarm.rs`:
//! [`Alarm::arm`] is done by a worker that has parked the block, unless the word says that the monitor calls by then;
//! [`Alarm::fire`] is the monitor's call. The monitor calls for an earlier time while the block, whose next timer is due later, is
//! parked. So the worker may find the word as it was before the call, or the block parked by the call may have to arm it.
use annulus_sync::{Arc, AtomicU32, Ordering, UnsafeCell, wake_flag::WakeFlag, without_fences};
use loom::thread;

use crate::broken::fails;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Broken {
    Nothing,
    Fences,
    /// The monitor wakes the block before it takes back the word.
    Late,
}

/// When the monitor calls, and when the block's timer is due.
const EARLIER: u32 = 1;
const DUE: u32 = 2;

struct Alarm {
    flag: WakeFlag,
    armed: AtomicU32,
    /// The monitor will call when it is due.
    is_listed: AtomicU32,
    /// How often the block has looked: whoever runs it writes it.
    looks: UnsafeCell<u32>,
}

fn without_fences_if<R>(broken: bool, f: impl FnOnce() -> R) -> R {
    if broken { without_fences(f) } else { f() }
}

impl Alarm {
    /// By a worker: nothing is due yet, so the block is parked.
    fn run(&self, broken: Broken) {
        // SAFETY: loom checks that one runs it.
        self.looks.with_mut(|looks| unsafe { *looks += 1 });
        without_fences_if(broken == Broken::Fences, || self.flag.park());
        self.arm();
    }

    fn arm(&self) {
        let armed = self.armed.load(Ordering::Relaxed);
        if armed != 0 && armed <= DUE {
            return;
        }
        self.armed.store(DUE, Ordering::Relaxed);
        self.is_listed.store(1, Ordering::Relaxed);
    }

    /// By the monitor, at the earlier time.
    fn fire(&self, broken: Broken) {
        let take_back = || self.armed.store(0, Ordering::Relaxed);
        if broken != Broken::Late {
            take_back();
        }
        let sleeps = without_fences_if(broken == Broken::Fences, || self.flag.wake());
        if broken == Broken::Late {
            take_back();
        }
        if sleeps {
            self.run(broken);
        }
    }
}

fn is_woken(broken: Broken) {
    loom::model(move || {
        let alarm = Arc::new(Alarm {
            flag: WakeFlag::new(),
            armed: AtomicU32::new(EARLIER),
            is_listed: AtomicU32::new(0),
            looks: UnsafeCell::new(0),
        });
        assert!(alarm.flag.claim(), "a worker has it");
        let of_monitor = Arc::clone(&alarm);
        let monitor = thread::spawn(move || of_monitor.fire(broken));
        alarm.run(broken);
        monitor.join().unwrap();
        assert_eq!(alarm.is_listed.load(Ordering::Relaxed), 1, "nobody calls when the timer is due");
    });
}

#[test]
fn p07_a_block_is_woken_when_its_timer_is_due() {
    is_woken(Broken::Nothing);
}

#[test]
fn broken_alarm_without_fences() {
    fails("nobody calls when the timer is due", || is_woken(Broken::Fences));
}

#[test]
fn broken_alarm_that_is_taken_back_late() {
    fails("nobody calls when the timer is due", || is_woken(Broken::Late));
}
