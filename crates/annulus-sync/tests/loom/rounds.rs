//! Rounds of parties in step, in every interleaving that loom can tell apart, up to a bound of 3 involuntary switches: as
//! for turns in step.
//!
//! Each party has a queue, and what it takes it sends on to the next party, until it has been sent on often enough. What
//! was sent in a round must be taken in the next one, and all of it must be taken in the end.
//!
//! Each of these changes fails here: to note what lies in the queue in the step that decides, to say *closed* while
//! something is left, not to say *more*, and to sleep with more behind the end.
use std::collections::VecDeque;

use annulus_sync::{
    Arc, AtomicU64, Mutex, Ordering,
    phase_barrier::{Arrival, PhaseBarrier},
    rounds::{Part, Rounds},
    wake_flag::WakeFlag,
};
use loom::thread;

/// How often a message is sent on.
const HOPS: u64 = 2;

struct Party {
    flag: WakeFlag,
    /// In which round each message was sent, and how often it was sent on. A sender first takes a ticket, which is its place,
    /// and publishes later.
    queue: Mutex<Vec<Option<(u64, u64)>>>,
    tickets: AtomicU64,
    /// Its own in its turn: as of a block, locked by whoever runs it, for as long.
    own: Mutex<Own>,
}

#[derive(Default)]
struct Own {
    part: Part,
    position: u64,
}

struct Kernel {
    steps: PhaseBarrier,
    rounds: Rounds,
    parties: Vec<Party>,
}

impl Kernel {
    fn new(parties: u32) -> Arc<Self> {
        let party = || Party {
            flag: WakeFlag::new(),
            queue: Mutex::new(Vec::new()),
            tickets: AtomicU64::new(0),
            own: Mutex::new(Own::default()),
        };
        let parties: Vec<_> = (0..parties).map(|_| party()).collect();
        Arc::new(Self { steps: PhaseBarrier::new(parties.len() as u32), rounds: Rounds::new(), parties })
    }

    /// Puts a message into a queue. Returns whether the party must be scheduled.
    fn send(&self, to: usize, sent_in: u64, hops: u64) -> bool {
        let party = &self.parties[to];
        let ticket = party.tickets.fetch_add(1, Ordering::Relaxed) as usize;
        let mut queue = party.queue.lock().unwrap();
        if queue.len() <= ticket {
            queue.resize(ticket + 1, None);
        }
        queue[ticket] = Some((sent_in, hops));
        drop(queue);
        party.flag.wake()
    }

    fn run(&self, first: usize) {
        let mut schedule = VecDeque::from([first]);
        while let Some(index) = schedule.pop_front() {
            self.run_one(index, &mut self.parties[index].own.lock().unwrap(), &mut schedule);
        }
    }

    fn run_one(&self, index: usize, own: &mut Own, schedule: &mut VecDeque<usize>) {
        let party = &self.parties[index];
        let others = || (0..self.parties.len()).filter(move |&other| other != index);
        loop {
            own.part.follow(self.rounds.outcome());
            let there = || party.tickets.load(Ordering::Relaxed);
            let next = |own: &Own| party.queue.lock().unwrap().get(own.position as usize).copied().flatten();
            let takes = |own: &Own| if own.part.left(own.position) != 0 { next(own) } else { None };
            let comes = |own: &Own| own.part.comes(own.position, next(own).is_some());
            let took = takes(own);
            if let Some((sent_in, hops)) = took {
                own.position += 1;
                let round = own.part.begun();
                assert!(sent_in < round, "a message is of a later round than what has sent it");
                assert!(hops == 0 || sent_in + 1 == round, "and of the next one");
                let next = (index + 1) % self.parties.len();
                if hops < HOPS && self.send(next, round, hops + 1) {
                    schedule.push_back(next);
                }
            } else if !self.steps.has_begun() && !comes(own) {
                party.flag.park();
                let called = takes(own).is_some() || comes(own) || self.steps.has_begun();
                if called && party.flag.claim() {
                    continue;
                }
                return;
            }
            self.rounds.vote(own.part.vote(own.position, there(), true));
            match self.steps.arrive() {
                Arrival::First => {
                    return schedule.extend(others().filter(|&other| self.parties[other].flag.wake()));
                }
                Arrival::Later => return,
                Arrival::Last => {
                    self.rounds.decide();
                    schedule.extend(others());
                }
            }
        }
    }

    fn check(&self, taken: u64) {
        let positions = self.parties.iter().map(|party| {
            let position = party.own.lock().unwrap().position;
            assert_eq!(position, party.tickets.load(Ordering::Relaxed));
            position
        });
        assert_eq!(positions.sum::<u64>(), taken);
        assert!(!self.steps.has_begun());
        assert!(self.parties.iter().all(|party| party.flag.claim()), "all are asleep");
    }
}

fn model(switches: usize, run: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(switches);
    model.check(run);
}

/// From outside a message comes at any time: of whatever round.
fn each_round_has_what_was_sent_in_the_last(parties: u32, senders: usize, switches: usize) {
    model(switches, move || {
        let kernel = Kernel::new(parties);
        let send = |kernel: &Kernel, to| {
            if kernel.send(to, 0, 0) {
                kernel.run(to);
            }
        };
        let others: Vec<_> = (1..senders)
            .map(|to| {
                let kernel = Arc::clone(&kernel);
                thread::spawn(move || send(&kernel, to))
            })
            .collect();
        send(&kernel, 0);
        others.into_iter().for_each(|other| other.join().unwrap());
        kernel.check(senders as u64 * (HOPS + 1));
        let outcome = kernel.rounds.outcome();
        assert!(outcome.begun > HOPS && outcome.begun == outcome.decided);
    });
}

#[test]
fn two_parties_and_two_senders() {
    each_round_has_what_was_sent_in_the_last(2, 2, 3);
}

#[test]
fn one_party() {
    each_round_has_what_was_sent_in_the_last(1, 1, 3);
}

#[test]
fn three_parties_and_one_sender() {
    each_round_has_what_was_sent_in_the_last(3, 1, 3);
}
