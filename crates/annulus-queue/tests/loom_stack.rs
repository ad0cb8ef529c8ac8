//! The stack and its lists, and the pool on top, in every interleaving that loom can tell apart.
//!
//! The lists' models and those with two threads have no bound on preemption. With three threads the bound is
//! 3 involuntary switches: the ABA mistake needs one to stop a thread between its load and its swap, and one
//! to stop another while it owns a node; the third is margin. Three nodes are enough: the mistake needs a
//! first node, the second one, and something else below.
//!
//! Weakening any ordering that carries a `SYNC` label in `stack.rs` fails here, and so does leaving out the
//! tags.
#![cfg(loom)]

use annulus_queue::{
    pool::Pool,
    stack::{ModelList, Stack},
};
use annulus_sync::Arc;
use loom::thread;

fn check(preemptions: Option<usize>, run: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = preemptions;
    model.check(run);
}

/// One thread takes a node. The other takes two and puts the first one back, which now lies above another
/// node.
fn aba(tags: bool) {
    check(None, move || {
        let list = Arc::new(ModelList::of_all(3, tags));
        let other = thread::spawn({
            let list = Arc::clone(&list);
            move || list.pop()
        });
        let first = list.pop().expect("three were there");
        let second = list.pop();
        list.push(first);
        let mut owned = vec![other.join().unwrap(), second];
        owned.extend((0..3).map(|_| list.pop()).take_while(Option::is_some));
        owned.sort();
        owned.retain(Option::is_some);
        assert_eq!(owned, [Some(0), Some(1), Some(2)], "each node has one owner");
    });
}

/// P-10: a node that comes back with the same index does not deceive a pop that saw it before.
#[test]
fn p_10_a_node_that_comes_back_is_not_the_same() {
    aba(true);
}

/// The same without tags, as in the original sample: two threads own the second node. So the model above can
/// see the mistake.
#[test]
#[should_panic(expected = "each node has one owner")]
fn p_10_without_tags_a_node_gets_two_owners() {
    aba(false);
}

/// A value with a heap allocation, so that loom and the allocator notice a lost or doubled one.
fn boxed(n: u32) -> Box<u32> {
    Box::new(n)
}

fn rest(stack: &Stack<Box<u32>>) -> Vec<u32> {
    std::iter::from_fn(|| stack.pop()).map(|value| *value).collect()
}

/// P-10: a value is popped only when it is written. One place, so the second push needs the first pop's.
#[test]
fn p_10_push_and_pop_hand_over() {
    check(None, || {
        let stack = Arc::new(Stack::new(1));
        let other = thread::spawn({
            let stack = Arc::clone(&stack);
            move || [1, 2].map(|n| stack.push(boxed(n)).is_ok())
        });
        let popped = stack.pop();
        let pushed = other.join().unwrap();
        assert!(pushed[0], "the place was free");
        let mut seen: Vec<_> = popped.iter().map(|value| **value).collect();
        seen.extend(rest(&stack));
        assert_eq!(seen, if pushed[1] { vec![1, 2] } else { vec![1] });
    });
}

/// P-10: two pops never take the same value, and leave none.
#[test]
fn p_10_two_pops_share() {
    check(None, || {
        let stack = Arc::new(Stack::new(2));
        assert_eq!((stack.push(boxed(1)), stack.push(boxed(2))), (Ok(()), Ok(())));
        let other = thread::spawn({
            let stack = Arc::clone(&stack);
            move || stack.pop()
        });
        let (mine, theirs) = (stack.pop(), other.join().unwrap());
        assert_eq!(*mine.expect("two were there") + *theirs.expect("two were there"), 3);
        assert!(stack.is_empty());
    });
}

/// P-10: two pushes never take the same place; with one place, one value comes back.
#[test]
fn p_10_two_pushes_share() {
    check(None, || {
        let stack = Arc::new(Stack::new(1));
        let other = thread::spawn({
            let stack = Arc::clone(&stack);
            move || stack.push(boxed(1))
        });
        let (mine, theirs) = (stack.push(boxed(2)), other.join().unwrap());
        let mut seen = rest(&stack);
        assert_eq!(seen.len(), 1);
        seen.extend(mine.err().map(|value| *value));
        seen.extend(theirs.err().map(|value| *value));
        seen.sort();
        assert_eq!(seen, [1, 2]);
    });
}

/// P-10: a pop, stopped anywhere; a second that holds its place meanwhile and fills it again; a third between
/// them. Bound 3: see above.
#[test]
fn p_10_three_threads_keep_every_value() {
    check(Some(3), || {
        let stack = Arc::new(Stack::new(3));
        for n in 1..=3 {
            assert_eq!(stack.push(n), Ok(()));
        }
        let back_and_forth = thread::spawn({
            let stack = Arc::clone(&stack);
            move || {
                let popped = stack.pop().expect("three were there");
                (popped, stack.push(4).is_ok())
            }
        });
        let between = thread::spawn({
            let stack = Arc::clone(&stack);
            move || stack.pop().expect("two were left at least")
        });
        let mut seen = vec![stack.pop().expect("two were left at least")];
        let (popped, pushed) = back_and_forth.join().unwrap();
        assert!(pushed, "its own place was free");
        seen.extend([popped, between.join().unwrap()]);
        seen.extend((0..3).filter_map(|_| stack.pop()));
        seen.sort();
        assert_eq!(seen, [1, 2, 3, 4]);
    });
}

/// P-08: with as many objects as guards, none is made and none is dropped, whoever is still moving one.
#[test]
fn p_08_a_returned_object_finds_its_place() {
    check(None, || {
        let pool = Arc::new(Pool::with_capacity(2, || boxed(0)).on_return(|n| **n = 0));
        let other = thread::spawn({
            let pool = Arc::clone(&pool);
            move || *pool.get() = boxed(1)
        });
        let mut mine = pool.get();
        assert_eq!(**mine, 0);
        *mine = boxed(2);
        drop(mine);
        other.join().unwrap();
        let counters = pool.counters();
        assert_eq!((counters.overflowed, counters.surplus), (0, 0));
        assert_eq!(**pool.get() + **pool.get(), 0);
    });
}
