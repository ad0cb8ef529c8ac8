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

/// An entry with a description of one word, and its check, which is the same word.
struct Described {
    state: AtomicU64,
    word: AtomicU64,
    check: AtomicU64,
}

/// How the words of an entry are copied: by the system, in any order.
#[derive(Clone, Copy)]
enum Order {
    StateFirst,
    StateLast,
}

/// What may be left out of calling an entry damaged.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hasty {
    Nothing,
    /// The owner puts no fence between freeing the entry and zeroing it.
    Cleared,
    /// The observer puts no fence between its copies.
    Again,
    /// The observer makes one copy.
    OneCopy,
    /// The observer makes two: then the first may have its state from before, and the second from afterwards.
    TwoCopies,
}

/// An entry goes to another kernel while an observer copies it three times: `VitalsArena::home` and `Home::describe`, and
/// `Vitals::damaged`. It is not called damaged. The first copy may have the state from before, and another word from
/// afterwards; then the second one has not the state from before, and may have the next kernel's beside older words; and
/// the third one has what belongs to that.
///
/// The bound is 3 involuntary switches: a copy that is torn needs one, and so does the next; the third is margin.
fn changes(first: Order, second: Order, hasty: Hasty) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(move || {
        let entry = Arc::new(Described {
            state: AtomicU64::new(LAUNCHED),
            word: AtomicU64::new(1),
            check: AtomicU64::new(1),
        });
        let owner = {
            let entry = Arc::clone(&entry);
            thread::spawn(move || {
                entry.state.store(FREE, Ordering::Relaxed);
                if hasty != Hasty::Cleared {
                    // SYNC: entry-cleared (release)
                    fence(Ordering::Release);
                }
                // The zeros in between have the number of no launch, and count for nothing.
                entry.word.store(2, Ordering::Relaxed);
                entry.check.store(2, Ordering::Relaxed);
                // SYNC: entry-described (release)
                entry.state.store(LAUNCHED, Ordering::Release);
            })
        };
        let copy = |order| {
            let state = || entry.state.load(Ordering::Relaxed);
            let early = matches!(order, Order::StateFirst).then(state);
            let (word, check) = (entry.word.load(Ordering::Relaxed), entry.check.load(Ordering::Relaxed));
            (early.unwrap_or_else(state), word, check)
        };
        let copies = match hasty {
            Hasty::OneCopy => 1,
            Hasty::TwoCopies => 2,
            Hasty::Nothing | Hasty::Cleared | Hasty::Again => 3,
        };
        let before = copy(first);
        let mut lasts = true;
        for _ in 1..copies {
            if hasty != Hasty::Again {
                // SYNC: entry-cleared (acquire)
                fence(Ordering::Acquire);
            }
            lasts &= copy(second) == before;
        }
        let is_damaged = |(state, word, check)| state == LAUNCHED && word != check;
        assert!(!(is_damaged(before) && lasts), "what the owner changes is called damaged");
        owner.join().unwrap();
    });
}

#[test]
fn r_06_what_the_owner_changes_is_not_called_damaged() {
    for first in [Order::StateFirst, Order::StateLast] {
        for second in [Order::StateFirst, Order::StateLast] {
            changes(first, second, Hasty::Nothing);
        }
    }
}

#[test]
#[should_panic(expected = "what the owner changes is called damaged")]
fn broken_one_copy_is_enough_to_call_an_entry_damaged() {
    changes(Order::StateFirst, Order::StateFirst, Hasty::OneCopy);
}

#[test]
#[should_panic(expected = "what the owner changes is called damaged")]
fn broken_two_copies_are_enough_to_call_an_entry_damaged() {
    changes(Order::StateFirst, Order::StateLast, Hasty::TwoCopies);
}

#[test]
#[should_panic(expected = "what the owner changes is called damaged")]
fn broken_the_entry_is_zeroed_before_it_is_seen_to_be_free() {
    changes(Order::StateLast, Order::StateLast, Hasty::Cleared);
}

#[test]
#[should_panic(expected = "what the owner changes is called damaged")]
fn broken_the_second_copy_may_be_as_old_as_the_first() {
    changes(Order::StateLast, Order::StateLast, Hasty::Again);
}
