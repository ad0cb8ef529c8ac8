//! The original sample's stack swaps its top if it *looks* as it did, which is right only where a garbage
//! collector keeps a node from coming back while somebody holds it. Here places come back at once, so a pop
//! that was stopped between its load and its swap could list a place that another thread owns: values doubled
//! and lost.
//!
//! The first test replays that, step by step, on the sample's algorithm; the second runs the moves that
//! provoke it on the real stack. (`loom_stack.rs` checks all interleavings, with tags and without.)

use std::{sync::Mutex, thread};

use annulus_queue::stack::Stack;

/// The sample's stack over places that are used again, with a pop that can be stopped between its load and
/// its swap.
struct Sample {
    top: Option<usize>,
    next: [Option<usize>; 3],
}

impl Sample {
    fn load(&self) -> (usize, Option<usize>) {
        let top = self.top.expect("not empty");
        (top, self.next[top])
    }

    fn swap(&mut self, (top, next): (usize, Option<usize>)) -> bool {
        let same = self.top == Some(top);
        if same {
            self.top = next;
        }
        same
    }

    fn push(&mut self, place: usize) {
        self.next[place] = self.top.replace(place);
    }
}

#[test]
fn the_sample_lists_a_place_that_somebody_owns() {
    let mut stack = Sample { top: Some(0), next: [Some(1), Some(2), None] };
    let stopped = stack.load();
    let (first, second) = (stack.load(), 1);
    assert!(stack.swap(first));
    let taken = stack.load();
    assert!(taken.0 == second && stack.swap(taken));
    stack.push(first.0);
    assert!(stack.swap(stopped), "the top looks as it did");
    assert_eq!(stack.top, Some(second), "which is owned by whoever popped it");
}

/// Threads hold places while others pop, and give them back in another order: so tops recur above other
/// nodes. Three places for three threads, so that a place is back within a few instructions.
#[test]
fn p_10_places_that_come_back_deceive_nobody() {
    const THREADS: usize = 4;
    const ROUNDS: usize = 300_000;
    const PLACES: usize = 3;
    let stack = Stack::new(PLACES as u32);
    for token in 0..PLACES {
        assert_eq!(stack.push(token), Ok(()));
    }
    let owners: [Mutex<()>; PLACES] = Default::default();
    thread::scope(|s| {
        for _ in 0..THREADS {
            s.spawn(|| {
                for round in 0..ROUNDS {
                    let first = stack.pop();
                    let second = if round % 2 == 0 { stack.pop() } else { None };
                    let tokens = [first, second].into_iter().flatten();
                    let owned =
                        tokens.clone().map(|token| owners[token].try_lock().expect("a token has one owner"));
                    let owned: Vec<_> = owned.collect();
                    if round % 64 == 0 {
                        thread::yield_now();
                    }
                    drop(owned);
                    for token in tokens {
                        assert_eq!(stack.push(token), Ok(()), "there are as many places as tokens");
                    }
                }
            });
        }
    });
    let mut left: Vec<_> = std::iter::from_fn(|| stack.pop()).take(2 * PLACES).collect();
    left.sort();
    assert_eq!(left, [0, 1, 2]);
}
