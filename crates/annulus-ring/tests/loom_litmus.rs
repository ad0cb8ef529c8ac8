//! B-01 to B-04, B-09: what fences and messages order on the CPU, in every interleaving, and with every
//! value, that loom can tell apart. There is no bound, but for the test with four threads, which would take
//! minutes: two involuntary switches let each of its readers stop between its two loads.
//!
//! Handlers access atomics that they share relaxed. `cx.fence(Device)` and `cx.fence(System)` are
//! `fence(SeqCst)` there, and so is what `Sequential` puts before each handler. Messages go through the ring
//! that the CPU's blocks have.
//!
//! Each test collects what its threads may see. So it fails if what is forbidden is seen, and also if what is
//! allowed is not: then the model would show nothing. Load buffering is missing: loom runs each thread in its
//! order, and a load sees only what was stored before. The tests of the emitted text on a machine with a weak
//! order have it, and the suite runs it on the processor.
#![cfg(loom)]

use std::{
    collections::BTreeSet,
    sync::{Arc as Plain, Mutex as Unwatched},
};

use annulus_abi::ring::{Envelope, RingLayout, kind};
use annulus_ring::{
    region::Region,
    ring::{Consumer, Header, Producers, Ring},
};
use annulus_sync::{Arc, AtomicU32, Ordering, fence, yield_now};
use loom::thread::{self, JoinHandle};

/// What the two words hold, and what a thread has loaded.
struct Words {
    x: AtomicU32,
    y: AtomicU32,
}

fn x(words: &Words) -> &AtomicU32 {
    &words.x
}

fn y(words: &Words) -> &AtomicU32 {
    &words.y
}

type Word = fn(&Words) -> &AtomicU32;

/// One access of a handler.
#[derive(Clone, Copy)]
enum Access {
    Load(Word),
    Store(Word, u32),
}
use Access::{Load, Store};

/// A thread: its accesses, with a fence in between or not. Gives what it has loaded.
fn side(words: &Arc<Words>, accesses: &'static [Access], fences: bool) -> JoinHandle<Vec<u32>> {
    let words = Arc::clone(words);
    thread::spawn(move || handle(&words, accesses, fences))
}

fn handle(words: &Words, accesses: &[Access], fences: bool) -> Vec<u32> {
    let mut seen = Vec::new();
    for (number, access) in accesses.iter().enumerate() {
        if fences && number > 0 {
            // SYNC: sequential (both ends): such fences of all threads have one order.
            fence(Ordering::SeqCst);
        }
        match access {
            Load(word) => seen.push(word(words).load(Ordering::Relaxed)),
            Store(word, value) => word(words).store(*value, Ordering::Relaxed),
        }
    }
    seen
}

/// All outcomes of a model, over all of its executions.
fn outcomes(
    preemptions: Option<usize>,
    run: impl Fn() -> Vec<Vec<u32>> + Send + Sync + 'static,
) -> BTreeSet<Vec<Vec<u32>>> {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = preemptions;
    let seen = Plain::new(Unwatched::new(BTreeSet::new()));
    let all = Plain::clone(&seen);
    model.check(move || {
        let outcome = run();
        all.lock().unwrap().insert(outcome);
    });
    Plain::try_unwrap(seen).expect("the model has ended").into_inner().unwrap()
}

/// What these sides see, each on a thread of its own.
fn of_sides(sides: &'static [&'static [Access]], fences: bool) -> BTreeSet<Vec<Vec<u32>>> {
    let preemptions = (sides.len() > 2).then_some(2);
    outcomes(preemptions, move || {
        let words = Arc::new(Words { x: AtomicU32::new(0), y: AtomicU32::new(0) });
        let (first, others) = sides.split_first().expect("there is a side");
        let others: Vec<_> = others.iter().map(|accesses| side(&words, accesses, fences)).collect();
        let mut seen = vec![handle(&words, first, fences)];
        seen.extend(others.into_iter().map(|other| other.join().unwrap()));
        seen
    })
}

/// With fences the weak outcome is forbidden; without them it is allowed. All others are allowed with both.
fn is_forbidden_by_fences(sides: &'static [&'static [Access]], weak: &[&[u32]], others: usize) {
    let weak: Vec<Vec<u32>> = weak.iter().map(|seen| seen.to_vec()).collect();
    let without = of_sides(sides, false);
    assert!(without.contains(&weak), "it is allowed without fences: {without:?}");
    let with = of_sides(sides, true);
    assert!(!with.contains(&weak), "it is forbidden with fences: {with:?}");
    assert_eq!((with.len(), without.len()), (others, others + 1), "{with:?} {without:?}");
}

/// Store buffering: each side stores its word, and loads the other's.
#[test]
fn b03_store_buffering() {
    is_forbidden_by_fences(&[&[Store(x, 1), Load(y)], &[Store(y, 1), Load(x)]], &[&[0], &[0]], 3);
}

/// Message passing: a value and its flag.
#[test]
fn b03_b09_message_passing() {
    is_forbidden_by_fences(&[&[Store(x, 1), Store(y, 1)], &[Load(y), Load(x)]], &[&[], &[1, 0]], 3);
}

/// Independent reads of independent writes: two readers that disagree on which store came first.
#[test]
fn b03_readers_agree() {
    is_forbidden_by_fences(
        &[&[Store(x, 1)], &[Store(y, 1)], &[Load(x), Load(y)], &[Load(y), Load(x)]],
        &[&[], &[], &[1, 0], &[1, 0]],
        15,
    );
}

/// Coherence: one word's values are seen in their order, with and without fences.
#[test]
fn b03_one_word_is_coherent() {
    for fences in [false, true] {
        let seen = of_sides(&[&[Store(x, 1), Store(x, 2)], &[Load(x), Load(x)]], fences);
        let in_order = [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]];
        assert_eq!(seen, in_order.map(|loads| vec![Vec::new(), loads.to_vec()]).into());
    }
}

/// The ends of a ring, as a block's and a sender's.
fn ring() -> (Producers, Consumer) {
    let layout = RingLayout::new(
        2,
        8,
        8,
        Envelope { enqueue_time: false, correlation: true, trace: false, stamp: false },
    );
    let region = Region::modelled(256 + 2 * 64);
    // SAFETY: the modelled memory is fresh, and there are the two ends below.
    let ring = unsafe { Ring::new(region, layout) };
    // SAFETY: it is the only consumer.
    let consumer = unsafe { Consumer::new(ring.clone()) };
    // SAFETY: there is no producer of another kind.
    (unsafe { Producers::new(ring) }, consumer)
}

fn send(producers: &Producers) {
    let Ok(mut slots) = producers.reserve(1) else { unreachable!("the ring is empty and open") };
    slots.write(7u64, Header::default());
}

fn take(consumer: &mut Consumer) {
    let slot = loop {
        match consumer.peek() {
            Some(slot) => break slot,
            None => yield_now(),
        }
    };
    assert_eq!(slot.kind, kind::MESSAGE);
    // SAFETY: the producers of these models write `u64`s.
    assert_eq!(unsafe { consumer.read::<u64>(&slot) }, 7);
    consumer.advance(&slot);
    consumer.give_back();
}

/// What a handler had written before it sent, the receiver's handler sees. No fence is needed, and a word
/// that is written behind the message may be seen or not.
#[test]
fn b01_b02_a_message_orders_what_came_before_it() {
    let seen = outcomes(None, || {
        let words = Arc::new(Words { x: AtomicU32::new(0), y: AtomicU32::new(0) });
        let (producers, mut consumer) = ring();
        let sender = thread::spawn({
            let words = Arc::clone(&words);
            move || {
                words.x.store(1, Ordering::Relaxed);
                send(&producers);
                words.y.store(1, Ordering::Relaxed);
            }
        });
        take(&mut consumer);
        let seen = vec![words.x.load(Ordering::Relaxed), words.y.load(Ordering::Relaxed)];
        sender.join().unwrap();
        vec![seen]
    });
    assert_eq!(seen, [vec![vec![1, 0]], vec![vec![1, 1]]].into());
}

/// Also through a block in the middle, which touches neither word: messages order causally.
#[test]
fn b01_messages_order_through_a_block_in_the_middle() {
    let seen = outcomes(None, || {
        let words = Arc::new(Words { x: AtomicU32::new(0), y: AtomicU32::new(0) });
        let (to_middle, mut at_middle) = ring();
        let (to_end, mut at_end) = ring();
        let first = side_that_sends(&words, to_middle);
        let middle = thread::spawn(move || {
            take(&mut at_middle);
            send(&to_end);
        });
        take(&mut at_end);
        let seen = vec![words.x.load(Ordering::Relaxed)];
        first.join().unwrap();
        middle.join().unwrap();
        vec![seen]
    });
    assert_eq!(seen, [vec![vec![1]]].into());
}

fn side_that_sends(words: &Arc<Words>, to: Producers) -> JoinHandle<()> {
    let words = Arc::clone(words);
    thread::spawn(move || {
        words.x.store(1, Ordering::Relaxed);
        send(&to);
    })
}

/// `Sequential` fences before each handler: two blocks handle two messages each, with one access in a
/// handler. Without it the messages alone leave store buffering between handlers allowed.
#[test]
fn b04_sequential_orders_handlers() {
    for sequential in [false, true] {
        let seen = outcomes(None, move || {
            let words = Arc::new(Words { x: AtomicU32::new(0), y: AtomicU32::new(0) });
            let block = move |words: &Words, [first, second]: [Access; 2]| {
                let (producers, mut consumer) = ring();
                let mut seen = Vec::new();
                for access in [first, second] {
                    send(&producers);
                    take(&mut consumer);
                    if sequential {
                        // SYNC: sequential (both ends): such fences of all blocks have one order.
                        fence(Ordering::SeqCst);
                    }
                    seen.extend(handle(words, &[access], false));
                }
                seen
            };
            let other = thread::spawn({
                let words = Arc::clone(&words);
                move || block(&words, [Store(y, 1), Load(x)])
            });
            let seen = block(&words, [Store(x, 1), Load(y)]);
            vec![seen, other.join().unwrap()]
        });
        let weak = vec![vec![0], vec![0]];
        assert_eq!(
            (seen.contains(&weak), seen.len()),
            (!sequential, 4 - usize::from(sequential)),
            "{seen:?}"
        );
    }
}
