//! Nothing new is slept through, up to a bound.
//!
//! The ringer on a device is the twin of the device runtime's C text (`ann_tell`), and the door is what the
//! system's futex does: the look at the word and lying down are one step. A sleep has no end here but a ring,
//! so one that is lost hangs. What is new is stored relaxed on purpose: the fences alone must do it.
//!
//! The bound is 3 involuntary switches per execution: a lost ring needs one to stop a thread between its two
//! steps, and one to return to it; the third is margin.
use std::time::Duration;

use annulus_sync::{
    Arc, AtomicU32, Condvar, Mutex, Ordering,
    doorbell::{Depth, Door, Doorbell},
    event::Event,
    fence,
    wait::block_on,
    without_fences,
};
use loom::thread;

use crate::broken::fails;

fn model(run: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(run);
}

/// What may be left out, so that a model shows that it is needed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Broken {
    Nothing,
    RingersFence,
    SleepersFence,
    DevicesFence,
    SleepersLook,
    /// The waiter does not say that it expects something.
    Expectation,
    ExpectationsFence,
    /// A sleeper that nobody waits for does not look once more whether somebody does.
    LookForWaiters,
}

struct Futex {
    asleep: AtomicU32,
    rung: AtomicU32,
    lock: Mutex<()>,
    wakes: Condvar,
}

impl Door for Futex {
    fn asleep(&self) -> &AtomicU32 {
        &self.asleep
    }

    fn rung(&self) -> &AtomicU32 {
        &self.rung
    }

    fn wait(&self, _: Duration) {
        let lock = self.lock.lock().unwrap();
        if self.rung.load(Ordering::Relaxed) == 0 {
            drop(self.wakes.wait(lock));
        }
    }

    fn wake(&self) {
        drop(self.lock.lock());
        self.wakes.notify_one();
    }
}

/// What a device does after it has made something new; `noted` if that is a dead letter or a print.
fn tell(door: &Futex, noted: bool) {
    // SYNC: doorbell
    fence(Ordering::SeqCst);
    let asleep = door.asleep.load(Ordering::Relaxed);
    if asleep == 1 || asleep == 2 && noted {
        door.rung.store(1, Ordering::Release);
        door.wake();
    }
}

fn without_fences_if<R>(broken: bool, f: impl FnOnce() -> R) -> R {
    if broken { without_fences(f) } else { f() }
}

fn doorbell() -> Doorbell<Futex> {
    let word = || AtomicU32::new(0);
    Doorbell::new(Futex { asleep: word(), rung: word(), lock: Mutex::new(()), wakes: Condvar::new() })
}

const NO_LIMIT: Duration = Duration::MAX;

/// A thread and a device make something new, each its own; the sleeper finds both.
fn both_are_heard(depth: Depth, broken: Broken) {
    model(move || {
        let new = || AtomicU32::new(0);
        let shared = Arc::new((doorbell(), [new(), new()]));
        let threads = [0, 1].map(|who| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let (bell, new) = &*shared;
                new[who].store(1, Ordering::Relaxed);
                match who {
                    0 => without_fences_if(broken == Broken::RingersFence, || bell.ring()),
                    _ => without_fences_if(broken == Broken::DevicesFence, || tell(bell.door(), true)),
                }
            })
        });
        let (bell, new) = &*shared;
        let look = || new.each_ref().map(|word| word.load(Ordering::Relaxed));
        let mut seen = [0; 2];
        while seen != [1; 2] {
            let is_idle = || broken == Broken::SleepersLook || look() == seen;
            without_fences_if(broken == Broken::SleepersFence, || bell.sleep(depth, NO_LIMIT, is_idle));
            seen = look();
        }
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn a_thread_and_a_device_are_heard_in_a_light_sleep() {
    both_are_heard(Depth::Light, Broken::Nothing);
}

#[test]
fn a_thread_and_a_dead_letter_are_heard_in_a_deep_sleep() {
    both_are_heard(Depth::Deep, Broken::Nothing);
}

#[test]
fn broken_a_ringer_without_its_fence() {
    fails("deadlock", || both_are_heard(Depth::Light, Broken::RingersFence));
}

#[test]
fn broken_a_device_without_its_fence() {
    fails("deadlock", || both_are_heard(Depth::Light, Broken::DevicesFence));
}

#[test]
fn broken_a_sleeper_without_its_fence() {
    fails("deadlock", || both_are_heard(Depth::Light, Broken::SleepersFence));
}

#[test]
fn broken_a_sleeper_that_looks_no_more() {
    fails("deadlock", || both_are_heard(Depth::Light, Broken::SleepersLook));
}

/// How somebody who waits says so where the pump looks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Waiter {
    /// By registering with an event that the pump looks at, which fences.
    Registers,
    /// By counting itself, as a call does.
    Counts,
}

/// What the pump looks at.
struct Kernel {
    bell: Doorbell<Futex>,
    /// What the device does, and how somebody waits for it.
    produced: AtomicU32,
    ready: Event,
    /// Those who count themselves.
    pending: AtomicU32,
    stop: AtomicU32,
}

impl Kernel {
    fn is_awaited(&self, waiter: Waiter) -> bool {
        match waiter {
            Waiter::Registers => self.ready.has_waiters(),
            Waiter::Counts => self.pending.load(Ordering::Relaxed) != 0,
        }
    }

    /// The pump: reports what is new, and sleeps deeply while nobody waits.
    fn pump(&self, waiter: Waiter, broken: Broken) {
        let mut reported = 0;
        loop {
            let now = self.produced.load(Ordering::Acquire);
            if now != reported {
                reported = now;
                self.ready.notify_all();
            }
            let stops = || self.stop.load(Ordering::Acquire) != 0;
            if stops() {
                return;
            }
            let depth = if self.is_awaited(waiter) { Depth::Light } else { Depth::Deep };
            self.bell.sleep(depth, NO_LIMIT, || {
                let quiet = match depth {
                    Depth::Light => self.produced.load(Ordering::Acquire) == reported,
                    Depth::Deep => broken == Broken::LookForWaiters || !self.is_awaited(waiter),
                };
                quiet && !stops()
            });
        }
    }

    /// Waits until the device has done something.
    fn wait(&self, waiter: Waiter, broken: Broken) {
        let done = || self.produced.load(Ordering::Acquire) != 0;
        while !done() {
            let listener = self.ready.listen();
            if done() {
                return;
            }
            if waiter == Waiter::Counts {
                self.pending.store(1, Ordering::Relaxed);
            }
            if broken != Broken::Expectation {
                without_fences_if(broken == Broken::ExpectationsFence, || self.bell.expect());
            }
            block_on(listener);
        }
    }
}

/// Somebody waits for what a device does, which rings only a sleeper that sleeps lightly.
fn what_is_expected_is_reported(waiter: Waiter, broken: Broken) {
    model(move || {
        let word = || AtomicU32::new(0);
        let kernel = Arc::new(Kernel {
            bell: doorbell(),
            produced: word(),
            ready: Event::new(),
            pending: word(),
            stop: word(),
        });
        let pump = thread::spawn({
            let kernel = Arc::clone(&kernel);
            move || kernel.pump(waiter, broken)
        });
        let device = thread::spawn({
            let kernel = Arc::clone(&kernel);
            move || {
                kernel.produced.store(1, Ordering::Release);
                tell(kernel.bell.door(), false);
            }
        });
        kernel.wait(waiter, broken);
        kernel.stop.store(1, Ordering::Release);
        kernel.bell.ring();
        device.join().unwrap();
        pump.join().unwrap();
    });
}

#[test]
fn what_somebody_waits_for_is_reported() {
    what_is_expected_is_reported(Waiter::Registers, Broken::Nothing);
}

#[test]
fn what_a_call_waits_for_is_reported() {
    what_is_expected_is_reported(Waiter::Counts, Broken::Nothing);
}

#[test]
fn broken_a_waiter_that_expects_nothing() {
    fails("deadlock", || what_is_expected_is_reported(Waiter::Counts, Broken::Expectation));
}

#[test]
fn broken_an_expectation_without_its_fence() {
    fails("deadlock", || what_is_expected_is_reported(Waiter::Counts, Broken::ExpectationsFence));
}

#[test]
fn broken_a_sleeper_that_looks_for_no_waiter() {
    fails("deadlock", || what_is_expected_is_reported(Waiter::Registers, Broken::LookForWaiters));
}
