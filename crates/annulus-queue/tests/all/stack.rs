//! The stack against a `Vec` that does the same, and under four threads.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    thread,
};

use annulus_queue::stack::Stack;
use proptest::prelude::*;

const THREADS: u64 = 4;
const EACH: u64 = 200_000;

proptest! {
    /// Same verdicts, same values, same fullness; and what is left is dropped, once.
    #[test]
    fn p_10_does_what_a_vec_does(capacity in 0..12_u32, pushes in prop::collection::vec(any::<bool>(), 0..200)) {
        let stack = Stack::new(capacity);
        let mut model = Vec::new();
        let alive = Arc::new(());
        for (number, push) in pushes.into_iter().enumerate() {
            if push {
                let pushed = stack.push((number, Arc::clone(&alive))).map_err(|(number, _)| number);
                let fits = model.len() < capacity as usize;
                prop_assert_eq!(pushed, if fits { Ok(()) } else { Err(number) });
                if fits {
                    model.push(number);
                }
            } else {
                prop_assert_eq!(stack.pop().map(|(number, _)| number), model.pop());
            }
            prop_assert_eq!(stack.is_empty(), model.is_empty());
            prop_assert_eq!(stack.is_full(), model.len() == capacity as usize);
            prop_assert_eq!(Arc::strong_count(&alive), 1 + model.len());
        }
        drop(stack);
        prop_assert_eq!(Arc::strong_count(&alive), 1);
    }
}

#[test]
fn capacities_at_powers_of_two_are_exact() {
    for capacity in [0, 1, 2, 3, 4, 7, 8, 9, 255, 256, 257] {
        let stack = Stack::new(capacity);
        assert_eq!((0..1000).filter(|&n| stack.push(n).is_ok()).count(), capacity as usize);
        let popped: Vec<_> = std::iter::from_fn(|| stack.pop()).collect();
        assert!(popped.iter().copied().eq((0..capacity as i32).rev()), "{capacity}: {popped:?}");
    }
}

/// Eight words that belong together, so that a torn copy shows; counted, so that a lost or doubled one shows.
struct Value<'a> {
    number: u64,
    check: [u64; 7],
    alive: &'a AtomicI64,
}

impl<'a> Value<'a> {
    fn new(number: u64, alive: &'a AtomicI64) -> Self {
        alive.fetch_add(1, Ordering::Relaxed);
        Self { number, check: std::array::from_fn(|i| number.rotate_left(i as u32 * 9) ^ i as u64), alive }
    }

    fn checked(self) -> u64 {
        for (i, check) in self.check.iter().enumerate() {
            assert_eq!(*check, self.number.rotate_left(i as u32 * 9) ^ i as u64, "torn");
        }
        self.number
    }
}

impl Drop for Value<'_> {
    fn drop(&mut self) {
        self.alive.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Everyone pushes and pops in bursts, on stacks so small that full and empty are common.
#[test]
fn p_10_every_value_comes_out_once() {
    for capacity in [1, 3, 16] {
        let alive = AtomicI64::new(0);
        let stack = Stack::new(capacity);
        let (mut messages, mut sum) = (0, 0_u64);
        thread::scope(|s| {
            let workers: Vec<_> = (0..THREADS)
                .map(|thread| {
                    s.spawn({
                        let (stack, alive) = (&stack, &alive);
                        move || {
                            let (mut messages, mut sum) = (0, 0_u64);
                            let mut take = |value: Value<'_>| {
                                messages += 1;
                                sum = sum.wrapping_add(value.checked());
                            };
                            for number in 0..EACH {
                                if let Err(refused) = stack.push(Value::new(thread * EACH + number, alive)) {
                                    take(refused);
                                }
                                if number % 3 == 0 {
                                    (0..3).filter_map(|_| stack.pop()).for_each(&mut take);
                                }
                            }
                            (messages, sum)
                        }
                    })
                })
                .collect();
            for worker in workers {
                let (m, s) = worker.join().unwrap();
                messages += m;
                sum = sum.wrapping_add(s);
            }
        });
        assert_eq!(
            alive.load(Ordering::Relaxed),
            (THREADS * EACH - messages) as i64,
            "those left in the stack"
        );
        while let Some(value) = stack.pop() {
            messages += 1;
            sum = sum.wrapping_add(value.checked());
        }
        let all = THREADS * EACH;
        assert_eq!((messages, sum), (all, all * (all - 1) / 2));
        assert_eq!(alive.load(Ordering::Relaxed), 0);
    }
}
