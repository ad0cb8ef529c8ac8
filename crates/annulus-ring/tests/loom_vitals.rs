//! How somebody outside knows whose words he has loaded from a vitals file, in every interleaving that loom can tell
//! apart: the directory's part of the protocol that `annulus_observe::KernelWatch` and `annulus_runtime`'s arena follow;
//! and what two looks at a block's `At` say.
//!
//! A kernel has ended, and its shard becomes that of the next kernel: with the entry of the first one, or with another; then
//! the first one's entry goes to a third kernel.
//! An observer who watches the first one loads the shard's word, and then whose it was.
//!
//! Models whose names begin with `broken` leave out or exchange a step, and loom finds what that breaks.
#![cfg(loom)]

use annulus_sync::{Arc, AtomicU64, Ordering, fence};
use loom::thread;

const FREE: u64 = 0;
const LAUNCHED: u64 = 1;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Broken {
    Nothing,
    /// The runtime puts no fence between freeing the entry and changing the shard.
    Freed,
    /// The observer puts no fence behind the shard's word.
    Loaded,
    /// The observer loads the number before the state.
    NumberFirst,
    /// The observer puts no fence between the state and the number.
    Unfenced,
}

struct Entry {
    state: AtomicU64,
    id: AtomicU64,
}

struct File {
    entries: [Entry; 2],
    /// What a shard's words say: the number of their kernel.
    shard: AtomicU64,
}

/// The runtime launches kernels: `VitalsArena::home` and `Home::describe`. Kernel 2 gets the first kernel's shard, and this
/// entry. If it is not the first kernel's, that one goes to kernel 3, which has a shard elsewhere.
fn launch(file: &File, entry: usize, broken: Broken) {
    // `forget`: the first kernel's entry, whose number stays.
    file.entries[0].state.store(FREE, Ordering::Relaxed);
    describe(&file.entries[entry], 2, broken, || file.shard.store(2, Ordering::Relaxed));
    if entry != 0 {
        describe(&file.entries[0], 3, broken, || ());
    }
}

fn describe(entry: &Entry, id: u64, broken: Broken, take_shard: impl FnOnce()) {
    entry.state.store(FREE, Ordering::Relaxed);
    entry.id.store(0, Ordering::Relaxed);
    if broken != Broken::Freed {
        // SYNC: entry-freed (release)
        fence(Ordering::Release);
    }
    take_shard();
    entry.id.store(id, Ordering::Relaxed);
    // SYNC: entry-described (release)
    entry.state.store(LAUNCHED, Ordering::Release);
}

/// The observer's poll of kernel 1: `KernelWatch::poll` and `KernelWatch::check`.
fn poll(file: &File, broken: Broken) -> Option<u64> {
    let word = file.shard.load(Ordering::Relaxed);
    if broken != Broken::Loaded {
        // SYNC: entry-freed (acquire)
        fence(Ordering::Acquire);
    }
    let id = || file.entries[0].id.load(Ordering::Relaxed);
    let before = (broken == Broken::NumberFirst).then(id);
    let is_used = file.entries[0].state.load(Ordering::Relaxed) != FREE;
    if broken != Broken::Unfenced {
        // SYNC: entry-described (acquire)
        fence(Ordering::Acquire);
    }
    (is_used && before.unwrap_or_else(id) == 1).then_some(word)
}

/// What is told of kernel 1 is kernel 1's.
fn watched(entry: usize, broken: Broken) {
    loom::model(move || {
        let file = Arc::new(File {
            entries: [
                Entry { state: AtomicU64::new(LAUNCHED), id: AtomicU64::new(1) },
                Entry { state: AtomicU64::new(FREE), id: AtomicU64::new(0) },
            ],
            shard: AtomicU64::new(1),
        });
        let runtime = {
            let file = Arc::clone(&file);
            thread::spawn(move || launch(&file, entry, broken))
        };
        for _ in 0..2 {
            assert!(
                matches!(poll(&file, broken), None | Some(1)),
                "kernel 2's words are told to be kernel 1's"
            );
        }
        runtime.join().unwrap();
        assert_eq!(poll(&file, broken), None, "a kernel that has no part any more is told to be there");
    });
}

#[test]
fn t_04_words_are_the_kernels_own_when_its_entry_is_used_again() {
    watched(0, Broken::Nothing);
}

#[test]
fn t_04_words_are_the_kernels_own_when_its_shard_goes_to_another_entry() {
    watched(1, Broken::Nothing);
}

#[test]
#[should_panic(expected = "kernel 2's words are told to be kernel 1's")]
fn broken_the_shard_changes_before_the_entry_is_seen_to_be_free() {
    watched(1, Broken::Freed);
}

#[test]
#[should_panic(expected = "kernel 2's words are told to be kernel 1's")]
fn broken_the_entry_is_in_use_again_and_its_old_number_is_seen() {
    watched(1, Broken::Unfenced);
}

#[test]
#[should_panic(expected = "kernel 2's words are told to be kernel 1's")]
fn broken_nothing_keeps_the_words_before_the_state() {
    watched(1, Broken::Loaded);
}

#[test]
#[should_panic(expected = "kernel 2's words are told to be kernel 1's")]
fn broken_the_number_is_looked_at_before_the_state() {
    watched(1, Broken::NumberFirst);
}

/// A block's `At`: the message's key, and then its number, relaxed.
struct At {
    key: AtomicU64,
    number: AtomicU64,
}

/// The key of a message.
const fn key(number: u64) -> u64 {
    10 + number
}

/// `At`: numbers do not go back from look to look. One look may have the key of another message than the number's,
/// which is why conclusions need two; when the block stays at a message, each later look has both.
#[test]
fn o_01_looks_at_a_block_do_not_go_back_and_come_to_what_it_stays_at() {
    let mixed = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let seen = std::sync::Arc::clone(&mixed);
    loom::model(move || {
        let at = Arc::new(At { key: AtomicU64::new(key(0)), number: AtomicU64::new(0) });
        let block = {
            let at = Arc::clone(&at);
            thread::spawn(move || {
                for number in 1..=2 {
                    at.key.store(key(number), Ordering::Relaxed);
                    at.number.store(number, Ordering::Relaxed);
                }
            })
        };
        let look = || (at.number.load(Ordering::Relaxed), at.key.load(Ordering::Relaxed));
        let (first, second) = (look(), look());
        assert!(first.0 <= second.0 && first.1 <= second.1, "{first:?} {second:?}");
        if first.1 != key(first.0) {
            seen.store(true, std::sync::atomic::Ordering::Relaxed);
        }
        block.join().unwrap();
        // It hangs in message 2.
        let (third, fourth) = (look(), look());
        assert_eq!((third, fourth), ((2, key(2)), (2, key(2))));
    });
    assert!(mixed.load(std::sync::atomic::Ordering::Relaxed), "one look is no proof");
}
