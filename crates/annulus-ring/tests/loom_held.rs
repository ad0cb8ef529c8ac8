//! How a host finds that connected kernels are drained of which one goes on while outputs wait, in every interleaving that
//! loom can tell apart, up to a bound.
//!
//! The protocol is "A longer hold" of `annulus-block/PROTOCOL.md`, and the scan that of `annulus_runtime`'s links. A kernel is
//! connected to another one. The host has sent it one message, whose handler sends to the other, where there is no room at
//! first: so the message is given back before its output has gone. The block raises `held` before, and lowers it behind the
//! output's ticket. Two forms are modelled: the output goes into a ring that the host sees (the CPU), or into one that it does
//! not see, and both sides count (a device).
//!
//! [`Source`] is a twin of `finish_holding` and `send_held` in `annulus-block`'s `hold.rs`, and of `ann_store_held` in `links.c`.
//!
//! The bound is [`PREEMPTIONS`] involuntary switches per execution: one stops the source between two of its stores, and one
//! the host between its two scans.
//!
//! Models whose names begin with `broken` leave out or exchange a step, and loom finds what that breaks.
#![cfg(loom)]

use annulus_sync::{Arc, AtomicU32, AtomicU64, Ordering, yield_now};
use loom::thread;

const PREEMPTIONS: usize = 2;
/// Messages that are handled: the host's, and what came of it.
const MESSAGES: u64 = 2;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Broken {
    Nothing,
    /// The message is given back before `held` is raised.
    Raised,
    /// `held` is lowered before the output has its ticket, or is counted.
    Lowered,
    /// It is lowered without release.
    Relaxed,
    /// The host does not look at it.
    Unseen,
}

/// Where outputs go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Into a ring that the host sees.
    Ring,
    /// Into a ring of a device's memory.
    Device,
}

struct Words {
    processed: AtomicU64,
    /// Of the ring that the host sees.
    reserved: AtomicU64,
    consumed: AtomicU64,
    /// Of a ring of the device's memory.
    forwarded: AtomicU64,
    taken: AtomicU64,
    rested: AtomicU64,
}

struct Shared {
    words: [Words; 2],
    held: AtomicU64,
    slot: AtomicU32,
}

impl Shared {
    fn new() -> Self {
        let words = || Words {
            processed: AtomicU64::new(0),
            reserved: AtomicU64::new(0),
            consumed: AtomicU64::new(0),
            forwarded: AtomicU64::new(0),
            taken: AtomicU64::new(0),
            rested: AtomicU64::new(0),
        };
        let words = [words(), words()];
        // The host's message is there.
        words[0].reserved.store(1, Ordering::Relaxed);
        Self { words, held: AtomicU64::new(0), slot: AtomicU32::new(0) }
    }
}

/// The kernel that holds.
fn source(shared: &Shared, form: Form, broken: Broken) {
    let words = &shared.words[0];
    let raise = || shared.held.store(1, Ordering::Release);
    words.processed.store(1, Ordering::Relaxed);
    if broken != Broken::Raised {
        raise();
    }
    // SYNC: slots-returned (release)
    words.consumed.store(1, Ordering::Release);
    if broken == Broken::Raised {
        raise();
    }
    // SYNC: rested (release)
    words.rested.store(0, Ordering::Release);
    // There is room now.
    let lower = || {
        let order = if broken == Broken::Relaxed { Ordering::Relaxed } else { Ordering::Release };
        // SYNC: held (release)
        shared.held.store(0, order);
    };
    if broken == Broken::Lowered {
        lower();
    }
    match form {
        Form::Ring => shared.words[1].reserved.store(1, Ordering::Relaxed),
        Form::Device => words.forwarded.store(1, Ordering::Relaxed),
    }
    // SYNC: slot-published, device-local-published (release)
    shared.slot.store(1, Ordering::Release);
    if broken != Broken::Lowered {
        lower();
    }
}

/// The kernel that it is connected to.
fn target(shared: &Shared, form: Form) {
    let words = &shared.words[1];
    // SYNC: slot-published, device-local-published (acquire)
    while shared.slot.load(Ordering::Acquire) == 0 {
        yield_now();
    }
    words.processed.store(1, Ordering::Relaxed);
    match form {
        // SYNC: slots-returned (release)
        Form::Ring => words.consumed.store(1, Ordering::Release),
        Form::Device => {
            words.taken.store(1, Ordering::Relaxed);
            // SYNC: rested (release)
            words.rested.store(1, Ordering::Release);
        }
    }
}

/// One scan: the counts, if the kernels seem to be at rest.
fn scan(shared: &Shared, broken: Broken) -> Option<[u64; 4]> {
    let words = &shared.words;
    // SYNC: held (acquire)
    let holds = || broken != Broken::Unseen && shared.held.load(Ordering::Acquire) != 0;
    // SYNC: rested (acquire)
    let rested = [0, 1].map(|kernel: usize| words[kernel].rested.load(Ordering::Acquire));
    let mut counts = [0; 4];
    for kernel in 0..2 {
        // SYNC: slots-returned (acquire)
        counts[kernel] = words[kernel].consumed.load(Ordering::Acquire);
        if words[kernel].reserved.load(Ordering::Relaxed) != counts[kernel] {
            return None;
        }
    }
    if holds() {
        return None;
    }
    let taken = [0, 1].map(|kernel: usize| words[kernel].taken.load(Ordering::Acquire));
    if taken != rested || words[0].forwarded.load(Ordering::Acquire) != taken[1] {
        return None;
    }
    counts[2..].copy_from_slice(&taken);
    Some(counts)
}

fn is_drained(shared: &Shared, broken: Broken) -> bool {
    let first = scan(shared, broken);
    if first.is_none() || first != scan(shared, broken) {
        return false;
    }
    let told: u64 = shared.words.iter().map(|words| words.processed.load(Ordering::Relaxed)).sum();
    assert_eq!(told, MESSAGES, "drained, and something is held");
    true
}

fn drained(form: Form, broken: Broken) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(PREEMPTIONS);
    model.check(move || {
        let shared = Arc::new(Shared::new());
        let of_source = Arc::clone(&shared);
        let first = thread::spawn(move || source(&of_source, form, broken));
        let of_target = Arc::clone(&shared);
        let second = thread::spawn(move || target(&of_target, form));
        is_drained(&shared, broken);
        first.join().unwrap();
        is_drained(&shared, broken);
        second.join().unwrap();
        assert!(is_drained(&shared, broken), "nothing is under way");
    });
}

#[test]
fn what_is_drained_holds_nothing() {
    drained(Form::Ring, Broken::Nothing);
    drained(Form::Device, Broken::Nothing);
}

#[test]
#[should_panic(expected = "drained, and something is held")]
fn broken_it_is_raised_late() {
    drained(Form::Ring, Broken::Raised);
}

#[test]
#[should_panic(expected = "drained, and something is held")]
fn broken_it_is_lowered_early() {
    drained(Form::Device, Broken::Lowered);
}

#[test]
#[should_panic(expected = "drained, and something is held")]
fn broken_it_is_lowered_without_release() {
    drained(Form::Device, Broken::Relaxed);
}

#[test]
#[should_panic(expected = "drained, and something is held")]
fn broken_the_host_does_not_look() {
    drained(Form::Ring, Broken::Unseen);
}
