//! Turns in step, in every interleaving that loom can tell apart, up to a bound.
//!
//! The bound is 3 involuntary switches per execution: a party that is forgotten, or that two run, needs one
//! to stop a thread between its look and its sleep or between its turn and its coming, and one to come back;
//! the third is margin. Three parties are enough: the first to come, one that sleeps, and the last.
//!
//! Weakening the ordering that carries `SYNC: step` fails here, and so does coming without calling those that
//! sleep.
use std::collections::VecDeque;

use annulus_sync::{
    Arc, AtomicU32, Ordering, UnsafeCell,
    phase_barrier::{Arrival, PhaseBarrier},
    wake_flag::WakeFlag,
};
use loom::thread;

fn model(run: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(run);
}

struct Party {
    flag: WakeFlag,
    work: AtomicU32,
    /// Turns that found work. Its own in its turn, and whoever opens the barrier reads it.
    turns: UnsafeCell<u32>,
}

struct Kernel {
    steps: PhaseBarrier,
    parties: Vec<Party>,
}

impl Kernel {
    fn new(parties: u32) -> Arc<Self> {
        let party = || Party { flag: WakeFlag::new(), work: AtomicU32::new(0), turns: UnsafeCell::new(0) };
        Arc::new(Self { steps: PhaseBarrier::new(parties), parties: (0..parties).map(|_| party()).collect() })
    }

    fn turns(&self) -> u32 {
        // SAFETY: loom checks that nobody writes meanwhile.
        self.parties.iter().map(|party| party.turns.with(|turns| unsafe { *turns })).sum()
    }

    /// What a worker does with a party that was scheduled, and with those that it then has to schedule.
    fn run(&self, first: usize) {
        let mut schedule = VecDeque::from([first]);
        while let Some(index) = schedule.pop_front() {
            self.run_one(index, &mut schedule);
        }
    }

    fn run_one(&self, index: usize, schedule: &mut VecDeque<usize>) {
        let party = &self.parties[index];
        let others = || (0..self.parties.len()).filter(move |&other| other != index);
        loop {
            let work = party.work.swap(0, Ordering::Relaxed);
            if work != 0 {
                // SAFETY: loom checks that one thread runs the party, and that nobody reads meanwhile.
                party.turns.with_mut(|turns| unsafe { *turns += work });
            } else if !self.steps.has_begun() {
                party.flag.park();
                let called = party.work.load(Ordering::Relaxed) != 0 || self.steps.has_begun();
                if called && party.flag.claim() {
                    continue;
                }
                return;
            }
            match self.steps.arrive() {
                Arrival::First => {
                    return schedule.extend(others().filter(|&other| self.parties[other].flag.wake()));
                }
                Arrival::Later => return,
                Arrival::Last => {
                    self.turns();
                    schedule.extend(others());
                }
            }
        }
    }

    fn call(&self, index: usize) {
        self.parties[index].work.fetch_add(1, Ordering::Relaxed);
        if self.parties[index].flag.wake() {
            self.run(index);
        }
    }
}

/// Two parties get work, the others only take part: whoever opens sees all turns, each party is run by one
/// thread, and in the end all sleep.
fn all_come(parties: u32) {
    model(move || {
        let kernel = Kernel::new(parties);
        let other = thread::spawn({
            let kernel = Arc::clone(&kernel);
            move || kernel.call(1)
        });
        kernel.call(0);
        other.join().unwrap();
        assert_eq!(kernel.turns(), 2);
        assert!(!kernel.steps.has_begun());
        assert!(kernel.parties.iter().all(|party| party.flag.claim()), "all are asleep");
    });
}

#[test]
fn two_parties_come() {
    all_come(2);
}

#[test]
fn three_parties_come() {
    all_come(3);
}

/// One goes for good while the other comes: exactly one of them opens the barrier, after both turns.
#[test]
fn one_goes_while_another_comes() {
    model(|| {
        let kernel = Kernel::new(2);
        let goes = thread::spawn({
            let kernel = Arc::clone(&kernel);
            move || {
                // SAFETY: as in `run_one`.
                kernel.parties[1].turns.with_mut(|turns| unsafe { *turns = 1 });
                let opens = kernel.steps.leave();
                if opens {
                    assert_eq!(kernel.turns(), 2);
                }
                opens
            }
        });
        // SAFETY: as above.
        kernel.parties[0].turns.with_mut(|turns| unsafe { *turns = 1 });
        let arrival = kernel.steps.arrive();
        if arrival == Arrival::Last {
            assert_eq!(kernel.turns(), 2);
        }
        let opens = goes.join().unwrap();
        assert_eq!(arrival, if opens { Arrival::First } else { Arrival::Last });
        assert!(!kernel.steps.has_begun());
        assert_eq!(kernel.steps.arrive(), Arrival::Last, "one is left");
    });
}
