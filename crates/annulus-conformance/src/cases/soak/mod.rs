//! Twenty kernels are wired at random, and rewired while messages flow: members of topics come and go, kernels are
//! deactivated, relinked, killed and launched again. Every message is accounted for.
//!
//! ```text
//! host ──► tell ×2 ─── topics ────┐
//! host ──► carry ×2 ── addresses ─┼──► middle ×7 ──► last ×7 ──► host
//! host ──► sort ×2 ─── one port ──┘       └────────────────────► host
//! ```
//!
//! `ANNULUS_SOAK` is the number of seconds that it goes on for; without it, it makes a few changes only.

mod traffic;

use std::{
    collections::HashMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use annulus_runtime::{Backpressure, ConnectError, KernelControl, KernelHandle, KernelState, Topics};
use annulus_sync::{AtomicBool, AtomicU64, Ordering};

use traffic::{Raise, receive, send};

use super::links::{linked, source};
use crate::{
    Bench,
    bench::{Random, balanced, eventually},
    kernels::{Item, links::pass, peers::carry, ports::sort_out, topics::tell},
};

const NAMES: [&str; 4] = ["hall.door", "hall.lamp", "garden.door", "garden.lamp.two"];
const PATTERNS: [&str; 6] = ["#", "*.door", "hall.*", "garden.#", "hall.lamp", "garden.lamp.two"];
/// How many kernels each layer has.
const LAYER: usize = 7;
/// How many sources of each kind there are.
const SOURCES: usize = 2;
const KEYS: u64 = 5;

/// One launch of a kernel that takes items, and what the host has received from it.
struct Taker {
    kernel: KernelHandle<pass>,
    came: Mutex<Came>,
    /// Whether it was connected at any time.
    linked: AtomicBool,
    /// Whether it has ended, and all that it had sent was received.
    is_empty: AtomicBool,
}

/// What has come to the host from one launch.
#[derive(Default)]
struct Came {
    count: u64,
    /// Of each source, sending actor and key, the last copy: its sequence and its number.
    last: HashMap<(u64, u64, u32), (u64, u32)>,
}

impl Came {
    /// Each copy comes once, and those of one source, sending actor and key in order.
    fn next(&mut self, item: &Item) {
        let copy = (item.sequence, item.producer);
        let sender = (item.sequence >> 32, item.sequence % 4, item.key);
        let before = self.last.insert(sender, copy);
        assert!(before.is_none_or(|before| before < copy), "{before:?} came before {copy:?}");
    }
}

/// All launches so far of the kernels of a layer; of each kernel the last one is the one that runs.
struct Layer([Vec<Arc<Taker>>; LAYER]);

impl Layer {
    /// The one that runs.
    fn one(&self, index: usize) -> Arc<Taker> {
        Arc::clone(self.0[index].last().unwrap())
    }

    fn running(&self) -> impl Iterator<Item = &Arc<Taker>> {
        self.0.iter().map(|launches| launches.last().unwrap())
    }

    fn all(&self) -> impl Iterator<Item = &Arc<Taker>> {
        self.0.iter().flatten()
    }

    /// What all its launches have been sent.
    fn sent(&self) -> u64 {
        self.all().map(|taker| balanced(&taker.kernel).sent).sum()
    }
}

/// Copies that a source has sent and lost over connections that it has no more.
#[derive(Clone, Copy, Default)]
struct Before {
    sent: u64,
    lost: u64,
}

impl Before {
    /// Adds what it has sent over the one that it has. To be called before it is connected anew.
    fn and_now<K: annulus_kernel::RingKernel>(self, kernel: &KernelHandle<K>) -> Self {
        let peers = kernel.peers().peers;
        let sum = |of: fn(&annulus_runtime::PeerStatus) -> u64| peers.iter().map(of).sum::<u64>();
        Self { sent: self.sent + sum(|peer| peer.sent), lost: self.lost + sum(|peer| peer.lost) }
    }
}

struct Sources {
    tells: Vec<KernelHandle<tell>>,
    carries: Vec<KernelHandle<carry>>,
    sorts: Vec<KernelHandle<sort_out>>,
}

struct World<'a> {
    bench: &'a Bench,
    random: Random,
    sources: &'a Sources,
    topics: Vec<Topics>,
    tells_before: Vec<Before>,
    carries_before: Vec<Before>,
    /// The kernel of the middle layer that each of the sources with ports is connected to.
    sorts_to: Vec<usize>,
    middle: &'a Mutex<Layer>,
    last: &'a Mutex<Layer>,
}

fn launch(bench: &Bench, name: &str) -> Arc<Taker> {
    let options = || linked(name).capacity(16).output_capacity(64);
    let kernel = bench.relaunch(|| pass::launch(bench.runtime(), options()));
    Arc::new(Taker {
        kernel,
        came: Mutex::default(),
        linked: AtomicBool::new(false),
        is_empty: AtomicBool::new(false),
    })
}

fn layer(bench: &Bench, name: &str) -> Layer {
    Layer(std::array::from_fn(|index| vec![launch(bench, &format!("{name}-{index}"))]))
}

/// Deactivates a kernel, changes how it is connected, and activates it again. What it holds for others keeps it from
/// being changed: they take it, so it is tried until it holds nothing, or for so many times.
fn change<T>(
    kernel: &KernelControl,
    mut tries: u32,
    mut with: impl FnMut() -> Result<T, ConnectError>,
) -> Option<T> {
    loop {
        kernel.deactivate_blocking().unwrap();
        let result = with();
        kernel.activate_blocking().unwrap();
        match result {
            Ok(value) => return Some(value),
            Err(ConnectError::Holds { .. }) => {}
            Err(error) => panic!("{error}"),
        }
        tries -= 1;
        if tries == 0 {
            return None;
        }
        thread::sleep(Duration::from_millis(1));
    }
}

impl World<'_> {
    fn below(&mut self, limit: usize) -> usize {
        self.random.below(limit as u64) as usize
    }

    fn middle(&self, index: usize) -> Arc<Taker> {
        self.middle.lock().unwrap().one(index)
    }

    fn last(&self, index: usize) -> Arc<Taker> {
        self.last.lock().unwrap().one(index)
    }

    /// Kills a kernel of a layer, and launches another one under its name.
    fn replace(&self, layer: &Mutex<Layer>, index: usize) {
        let dead = layer.lock().unwrap().one(index);
        let _ = dead.kernel.terminate_blocking();
        let born = launch(self.bench, dead.kernel.name());
        layer.lock().unwrap().0[index].push(born);
    }

    /// One change at random.
    fn step(&mut self) {
        let index = self.below(LAYER);
        match self.below(12) {
            0..4 => {
                let which = self.below(SOURCES);
                self.subscribe(which, index);
            }
            4..7 => self.relink(index),
            7..9 => {
                let kernel = if self.below(2) == 0 { self.middle(index) } else { self.last(index) };
                kernel.kernel.deactivate_blocking().unwrap();
                thread::sleep(Duration::from_millis(1));
                kernel.kernel.activate_blocking().unwrap();
            }
            9..11 => self.kill_last(index),
            _ => self.kill_middle(index),
        }
    }

    /// Somebody takes a pattern of a source from now on, or no more.
    fn subscribe(&mut self, which: usize, index: usize) {
        let pattern = self.below(PATTERNS.len());
        let peer = self.middle(index).kernel.peer();
        if self.below(2) == 0 {
            self.topics[which].subscribe(PATTERNS[pattern], peer).unwrap();
        } else {
            let _ = self.topics[which].unsubscribe(PATTERNS[pattern], peer).unwrap();
        }
    }

    /// Connects a kernel of the middle to one of the last, or to the host.
    fn relink(&mut self, index: usize) {
        let from = self.middle(index);
        let to = self.below(LAYER + 2);
        let backpressure = if self.below(3) == 0 { Backpressure::Reject } else { Backpressure::Block };
        let _ = change(&from.kernel, 20, || {
            if to < LAYER {
                from.linked.store(true, Ordering::Relaxed);
                from.kernel.connect_with(&self.last(to).kernel, backpressure)
            } else {
                from.kernel.disconnect()
            }
        });
    }

    /// Who was connected to it loses what it sends, until it is connected anew.
    fn kill_last(&mut self, index: usize) {
        self.replace(self.last, index);
    }

    /// Those that sent to it are connected to the new one.
    fn kill_middle(&mut self, index: usize) {
        self.replace(self.middle, index);
        self.connect();
    }

    /// Connects all sources to the middle as it is now.
    fn connect(&mut self) {
        let peers: Vec<_> = (0..LAYER).map(|index| self.middle(index).kernel.peer()).collect();
        for which in 0..SOURCES {
            let kernel = &self.sources.tells[which];
            let mut before = self.tells_before[which];
            let topics = change(kernel, u32::MAX, || {
                before = self.tells_before[which].and_now(kernel);
                kernel.connect_topics(&peers)
            });
            (self.topics[which], self.tells_before[which]) = (topics.unwrap(), before);
            for name in NAMES {
                let _ = self.topics[which].name(name).unwrap();
            }
            for _ in 0..4 {
                let index = self.below(LAYER);
                self.subscribe(which, index);
            }

            let kernel = &self.sources.carries[which];
            let _ = change(kernel, u32::MAX, || {
                before = self.carries_before[which].and_now(kernel);
                kernel.connect_peers(&peers)
            });
            self.carries_before[which] = before;

            let kernel = &self.sources.sorts[which];
            let target = self.middle(self.sorts_to[which]);
            let _ = change(kernel, u32::MAX, || kernel.port(sort_out::KEPT).connect(&target.kernel));
        }
    }
}

/// K-01, K-05, P-04: members, links, restarts at random, under load: at the end each copy was delivered, or is counted
/// as lost by its cause, at each of the kernels on its way.
pub fn k05_everything_is_accounted_for_in_a_soak(bench: &Bench) {
    let seconds = std::env::var("ANNULUS_SOAK").ok().and_then(|seconds| seconds.parse().ok());
    let until = Instant::now() + Duration::from_secs(seconds.unwrap_or(0));
    soak(bench, until, bench.size(60, 600), false);
}

/// K-05: the soak notices a single item that came and is not accounted for.
pub fn k05_a_soak_notices_one_lost_message(bench: &Bench) {
    if !bench.is_cpu() {
        return println!("skipped: what the soak notices is the same on the CPU");
    }
    let run = catch_unwind(AssertUnwindSafe(|| soak(bench, Instant::now(), 10, true)));
    let panic = run.expect_err("an item was thrown away");
    let words = panic.downcast_ref::<String>().map_or("", String::as_str);
    assert!(words.starts_with("assertion `left == right` failed"), "{words}");
    println!("one item less is found: {words}");
}

/// Makes changes until then, and at least so many. With `loses_one` an item that comes is thrown away.
fn soak(bench: &Bench, until: Instant, least: u64, loses_one: bool) {
    let runtime = bench.runtime();
    let name = |kind: &str, index: usize| source(&format!("{kind}-{index}")).capacity(64);
    let sources = Sources {
        tells: (0..SOURCES)
            .map(|index| tell::launch(runtime, name("tell", index).block(1 + 3 * index as u32)).unwrap())
            .collect(),
        carries: (0..SOURCES).map(|index| carry::launch(runtime, name("carry", index)).unwrap()).collect(),
        sorts: (0..SOURCES)
            .map(|index| sort_out::launch(runtime, name("sort", index).actors(KEYS)).unwrap())
            .collect(),
    };
    let [middle, last] = ["middle", "last"].map(|name| Mutex::new(layer(bench, name)));
    let peers: Vec<_> = middle.lock().unwrap().running().map(|taker| taker.kernel.peer()).collect();
    let topics = sources.tells.iter().map(|kernel| kernel.connect_topics(&peers).unwrap()).collect();
    let mut world = World {
        bench,
        random: Random(20),
        sources: &sources,
        topics,
        tells_before: vec![Before::default(); SOURCES],
        carries_before: vec![Before::default(); SOURCES],
        sorts_to: vec![1, 5],
        middle: &middle,
        last: &last,
    };
    let [is_over, is_empty] = [AtomicBool::new(false), AtomicBool::new(false)];
    let [count, numbers] = [AtomicU64::new(0), AtomicU64::new(0)];
    let loses_one = AtomicBool::new(loses_one);
    let mut steps = 0;
    thread::scope(|scope| {
        // Also by a panic: nobody waits for the other threads then.
        let _end = (Raise(&is_over), Raise(&is_empty));
        let _ = scope.spawn(|| receive(&sources, [&middle, &last], &is_empty, &numbers, &loses_one));
        world.connect();
        let sender = scope.spawn(|| send(&sources, &middle, &is_over, &count));
        while steps < least || Instant::now() < until {
            world.step();
            steps += 1;
            if steps % 1000 == 0 {
                let left = until.saturating_duration_since(Instant::now());
                eprintln!(
                    "{steps} changes, {} messages, {} s left",
                    count.load(Ordering::Relaxed),
                    left.as_secs()
                );
            }
            // Something flows between two changes.
            let before = count.load(Ordering::Relaxed);
            eventually(|| count.load(Ordering::Relaxed) >= before + 6);
        }
        is_over.store(true, Ordering::Relaxed);
        sender.join().unwrap();
        sources.tells.iter().for_each(|kernel| kernel.drained_blocking());
        sources.carries.iter().for_each(|kernel| kernel.drained_blocking());
        sources.sorts.iter().for_each(|kernel| kernel.drained_blocking());
        for layer in [&middle, &last] {
            let running: Vec<_> = layer.lock().unwrap().running().cloned().collect();
            running.iter().for_each(|taker| taker.kernel.drained_blocking());
        }
        is_empty.store(true, Ordering::Release);
    });

    // From the host to the sources, and from these to the middle.
    let (mut copies, mut taken) = (0, 0);
    for (kernel, before) in sources.tells.iter().zip(&world.tells_before) {
        let (status, all) = (balanced(kernel), before.and_now(kernel));
        assert_eq!(status.outputs_lost, all.lost + kernel.peers().gone, "{status:?}");
        (copies, taken) = (copies + all.sent, taken + status.processed);
    }
    for (kernel, before) in sources.carries.iter().zip(&world.carries_before) {
        let (status, all) = (balanced(kernel), before.and_now(kernel));
        assert_eq!(status.outputs_lost, all.lost + kernel.peers().gone, "{status:?}");
        assert_eq!(status.produced, all.sent + status.outputs_lost, "{status:?}");
        (copies, taken) = (copies + all.sent, taken + status.processed);
    }
    let mut to_host = 0;
    for kernel in &sources.sorts {
        let status = balanced(kernel);
        let sent: u64 = status.ports.iter().map(|port| port.sent + port.lost).sum();
        let received: u64 = status.ports.iter().map(|port| port.received).sum();
        assert_eq!(status.produced, sent + received, "{status:?}");
        assert!(status.drops.failed != 0, "{status:?}");
        copies += status.ports.iter().map(|port| port.sent).sum::<u64>();
        taken += status.processed + status.drops.failed;
        to_host += received;
    }
    assert_eq!(taken, count.load(Ordering::Relaxed));
    assert_eq!(to_host, numbers.load(Ordering::Relaxed));
    let (middle, last) = (middle.into_inner().unwrap(), last.into_inner().unwrap());
    assert_eq!(copies, middle.sent());

    // From the middle to the last, and from both to the host.
    let (mut went_on, mut lost) = (0, 0);
    for taker in middle.all() {
        let status = balanced(&taker.kernel);
        let came = taker.came.lock().unwrap();
        went_on += status.produced - status.outputs_lost - came.count;
        lost += status.outputs_lost + status.drops.total();
        if !taker.linked.load(Ordering::Relaxed) {
            assert_eq!(status.produced, came.count, "{status:?}");
        }
    }
    assert_eq!(went_on, last.sent());
    for taker in last.all() {
        let status = balanced(&taker.kernel);
        assert_eq!((status.produced, status.outputs_lost), (taker.came.lock().unwrap().count, 0));
        assert!(status.state == KernelState::Terminated || status.pending == 0, "{status:?}");
        lost += status.drops.total();
    }
    println!(
        "{steps} changes, {} launches, {taken} messages, {copies} copies, {went_on} of them went on, {lost} lost",
        middle.all().count() + last.all().count()
    );
}
