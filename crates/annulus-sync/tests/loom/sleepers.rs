//! Whoever sleeps until something of its own comes is woken when it has.

use std::{future::poll_fn, task::Poll};

use annulus_sync::{
    Arc, AtomicBool, AtomicU64, Ordering, event::wake, fence, sleepers::Sleepers, wait::block_on,
};
use loom::thread;

fn model(run: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(run);
}

struct Shared {
    /// How many places there are; a key's is its remainder.
    places: u32,
    sleepers: Sleepers<u32>,
    /// Tickets below this have come. Relaxed on purpose: the fences and the lock alone must do it.
    come: AtomicU64,
    ended: AtomicBool,
}

fn shared(places: u32) -> Arc<Shared> {
    let (come, ended) = (AtomicU64::new(0), AtomicBool::new(false));
    Arc::new(Shared { places, sleepers: Sleepers::new(), come, ended })
}

impl Shared {
    fn has_come(&self, key: u32) -> bool {
        self.come.load(Ordering::Relaxed) > u64::from(key)
    }

    /// Says whether it has come, or will not.
    fn wait(&self, key: u32) -> bool {
        let look = || {
            let ended = self.ended.load(Ordering::Acquire);
            if self.has_come(key) { Some(true) } else { ended.then_some(false) }
        };
        let result = block_on(poll_fn(|context| {
            if let Some(found) = look() {
                return Poll::Ready(found);
            }
            drop(self.sleepers.lie_down(key % self.places, key, context.waker().clone()));
            look().map_or(Poll::Pending, Poll::Ready)
        }));
        drop(self.sleepers.get_up(key % self.places, key));
        result
    }

    fn bring(&self) {
        self.come.store(self.come.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        // SYNC: sleeper
        fence(Ordering::SeqCst);
        if !self.sleepers.is_empty() {
            let come = || self.come.load(Ordering::Relaxed);
            let woken =
                self.sleepers.rouse(come, |ticket| ticket as u32 % self.places, |key| self.has_come(key));
            woken.into_iter().for_each(wake);
        }
    }
}

/// Two wait, each for its own, which comes one after the other.
#[test]
fn sleepers_lose_no_wake_up() {
    two_wait(2);
}

/// The second has been given the place of the first, which lies down late.
#[test]
fn bug_sleepers_at_one_place_lose_no_wake_up() {
    two_wait(1);
}

fn two_wait(places: u32) {
    model(move || {
        let shared = shared(places);
        let bringer = thread::spawn({
            let shared = Arc::clone(&shared);
            move || (0..2).for_each(|_| shared.bring())
        });
        let other = thread::spawn({
            let shared = Arc::clone(&shared);
            move || assert!(shared.wait(0))
        });
        assert!(shared.wait(1));
        bringer.join().unwrap();
        other.join().unwrap();
        assert!(shared.sleepers.is_empty());
    });
}

/// One waits for what comes, or for the end, after which nothing does.
#[test]
fn sleepers_hear_of_the_end() {
    model(|| {
        let shared = shared(2);
        let bringer = thread::spawn({
            let shared = Arc::clone(&shared);
            move || {
                shared.bring();
                shared.ended.store(true, Ordering::Release);
                shared.sleepers.rouse_all().into_iter().for_each(wake);
            }
        });
        assert!(!shared.wait(1));
        bringer.join().unwrap();
    });
}
