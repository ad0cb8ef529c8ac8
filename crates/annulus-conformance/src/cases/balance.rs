//! A coordinator that evens out its workers' queues, by heartbeats and orders between kernels: K-03.

use annulus_runtime::KernelHandle;

use super::links::source;
use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    kernels::balance::{Finished, Job, Known, News, Order, ROOM, Task, WORKERS, Worker, even_out, toil},
};

/// The workers and their coordinator, linked both ways, and the workers to themselves.
struct Shop {
    workers: KernelHandle<toil>,
    office: KernelHandle<even_out>,
    /// The number of the next job.
    next: u32,
}

impl Shop {
    /// Nobody works yet, and no orders are given.
    fn new(bench: &Bench, grid: u32) -> Self {
        let workers = source("workers").actors(WORKERS as u64).grid(grid).into_variants(true);
        let workers = toil::launch(bench.runtime(), workers).unwrap();
        let office = even_out::launch(bench.runtime(), source("office").into_variants(true)).unwrap();
        workers.port(toil::BEATS).connect(&office).unwrap();
        workers.port(toil::HANDED).connect(&workers).unwrap();
        office.port(even_out::ORDERS).connect(&workers).unwrap();
        workers.activate_blocking().unwrap();
        office.activate_blocking().unwrap();
        Self { workers, office, next: 0 }
    }

    /// So many jobs for each.
    fn fill(&mut self, depths: [u32; WORKERS]) {
        for (worker, count) in (0..).zip(depths) {
            for _ in 0..count {
                self.tell(Task::Job { worker, job: Job { number: self.next, nanos: 0 } });
                self.next += 1;
            }
        }
    }

    fn tell(&self, task: Task) {
        let _ = self.workers.send_blocking(task).unwrap();
    }

    fn rule(&self, is_on: bool) {
        let _ = self.office.send_blocking(News::Rule { is_on }).unwrap();
    }

    fn open(&self) {
        (0..WORKERS as u32).for_each(|worker| self.tell(Task::Open { worker }));
    }

    fn known(&self) -> Known {
        let _ = self.office.send_blocking(News::Asked).unwrap();
        self.office.port(even_out::KNOWN).recv_blocking().unwrap()
    }

    /// Waits until the coordinator knows this of its workers.
    fn knows(&self, depths: [u32; WORKERS]) -> Known {
        let mut known = self.known();
        eventually(|| {
            known = self.known();
            known.depths == depths && known.is_settled
        });
        known
    }

    /// Waits until the coordinator has looked three times more, whatever it does then.
    fn looks(&self) -> Known {
        let before = self.known().looks;
        let mut known = self.known();
        eventually(|| {
            known = self.known();
            known.looks >= before + 3 && known.is_settled
        });
        known
    }

    /// Who has done which jobs, in the order of their numbers: each once.
    fn finished(&self) -> Vec<Finished> {
        let port = self.workers.port(toil::FINISHED);
        let mut all: Vec<_> = (0..self.next).map(|_| port.recv_blocking().unwrap()).collect();
        all.sort_by_key(|finished| finished.number);
        assert!(all.iter().map(|finished| finished.number).eq(0..self.next), "{all:?}");
        all
    }

    /// What the workers keep at the end, when no job is left.
    fn states(&self) -> Vec<Worker> {
        drain(&self.workers);
        drain(&self.office);
        let waiting = || self.workers.status().timers.map_or(0, |timers| timers.waiting);
        eventually(|| waiting() == 0);
        drain(&self.workers);
        self.workers.deactivate_blocking().unwrap();
        let states = self.workers.snapshot_blocking().unwrap().states::<Worker>().unwrap();
        assert!(states.iter().all(|state| (state.depth, state.lent, state.is_busy) == (0, 0, false)));
        let finished = states.iter().map(|state| state.finished).sum::<u32>();
        assert_eq!(finished, self.next);
        let status = balanced(&self.workers);
        assert_eq!((status.outputs_lost, balanced(&self.office).outputs_lost), (0, 0), "{status:?}");
        states
    }
}

/// How many of the jobs each worker has done.
fn shares(finished: &[Finished]) -> [usize; WORKERS] {
    [0, 1, 2, 3].map(|worker| finished.iter().filter(|finished| finished.worker == worker).count())
}

/// K-03: with all work at one worker, ten jobs at a time go from there to the one with fewest, the last ones first, until its
/// queue is not deeper than one and a half times the average. Then each does its share.
pub fn k_03_a_deep_queue_is_evened_out(bench: &Bench) {
    for grid in [1, 2] {
        let mut shop = Shop::new(bench, grid);
        shop.fill([40, 0, 0, 0]);
        assert_eq!(shop.knows([40, 0, 0, 0]).orders, 0);
        shop.rule(true);
        // 40 > 15, 30 > 15, 20 > 15: three orders, and 10 is not more than 15.
        assert_eq!(shop.knows([10; WORKERS]).orders, 3);
        assert_eq!(shop.looks().orders, 3);
        shop.rule(false);
        shop.open();
        let finished = shop.finished();
        assert_eq!(shares(&finished), [10; WORKERS]);
        let by: Vec<_> = finished.iter().map(|finished| finished.worker).collect();
        // The first ten stay, and each of the others has got ten in a row: the last ones went first.
        let expected: Vec<u32> = [0, 3, 2, 1].into_iter().flat_map(|worker| [worker; 10]).collect();
        assert_eq!(by, expected);
        let states = shop.states();
        assert_eq!(states.iter().map(|state| state.kept).collect::<Vec<_>>(), [0, 10, 10, 10]);
        assert_eq!(states.iter().map(|state| state.gave).collect::<Vec<_>>(), [3, 0, 0, 0]);
    }
}

/// K-03: exactly one and a half times the average is no reason to move anything, and one job more is. Where the difference is
/// small, half of it is moved, and not ten.
pub fn k_03_exactly_one_and_a_half_is_not_too_deep(bench: &Bench) {
    let mut shop = Shop::new(bench, 2);
    let depths = [15, 5, 11, 9];
    shop.fill(depths);
    shop.knows(depths);
    shop.rule(true);
    let known = shop.looks();
    assert_eq!((known.depths, known.orders), (depths, 0));
    // 16 × 4 × 2 = 128 > 3 × 41 = 123.
    shop.fill([1, 0, 0, 0]);
    let known = shop.knows([11, 10, 11, 9]);
    assert_eq!(known.orders, 1);
    assert_eq!(shop.looks().orders, 1);
    shop.open();
    let _ = shop.finished();
    let _ = shop.states();
}

/// K-03: no queue is deeper than others that are empty, too. A single job is more than the average, and stays: there is no half of it.
pub fn k_03_a_single_job_stays(bench: &Bench) {
    let mut shop = Shop::new(bench, 2);
    shop.rule(true);
    assert_eq!(shop.looks().depths, [0; WORKERS], "nothing is deeper than nothing");
    shop.fill([0, 0, 1, 0]);
    shop.knows([0, 0, 1, 0]);
    let known = shop.looks();
    assert_eq!((known.depths, known.orders), ([0, 0, 1, 0], 0));
    shop.open();
    assert_eq!(shop.finished(), [Finished { worker: 2, number: 0 }]);
    let _ = shop.states();
}

/// K-03: without the rule one worker does all that it was given, in order.
pub fn k_03_without_the_rule_nothing_is_moved(bench: &Bench) {
    let mut shop = Shop::new(bench, 2);
    shop.fill([0, 50, 0, 0]);
    shop.knows([0, 50, 0, 0]);
    shop.open();
    let finished: Vec<_> =
        (0..50).map(|_| shop.workers.port(toil::FINISHED).recv_blocking().unwrap()).collect();
    assert!(
        finished
            .iter()
            .map(|finished| (finished.worker, finished.number))
            .eq((0..50).map(|number| (1, number)))
    );
    assert_eq!(shop.knows([0; WORKERS]).orders, 0);
    assert!(shop.states().iter().all(|state| (state.gave, state.took, state.kept) == (0, 0, 0)));
}

/// K-03: orders come while jobs are done and given out. Each job is done once, wherever it is then.
pub fn k_03_jobs_are_moved_while_all_work(bench: &Bench) {
    for round in bench.rounds(3, 20) {
        let mut shop = Shop::new(bench, 1 + round as u32 % 2);
        // Nobody works before the first order was carried out: so at least one is.
        shop.fill([40, 0, 0, 0]);
        shop.knows([40, 0, 0, 0]);
        shop.rule(true);
        eventually(|| shop.known().orders != 0);
        let all = 40 + 400;
        let port = shop.workers.port(toil::FINISHED);
        let mut finished = Vec::new();
        shop.open();
        // A hundred for each in turn. Never more than 50 are under way: no worker has more, besides ten that it has lent.
        for number in 40..all {
            if number as usize - finished.len() >= 50 {
                finished.push(port.recv_blocking().unwrap());
            }
            let job = Job { number, nanos: 1_000 };
            shop.tell(Task::Job { worker: number / 100 % WORKERS as u32, job });
        }
        finished.extend((finished.len()..all as usize).map(|_| port.recv_blocking().unwrap()));
        shop.next = all;
        let mut numbers: Vec<_> = finished.iter().map(|finished| finished.number).collect();
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..all), "{finished:?}");
        shop.rule(false);
        let known = shop.knows([0; WORKERS]);
        let states = shop.states();
        let sum = |of: fn(&Worker) -> u32| states.iter().map(of).sum::<u32>();
        assert_eq!((sum(|state| state.gave), sum(|state| state.took)), (known.orders, known.orders));
        assert!(known.orders >= 1 && sum(|state| state.kept) >= known.orders, "{known:?}, {states:?}");
        assert!(shares(&finished)[1..].iter().sum::<usize>() >= 1, "{:?}", shares(&finished));
    }
}

/// K-03: a worker takes as many jobs as it has room for, and the others go back to where places were kept for them. Meanwhile
/// those places are nobody else's.
pub fn k_03_what_finds_no_room_comes_back(bench: &Bench) {
    const FULL: u32 = ROOM as u32;
    for (has, keeps) in [(FULL - 4, 4), (FULL, 0), (FULL - 10, 10)] {
        let mut shop = Shop::new(bench, 2);
        shop.fill([FULL, has, 0, 0]);
        shop.knows([FULL, has, 0, 0]);
        // More than there is is not moved either.
        shop.tell(Task::Order(Order { worker: 0, to: 1, count: 10 }));
        shop.tell(Task::Order(Order { worker: 2, to: 1, count: 10 }));
        let carried = |known: Known| known.depths == [FULL - keeps, has + keeps, 0, 0];
        eventually(|| carried(shop.known()));
        // The one more that it has room for if some were taken, and none if all have come back.
        let job = Job { number: shop.next, nanos: 0 };
        for _ in 0..=keeps {
            shop.tell(Task::Job { worker: 0, job: Job { number: shop.next, ..job } });
            shop.next += 1;
        }
        // The last one found no room, and is a dead letter; its number is the next job's again.
        eventually(|| shop.workers.status().drops.failed == 1);
        shop.next -= 1;
        shop.open();
        let finished = shop.finished();
        let shares = shares(&finished);
        assert_eq!(shares.map(|share| share as u32), [FULL, has + keeps, 0, 0]);
        let states = shop.states();
        assert_eq!(states.iter().map(|state| state.kept).collect::<Vec<_>>(), [0, keeps, 0, 0]);
        assert_eq!((states[0].gave, states[1].took, states[2].gave), (1, 2, 1));
    }
}

/// K-03: the places of jobs that are on their way are free for nobody, not even for what is handed over meanwhile: a full worker that
/// hands jobs over to itself has no room for them, and they come back to where they were.
pub fn k_03_places_are_kept_for_what_may_come_back(bench: &Bench) {
    const FULL: u32 = ROOM as u32;
    let mut shop = Shop::new(bench, 2);
    shop.fill([FULL, 0, 0, 0]);
    shop.tell(Task::Order(Order { worker: 0, to: 0, count: 10 }));
    drain(&shop.workers);
    shop.open();
    let port = shop.workers.port(toil::FINISHED);
    let finished: Vec<_> = (0..FULL).map(|_| port.recv_blocking().unwrap()).collect();
    let in_order = (0..FULL).map(|number| Finished { worker: 0, number });
    assert!(finished.iter().copied().eq(in_order), "{finished:?}");
    let states = shop.states();
    assert_eq!((states[0].kept, states[0].gave, states[0].took), (0, 1, 1));
}
