//! A thing at which somebody waits is on the list, once, up to a bound.
//!
//! The bound is 3 involuntary switches per execution: a thing that is lost needs one to stop whoever goes
//! through the list between his two steps, and one to come back; the third is margin.
use annulus_sync::{Arc, AtomicU32, Ordering, enlist::Enlisted};
use loom::thread;

use crate::broken::fails;

/// One waits for a moment, another for good; a third goes through the list.
fn is_listed_once(looks_again: bool) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(move || {
        let shared = Arc::new((Enlisted::new(), AtomicU32::new(0)));
        let enlist = |listed: &AtomicU32| {
            assert_eq!(listed.fetch_add(1, Ordering::AcqRel), 0, "it is on the list once");
        };
        // It is on the list, with nobody there.
        drop(shared.0.wait(|| enlist(&shared.1)));
        let waiter = thread::spawn({
            let shared = Arc::clone(&shared);
            move || {
                // For good.
                std::mem::forget(shared.0.wait(|| enlist(&shared.1)));
            }
        });
        let passer = thread::spawn({
            let shared = Arc::clone(&shared);
            move || drop(shared.0.wait(|| enlist(&shared.1)))
        });
        // Whoever goes through the list has what is on it in his hands.
        for _ in 0..2 {
            let (thing, listed) = &*shared;
            if listed.load(Ordering::Acquire) == 0 || thing.is_waited_at() {
                continue;
            }
            // It is off the list before others can put it there.
            listed.fetch_sub(1, Ordering::AcqRel);
            if thing.stays() && looks_again {
                enlist(listed);
            }
        }
        waiter.join().unwrap();
        passer.join().unwrap();
        assert_eq!(shared.1.load(Ordering::Relaxed), 1, "somebody waits, so it is on the list");
    });
}

#[test]
fn what_somebody_waits_at_is_listed_once() {
    is_listed_once(true);
}

#[test]
fn broken_a_list_that_looks_no_more() {
    fails("so it is on the list", || is_listed_once(false));
}
