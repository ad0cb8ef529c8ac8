//! Why kernels do not go on: who waits for whom, followed to the roots.
//!
//! All of it comes from two looks at the shards' words, so it works from inside a process and from outside. A
//! shard that waits for room says so; the links say for whose room; and a shard that makes no room is
//! *itself* at something: that is the cause. Of several outboxes, a shard waits for those by which it holds
//! something. A shard whose outputs a [bridge](crate::KernelHandle::bridge_to) takes waits for the kernel whose room the bridge
//! waits for, which may be on another runtime. So ways branch; each of them ends, or comes back to a kernel that is already on it: then
//! these wait in a cycle, since a kernel takes nothing before it has room in all that it waits for.
//!
//! A kernel whose actors have asked another one goes on itself: it takes what comes. What it is for may stand still all the same, since
//! the answers do not come. So open asks lead to the asked kernel, and from there on the way is that of room. They are followed only
//! where something stands still at their end; and no way leads over them, since nobody waits for room because of them.
//!
//! Two looks tell that something did not move, and not why a handler takes its time. So a handler is called a
//! cause when it was at the same message in both looks, for *at least* the time in between.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    time::Duration,
};

use annulus_abi::{
    control::{STALLED_BY_HOST, STALLED_BY_KERNEL, STALLED_HOLDS, state},
    vitals::{At, phase, read::Shard},
};

use crate::{
    bridge::look::{BridgeKind, BridgeLook},
    handle::look::PortLook,
    time::for_people,
};

/// A kernel at two looks. Made by whoever looks: [`Runtime::why`](crate::Runtime::why), or `annulus-observe`.
#[derive(Clone, Debug)]
pub struct KernelLooks {
    /// Tells it from others of its runtime.
    pub id: u64,
    /// Tells its runtime from others: as [`BridgeTarget::runtime`](crate::BridgeTarget::runtime), where that is not 0.
    pub runtime: u64,
    /// The name that it runs under.
    pub name: String,
    /// Whether it has ended.
    pub has_ended: bool,
    /// The kernel that its outputs go to, and whether they wait for room there.
    pub target: Option<(u64, bool)>,
    /// Its outboxes at the earlier look, if it has several.
    pub ports_before: Vec<PortLook>,
    /// Its outboxes now. If there are some, they say where its outputs go.
    pub ports_now: Vec<PortLook>,
    /// The number of the outbox by which it asks, if it may ask.
    pub asks_by: Option<usize>,
    /// Its bridges at the earlier look.
    pub bridges_before: Vec<BridgeLook>,
    /// Its bridges now.
    pub bridges_now: Vec<BridgeLook>,
    /// Slots of each inbound ring.
    pub inbound_capacity: u32,
    /// Its shards at the earlier look.
    pub before: Vec<Shard>,
    /// Its shards now.
    pub now: Vec<Shard>,
    /// The time between the looks at this kernel, where its words are copies: between the two copies. 0: both
    /// looks found the same copy, so nothing is known to have lasted.
    pub elapsed: Option<Duration>,
    /// Whether its messages have keys.
    pub keys: bool,
    /// Whether it goes in [rounds](crate::LaunchOptions::rounds).
    pub rounds: bool,
    /// Messages of other kernels that wait for it in a device's memory, at the later look. The shards do not count them.
    pub linked: u64,
    /// The same at the earlier look.
    pub linked_before: u64,
}

/// What a shard that makes no progress is at.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// It has been in one message's handler since the earlier look.
    Handler {
        /// The message's number in its shard, from 0.
        message: u64,
        /// How many messages the block's threads handle at once, from that one on: at least 1.
        count: u64,
        /// Its key; `None` without keys, and for several messages.
        key: Option<u64>,
        /// The time between the looks: it may be in there much longer.
        at_least: Duration,
    },
    /// Nobody receives its outputs.
    NobodyReceives {
        /// How many wait.
        outputs: u64,
    },
    /// It is inactive.
    Inactive,
    /// It has not begun since it was launched.
    NotBegun,
    /// It takes none of its messages, and nothing says why.
    TakesNothing,
    /// It takes none of its messages, since they may be of the next [round](crate::LaunchOptions::rounds): that begins when
    /// no shard has anything left of this one.
    NextRound,
    /// It goes on, but not fast enough for those who send to it.
    Slow,
    /// Kernels that wait for room in each other.
    Cycle,
    /// The same, and one of them goes in [rounds](crate::LaunchOptions::rounds): the messages of a round do not fit into its
    /// rings.
    CycleInRounds,
    /// The kernel that it waits for is not among those that were looked at.
    Unseen,
    /// A bridge takes its outputs, and has no room in a kernel that is not among those that were looked at.
    Bridge {
        /// The bridge's target, or its targets.
        to: String,
    },
    /// A bridge takes its outputs, and has no room in a queue.
    Queue {
        /// The queue's name.
        queue: String,
    },
    /// A [named barrier](crate::barrier) of this kernel, which has no limit, waits for some of its parties, and others have come.
    Barrier {
        /// The barrier's name.
        barrier: String,
        /// The generation that is open.
        generation: u64,
        /// How many parties it has.
        parties: u32,
        /// Those that are waited for.
        missing: Vec<Absent>,
        /// The time between the looks: it may wait much longer.
        at_least: Duration,
    },
}

/// A party that has not come to a barrier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absent {
    /// Its number.
    pub party: u32,
    /// The kernel and the actor that it is; `None`: it is the host's.
    pub actor: Option<(String, u32)>,
}

impl fmt::Display for Absent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.actor {
            Some((kernel, actor)) => write!(f, "party {} (actor {actor} of `{kernel}`)", self.party),
            None => write!(f, "party {} (the host's)", self.party),
        }
    }
}

/// Shards of one kernel that are at the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The kernel.
    pub kernel: String,
    /// Its runtime: see [`KernelLooks::runtime`].
    pub runtime: u64,
    /// Its shards.
    pub shards: Vec<usize>,
    /// What they are at.
    pub cause: Cause,
    /// Messages that wait in their inbound rings; of all shards of a kernel, also those that other kernels have sent over a
    /// device's memory.
    pub pending: u64,
    /// Messages that wait in the queues in front of these.
    pub staged: u64,
    /// Ways of kernels that wait for this one, each from the kernel that nobody waits for, without this one.
    /// For a cycle: the one way around.
    pub waiting: Vec<Vec<Waiting>>,
}

/// Shards that wait for room in the next kernel on the way, or for its answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Their kernel.
    pub kernel: String,
    /// Its runtime: see [`KernelLooks::runtime`].
    pub runtime: u64,
    /// The shards.
    pub shards: Vec<usize>,
    /// The name of the outbox whose outputs have no room, or by which it asks, if the kernel has several.
    pub outbox: Option<String>,
    /// How many asks of theirs are open, if it is answers that they wait for; 0 if it is room.
    pub asks: u64,
    /// The bridge that takes its outputs, if it waits for that: what it leads to, and its target.
    pub bridge: Option<(BridgeKind, String)>,
}

/// Why kernels do not go on; `Display` prints it for people. Empty if nothing waits in vain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Why {
    /// The causes.
    pub findings: Vec<Finding>,
}

/// Finds the causes, given two looks that are `elapsed` apart.
pub fn explain(kernels: &[KernelLooks], elapsed: Duration) -> Why {
    let mut findings: Vec<Finding> =
        kernels.iter().flat_map(|kernel| causes(kernel, kernel.elapsed.unwrap_or(elapsed))).collect();
    // Behind the kernels that wait for room stand the same as those that wait for answers: to these, no link leads.
    let room = kernels.iter().map(|kernel| links(kernel, kernels));
    let answers = kernels.iter().map(|kernel| asks(kernel, kernels));
    let links: Vec<Vec<Link>> = room.chain(answers).collect();
    let starts = starts(&links);
    let mut in_cycles = BTreeSet::new();
    for (way, end) in starts.into_iter().flat_map(|start| ways(start, &links)) {
        let steps = |from: usize| way[from..].iter().map(|(_, step)| step.clone()).collect::<Vec<_>>();
        match end {
            // Kernels that lead into a cycle wait for the same cause.
            End::Back(first) => {
                let Some(from) = way.iter().position(|(kernel, _)| *kernel == first) else { continue };
                let known = in_cycles.len();
                in_cycles.extend(way[from..].iter().map(|(kernel, _)| *kernel));
                if in_cycles.len() != known {
                    let in_rounds = way[from..].iter().any(|(kernel, _)| kernels[*kernel].rounds);
                    let first = &kernels[first];
                    findings.push(Finding {
                        kernel: first.name.clone(),
                        runtime: first.runtime,
                        shards: waiting(first),
                        cause: if in_rounds { Cause::CycleInRounds } else { Cause::Cycle },
                        pending: pending(first),
                        staged: staged(first),
                        waiting: vec![steps(from)],
                    });
                }
            }
            End::Unseen => wait_for_unseen(&mut findings, steps(0)),
            End::Root(root) => wait_for_root(&mut findings, &kernels[root], steps(0)),
        }
    }
    Why { findings }
}

/// Adds a way that leads to a kernel which was not looked at.
fn wait_for_unseen(findings: &mut Vec<Finding>, mut way: Vec<Waiting>) {
    let Some(Waiting { kernel, runtime, shards, bridge, .. }) = way.pop() else { return };
    let cause = match bridge {
        None => Cause::Unseen,
        Some((BridgeKind::ToQueue, queue)) => Cause::Queue { queue },
        Some((_, to)) => Cause::Bridge { to },
    };
    let is_it = |finding: &&mut Finding| {
        let same = (finding.runtime, &finding.kernel, &finding.shards) == (runtime, &kernel, &shards);
        same && finding.cause == cause
    };
    let waiting = if way.is_empty() { Vec::new() } else { vec![way] };
    match findings.iter_mut().find(is_it) {
        Some(known) => known.waiting.extend(waiting),
        None => {
            findings.push(Finding { kernel, runtime, shards, cause, pending: 0, staged: 0, waiting });
        }
    }
}

/// Adds a way that leads to a kernel which waits for no other.
fn wait_for_root(findings: &mut Vec<Finding>, root: &KernelLooks, way: Vec<Waiting>) {
    // Of several causes in one kernel, it is one whose shard has no room. Nobody knows which shard has not answered.
    let is_asked = way.last().is_some_and(|step| step.asks != 0);
    let full = if is_asked { Vec::new() } else { full(root) };
    let of_root = |finding: &&mut Finding| (finding.runtime, &finding.kernel) == (root.runtime, &root.name);
    let has_full = |finding: &Finding| finding.shards.iter().any(|shard| full.contains(shard));
    let any_full = findings.iter_mut().filter(of_root).any(|finding| has_full(finding));
    let found = findings
        .iter_mut()
        .filter(of_root)
        .filter(|finding| !any_full || has_full(finding))
        .map(|finding| finding.waiting.push(way.clone()))
        .count();
    // One that goes on will answer.
    if found == 0 && (!is_asked || is_inactive(root)) {
        let full = if is_asked { inactive(root) } else { full };
        findings.push(Finding {
            kernel: root.name.clone(),
            runtime: root.runtime,
            cause: if is_inactive(root) { Cause::Inactive } else { Cause::Slow },
            pending: pending(root),
            staged: staged(root),
            shards: full,
            waiting: vec![way],
        });
    }
}

/// Shards that were waiting for room in a kernel at both looks.
fn waiting(kernel: &KernelLooks) -> Vec<usize> {
    let waits = |shard: &Shard| shard.state == state::ACTIVE && shard.stalled == STALLED_BY_KERNEL;
    let at = |index: usize| kernel.before.get(index).is_some_and(waits);
    let now = kernel.now.iter().enumerate().filter(|(index, shard)| waits(shard) && at(*index));
    if kernel.has_ended { Vec::new() } else { now.map(|(index, _)| index).collect() }
}

/// What waiting shards of a kernel wait for.
struct Link {
    shards: Vec<usize>,
    kernel: String,
    runtime: u64,
    outbox: Option<String>,
    /// Open asks, if they wait for answers.
    asks: u64,
    /// The bridge over which they wait, if it is no link: what it leads to, and its target.
    bridge: Option<(BridgeKind, String)>,
    /// The kernel, by its place; `None` if it was not looked at.
    to: Option<usize>,
}

/// Whether a shard holds something by an outbox at both looks.
fn holds(kernel: &KernelLooks, port: &PortLook, shard: usize) -> bool {
    let held = |port: &PortLook| port.shards.get(shard).is_some_and(|words| words.held != 0);
    let before = kernel.ports_before.iter().find(|before| before.name == port.name);
    held(port) && before.is_some_and(held)
}

/// Whether a shard that says that it waits for a kernel waits until the host receives: what it holds was for a kernel that it is
/// connected to no more.
fn waits_for_host(kernel: &KernelLooks, shard: usize) -> bool {
    if kernel.ports_now.is_empty() {
        return kernel.target.is_none();
    }
    let is_of_host = |port: &&PortLook| port.target.is_none() && !port.is_nobody();
    kernel.ports_now.iter().filter(is_of_host).any(|port| holds(kernel, port, shard))
}

/// The bridges from a kernel that waited for room at both looks.
fn waiting_bridges(kernel: &KernelLooks) -> impl Iterator<Item = &BridgeLook> {
    let is_from = |bridge: &&BridgeLook| bridge.kind != BridgeKind::FromQueue;
    kernel.bridges_now.iter().filter(is_from).filter(|bridge| {
        let same = |before: &&BridgeLook| before.number == bridge.number;
        let before = kernel.bridges_before.iter().find(same);
        bridge.waits_for.is_some() && before.is_some_and(|before| before.waits_for == bridge.waits_for)
    })
}

/// Shards whose outputs wait for the host at both looks, where a bridge takes them, and waits itself.
fn bridged(kernel: &KernelLooks) -> Vec<usize> {
    if kernel.has_ended || waiting_bridges(kernel).next().is_none() {
        return Vec::new();
    }
    let waits = |shard: &Shard| shard.state == state::ACTIVE && shard.stalled == STALLED_BY_HOST;
    let both = kernel.before.iter().zip(&kernel.now).enumerate();
    both.filter(|(_, (before, now))| waits(before) && waits(now)).map(|(index, _)| index).collect()
}

/// What the shards of a kernel wait for over its bridges.
fn bridge_links<'a>(kernel: &'a KernelLooks, kernels: &'a [KernelLooks]) -> impl Iterator<Item = Link> + 'a {
    let shards = bridged(kernel);
    let bridges = waiting_bridges(kernel).filter(|_| !bridged(kernel).is_empty());
    bridges.map(move |bridge| {
        let target = bridge.waits_for.unwrap_or_default();
        let is_it = |other: &KernelLooks| {
            target.kernel == other.id && (target.runtime == 0 || target.runtime == other.runtime)
        };
        Link {
            shards: shards.clone(),
            kernel: kernel.name.clone(),
            runtime: kernel.runtime,
            outbox: None,
            asks: 0,
            bridge: Some((bridge.kind, bridge.to.clone())),
            to: kernels.iter().position(is_it).filter(|_| target.kernel != 0),
        }
    })
}

/// What the waiting shards of a kernel wait for: none if none waits.
fn links(kernel: &KernelLooks, kernels: &[KernelLooks]) -> Vec<Link> {
    let mut links = kernel_links(kernel, kernels);
    links.extend(bridge_links(kernel, kernels));
    links
}

/// The same of links alone.
fn kernel_links(kernel: &KernelLooks, kernels: &[KernelLooks]) -> Vec<Link> {
    let mut stalled = waiting(kernel);
    stalled.retain(|&shard| !waits_for_host(kernel, shard));
    if stalled.is_empty() {
        return Vec::new();
    }
    let link = |target: Option<(u64, bool)>, shards: Vec<usize>, outbox: Option<&str>| Link {
        shards,
        kernel: kernel.name.clone(),
        runtime: kernel.runtime,
        outbox: outbox.map(str::to_owned),
        asks: 0,
        bridge: None,
        to: target.and_then(|(id, _)| {
            kernels.iter().position(|other| (other.runtime, other.id) == (kernel.runtime, id))
        }),
    };
    let of_port = |port: &PortLook| {
        let holds = |shard: &usize| holds(kernel, port, *shard);
        let shards: Vec<usize> = stalled.iter().copied().filter(holds).collect();
        (!shards.is_empty()).then(|| link(port.target, shards, Some(&port.name)))
    };
    let by_ports: Vec<Link> = kernel.ports_now.iter().filter_map(of_port).collect();
    // Words are read one after the other, so it may be that no outbox holds what its shard says it waits for.
    if by_ports.is_empty() { vec![link(kernel.target, stalled, None)] } else { by_ports }
}

/// What the shards of a kernel wait for that have asks open at both looks: the answers of the kernel that it asks.
fn asks(kernel: &KernelLooks, kernels: &[KernelLooks]) -> Vec<Link> {
    let Some(number) = kernel.asks_by.filter(|_| !kernel.has_ended) else { return Vec::new() };
    let port = kernel.ports_now.get(number);
    let target = if kernel.ports_now.is_empty() { kernel.target } else { port.and_then(|port| port.target) };
    let is_it = |other: &KernelLooks| {
        target.is_some_and(|(id, _)| (other.runtime, other.id) == (kernel.runtime, id)) && !other.has_ended
    };
    // One that has ended answers by saying so; one that was not looked at may go on.
    let Some(to) = kernels.iter().position(is_it) else { return Vec::new() };
    let open = |shard: &Shard| if shard.state == state::ACTIVE { u64::from(shard.timers.asks) } else { 0 };
    let both = kernel.before.iter().zip(&kernel.now).map(|(before, now)| open(before).min(open(now)));
    let both: Vec<(usize, u64)> = both.enumerate().filter(|(_, open)| *open != 0).collect();
    if both.is_empty() {
        return Vec::new();
    }
    vec![Link {
        shards: both.iter().map(|(shard, _)| *shard).collect(),
        kernel: kernel.name.clone(),
        runtime: kernel.runtime,
        outbox: port.map(|port| port.name.clone()),
        asks: both.iter().map(|(_, open)| open).sum(),
        bridge: None,
        to: Some(to),
    }]
}

/// Shards whose inbound rings are full.
fn full(kernel: &KernelLooks) -> Vec<usize> {
    let is_full = |shard: &Shard| shard.pending >= u64::from(kernel.inbound_capacity);
    kernel.now.iter().enumerate().filter(|(_, shard)| is_full(shard)).map(|(index, _)| index).collect()
}

fn inactive(kernel: &KernelLooks) -> Vec<usize> {
    let is_inactive = |(_, shard): &(usize, &Shard)| shard.state == state::INACTIVE;
    kernel.now.iter().enumerate().filter(is_inactive).map(|(index, _)| index).collect()
}

fn is_inactive(kernel: &KernelLooks) -> bool {
    !inactive(kernel).is_empty()
}

/// Messages in its rings, those of other kernels included.
fn pending(kernel: &KernelLooks) -> u64 {
    kernel.now.iter().map(|shard| shard.pending).fold(kernel.linked, u64::saturating_add)
}

/// Messages in front of them.
fn staged(kernel: &KernelLooks) -> u64 {
    kernel.now.iter().map(|shard| shard.staged).fold(0, u64::saturating_add)
}

/// Where a way ends.
#[derive(Clone, Copy)]
enum End {
    /// At a kernel that waits for no other.
    Root(usize),
    /// At this kernel, which is on the way. From there on, these wait for each other.
    Back(usize),
    Unseen,
}

/// A way: kernels by their places, each with what it waits for.
type Way = Vec<(usize, Waiting)>;

/// The kernels at which ways begin: those that wait and that nobody waits for. Of kernels that wait for each other
/// and that nobody else waits for, the first.
fn starts(links: &[Vec<Link>]) -> Vec<usize> {
    let reach = |first: usize| {
        let mut reached = BTreeSet::new();
        let mut open = vec![first];
        while let Some(kernel) = open.pop() {
            open.extend(links[kernel].iter().filter_map(|link| link.to).filter(|to| reached.insert(*to)));
        }
        reached
    };
    let waiting = || (0..links.len()).filter(|&kernel| !links[kernel].is_empty());
    let reached: BTreeMap<usize, BTreeSet<usize>> = waiting().map(|kernel| (kernel, reach(kernel))).collect();
    let is_before = |other: usize, kernel: usize| {
        other != kernel
            && reached[&other].contains(&kernel)
            && (other < kernel || !reached[&kernel].contains(&other))
    };
    waiting().filter(|&kernel| !waiting().any(|other| is_before(other, kernel))).collect()
}

/// The ways from a kernel along what is waited for. There are no more than links, and each link is on one.
fn ways(first: usize, links: &[Vec<Link>]) -> Vec<(Way, End)> {
    let mut found = Vec::new();
    follow(first, links, &mut Vec::new(), &mut BTreeSet::from([first]), &mut found);
    found
}

/// Follows the links of a kernel to which `way` leads. `seen` are kernels whose links were or are followed.
fn follow(
    kernel: usize,
    links: &[Vec<Link>],
    way: &mut Way,
    seen: &mut BTreeSet<usize>,
    found: &mut Vec<(Way, End)>,
) {
    for Link { shards, kernel: name, runtime, outbox, asks, bridge, to } in &links[kernel] {
        let (shards, outbox, bridge) = (shards.clone(), outbox.clone(), bridge.clone());
        let (name, runtime, asks) = (name.clone(), *runtime, *asks);
        way.push((kernel, Waiting { kernel: name, runtime, shards, outbox, asks, bridge }));
        match *to {
            None => found.push((way.clone(), End::Unseen)),
            Some(next) if way.iter().any(|(kernel, _)| *kernel == next) => {
                found.push((way.clone(), End::Back(next)));
            }
            Some(next) if links[next].is_empty() => found.push((way.clone(), End::Root(next))),
            Some(next) if seen.insert(next) => follow(next, links, way, seen, found),
            Some(next) => found.extend(rest(way, next, found)),
        }
        way.pop();
    }
}

/// A way to a kernel whose links were followed: from there on it is as the first way over that kernel.
fn rest(way: &Way, next: usize, found: &[(Way, End)]) -> Option<(Way, End)> {
    let over = |(known, end): &(Way, End)| {
        let at = known.iter().position(|(kernel, _)| *kernel == next)?;
        Some((known[at..].to_vec(), *end))
    };
    let (rest, end) = found.iter().find_map(over)?;
    let mut whole = way.clone();
    for step in rest {
        if way.iter().any(|(kernel, _)| *kernel == step.0) {
            return Some((whole, End::Back(step.0)));
        }
        whole.push(step);
    }
    Some((whole, end))
}

/// The shards of a kernel that do not go on, by what they are at. Those that wait for a kernel are not among
/// them: they are no cause.
fn causes(kernel: &KernelLooks, elapsed: Duration) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    if kernel.has_ended {
        return findings;
    }
    let bridged = bridged(kernel);
    for (index, (before, now)) in kernel.before.iter().zip(&kernel.now).enumerate() {
        if bridged.contains(&index) {
            continue;
        }
        let waits =
            || !elapsed.is_zero() && waiting(kernel).contains(&index) && waits_for_host(kernel, index);
        let of_host = || waits().then_some(Cause::NobodyReceives { outputs: now.outputs_waiting });
        let Some(cause) = cause(kernel, before, now, elapsed).or_else(of_host) else { continue };
        // Handlers are at different messages. All other causes are told once for all shards.
        let merge = findings.iter_mut().find(|finding| match (&finding.cause, &cause) {
            (Cause::NobodyReceives { .. }, Cause::NobodyReceives { .. }) => true,
            (a, b) => a == b,
        });
        match merge {
            Some(finding) => {
                finding.shards.push(index);
                finding.pending = finding.pending.saturating_add(now.pending);
                finding.staged = finding.staged.saturating_add(now.staged);
                if let (Cause::NobodyReceives { outputs }, Cause::NobodyReceives { outputs: more }) =
                    (&mut finding.cause, cause)
                {
                    *outputs = outputs.saturating_add(more);
                }
            }
            None => findings.push(Finding {
                kernel: kernel.name.clone(),
                runtime: kernel.runtime,
                shards: vec![index],
                cause,
                pending: now.pending,
                staged: now.staged,
                waiting: Vec::new(),
            }),
        }
    }
    // Nobody counts which of its shards they are for.
    for finding in findings.iter_mut().filter(|finding| finding.shards.len() == kernel.now.len()) {
        finding.pending = finding.pending.saturating_add(kernel.linked);
    }
    findings
}

/// Why a shard does not go on; `None` if it does, has nothing to do, or waits for a kernel.
fn cause(kernel: &KernelLooks, before: &Shard, now: &Shard, elapsed: Duration) -> Option<Cause> {
    // What other kernels have sent to it may be for this shard; if it is the only one, it is.
    let waits = now.waiting() != 0 || kernel.linked != 0;
    let is_fed = kernel.now.len() == 1 && kernel.linked != 0 && kernel.linked_before != 0;
    if now.state == state::INACTIVE {
        // However long it has been so: it takes nothing until somebody activates it.
        return waits.then_some(Cause::Inactive);
    }
    if elapsed.is_zero() {
        return None;
    }
    let taken = |shard: &Shard| shard.accepted.saturating_sub(shard.pending);
    let done = |shard: &Shard| (shard.processed, shard.failed, shard.unknown_actor, taken(shard));
    if done(before) != done(now) || before.state != now.state {
        return None;
    }
    match (now.state, now.stalled) {
        (state::ACTIVE, STALLED_BY_KERNEL) | (state::TERMINATED, _) => return None,
        (state::ACTIVE, 0 | STALLED_HOLDS) => {}
        (state::ACTIVE, _) => {
            let outputs = now.outputs_waiting;
            return (before.stalled == now.stalled).then_some(Cause::NobodyReceives { outputs });
        }
        _ => return waits.then_some(Cause::NotBegun),
    }
    match now.at {
        At { phase: phase::IN_HANDLER, number, key, count, .. } if before.at == now.at => {
            let (count, key) = if count > 1 { (count, None) } else { (1, kernel.keys.then_some(key)) };
            Some(Cause::Handler { message: number, count, key, at_least: elapsed })
        }
        // It is at something else than at the earlier look.
        _ if before.at != now.at => None,
        // What has come between the looks may be taken the next moment.
        _ if before.waiting() != 0 && now.waiting() != 0 || is_fed => {
            Some(if kernel.rounds { Cause::NextRound } else { Cause::TakesNothing })
        }
        _ => None,
    }
}

/// `shard 1`, `shards 0, 2 and 5`.
fn shards(shards: &[usize]) -> String {
    let numbers: Vec<String> = shards.iter().map(usize::to_string).collect();
    match &numbers[..] {
        [] => "some shards".into(),
        [one] => format!("shard {one}"),
        [rest @ .., last] => format!("shards {} and {last}", rest.join(", ")),
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.findings.is_empty() {
            return f.write_str("nothing waits in vain");
        }
        for (index, finding) in self.findings.iter().enumerate() {
            if index != 0 {
                writeln!(f)?;
            }
            finding.fmt(f)?;
        }
        Ok(())
    }
}

/// What a cycle lacks.
const ROOM: &str =
    "capacity, or hold, for all that is on its way at a time (the guide counts it: Sizing, how large a hold)";

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for way in &self.waiting {
            for (index, step) in way.iter().enumerate() {
                let next = match (way.get(index + 1), &self.cause) {
                    (Some(next), _) => &next.kernel,
                    (None, Cause::Cycle | Cause::CycleInRounds) => &way[0].kernel,
                    (None, _) => &self.kernel,
                };
                let waits = if step.shards.len() == 1 { "waits" } else { "wait" };
                let (kernel, its) = (&step.kernel, shards(&step.shards));
                match step.asks {
                    0 => write!(f, "`{kernel}` {its} {waits} for room in `{next}`")?,
                    1 => write!(f, "`{kernel}` {its} {waits} for an answer of `{next}`")?,
                    asks => write!(f, "`{kernel}` {its} {waits} for {asks} answers of `{next}`")?,
                }
                match (&step.outbox, &step.bridge) {
                    (Some(outbox), _) => writeln!(f, " (outbox `{outbox}`);")?,
                    (None, Some(_)) => writeln!(f, " (over a bridge);")?,
                    (None, None) => writeln!(f, ";")?,
                }
            }
        }
        let (kernel, its) = (&self.kernel, shards(&self.shards));
        let are = if self.shards.len() == 1 { "is" } else { "are" };
        match &self.cause {
            Cause::Cycle | Cause::CycleInRounds => {
                let names: Vec<String> =
                    self.waiting.iter().flatten().map(|step| format!("`{}`", step.kernel)).collect();
                if let [itself] = &names[..] {
                    let room = match &self.cause {
                        Cause::CycleInRounds => "capacity for all messages of a round",
                        _ => ROOM,
                    };
                    return write!(
                        f,
                        "{itself} waits for itself: a cycle, which cannot go on; terminate or disconnect it, and give it \
                         more room: {room}"
                    );
                }
                let (remedy, room) = match self.waiting.iter().flatten().any(|step| step.bridge.is_some()) {
                    false => ("terminate or disconnect one of them", ROOM),
                    true => ("stop a bridge between them, or terminate one", "capacity"),
                };
                return write!(
                    f,
                    "{} wait for each other: a cycle, which cannot go on; {remedy}, and give them more room: {room}",
                    names.join(", ")
                );
            }
            Cause::Handler { message, count: count @ 2.., at_least, .. } => write!(
                f,
                "`{kernel}` {its} {are} in the handlers of messages {message} to {}, for {} or more",
                message.saturating_add(count - 1),
                for_people(*at_least)
            )?,
            Cause::Handler { message, key, at_least, .. } => {
                write!(f, "`{kernel}` {its} {are} in the handler of message {message}")?;
                if let Some(key) = key {
                    write!(f, ", key {key}")?;
                }
                write!(f, ", for {} or more", for_people(*at_least))?;
            }
            Cause::NobodyReceives { outputs } => {
                write!(
                    f,
                    "`{kernel}` {its} {are} stalled: nobody receives the outputs, of which {outputs} wait"
                )?;
            }
            Cause::Inactive => write!(f, "`{kernel}` {its} {are} inactive: activate the kernel")?,
            Cause::NotBegun => write!(f, "`{kernel}` {its} did not begin since the launch")?,
            Cause::TakesNothing => {
                write!(f, "`{kernel}` {its} took no message, and says not why")?;
            }
            Cause::NextRound => {
                let are = if self.shards.len() == 1 { "waits" } else { "wait" };
                write!(f, "`{kernel}` {its} {are} for the next round, until all have ended this one")?;
            }
            Cause::Slow => write!(f, "`{kernel}` goes on, but more is sent to it than it handles")?,
            Cause::Unseen => {
                return write!(f, "`{kernel}` {its} {are} waiting for room in a kernel that is not seen");
            }
            Cause::Bridge { to } => {
                return write!(
                    f,
                    "`{kernel}` {its} {are} waiting for room in `{to}` (over a bridge), which is not seen from here"
                );
            }
            Cause::Barrier { barrier, generation, parties, missing, at_least } => {
                const SHOWN: usize = 8;
                let have = if missing.len() == 1 { "has" } else { "have" };
                let names: Vec<String> = missing.iter().take(SHOWN).map(Absent::to_string).collect();
                let more = missing.len().saturating_sub(SHOWN);
                let more = if more == 0 { String::new() } else { format!(" and {more} more") };
                return write!(
                    f,
                    "barrier `{barrier}` of `{kernel}` has waited in generation {generation} for {} or more: {} of its {parties} \
                     parties {have} not come: {}{more}",
                    for_people(*at_least),
                    missing.len(),
                    names.join(", ")
                );
            }
            Cause::Queue { queue } => {
                return write!(
                    f,
                    "`{kernel}` {its} {are} waiting for room in the queue `{queue}` (over a bridge): receive from it"
                );
            }
        }
        match (self.pending, self.staged) {
            (0, 0) => {}
            (1, 0) => f.write_str("; 1 message is in its ring")?,
            (pending, 0) => write!(f, "; {pending} messages are in its rings")?,
            (0, staged) => write!(f, "; {staged} wait in front of its rings")?,
            (pending, staged) => {
                write!(f, "; {pending} messages are in its rings, and {staged} wait in front of them")?;
            }
        }
        if !self.waiting.is_empty() {
            f.write_str(": that is the cause")?;
        }
        Ok(())
    }
}
