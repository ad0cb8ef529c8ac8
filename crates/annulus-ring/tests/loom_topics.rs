//! A table of topics that the host changes while a block looks there, in every interleaving that loom can tell apart.
//!
//! How an entry is found is the real code ([`find`]); the host's part is a twin of `annulus_runtime`'s topics, and the block's one
//! of `mark_apart` (`ann_mark_apart`). Three topics begin at the same place of a table of four, so that each look passes what others
//! have written. One of them is known; the host makes a second one known, lets other places take the first, and sends a
//! message that tells of both. There is no bound.
//!
//! Models whose names begin with `broken` exchange a step, and loom finds what that breaks.
#![cfg(loom)]

use annulus_abi::topics::{PLACES, find, first_entry};
use annulus_sync::{Arc, AtomicU32, AtomicU64, Ordering};
use loom::thread;

const ENTRIES: usize = 4;
const FIRST: u64 = 4 << PLACES;
const SECOND: u64 = 8 << PLACES;
const UNKNOWN: u64 = 12 << PLACES;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Broken {
    Nothing,
    /// The places are taken away before others are named.
    InTwo,
    /// The message that tells of a change is published without release.
    Told,
    /// A place of an entry is that of another topic from now on.
    Moved,
}

struct Table {
    entries: [AtomicU64; ENTRIES],
    told: AtomicU32,
}

/// The places that take a topic, as a block finds them.
fn places(table: &Table, topic: u64) -> u64 {
    let entry = |at: usize| table.entries[at].load(Ordering::Relaxed);
    find(topic, ENTRIES, entry).map_or(0, |(_, entry)| entry & ((1 << PLACES) - 1))
}

fn host(table: &Table, broken: Broken) {
    let at = |topic| find(topic, ENTRIES, |at| table.entries[at].load(Ordering::Relaxed));
    let set = |place: usize, entry: u64| table.entries[place].store(entry, Ordering::Relaxed);
    let (first, _) = at(FIRST).expect("it is known");
    let second = at(SECOND).expect_err("it is not").expect("there is room");
    if broken == Broken::Moved {
        set(second, FIRST | 2);
        set(first, SECOND | 4);
    } else {
        set(second, SECOND | 4);
        if broken == Broken::InTwo {
            set(first, FIRST);
        }
        set(first, FIRST | 2);
    }
    let order = if broken == Broken::Told { Ordering::Relaxed } else { Ordering::Release };
    // SYNC: slot-published (release)
    table.told.store(1, order);
}

fn block(table: &Table) {
    for _ in 0..2 {
        // SYNC: slot-published (acquire)
        let is_told = table.told.load(Ordering::Acquire) == 1;
        let found = [FIRST, SECOND, UNKNOWN].map(|topic| places(table, topic));
        assert!(matches!(found[0], 1 | 2), "the first topic is taken by {}", found[0]);
        assert!(matches!(found[1], 0 | 4), "the second topic is taken by {}", found[1]);
        assert_eq!(found[2], 0);
        assert!(
            !is_told || found == [2, 4, 0],
            "a message tells of a change, and does not meet it: {found:?}"
        );
    }
}

fn changes(broken: Broken) {
    assert!([FIRST, SECOND, UNKNOWN].iter().all(|&topic| first_entry(topic, ENTRIES) == 0));
    loom::model(move || {
        let table =
            Arc::new(Table { entries: [FIRST | 1, 0, 0, 0].map(AtomicU64::new), told: AtomicU32::new(0) });
        let of_host = Arc::clone(&table);
        let host = thread::spawn(move || host(&of_host, broken));
        block(&table);
        host.join().unwrap();
        block(&table);
    });
}

#[test]
fn k05_a_topic_is_taken_by_those_before_a_change_or_those_after_it() {
    changes(Broken::Nothing);
}

#[test]
#[should_panic(expected = "the first topic is taken by 0")]
fn broken_places_change_in_two_steps() {
    changes(Broken::InTwo);
}

#[test]
#[should_panic(expected = "a message tells of a change, and does not meet it")]
fn broken_a_change_is_told_without_release() {
    changes(Broken::Told);
}

#[test]
#[should_panic(expected = "the first topic is taken by")]
fn broken_an_entry_becomes_that_of_another_topic() {
    changes(Broken::Moved);
}
