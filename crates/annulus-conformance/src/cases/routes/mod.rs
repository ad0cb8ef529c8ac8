//! Random wirings and random programs against a plain model. K-01, K-05, K-07.
//!
//! Sources send by addresses, also of the dead, of those that they are not connected to, and of any; by topics; by one of
//! several outboxes; and along rows. Some takers take at once; others take nothing until all do, so that it is certain what
//! finds room. Between two sends takers end, sources are connected anew, and subscriptions come and go. At the end
//! the model says what each taker got, in which order, and what was lost by which cause.
//!
//! `ANNULUS_ROUTES` is the number of programs; without it there are a few.

mod counts;
mod model;
mod sends;

use std::{
    collections::{BTreeMap, BTreeSet},
    panic::{AssertUnwindSafe, catch_unwind},
    thread,
    time::Duration,
};

use annulus_kernel::{Peer, Rows};
use annulus_runtime::{Backpressure, KernelControl, KernelHandle, Topics};

use model::{Model, Parcel as Copy, Source as Plain, Taker as PlainTaker, To};

use super::links::{linked, received, source};
use crate::{
    Bench,
    bench::{Random, balanced, drain},
    kernels::{
        Item,
        links::pass,
        peers::carry,
        ports::sort_out,
        rows::{Hop, arrive, spread},
        topics::tell,
    },
};

const NAMES: [&str; 5] = ["hall.door", "hall.lamp", "garden", "garden.lamp.two", "nobody.takes.this"];
const PATTERNS: [&str; 8] =
    ["#", "*.door", "hall.*", "garden.#", "garden.*", "hall.lamp", "#.two", "garden.lamp.two"];
const ROWS: u32 = 6;
const CAPACITY: usize = 16;
const STEPS: u64 = 14;

/// A fault that a test plants, in what is told to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// What is for the first taker is said to be for the second.
    AnotherTaker,
    /// An output is not told.
    OneLess,
    /// A full ring is said to have one more place.
    OnePlaceMore,
    /// What is sent second is told first.
    AnotherOrder,
}

/// What a source sends by.
enum Way {
    Addresses(KernelHandle<carry>),
    Topics(KernelHandle<tell>, Option<Topics>),
    Outbox(KernelHandle<sort_out>),
    Rows(KernelHandle<spread>),
}

struct Source {
    way: Way,
    /// Whether several threads, or several blocks, send: then only each sender's outputs are in order.
    is_wide: bool,
    /// How many messages it was sent.
    messages: u64,
    /// Who takes which pattern, and which names are known.
    subscriptions: BTreeSet<(usize, usize)>,
    known: BTreeSet<usize>,
    /// How many outputs its handlers have sent by their other outboxes, to the host.
    to_host: u64,
}

impl Source {
    fn kernel(&self) -> &KernelControl {
        match &self.way {
            Way::Addresses(kernel) => kernel,
            Way::Topics(kernel, _) => kernel,
            Way::Outbox(kernel) => kernel,
            Way::Rows(kernel) => kernel,
        }
    }
}

/// One who takes; the last of all takes what goes along rows.
enum Taker {
    Items(KernelHandle<pass>),
    Hops(KernelHandle<arrive>),
}

impl Taker {
    fn kernel(&self) -> &KernelControl {
        match self {
            Self::Items(kernel) => kernel,
            Self::Hops(kernel) => kernel,
        }
    }

    /// What it has sent on to the host, as the model names it.
    fn came(&self) -> Vec<Copy> {
        match self {
            Self::Items(kernel) => {
                received(kernel).iter().map(|item| (item.sequence, item.producer.into())).collect()
            }
            Self::Hops(kernel) => received(kernel).iter().map(named).collect(),
        }
    }
}

fn named(hop: &Hop) -> Copy {
    (hop.sequence.into(), u64::from(hop.time) << 32 | u64::from(hop.weight as u32))
}

struct World {
    random: Random,
    rows: Rows,
    sources: Vec<Source>,
    takers: Vec<Taker>,
    model: Model,
    fault: Option<Fault>,
    is_planted: bool,
    steps: BTreeMap<&'static str, u64>,
    /// Copies that the handlers have made for takers, and outputs that were for nobody.
    copies: u64,
    /// How long a source may take to count what it has done.
    patience: Duration,
    /// Whether a block, however many threads it has, sends one output after the other.
    in_order: bool,
}

impl World {
    fn below(&mut self, limit: usize) -> usize {
        self.random.below(limit as u64) as usize
    }

    fn percent(&mut self, percent: u64) -> bool {
        self.random.below(100) < percent
    }

    /// Those that take items.
    fn items(&self) -> usize {
        self.takers.len() - 1
    }

    fn peer(&self, taker: usize) -> Peer<Item> {
        let Taker::Items(kernel) = &self.takers[taker] else { unreachable!("it takes items") };
        kernel.peer()
    }

    /// Launches all of it.
    fn new(bench: &Bench, seed: u64, fault: Option<Fault>) -> Self {
        let mut random = Random(seed);
        let name = |kind: &str, index: usize| format!("{kind}-{seed}-{index}");
        let mut model = Model::default();
        let mut takers = Vec::new();
        let count = 2 + random.below(3) as usize;
        for index in 0..=count {
            let capacity = (random.below(3) != 0).then_some(CAPACITY);
            let options = linked(&name("taker", index)).active(capacity.is_none());
            let options = options.capacity(capacity.map_or(4096, |room| room as u32)).output_capacity(4096);
            takers.push(if index < count {
                Taker::Items(pass::launch(bench.runtime(), options).unwrap())
            } else {
                Taker::Hops(arrive::launch(bench.runtime(), options).unwrap())
            });
            let is_planted = fault == Some(Fault::OnePlaceMore) && index < count;
            model.takers.push(PlainTaker::new(capacity.map(|room| room + usize::from(is_planted))));
        }
        let lists = (0..ROWS).map(|row| {
            let length = random.below(if row == 2 { 20 } else { 4 });
            (0..length).map(|_| random.below(20) as u32).collect::<Vec<_>>()
        });
        let rows = Rows::of_lists(lists).unwrap();
        let values: Vec<i32> = (0..rows.entries() as i32).collect();
        let rows = rows.with_values(&values).unwrap();
        let mut sources = Vec::new();
        for index in 0..4 {
            let is_wide = random.below(4) == 0;
            let holds = !is_wide && index != 3 && random.below(3) == 0;
            let (block, grid) = if is_wide { [(4, 1), (1, 2)][random.below(2) as usize] } else { (1, 1) };
            let options = source(&name("source", index)).block(block).grid(grid).capacity(256);
            let options = if holds { options.hold(64) } else { options };
            let runtime = bench.runtime();
            let way = match index {
                0 => Way::Addresses(carry::launch(runtime, options).unwrap()),
                1 => Way::Topics(tell::launch(runtime, options).unwrap(), None),
                2 => Way::Outbox(sort_out::launch(runtime, options.actors(5).output_capacity(4096)).unwrap()),
                _ => Way::Rows(spread::launch(runtime, options.rows(rows.clone())).unwrap()),
            };
            let (subscriptions, known) = Default::default();
            sources.push(Source { way, is_wide, messages: 0, subscriptions, known, to_host: 0 });
            model.sources.push(Plain { holds, ..Plain::default() });
        }
        let (steps, patience) =
            (BTreeMap::new(), Duration::from_millis(if fault.is_none() { 30_000 } else { 300 }));
        let mut world = Self {
            random,
            rows,
            sources,
            takers,
            model,
            fault,
            is_planted: false,
            steps,
            copies: 0,
            patience,
            in_order: bench.is_cpu(),
        };
        (0..4).for_each(|source| world.connect(source));
        world
    }

    /// Connects a source anew, at random.
    fn connect(&mut self, source: usize) {
        let is_wide = self.sources[source].is_wide;
        let alive: Vec<usize> =
            (0..self.items()).filter(|&taker| !self.model.takers[taker].is_dead).collect();
        let rows = self.items();
        let mut chosen: Vec<usize> = alive.iter().copied().filter(|_| self.percent(75)).collect();
        let mut rejects = || !is_wide && self.random.below(2) == 0;
        match source {
            3 => chosen = if self.model.takers[rows].is_dead { Vec::new() } else { vec![rows] },
            _ if chosen.is_empty() => chosen.extend(alive.first()),
            _ => {}
        }
        if chosen.is_empty() {
            return;
        }
        if source == 2 {
            chosen.truncate(1);
        }
        let all = rejects();
        // Without a hold, what stands behind a copy that waits is tried at once or later: so that it is certain what is lost,
        // either all links reject, or none does.
        let of_its_own = source == 1 && self.model.sources[source].holds;
        let links: Vec<(usize, bool)> =
            chosen.iter().map(|&taker| (taker, if of_its_own { rejects() } else { all })).collect();
        let policy = |rejects| if rejects { Backpressure::Reject } else { Backpressure::Block };
        let to: Vec<_> = links
            .iter()
            .filter(|_| source < 2)
            .map(|&(taker, rejects)| (self.peer(taker), policy(rejects)))
            .collect();
        let of = &mut self.sources[source];
        of.kernel().deactivate_blocking().unwrap();
        match &mut of.way {
            Way::Addresses(kernel) => {
                let peers: Vec<_> = to.iter().map(|(peer, _)| *peer).collect();
                kernel.connect_peers_with(&peers, policy(all)).unwrap();
            }
            Way::Topics(kernel, topics) => {
                *topics = Some(kernel.connect_topics_with(&to).unwrap());
                of.subscriptions.clear();
                of.known.clear();
            }
            Way::Outbox(kernel) => {
                let Taker::Items(target) = &self.takers[chosen[0]] else { unreachable!("it takes items") };
                kernel.port(sort_out::KEPT).connect_with(target, policy(all)).unwrap();
            }
            Way::Rows(kernel) => {
                let Taker::Hops(target) = &self.takers[rows] else { unreachable!("it takes hops") };
                kernel.connect_along_with(target, policy(all)).unwrap();
            }
        }
        of.kernel().activate_blocking().unwrap();
        self.model.connect(source, links);
        if source == 1 {
            (0..3).for_each(|_| self.subscribe());
        }
    }

    /// A name is made known, or somebody takes a pattern from now on, or no more.
    fn subscribe(&mut self) {
        let links = &self.model.sources[1].links;
        if links.is_empty() {
            return;
        }
        let taker = links[self.random.below(links.len() as u64) as usize].taker;
        let (name, pattern, kind) = (self.below(NAMES.len()), self.below(PATTERNS.len()), self.below(4));
        let peer = self.peer(taker);
        let Source { way: Way::Topics(_, Some(topics)), subscriptions, known, .. } = &mut self.sources[1]
        else {
            unreachable!("it is connected")
        };
        match kind {
            0 => {
                topics.name(NAMES[name]).unwrap();
                let _ = known.insert(name);
            }
            1 => {
                let was = topics.unsubscribe(PATTERNS[pattern], peer).unwrap();
                assert_eq!(was, subscriptions.remove(&(pattern, taker)));
            }
            _ => {
                topics.subscribe(PATTERNS[pattern], peer).unwrap();
                let _ = subscriptions.insert((pattern, taker));
                known.extend((0..NAMES.len()).filter(|&name| NAMES[name] == PATTERNS[pattern]));
            }
        }
    }

    /// A taker ends; what is in its ring, nobody takes.
    fn end(&mut self, taker: usize) {
        let kernel = self.takers[taker].kernel();
        if self.model.takers[taker].capacity.is_none() {
            drain(kernel);
        }
        let _ = kernel.terminate_blocking();
        self.model.end(taker);
    }

    /// What waits in a source is sent, or lost since one that it waits for ends.
    fn resolve(&mut self, source: usize) {
        let waits_for = |(to, _): &(To, Copy)| match to {
            To::These(takers) => takers.clone(),
            To::Any => self.model.sources[source].links.iter().map(|link| link.taker).collect(),
        };
        let waits_for = self.model.sources[source].backlog.front().map(waits_for);
        let mut waits_for = waits_for.unwrap_or_default();
        waits_for.retain(|&taker| !self.model.takers[taker].is_dead);
        if !self.sources[source].is_wide && self.percent(40) && !waits_for.is_empty() {
            let taker = waits_for[self.below(waits_for.len())];
            self.note("ends while others wait for it");
            self.end(taker);
            self.model.try_again(source);
            self.settle(source);
        }
        if !self.model.sources[source].backlog.is_empty() {
            self.flow();
        }
    }

    /// All takers take what there is; then those take nothing again that took nothing before.
    fn flow(&mut self) {
        let capacities = self.model.flow();
        let resting = |(taker, capacity): (usize, &Option<usize>)| {
            (capacity.is_some() && !self.model.takers[taker].is_dead).then_some(taker)
        };
        let resting: Vec<usize> = capacities.iter().enumerate().filter_map(resting).collect();
        for &taker in &resting {
            let _ = self.takers[taker].kernel().activate_blocking().unwrap();
        }
        (0..self.sources.len()).for_each(|source| self.settle(source));
        for (taker, of) in self.takers.iter().zip(&self.model.takers) {
            if !of.is_dead {
                drain(taker.kernel());
            }
        }
        for taker in resting {
            let _ = self.takers[taker].kernel().deactivate_blocking().unwrap();
        }
        self.model.rest(capacities);
    }

    fn note(&mut self, step: &'static str) {
        *self.steps.entry(step).or_default() += 1;
    }

    fn step(&mut self) {
        match self.below(20) {
            0..=12 => {
                let source = self.below(self.sources.len());
                self.send(source);
                self.settle(source);
                if !self.model.sources[source].backlog.is_empty() {
                    self.note("waits");
                    self.resolve(source);
                }
            }
            13..=15 => self.subscribe(),
            16 => {
                let taker = self.below(self.takers.len());
                if !self.model.takers[taker].is_dead && self.percent(60) {
                    self.note("ends");
                    self.end(taker);
                }
            }
            17 => self.flow(),
            _ => {
                let source = self.below(self.sources.len());
                self.note("is connected anew");
                self.connect(source);
            }
        }
    }

    /// Compares what came.
    fn compare(&mut self) {
        let (mut of_any, mut delivered, mut lost) = (BTreeSet::new(), 0, 0);
        for (index, (taker, plain)) in self.takers.iter().zip(&self.model.takers).enumerate() {
            let is_of_any = |copy: &Copy| self.model.any_offered.contains(copy);
            let (any, came): (Vec<Copy>, Vec<Copy>) = taker.came().into_iter().partition(is_of_any);
            assert_eq!(any.len(), plain.any_came, "for any, by taker {index}");
            for copy in any {
                assert!(of_any.insert(copy), "{copy:?} came twice, at last to taker {index}");
                let in_turn = !self.in_order || self.model.any_accepted.contains(&copy);
                assert!(in_turn, "{copy:?} came to taker {index}, before another that was sent before it");
            }
            assert_eq!(self.by_sender(&came), self.by_sender(&plain.came), "taker {index}");
            let status = balanced(taker.kernel());
            assert_eq!(status.sent, plain.accepted, "taker {index}: {status:?}");
            delivered += status.sent;
        }
        assert_eq!(of_any.len() + self.model.any_abandoned, self.model.any_accepted.len());
        for (index, source) in self.sources.iter().enumerate() {
            let status = balanced(source.kernel());
            assert_eq!(status.sent, source.messages, "source {index}: {status:?}");
            lost += status.outputs_lost;
        }
        // Nothing is held any more.
        assert_eq!(self.copies, delivered + lost);
        let Way::Outbox(kernel) = &self.sources[2].way else { unreachable!("the third does") };
        let mut to_host = 0;
        while kernel.port(sort_out::NUMBERS).try_recv().is_ok() {
            to_host += 1;
        }
        while kernel.port(sort_out::MARKS).try_recv().is_ok() {
            to_host += 1;
        }
        assert_eq!(to_host, self.sources[2].to_host);
    }

    /// What came from each sender, in order.
    fn by_sender(&self, came: &[Copy]) -> BTreeMap<(usize, u64), Vec<Copy>> {
        let mut by_sender = BTreeMap::<_, Vec<Copy>>::new();
        for &copy in came {
            // What goes along rows has no number of a source in front, and comes from the last one.
            let source =
                (copy.0 >> 32).checked_sub(1).map_or(self.sources.len() - 1, |source| source as usize);
            let sender = match source {
                _ if !self.sources[source].is_wide => 0,
                2 => (copy.0 & 0xffff_ffff) % 5,
                _ => copy.0 % 4,
            };
            by_sender.entry((source, sender)).or_default().push(copy);
        }
        by_sender
    }
}

/// Says in which program a case panics.
struct Seed(u64);

impl Drop for Seed {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("in program {}", self.0);
        }
    }
}

/// Runs a program. Returns the model, and how often it took which step.
fn run(bench: &Bench, seed: u64, fault: Option<Fault>) -> (Model, BTreeMap<&'static str, u64>) {
    let _seed = Seed(seed);
    let mut world = World::new(bench, seed, fault);
    for _ in 0..STEPS {
        world.step();
    }
    world.flow();
    world.compare();
    (world.model, world.steps)
}

/// K-01, K-05, K-07: random programs of random wirings give what a plain model says.
pub fn k01_k05_random_routes_equal_a_model(bench: &Bench) {
    let programs = std::env::var("ANNULUS_ROUTES").ok().and_then(|programs| programs.parse().ok());
    // Devices compile a program for each shape of a kernel.
    let programs = programs.unwrap_or(if bench.is_cpu() { bench.size(80, 800) } else { bench.size(2, 40) });
    let (mut copies, mut lost, mut any) = (0, 0, 0);
    let mut steps = BTreeMap::new();
    for seed in 0..programs {
        let (model, more) = run(bench, seed, None);
        copies += model.takers.iter().map(|taker| taker.accepted).sum::<u64>();
        lost += model.sources.iter().map(Plain::lost).sum::<u64>();
        any += model.any_accepted.len();
        more.into_iter().for_each(|(step, count)| *steps.entry(step).or_insert(0) += count);
    }
    // Every kind of step was taken.
    let is_enough = programs < 80 || copies > 2000 && lost > 500 && any > 100 && steps.len() == 4;
    assert!(is_enough, "{copies} {lost} {any} {steps:?}");
    println!("{programs} programs: {copies} copies, {any} of them for any, and {lost} lost; {steps:?}");
}

/// A model that is told something else finds that what came is not what it says.
pub fn k01_k05_faults_in_the_model_are_found(bench: &Bench) {
    if !bench.is_cpu() {
        return println!("skipped: the model is the same on the CPU");
    }
    for fault in [Fault::AnotherTaker, Fault::OneLess, Fault::OnePlaceMore, Fault::AnotherOrder] {
        let found = |seed| {
            let run = catch_unwind(AssertUnwindSafe(|| run(bench, seed, Some(fault))));
            run.err().map(|panic| panic.downcast_ref::<String>().cloned().unwrap_or_default())
        };
        let (seed, words) = (0..10)
            .find_map(|seed| Some((seed, found(seed)?)))
            .unwrap_or_else(|| panic!("{fault:?} is not found"));
        println!("{fault:?} is found by program {seed}: {}", words.chars().take(200).collect::<String>());
    }
}
