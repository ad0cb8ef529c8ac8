//! A wake-up is not lost, a job is done by whoever holds the lock, and nobody comes in behind the one who
//! closes.

use annulus_sync::{
    Arc, AtomicU32, Ordering, UnsafeCell, combining::CombiningLock, gate::Gate, wake_flag::WakeFlag,
};
use loom::thread;

fn model(preemptions: usize, run: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    model.check(run);
}

/// Work that is made before the call is found: by the runner that parks, or by the one whom the call
/// schedules. Never two runners at once (the cell would race).
#[test]
fn wake_flag_loses_no_call() {
    model(3, || {
        struct Shared {
            flag: WakeFlag,
            work: AtomicU32,
            runner: UnsafeCell<u32>,
        }
        let shared =
            Arc::new(Shared { flag: WakeFlag::new(), work: AtomicU32::new(0), runner: UnsafeCell::new(0) });
        fn run(shared: &Shared) {
            loop {
                loop {
                    let work = shared.work.swap(0, Ordering::Relaxed);
                    if work == 0 {
                        break;
                    }
                    // SAFETY: loom checks that there is one runner.
                    shared.runner.with_mut(|done| unsafe { *done += work });
                }
                shared.flag.park();
                if shared.work.load(Ordering::Relaxed) == 0 || !shared.flag.claim() {
                    return;
                }
            }
        }
        let callers: Vec<_> = (0..2)
            .map(|_| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    shared.work.fetch_add(1, Ordering::Relaxed);
                    if shared.flag.wake() {
                        run(&shared);
                    }
                })
            })
            .collect();
        for caller in callers {
            caller.join().unwrap();
        }
        assert!(shared.flag.claim(), "the runner is asleep in the end");
        // SAFETY: no one runs any more.
        assert_eq!(shared.runner.with(|done| unsafe { *done }), 2);
    });
}

/// What a thread made before `run` is worked on by the time everybody has left, though nobody waited for the
/// lock.
#[test]
fn combining_lock_does_every_job() {
    model(3, || {
        let shared = Arc::new((CombiningLock::new(0u32), AtomicU32::new(0)));
        let job = |shared: &(CombiningLock<u32>, AtomicU32), done: &mut u32| {
            *done += shared.1.swap(0, Ordering::Relaxed);
        };
        let threads: Vec<_> = (0..2)
            .map(|i| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    if i == 0 {
                        shared.0.with(|_| (), |done| job(&shared, done));
                    }
                    shared.1.fetch_add(1, Ordering::Relaxed);
                    shared.0.run(|done| job(&shared, done));
                })
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(shared.0.with(|done| *done, |_| ()), 2);
    });
}

/// What was done inside before the gate closed is seen by whoever closed it, and nothing is done inside
/// after that.
#[test]
fn gate_closes_behind_the_last() {
    model(3, || {
        let shared = Arc::new((Gate::new(), AtomicU32::new(0)));
        let senders: Vec<_> = (0..2)
            .map(|_| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    let entered = shared.0.enter();
                    if entered.is_some() {
                        shared.1.fetch_add(1, Ordering::Relaxed);
                    }
                    u32::from(entered.is_some())
                })
            })
            .collect();
        shared.0.close();
        let seen = shared.1.load(Ordering::Relaxed);
        assert!(shared.0.enter().is_none(), "it is closed for good");
        let accepted: u32 = senders.into_iter().map(|sender| sender.join().unwrap()).sum();
        assert_eq!((seen, shared.1.load(Ordering::Relaxed)), (accepted, accepted));
    });
}
