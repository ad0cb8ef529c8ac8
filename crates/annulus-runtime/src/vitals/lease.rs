//! Observers ask for telemetry, for a while: a lease.
//!
//! Telemetry costs a little for each message, so it is off unless somebody wants it: the program, or an observer of
//! another process. An observer asks in the file's [request page](annulus_abi::vitals::RequestPage), again and again
//! for as long as it looks. If it does not come back, its lease runs out, and telemetry is off again.
//!
//! # Words, writers, ordering
//!
//! | word | written by | read by |
//! |---|---|---|
//! | `until`, in the page | observers, with a system call | the monitor, relaxed |
//! | `bell`, in the page | observers, after `until`; at the runtime's end, the runtime | the doorbell's thread, acquire |
//! | [`Lease`], under its lock | the monitor | |
//! | what each kernel's telemetry is wanted by, under the kernel's lock | program, monitor, launch | |
//!
//! An observer writes `until`, then another number into `bell`, and then wakes those who sleep on `bell` (a *futex*
//! that processes share). The doorbell's thread sleeps there, without a time limit, for as long as `bell` has the number that
//! it has seen. The system compares under its own lock, so no number is missed. When it wakes, it arms the lease at
//! the process' [monitor](annulus_queue::monitor), and sleeps again. So if nobody observes, nothing here ever runs.
//!
//! # States
//!
//! *off* → *on until a time* → *off*. The page is never trusted: whoever may write the file may write anything there.
//!
//! * A lease begins, or goes on, when `until` **changed** and lies in the future. It ends at that time, and no later
//!   than [`LONGEST`](annulus_abi::vitals::LONGEST_LEASE) after the change was seen. So a number that nobody renews
//!   ends, whatever it is.
//! * A number that is past changes nothing: a lease is not taken from others.
//! * Two observers that write at the same time may lose the longer one of two leases. So observers ask again long
//!   before theirs ends.
//!
//! What the doorbell's thread finds behind the bell, and a launch while a lease begins or ends, have a model in every
//! interleaving of their words: `tests/loom/lease.rs` of `annulus-sync`. What the lease does with times is a function of the
//! monitor alone, of which a test here tries every step that two observers, the thread and the clock can make.
//!
//! # What is on
//!
//! A kernel's telemetry is on if the program wants it, or the lease. So a lease takes nothing from the program, and the end of a
//! lease leaves on what the program has enabled. A kernel that is launched during a lease joins it.

use std::{
    io,
    sync::{Arc, Mutex, PoisonError, Weak},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use annulus_abi::vitals::LONGEST_LEASE;
use annulus_block::RuntimeClock;
use annulus_queue::monitor::{Due, MONITOR};
use annulus_sync::{AtomicBool, Ordering};

use super::file::Page;

/// The kernels of a runtime, as a lease sees them.
pub(crate) trait Leased: Send + Sync {
    /// Whether observers want the telemetry of all kernels that run.
    fn want_telemetry(&self, on: bool);
}

/// What observers want, as far as the monitor has seen. Times are nanoseconds on the runtime's clock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Lease {
    /// What the page said.
    seen: u64,
    /// When the lease ends, while there is one.
    until: Option<u64>,
}

impl Lease {
    /// Looks at the page. Returns what is to be told to the kernels, and when to look again.
    fn turn(&mut self, until: u64, now: u64) -> (Option<bool>, Option<u64>) {
        let mut told = None;
        if until != self.seen {
            self.seen = until;
            if until > now {
                self.until = Some(until.min(now.saturating_add(LONGEST_LEASE)));
                told = Some(true);
            }
        }
        if self.until.is_some_and(|until| until <= now) {
            self.until = None;
            told = Some(false);
        }
        (told, self.until)
    }
}

/// Serves the request page of a runtime until it is dropped.
pub(crate) struct Requests {
    shared: Arc<Shared>,
    doorbell: Option<JoinHandle<()>>,
    /// A forked child has a copy of this value, and no such thread.
    process: u32,
}

struct Shared {
    page: Page,
    clock: RuntimeClock,
    kernels: Weak<dyn Leased>,
    lease: Mutex<Lease>,
    /// Whether a lease lives.
    is_on: AtomicBool,
    is_ending: AtomicBool,
}

impl Requests {
    /// Serves a page.
    ///
    /// # Errors
    ///
    /// If the system starts no thread.
    pub(crate) fn serve(page: Page, clock: RuntimeClock, kernels: Weak<dyn Leased>) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            page,
            clock,
            kernels,
            lease: Mutex::default(),
            is_on: AtomicBool::new(false),
            is_ending: AtomicBool::new(false),
        });
        let its = Arc::clone(&shared);
        let listens = thread::Builder::new().name("annulus-doorbell".into()).stack_size(128 << 10);
        let doorbell = Some(listens.spawn(move || its.listen())?);
        Ok(Self { shared, doorbell, process: std::process::id() })
    }

    /// Tells a kernel that was just put into the list of kernels.
    pub(crate) fn tell(&self, want_telemetry: impl Fn(bool)) {
        // Relaxed: the locks of the list and of the kernel order it. If the monitor goes through the list before the
        // kernel is there, its lock hands on what it stored, and the first load sees it. If it comes later, it
        // tells the kernel itself. Where it tells of the end before this tells of the beginning, the kernel's
        // lock hands that on, and the second load sees it.
        let is_on = || self.shared.is_on.load(Ordering::Relaxed);
        if is_on() {
            want_telemetry(true);
            if !is_on() {
                want_telemetry(false);
            }
        }
    }
}

impl Drop for Requests {
    fn drop(&mut self) {
        let Some(doorbell) = self.doorbell.take() else { return };
        if std::process::id() != self.process {
            // The thread is the parent's: there is nothing to join.
            std::mem::forget(doorbell);
            return;
        }
        // SYNC: doorbell (release)
        self.shared.is_ending.store(true, Ordering::Release);
        // An observer may ring with any number, also with the last one: so until it has ended.
        while !doorbell.is_finished() {
            self.shared.page.ring();
            thread::yield_now();
        }
        // It cannot panic: it calls nobody's code.
        let _ = doorbell.join();
    }
}

impl Shared {
    fn listen(self: Arc<Self>) {
        let mut seen = 0;
        loop {
            let rung = self.page.wait(seen);
            // SYNC: doorbell (acquire)
            if self.is_ending.load(Ordering::Acquire) {
                return;
            }
            if rung != seen && MONITOR.start().is_ok() {
                MONITOR.arm(Instant::now(), Arc::downgrade(&self) as Weak<dyn Due>);
            }
            seen = rung;
        }
    }
}

impl Due for Shared {
    fn fire(&self, _: Instant, now: Instant) -> Option<Instant> {
        let (told, next) = {
            // It is whole at any time, so poison is ignored.
            let mut lease = self.lease.lock().unwrap_or_else(PoisonError::into_inner);
            let time = self.clock.now();
            let (told, next) = lease.turn(self.page.until(), time);
            (told, next.map(|next| now + Duration::from_nanos(next.saturating_sub(time))))
        };
        // Not under the lock: kernels wake code of the program. Only the monitor comes here.
        if let Some(on) = told {
            // Before it goes through the list: see `Requests::tell`.
            self.is_on.store(on, Ordering::Relaxed);
            if let Some(kernels) = self.kernels.upgrade() {
                kernels.want_telemetry(on);
            }
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn t_11_a_lease_runs_out_and_no_number_lasts() {
        let mut lease = Lease::default();
        assert_eq!(lease.turn(0, 5), (None, None), "nobody has asked");
        assert_eq!(lease.turn(100, 10), (Some(true), Some(100)));
        assert_eq!(lease.turn(100, 50), (None, Some(100)));
        assert_eq!(lease.turn(200, 99), (Some(true), Some(200)), "renewed");
        assert_eq!(lease.turn(150, 120), (Some(true), Some(150)), "the longer one was lost");
        assert_eq!(lease.turn(60, 130), (None, Some(150)), "what is past takes nothing from others");
        assert_eq!(lease.turn(60, 150), (Some(false), None));
        assert_eq!(lease.turn(60, 151), (None, None));
        assert_eq!(lease.turn(u64::MAX, 200), (Some(true), Some(200 + LONGEST_LEASE)));
        assert_eq!(lease.turn(u64::MAX, 200 + LONGEST_LEASE), (Some(false), None));
        assert_eq!(lease.turn(u64::MAX, u64::MAX - 1), (None, None), "nobody has renewed it");
        assert_eq!(lease.turn(u64::MAX - 1, u64::MAX - 2), (Some(true), Some(u64::MAX - 1)));
    }

    /// Everything that two observers, the doorbell's thread and the monitor may do, one step at a time.
    #[derive(Clone, PartialEq, Eq, Hash)]
    struct World {
        now: u64,
        until: u64,
        bell: u32,
        /// What the thread saw last, and whether it sleeps.
        seen: u32,
        sleeps: bool,
        lease: Lease,
        /// When the monitor looks next.
        armed: Option<u64>,
        is_on: bool,
        observers: [Watcher; 2],
        /// Numbers for the bell, each once.
        rings: u32,
        /// The latest time that anybody ever asked for.
        longest: u64,
    }

    #[derive(Clone, Copy, PartialEq, Eq, Hash)]
    enum Step {
        Read,
        Write(u64),
        Ring,
        Wake,
    }

    #[derive(Clone, Copy, PartialEq, Eq, Hash)]
    struct Watcher {
        step: Step,
        /// How often it asks still.
        asks: u32,
    }

    const END: u64 = 6;
    const TIME: u64 = 2;

    impl World {
        fn successors(&self) -> Vec<Self> {
            let mut all = Vec::new();
            let mut add = |change: &dyn Fn(&mut Self)| {
                let mut next = self.clone();
                change(&mut next);
                all.push(next);
            };
            for i in 0..2 {
                let observer = self.observers[i];
                match observer.step {
                    Step::Read if observer.asks == 0 => {}
                    Step::Read => add(&|next| {
                        next.observers[i].step = Step::Write(next.until.max(next.now + TIME));
                    }),
                    // It may have been stopped for long since it read.
                    Step::Write(until) => add(&|next| {
                        (next.until, next.longest) = (until, next.longest.max(until));
                        next.observers[i].step = Step::Ring;
                    }),
                    Step::Ring => add(&|next| {
                        next.rings += 1;
                        next.bell = next.rings;
                        next.observers[i].step = Step::Wake;
                    }),
                    Step::Wake => add(&|next| {
                        next.sleeps = false;
                        next.observers[i] = Watcher { step: Step::Read, asks: observer.asks - 1 };
                    }),
                }
            }
            if !self.sleeps {
                // Awake: it takes note of the bell and arms the monitor, or falls asleep if there is no news.
                add(&|next| {
                    if next.bell == next.seen {
                        next.sleeps = true;
                    } else {
                        next.seen = next.bell;
                        next.armed = Some(next.now);
                    }
                });
            }
            if self.armed.is_some_and(|at| at <= self.now) {
                add(&|next| {
                    let (told, again) = next.lease.turn(next.until, next.now);
                    next.is_on = told.unwrap_or(next.is_on);
                    next.armed = again;
                });
            }
            if self.now < END {
                add(&|next| next.now += 1);
            }
            all
        }

        /// Nobody has anything left to do at this time.
        fn is_quiet(&self) -> bool {
            self.sleeps
                && self.armed.is_none_or(|at| at > self.now)
                && self.observers.iter().all(|observer| observer.step == Step::Read)
        }
    }

    /// All interleavings: no request is missed, and every lease ends.
    #[test]
    fn t_11_every_interleaving_of_requests_is_served() {
        let watcher = Watcher { step: Step::Read, asks: 2 };
        let first = World {
            now: 1,
            until: 0,
            bell: 0,
            seen: 0,
            sleeps: true,
            lease: Lease::default(),
            armed: None,
            is_on: false,
            observers: [watcher; 2],
            rings: 0,
            longest: 0,
        };
        let (mut known, mut open) = (HashSet::from([first.clone()]), vec![first]);
        let (mut on, mut off) = (0, 0);
        while let Some(world) = open.pop() {
            if world.is_quiet() {
                assert!(world.is_on || world.until <= world.now, "a request that stands is served");
                assert!(!world.is_on || world.longest > world.now, "nothing outlasts every request");
                if world.is_on { on += 1 } else { off += 1 }
            }
            for next in world.successors() {
                if known.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        assert!(known.len() > 10_000 && on > 10 && off > 10, "{} states, {on} on, {off} off", known.len());
    }
}
