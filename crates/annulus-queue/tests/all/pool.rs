//! The object pool: its stock, its overflow, what leaves it for good, and four threads that share it.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex},
    thread,
};

use annulus_queue::pool::{Pool, PoolCounters, Pooled};
use annulus_sync::{AtomicU64, Ordering};

/// How many objects were made, and a pool of them with a stock of `capacity`.
fn counted(capacity: u32) -> (Arc<AtomicU64>, Pool<Arc<AtomicU64>>) {
    let made = Arc::new(AtomicU64::new(0));
    let pool = Pool::with_capacity(capacity, {
        let made = Arc::clone(&made);
        move || {
            made.fetch_add(1, Ordering::Relaxed);
            Arc::clone(&made)
        }
    });
    (made, pool)
}

fn figures(counters: PoolCounters) -> (u64, u64) {
    (counters.overflowed, counters.surplus)
}

#[test]
fn p_08_makes_its_stock_in_advance_and_no_more() {
    let (made, pool) = counted(256);
    assert_eq!(made.load(Ordering::Relaxed), 256);
    for _ in 0..10 {
        let out: Vec<_> = (0..256).map(|_| pool.get()).collect();
        drop(out);
    }
    assert_eq!((made.load(Ordering::Relaxed), figures(pool.counters())), (256, (0, 0)));
}

#[test]
fn p_08_overflow_is_made_and_surplus_dropped() {
    let (made, pool) = counted(4);
    let out: Vec<_> = (0..7).map(|_| pool.get()).collect();
    assert_eq!((made.load(Ordering::Relaxed), figures(pool.counters())), (7, (3, 0)));
    drop(out);
    assert_eq!(figures(pool.counters()), (3, 3));
    // Those in stock, the pool's own closure, and this one.
    assert_eq!(Arc::strong_count(&made), 4 + 2);
    drop(pool);
    assert_eq!(Arc::strong_count(&made), 1);
}

#[test]
fn a_detached_object_is_replaced_when_needed() {
    let (made, pool) = counted(1);
    let kept = pool.get().detach();
    drop(pool.get());
    assert_eq!(figures(pool.counters()), (1, 0), "the second took the first one's place");
    drop(pool.get());
    assert_eq!(made.load(Ordering::Relaxed), 2);
    drop(kept);
}

#[test]
fn an_object_is_reset_also_when_its_user_panics() {
    let pool = Pool::with_capacity(1, || 0).on_return(|n| *n = 0);
    let user = catch_unwind(AssertUnwindSafe(|| {
        *pool.get() = 7;
        let mut again = pool.get();
        *again = 8;
        panic!("with an object in hand");
    }));
    assert!(user.is_err());
    assert_eq!((*pool.get(), figures(pool.counters())), (0, (0, 0)));
}

#[test]
fn an_object_whose_reset_panics_is_gone() {
    let pool = Pool::with_capacity(1, || 0).on_return(|n| assert_eq!(*n, 0, "cannot be reset"));
    assert!(catch_unwind(AssertUnwindSafe(|| *pool.get() = 7)).is_err());
    assert_eq!((*pool.get(), figures(pool.counters())), (0, (1, 0)));
}

#[test]
fn a_guard_outlives_everything_but_the_pool() {
    let pool = Arc::new(Pool::with_capacity(1, String::new));
    let guard: Pooled<String, Arc<Pool<String>>> = Pool::get_owned(&pool);
    let weak = Arc::downgrade(&pool);
    drop(pool);
    assert!(weak.upgrade().is_some());
    thread::spawn(move || drop(guard)).join().unwrap();
    assert!(weak.upgrade().is_none());
}

/// An object has one user at a time; and with as many objects as users, none is made or dropped.
#[test]
fn p_08_four_threads_share_four_objects() {
    let pool = Pool::with_capacity(4, || Mutex::new(0_u64));
    thread::scope(|s| {
        for _ in 0..4 {
            s.spawn(|| {
                for _ in 0..100_000 {
                    let object = pool.get();
                    *object.try_lock().expect("an object has one user") += 1;
                }
            });
        }
    });
    assert_eq!(figures(pool.counters()), (0, 0));
    let uses: u64 = (0..4).map(|_| pool.get().detach().into_inner().unwrap()).sum();
    assert_eq!(uses, 400_000);
}
