//! Whoever waits for a change that is told only where it is watched hears of it, up to a bound.
//!
//! The bound is 3 involuntary switches per execution: a change that is not told needs one to stop a thread
//! between its change and its look, or the waiter between saying that it watches and its look, and one to
//! come back; the third is margin. Two make changes, since the waiter needs both, and the last one to be
//! told.
use annulus_sync::{
    Arc, AtomicU32, Ordering, event::Event, wait::block_on, watched::Watched, without_fences,
};
use loom::thread;

use crate::broken::fails;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Broken {
    Nothing,
    TellersFence,
    /// The event's, which stands between saying and looking.
    WaitersFence,
    WaitersLook,
    /// The waiter does not say that it watches.
    Watching,
}

fn without_fences_if<R>(broken: bool, f: impl FnOnce() -> R) -> R {
    if broken { without_fences(f) } else { f() }
}

/// A kernel drains: two shards have a message each, and report that they have taken it.
fn drains(broken: Broken) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(move || {
        struct Kernel {
            pending: [AtomicU32; 2],
            space: Event,
            watched: Watched,
            changed: Event,
        }
        let kernel = Arc::new(Kernel {
            pending: [AtomicU32::new(1), AtomicU32::new(1)],
            space: Event::new(),
            watched: Watched::new(),
            changed: Event::new(),
        });
        let shards = [0, 1].map(|shard| {
            let kernel = Arc::clone(&kernel);
            thread::spawn(move || {
                // Relaxed on purpose: the fences alone must do it.
                kernel.pending[shard].store(0, Ordering::Relaxed);
                let tell = || kernel.changed.notify_all();
                without_fences_if(broken == Broken::TellersFence, || match shard {
                    // Messages that go straight into the ring: the fence is that of who tells of the space.
                    0 => {
                        kernel.space.notify(1);
                        kernel.watched.tell_behind_fence(tell);
                    }
                    // What has expired in front of the ring.
                    _ => kernel.watched.tell(tell),
                });
            })
        });
        if broken != Broken::Watching {
            kernel.watched.watch();
        }
        let drained = || kernel.pending.iter().all(|pending| pending.load(Ordering::Relaxed) == 0);
        while !drained() {
            let listener = without_fences_if(broken == Broken::WaitersFence, || kernel.changed.listen());
            if broken != Broken::WaitersLook && drained() {
                break;
            }
            block_on(listener);
        }
        shards.into_iter().for_each(|shard| shard.join().unwrap());
    });
}

#[test]
fn a_kernel_that_is_watched_drains() {
    drains(Broken::Nothing);
}

#[test]
fn broken_a_change_without_a_fence() {
    fails("deadlock", || drains(Broken::TellersFence));
}

#[test]
fn broken_a_waiter_without_a_fence() {
    fails("deadlock", || drains(Broken::WaitersFence));
}

#[test]
fn broken_a_waiter_that_looks_no_more() {
    fails("deadlock", || drains(Broken::WaitersLook));
}

#[test]
fn broken_a_waiter_that_does_not_watch() {
    fails("deadlock", || drains(Broken::Watching));
}
