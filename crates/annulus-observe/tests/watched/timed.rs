//! Messages of a kernel to itself are seen from outside.

use annulus::prelude::*;
use annulus_observe::Observer;

use crate::{Job, Watched, autopsies, kernel, ready};

/// An hour, in nanoseconds.
const LONG: u64 = 3_600_000_000_000;

/// Sends to itself: for now if `what` is 1, and for much later if it is 2.
#[ring_kernel(untested, timers = 8)]
fn postpone(job: &Job, later: &Later<Job>) {
    if job.what == 1 {
        later.send_after(Job { key: job.key, what: 0 }, 0);
    }
    if job.what == 2 {
        later.send_after(Job { key: job.key, what: 0 }, LONG);
    }
}

/// A process whose kernel has taken three timers, and waits for two.
pub(crate) fn child() {
    let runtime = Runtime::builder().backend(annulus::Cpu::new().workers(2)).build().unwrap();
    let kernel = postpone::launch(&runtime, LaunchOptions::default().name("postpone")).unwrap();
    for what in [1, 1, 2, 0, 2, 1] {
        let _ = kernel.send_blocking(Job { key: 3, what }).unwrap();
    }
    while kernel.status().timers.unwrap().taken != 3 {
        std::thread::yield_now();
    }
    kernel.drained_blocking();
    for observer in [Observer::of(&runtime), Observer::of_machine(Some(std::process::id())).build()] {
        let text = observer.prometheus();
        let value = |name: &str| {
            let line = text.lines().find(|line| line.starts_with(&format!("{name}{{")));
            line.and_then(|line| line.split(' ').next_back()).map(str::to_owned)
        };
        assert_eq!(value("annulus_timers_taken_total").as_deref(), Some("3"), "{text}");
        assert_eq!(value("annulus_timers_waiting").as_deref(), Some("2"), "{text}");
    }
    ready();
}

/// P-07 from outside: how many were taken, how many wait, and how many were lost with their process.
#[test]
fn p_07_timers_are_seen() {
    let mut watched = Watched::start("timed");
    let process = watched.look();
    let timers = kernel(&process, "postpone").shards[0].timers;
    assert_eq!((timers.taken, timers.waiting), (3, 2));
    watched.child.kill().unwrap();
    watched.child.wait().unwrap();
    let text = autopsies(&watched.folder);
    assert!(text.contains("`postpone`: 9 handled, 2 timers set\n"), "{text}");
}
