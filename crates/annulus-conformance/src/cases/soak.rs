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

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use annulus_kernel::Topic;
use annulus_runtime::{
    Backpressure, ConnectError, KernelControl, KernelHandle, KernelState, Topics, TryRecvError,
};
use annulus_sync::{AtomicBool, AtomicU64, Ordering};

use super::links::{linked, source};
use crate::{
    Bench,
    bench::{Random, balanced, eventually},
    kernels::{
        Item,
        links::pass,
        peers::{COPIES, Parcel, carry},
        ports::sort_out,
        topics::{Note, TIMES, tell},
    },
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

/// Sends to all sources until it is over; the number of the source stands in the sequence's upper half.
fn send(sources: &Sources, middle: &Mutex<Layer>, is_over: &AtomicBool, count: &AtomicU64) {
    let mut random = Random(17);
    let mut known = Vec::new();
    let mut next = 0_u64;
    while !is_over.load(Ordering::Relaxed) {
        // Addresses of the dead are used for a while, too.
        if next.is_multiple_of(4) {
            known = middle.lock().unwrap().running().map(|taker| taker.kernel.peer()).collect();
        }
        let which = random.below(SOURCES as u64) as usize;
        let mut item = |kind: usize| {
            next += 1;
            let source = (kind * SOURCES + which) as u64;
            Item { key: random.below(KEYS) as u32, producer: 0, sequence: source << 32 | next }
        };
        let [note, parcel, sorted] = [item(0), item(1), item(2)];
        let sender = |item: &Item| (item.sequence % 4) as u32;
        let topic = Topic::of(NAMES[random.below(NAMES.len() as u64) as usize]);
        let times = random.below(1 + u64::from(TIMES)) as u32;
        let note = Note { sender: sender(&note), times, topic, item: note };
        let to = known[random.below(LAYER as u64) as usize];
        let copies = random.below(1 + u64::from(COPIES)) as u32;
        let parcel = Parcel { sender: sender(&parcel), copies, to, item: parcel };
        // A source that is full, or inactive, gets its message later or never: it counts what it has taken.
        let limit = Duration::from_millis(1);
        let sent = [
            sources.tells[which].send_timeout(note, limit).is_ok(),
            sources.carries[which].send_timeout(parcel, limit).is_ok(),
            sources.sorts[which].send_timeout(sorted, limit).is_ok(),
        ];
        let _ = count.fetch_add(sent.into_iter().map(u64::from).sum(), Ordering::Relaxed);
    }
}

/// Sets it at the end.
struct Raise<'a>(&'a AtomicBool);

impl Drop for Raise<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Receives whatever comes to the host, until it is over and nothing is left.
fn receive(sources: &Sources, layers: [&Mutex<Layer>; 2], is_over: &AtomicBool, numbers: &AtomicU64) {
    let mut items = Vec::new();
    loop {
        let was_over = is_over.load(Ordering::Acquire);
        let [middle, last] = layers.map(|layer| {
            let layer = layer.lock().unwrap();
            let open = layer.all().filter(|taker| !taker.is_empty.load(Ordering::Relaxed));
            open.cloned().collect::<Vec<Arc<Taker>>>()
        });
        let mut any = false;
        for (index, taker) in middle.iter().chain(&last).enumerate() {
            let is_middle = index < middle.len();
            let mut came = taker.came.lock().unwrap();
            loop {
                match taker.kernel.try_recv_batch(&mut items, 64) {
                    Ok(_) => any = true,
                    Err(error) => {
                        taker.is_empty.store(error == TryRecvError::Closed, Ordering::Relaxed);
                        break;
                    }
                }
                came.count += items.len() as u64;
                // From several kernels copies of one message come to the last ones, and those that were held to the
                // host.
                if is_middle && !taker.linked.load(Ordering::Relaxed) {
                    items.iter().for_each(|item| came.next(item));
                }
                items.clear();
            }
        }
        for kernel in &sources.sorts {
            let mut count = 0;
            while kernel.port(sort_out::NUMBERS).try_recv().is_ok() {
                count += 1;
            }
            while kernel.port(sort_out::MARKS).try_recv().is_ok() {
                count += 1;
            }
            let _ = numbers.fetch_add(count, Ordering::Relaxed);
            any |= count != 0;
        }
        if !any {
            if was_over {
                return;
            }
            thread::sleep(Duration::from_micros(200));
        }
    }
}

/// K-01, K-05, P-04: members, links, restarts at random, under load: at the end each copy was delivered, or is counted
/// as lost by its cause, at each of the kernels on its way.
pub fn k05_everything_is_accounted_for_in_a_soak(bench: &Bench) {
    let seconds = std::env::var("ANNULUS_SOAK").ok().and_then(|seconds| seconds.parse().ok());
    let until = Instant::now() + Duration::from_secs(seconds.unwrap_or(0));
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
    let mut steps = 0;
    thread::scope(|scope| {
        // Also by a panic: nobody waits for the other threads then.
        let _end = (Raise(&is_over), Raise(&is_empty));
        let _ = scope.spawn(|| receive(&sources, [&middle, &last], &is_empty, &numbers));
        world.connect();
        let sender = scope.spawn(|| send(&sources, &middle, &is_over, &count));
        let least = bench.size(60, 600);
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
