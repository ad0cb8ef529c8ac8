//! Finds races between the threads of a block, for tests.
//!
//! Two accesses of one element, or of the state, by two threads are a race if one of them writes and no
//! barrier is between them. On the CPU they would be harmless: the threads run one after the other. On a
//! device the reader may see either value.
//!
//! A barrier of the block lies between all accesses before it and all after it. One of a warp lies between
//! accesses of threads of that warp alone. Fences order nothing here: a thread that does not wait cannot know
//! that another one has come to its fence.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    env, fmt,
    sync::OnceLock,
};

use super::{
    cx::WARP,
    team::{Place, current_thread},
};

/// The variable that turns it on.
const VARIABLE: &str = "ANNULUS_RACES";

/// Who has met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Met {
    /// All threads of the block.
    Block,
    /// The threads of each warp.
    Warp,
}

/// What a thread does to an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    Reads,
    Writes,
}

impl fmt::Display for Does {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reads => "reads",
            Self::Writes => "writes",
        })
    }
}

/// An access since the block met last.
#[derive(Clone, Copy)]
struct Access {
    thread: u32,
    does: Does,
    /// How often warps had met.
    warps_met: u64,
    at: Place,
}

/// The accesses of one element since the block met last.
#[derive(Default)]
struct Element {
    /// How often the block had met.
    met: u64,
    accesses: Vec<Access>,
}

/// What is known of the message that a block works on.
#[derive(Default)]
struct Watch {
    block_met: u64,
    warps_met: u64,
    /// By their addresses.
    elements: HashMap<usize, Element>,
}

thread_local! {
    /// Whether the block that runs on this thread of the system is watched.
    static WATCHES: Cell<bool> = const { Cell::new(false) };
    static WATCH: RefCell<Watch> = RefCell::default();
}

/// Whether every block is watched: `ANNULUS_RACES=1`.
pub(super) fn is_on() -> bool {
    static ON: OnceLock<bool> = OnceLock::new();
    *ON.get_or_init(|| env::var_os(VARIABLE).is_some_and(|value| value == "1"))
}

/// Until it is dropped, the block that runs here is watched, or is not.
pub(super) struct Watching {
    outer: (bool, Watch),
}

impl Watching {
    pub(super) fn new(on: bool) -> Self {
        Self { outer: (WATCHES.replace(on), WATCH.take()) }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let (on, watch) = std::mem::take(&mut self.outer);
        WATCHES.set(on);
        WATCH.set(watch);
    }
}

/// The threads have met.
pub(super) fn met(who: Met) {
    if WATCHES.get() {
        WATCH.with_borrow_mut(|watch| match who {
            Met::Block => watch.block_met += 1,
            Met::Warp => watch.warps_met += 1,
        });
    }
}

/// The running thread accesses the element at this address.
///
/// # Panics
///
/// If that is a race; the text begins with `race`, and `what` names the element.
#[inline]
pub(super) fn note(does: Does, address: usize, what: impl FnOnce() -> String, at: Place) {
    if WATCHES.get() {
        watch(does, address, what, at);
    }
}

#[cold]
fn watch(does: Does, address: usize, what: impl FnOnce() -> String, at: Place) {
    // A thread that leaves runs its destructors only.
    if std::thread::panicking() {
        return;
    }
    let thread = current_thread();
    let other = WATCH.with_borrow_mut(|watch| {
        let (block_met, warps_met) = (watch.block_met, watch.warps_met);
        let element = watch.elements.entry(address).or_default();
        if element.met != block_met {
            *element = Element { met: block_met, accesses: Vec::new() };
        }
        let is_before = |other: &Access| other.thread / WARP == thread / WARP && other.warps_met < warps_met;
        let races = |other: &&Access| {
            other.thread != thread && (other.does, does) != (Does::Reads, Does::Reads) && !is_before(other)
        };
        let other = element.accesses.iter().find(races).copied();
        let own = Access { thread, does, warps_met, at };
        // Between two barriers a thread's accesses follow each other, and the last of a kind says it all.
        let last = element.accesses.iter_mut().rev().take_while(|last| last.thread == thread);
        match last.into_iter().find(|last| last.does == does) {
            Some(last) => *last = own,
            None => element.accesses.push(own),
        }
        other
    });
    if let Some(other) = other {
        let (what, doing) = (what(), other.does);
        panic!(
            "race: thread {thread} {does} {what} at {at}, and thread {} {doing} it at {}, with no barrier in between",
            other.thread, other.at
        );
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{Location, catch_unwind};

    use super::*;

    /// Whether thread 0 and then this one, after that meeting, may write an element.
    fn is_race(thread: u32, meeting: Option<Met>) -> bool {
        let _watching = Watching::new(true);
        let here = Location::caller();
        note(Does::Writes, 64, || "it".into(), here);
        if let Some(meeting) = meeting {
            met(meeting);
        }
        let outer = super::super::team::set_current_thread(thread);
        let found = catch_unwind(|| note(Does::Writes, 64, || "it".into(), here)).is_err();
        super::super::team::set_current_thread(outer);
        found
    }

    /// B-09: a warp's barrier orders its own threads alone.
    #[test]
    fn b09_a_barrier_of_a_warp_is_too_narrow_for_others() {
        assert!(is_race(1, None) && is_race(40, None));
        assert!(!is_race(1, Some(Met::Block)) && !is_race(40, Some(Met::Block)));
        assert!(!is_race(1, Some(Met::Warp)) && is_race(40, Some(Met::Warp)));
        assert!(!is_race(0, None));
    }
}
