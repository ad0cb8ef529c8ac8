//! One of those that end is the last, and sees what the others have done. In every interleaving: there is no
//! bound.
use annulus_sync::{Arc, AtomicU32, Ordering, UnsafeCell, last::Last, without_fences};
use loom::thread;

use crate::broken::fails;

/// So many shards end, each on a thread of its own.
fn one_is_the_last(shards: usize, ended: Ordering, fences: bool) {
    loom::model(move || {
        struct Shard {
            state: AtomicU32,
            left: UnsafeCell<u32>,
        }
        let shard = |_| Shard { state: AtomicU32::new(0), left: UnsafeCell::new(0) };
        let kernel: Arc<(Last, Vec<Shard>)> = Arc::new((Last::new(), (0..shards).map(shard).collect()));
        let ends = move |kernel: &(Last, Vec<Shard>), index: usize| {
            let (last, shards) = kernel;
            // SAFETY: loom checks that nobody else has access.
            shards[index].left.with_mut(|left| unsafe { *left = 1 });
            shards[index].state.store(1, ended);
            let all = || shards.iter().all(|shard| shard.state.load(Ordering::Acquire) == 1);
            let is_last = if fences { last.is_last(all) } else { without_fences(|| last.is_last(all)) };
            if is_last {
                // SAFETY: loom checks that nobody writes meanwhile.
                let left: u32 = shards.iter().map(|shard| shard.left.with(|left| unsafe { *left })).sum();
                assert_eq!(left, shards.len() as u32);
            }
            u32::from(is_last)
        };
        let others: Vec<_> = (1..shards)
            .map(|index| {
                let kernel = Arc::clone(&kernel);
                thread::spawn(move || ends(&kernel, index))
            })
            .collect();
        let mut lasts = ends(&kernel, 0);
        lasts += others.into_iter().map(|other| other.join().unwrap()).sum::<u32>();
        assert_eq!(lasts, 1, "the last one");
        assert!(kernel.0.has_come());
    });
}

#[test]
fn of_two_one_is_the_last() {
    one_is_the_last(2, Ordering::Release, true);
}

#[test]
fn of_three_one_is_the_last() {
    one_is_the_last(3, Ordering::Release, true);
}

#[test]
fn broken_without_a_fence_nobody_is_the_last() {
    fails("the last one", || one_is_the_last(2, Ordering::Release, false));
}

#[test]
fn broken_an_end_that_releases_nothing() {
    fails("Causality violation", || one_is_the_last(2, Ordering::Relaxed, true));
}
