//! Leases for telemetry, in every interleaving that loom can tell apart: the protocol of `annulus_runtime`'s lease with an
//! observer that asks in the file's page of requests.
//!
//! Two parts have an order of words to prove. An observer writes until when it wants telemetry, and rings; the doorbell's
//! thread sleeps on the bell and must then find the time. And a kernel is launched while a lease begins or ends: it must
//! come to what the lease says. What the lease itself does with times is a function of one thread, of which a test of
//! `annulus_runtime` tries every step.
//!
//! The system's futex compares the word and lies down in one step, under a lock that those who wake take, too; here a mutex
//! is that lock. A look that finds a new number does not lie down, and has only the word's own order.
//!
//! Models whose names begin with `broken` leave out or exchange a step, and loom finds what that breaks.
use annulus_sync::{Arc, AtomicBool, AtomicU32, AtomicU64, Condvar, Mutex, Ordering};
use loom::thread;

use crate::broken::fails;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Broken {
    Nothing,
    /// The observer rings before it writes the time.
    RingsFirst,
    /// The doorbell's thread loads the bell relaxed.
    Relaxed,
    /// The observer does not wake who sleeps.
    NoWake,
    /// The thread sleeps though the bell has another number than it has seen.
    Blind,
}

struct Page {
    until: AtomicU64,
    bell: AtomicU32,
    futex: Mutex<()>,
    wakes: Condvar,
}

impl Page {
    /// `Page::wait`.
    fn wait(&self, seen: u32, broken: Broken) -> u32 {
        let lock = self.futex.lock().unwrap();
        if broken == Broken::Blind || self.bell.load(Ordering::Relaxed) == seen {
            drop(self.wakes.wait(lock));
        } else {
            drop(lock);
        }
        // SYNC: bell (acquire)
        self.bell.load(if broken == Broken::Relaxed { Ordering::Relaxed } else { Ordering::Acquire })
    }

    /// An observer: `ask_for_telemetry`. Its writes are system calls, which are not exchanged.
    fn ask(&self, until: u64, bell: u32, broken: Broken) {
        if broken != Broken::RingsFirst {
            self.until.store(until, Ordering::Relaxed);
        }
        // SYNC: bell (release)
        self.bell.store(bell, Ordering::Release);
        if broken == Broken::RingsFirst {
            self.until.store(until, Ordering::Relaxed);
        }
        if broken != Broken::NoWake {
            drop(self.futex.lock());
            self.wakes.notify_all();
        }
    }
}

/// An observer asks once. The thread sees it, and what it finds then is what was asked for.
fn asked(broken: Broken) {
    loom::model(move || {
        let page = Arc::new(Page {
            until: AtomicU64::new(0),
            bell: AtomicU32::new(0),
            futex: Mutex::new(()),
            wakes: Condvar::new(),
        });
        let observer = {
            let page = Arc::clone(&page);
            thread::spawn(move || page.ask(7, 1, broken))
        };
        let mut seen = 0;
        while seen == 0 {
            seen = page.wait(seen, broken);
        }
        assert_eq!(
            page.until.load(Ordering::Relaxed),
            7,
            "the bell rang, and what was asked for is not there"
        );
        observer.join().unwrap();
    });
}

#[test]
fn t_11_who_hears_the_bell_finds_the_request() {
    asked(Broken::Nothing);
}

#[test]
#[should_panic(expected = "the bell rang, and what was asked for is not there")]
fn broken_the_observer_rings_before_it_writes() {
    asked(Broken::RingsFirst);
}

#[test]
#[should_panic(expected = "the bell rang, and what was asked for is not there")]
fn broken_nothing_orders_the_request_behind_the_bell() {
    asked(Broken::Relaxed);
}

#[test]
fn broken_nobody_wakes_the_doorbells_thread() {
    fails("deadlock", || asked(Broken::NoWake));
}

#[test]
fn broken_a_ring_before_the_sleep_is_slept_through() {
    fails("deadlock", || asked(Broken::Blind));
}

/// What may be wrong when a kernel is launched while a lease begins and ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joins {
    Right,
    /// The launch looks once whether a lease lives.
    OneLook,
    /// The monitor goes through the list before it says that the lease lives.
    SaysLast,
    /// The launch looks before the kernel is in the list.
    LooksFirst,
}

/// A kernel, and whether observers want its telemetry.
type Kernel = Arc<Mutex<bool>>;

struct Runtime {
    is_on: AtomicBool,
    kernels: Mutex<Vec<Kernel>>,
}

impl Runtime {
    /// `Shared::fire`, of the monitor alone.
    fn tell_all(&self, on: bool, joins: Joins) {
        if joins != Joins::SaysLast {
            self.is_on.store(on, Ordering::Relaxed);
        }
        let kernels = self.kernels.lock().unwrap().clone();
        for kernel in kernels {
            *kernel.lock().unwrap() = on;
        }
        if joins == Joins::SaysLast {
            self.is_on.store(on, Ordering::Relaxed);
        }
    }

    /// A launch: the kernel goes into the list, and then `Requests::tell`.
    fn launch(&self, kernel: &Kernel, joins: Joins) {
        let is_on = || self.is_on.load(Ordering::Relaxed);
        let early = (joins == Joins::LooksFirst).then(is_on);
        self.kernels.lock().unwrap().push(Arc::clone(kernel));
        if early.unwrap_or_else(is_on) {
            *kernel.lock().unwrap() = true;
            if joins != Joins::OneLook && !is_on() {
                *kernel.lock().unwrap() = false;
            }
        }
    }
}

/// A lease begins, and ends if it is to, while a kernel is launched. At last the kernel's telemetry is what the lease says.
fn launched(ends: bool, joins: Joins) {
    loom::model(move || {
        let runtime = Arc::new(Runtime { is_on: AtomicBool::new(false), kernels: Mutex::new(Vec::new()) });
        let kernel: Kernel = Arc::new(Mutex::new(false));
        let monitor = {
            let runtime = Arc::clone(&runtime);
            thread::spawn(move || {
                runtime.tell_all(true, joins);
                if ends {
                    runtime.tell_all(false, joins);
                }
            })
        };
        runtime.launch(&kernel, joins);
        monitor.join().unwrap();
        assert_eq!(*kernel.lock().unwrap(), !ends, "the kernel does not do what the lease says");
    });
}

#[test]
fn t_11_a_kernel_that_is_launched_meanwhile_joins_a_lease() {
    launched(false, Joins::Right);
    launched(true, Joins::Right);
}

#[test]
#[should_panic(expected = "the kernel does not do what the lease says")]
fn broken_a_lease_that_ends_meanwhile_leaves_telemetry_on() {
    launched(true, Joins::OneLook);
}

#[test]
#[should_panic(expected = "the kernel does not do what the lease says")]
fn broken_the_list_is_told_before_the_launch_can_know() {
    launched(false, Joins::SaysLast);
}

#[test]
#[should_panic(expected = "the kernel does not do what the lease says")]
fn broken_the_launch_looks_before_it_is_in_the_list() {
    launched(false, Joins::LooksFirst);
}
