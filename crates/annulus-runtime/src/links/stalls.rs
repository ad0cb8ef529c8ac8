//! What stalled kernels wait for, and whether they wait in a cycle.
//!
//! # What is looked at
//!
//! A shard that waits says so in its control block: it has no room for outputs to the host, or no room in the
//! kernel that it is connected to. From a stalled kernel, the search follows the links as long as each kernel
//! has shards that wait for the next one; of several outboxes, those by which something is held. It ends with
//! a kernel that goes on, is inactive, or waits for the host; or it comes back to a kernel that it has already
//! seen. A kernel that waits for several takes nothing before it has room in all of them, so one way that
//! comes back is enough: the search looks for one, and otherwise shows the first. In that last case, no handler of these
//! kernels will run again by itself, if
//!
//! 1. each is active, and each of its shards that has messages waits for the next kernel, and has tried to
//!    send in vain since it gave back the messages that it took last;
//! 2. each has a full ring, so that there is no room that a shard has not yet noticed;
//! 3. nothing has moved between two looks at all this.
//!
//! A shard that finds room at last first sends, and then says that it waits no more. Before it sends, it
//! takes back that it rests: until its word is correct again, `rested` differs from `taken`.
//! Whoever sees in the counts what it has sent sees that, too (`SYNC: unrested`, acquire); so such a shard is
//! taken for one that goes on.
//!
//! A shard that waits takes no message, so it makes no room. The others have none to take. A shard counts
//! what it took, and then says that it waits: so what the second look counts is no older than what the first
//! saw wait (`SYNC: stalled-after-taken`). And it has given back what it took: on the CPU before it says that
//! it waits; over a device's memory before it comes to rest (`rested`, see [`links`](crate::links)), after it
//! has tried in vain. If nothing was counted between the two looks, all this was true of all these kernels at
//! the moment between them: none takes, none sends, and each has a full ring.
//!
//! A shard with a [hold](crate::LaunchOptions::hold) waits only if that is full, and may go on when a part of it has gone. So a
//! kernel with one counts as one that stands still only if what its shards hold for kernels that stand still leaves no room for
//! a message. Those are the largest set of kernels that hold each other up so: the cycle, and what its kernels hold outputs for.
//! Likewise of a kernel that holds an output for any of several: it stands still only if each of them does, or has ended.
//!
//! A kernel whose shards wait for the host may have [bridges](crate::bridge) for all that it sends there. If one of these
//! waits for room in its target, so does the kernel, and the search goes on there. A cycle that leads over a bridge is
//! shown, but never reported as one that stands still: what the bridge holds is in no count.
//!
//! A shard of a kernel that goes in [rounds](crate::LaunchOptions::rounds) may have messages, and wait for the next round
//! to handle them. The host does not see that. So a cycle over such a kernel whose rings are full is shown, and not reported.
//!
//! The host does not see for which ring of a kernel another kernel waits. So if kernels have several shards,
//! a cycle may be reported that is just about to go on.
//!
//! # Who looks
//!
//! Whoever asks for a status looks. So does whoever reports that a shard has begun to wait, or has run out of
//! work beside one that waits. Of several shards that wait for each other, the last one has said so
//! before the report, and sees the others (`SYNC: stalled`); of those that send over a device's memory, the
//! last one that has come to rest. What is found is reported once, as an event of `tracing`, with no lock
//! held.

use std::sync::{Arc, PoisonError};

use annulus_abi::{
    control::{STALLED_BY_HOST, STALLED_BY_KERNEL, STALLED_HOLDS, command, state},
    vitals::recorder::event,
};
use annulus_sync::{Mutex, Ordering, contain::contained};

use crate::{
    kernel::{
        core::HostShard,
        links::Target,
        shared::KernelShared,
        status::{Stall, StallEnd},
        watcher::STALL_TARGET,
    },
    links::topics::publishes,
};

/// What a kernel waits for, so that it makes no room.
enum Waits {
    /// Nothing, as far as the host sees: it goes on, or is about to.
    Nothing,
    /// Its activation: it is inactive.
    Activation,
    /// The host, which receives nothing.
    Host,
    /// The kernel that it is connected to.
    Kernel,
}

/// A kernel on the way along the links. The first one needs no reference of its own: it is the caller's.
#[derive(Clone)]
enum Step<'a> {
    First(&'a KernelShared),
    Next(Arc<KernelShared>),
}

impl Step<'_> {
    fn kernel(&self) -> &KernelShared {
        match self {
            Self::First(kernel) => kernel,
            Self::Next(kernel) => kernel,
        }
    }
}

/// What a shard waits for: 0 for nothing, else a value of its `stalled` word.
fn stalled(shard: &HostShard) -> u32 {
    // A terminated shard waits for nothing, whatever its word said last.
    // SYNC: state (acquire)
    if shard.memory.state().load(Ordering::Acquire) == state::TERMINATED {
        return 0;
    }
    // SYNC: stalled-after-taken (acquire)
    shard.memory.stalled().load(Ordering::Acquire)
}

/// Whether a shard has come to rest since it last took a message of another kernel over a device's memory,
/// and since it last found room for its pending outputs.
fn rests(shard: &HostShard) -> bool {
    // SYNC: rested (acquire)
    let rested = shard.memory.rested().load(Ordering::Acquire);
    shard.memory.taken().load(Ordering::Acquire) == rested
}

/// How many outputs a shard holds for this outbox.
fn held_by(shard: &HostShard, outbox: usize) -> u64 {
    shard.memory.port(outbox).map_or(0, |port| port.held().load(Ordering::Relaxed))
}

/// Whether a shard that does not wait has something to do.
fn has_messages(shard: &HostShard) -> bool {
    let consumed = shard.inbound.ring().consumed();
    shard.inbound.ring().reserved() != consumed
}

impl KernelShared {
    /// Whether one of its shards waits for room in the kernel that it is connected to.
    pub(crate) fn waits_for_a_kernel(&self) -> bool {
        self.core.shards.iter().any(|shard| self.stalled(shard) == STALLED_BY_KERNEL)
    }

    /// What one of its shards waits for. With a long hold, a shard also says that it waits for a kernel while something waits for
    /// the host that was for a kernel which it is connected to no more.
    fn stalled(&self, shard: &HostShard) -> u32 {
        let said = stalled(shard);
        if said != STALLED_BY_KERNEL || self.core.options.outbound.hold == 0 {
            return said;
        }
        let known = self.links.known();
        let definition = self.core.definition;
        let leads_on = |place: usize| match definition.nobody() {
            Some(_) => !known.targets.is_empty(),
            None => known.targets.iter().any(|target| target.outbox == place),
        };
        let is_of_host = |place: usize| held_by(shard, place) != 0 && !leads_on(place);
        if (0..definition.counted_places()).any(is_of_host) { STALLED_BY_HOST } else { said }
    }

    fn waits(&self) -> Waits {
        if self.core.is_finished() {
            return Waits::Nothing;
        }
        // Do not lock the command to read it: whoever holds the lock may be waiting for the device.
        if self.core.shards[0].memory.command().load(Ordering::Relaxed) & command::ACTIVE == 0 {
            return Waits::Activation;
        }
        let (mut host, mut kernel) = (false, false);
        for shard in &self.core.shards {
            // Read this first, so that the word that is read next is not older.
            let rests = rests(shard);
            match self.stalled(shard) {
                // With something held it goes on, too.
                0 | STALLED_HOLDS if !rests || has_messages(shard) => return Waits::Nothing,
                0 | STALLED_HOLDS => {}
                STALLED_BY_KERNEL if !rests => return Waits::Nothing,
                STALLED_BY_KERNEL => kernel = true,
                _ => host = true,
            }
        }
        match (host, kernel) {
            (true, _) => Waits::Host,
            (false, true) => Waits::Kernel,
            (false, false) => Waits::Nothing,
        }
    }

    /// Whether one of the rings that other kernels send to is full, as far as the host sees. Of rings in a
    /// device's memory it knows only the sum; they are as long as the rings that the host sends to.
    fn has_full_ring(&self) -> bool {
        let capacity = u64::from(self.core.shards[0].inbound.ring().layout().capacity);
        match self.unread() {
            Some(unread) => unread >= capacity,
            None => self.core.shards.iter().any(|shard| shard.inbound.ring().depth() >= capacity),
        }
    }

    /// Adds all counts that change when something moves.
    fn moved(&self, counts: &mut Vec<u64>) {
        for shard in &self.core.shards {
            let memory = &shard.memory;
            let ring = shard.inbound.ring();
            counts.extend([ring.consumed(), ring.reserved()]);
            let words = [memory.taken(), memory.forwarded(), memory.unforwarded()];
            // SYNC: none: what is taken twice and compared may be of any moment.
            counts.extend(words.map(|word| word.load(Ordering::Acquire)));
            let ports = (0..self.core.definition.counted_places()).filter_map(|number| memory.port(number));
            // SYNC: none: as above.
            counts.extend(ports.map(|port| port.held().load(Ordering::Acquire)));
        }
    }

    /// What its stalled shards wait for; `None` if none is stalled.
    pub(crate) fn stall(&self) -> Option<Stall> {
        let count =
            |kind: fn(u32) -> bool| self.core.shards.iter().filter(|shard| kind(self.stalled(shard))).count();
        let mut for_kernel = count(|word| word == STALLED_BY_KERNEL) as u32;
        let mut for_host = count(|word| word == STALLED_BY_HOST) as u32;
        if for_host + for_kernel == 0 {
            return None;
        }
        if for_host != 0 && !self.bridged_to().is_empty() {
            for_kernel += std::mem::take(&mut for_host);
        }
        let (way, end) = if for_kernel != 0 { self.way() } else { (Vec::new(), StallEnd::Host) };
        let waits_for = way.iter().skip(1).map(|step| step.kernel().core.name.clone()).collect();
        Some(Stall { for_host, for_kernel, waits_for, end })
    }

    /// The kernels that it waits for, itself first, and what the last one waits for. In a cycle, the last
    /// kernel is also one of those before it.
    fn way(&self) -> (Vec<Step<'_>>, StallEnd) {
        follow(&mut vec![Step::First(self)], &mut Vec::new())
    }

    /// Whether a shard that waits for a kernel waits for room for this outbox, or for any of its kernels.
    fn holds_by(&self, shard: &HostShard, outbox: usize) -> bool {
        self.core.definition.counted_places() == 0
            || held_by(shard, outbox) != 0
            || self.held_for_any(shard) != 0
    }

    /// How many outputs a shard holds for any of the kernels that it is connected to.
    fn held_for_any(&self, shard: &HostShard) -> u64 {
        let definition = self.core.definition;
        let addresses = definition.peers.is_some_and(|peers| !peers.by_topic);
        definition.nobody().filter(|_| addresses).map_or(0, |nobody| held_by(shard, nobody))
    }

    /// The kernels that its stalled shards wait for.
    fn waited_for(&self) -> Vec<Arc<KernelShared>> {
        let mut kernels = self.linked_and_waited_for();
        kernels.extend(self.bridged_to());
        kernels
    }

    /// Those of them that it is connected to.
    pub(super) fn linked_and_waited_for(&self) -> Vec<Arc<KernelShared>> {
        let known = self.links.known();
        let is_waited_for =
            |target: &&Target<Self>| self.core.shards.iter().any(|shard| self.holds_by(shard, target.outbox));
        known.targets.iter().filter(is_waited_for).filter_map(|target| target.kernel.upgrade()).collect()
    }

    /// The kernels that bridges from it wait for, if they alone receive what it sends to the host.
    fn bridged_to(&self) -> Vec<Arc<KernelShared>> {
        let known = self.links.known();
        let is_linked = |place: &usize| known.targets.iter().any(|target| target.outbox == *place);
        let ports = self.core.definition.ports;
        let answers = |place: &usize| ports.get(*place).is_some_and(|port| port.is_reply);
        let to_host = (0..ports.len().max(1)).filter(|place| !is_linked(place) && !answers(place));
        self.bridges.waited_for(to_host)
    }

    /// Whether each of its shards that waits for a kernel waits for this one.
    fn waits_for(&self, next: &Self) -> bool {
        let known = self.links.known();
        let leads_there = |target: &&Target<Self>| std::ptr::eq(target.kernel.as_ptr(), next);
        self.core.shards.iter().filter(|shard| self.stalled(shard) == STALLED_BY_KERNEL).all(|shard| {
            known.targets.iter().filter(leads_there).any(|target| self.holds_by(shard, target.outbox))
        })
    }

    /// Whether each of its shards that waits for a kernel would wait even if all that it holds for others than these had gone.
    fn is_filled_by(&self, these: &[&Self]) -> bool {
        let known = self.links.known();
        let leads_there =
            |target: &&Target<Self>| these.iter().any(|&kernel| std::ptr::eq(target.kernel.as_ptr(), kernel));
        // What is for any goes to another one, unless that has ended.
        let takes_any = |target: &&Target<Self>| {
            !leads_there(target) && target.kernel.upgrade().is_some_and(|kernel| !kernel.core.is_finished())
        };
        let for_any = |shard: &HostShard| {
            let takes = known.targets.iter().any(|target| takes_any(&target));
            if takes { 0 } else { self.held_for_any(shard) }
        };
        let definition = self.core.definition;
        let (hold, worst) = (self.core.options.outbound.hold, definition.max_outputs);
        self.core.shards.iter().filter(|shard| self.stalled(shard) == STALLED_BY_KERNEL).all(|shard| {
            let mut targets = known.targets.iter().filter(leads_there);
            // What waits along rows is counted in copies, and all of it waits for one kernel.
            if hold == 0 || definition.rows.is_some() {
                let counts = definition.counted_places() != 0;
                return targets.any(|target| !counts || held_by(shard, target.outbox) != 0)
                    || for_any(shard) != 0;
            }
            let held = targets.map(|target| held_by(shard, target.outbox));
            // One output on a topic may wait for several.
            let all = if publishes(definition) { held.max().unwrap_or(0) } else { held.sum() };
            all + for_any(shard) + u64::from(worst) > hold.into()
        })
    }

    /// Reports, once, if this kernel waits in a cycle that stands still.
    pub(crate) fn tell_of_a_cycle(&self) {
        self.way();
    }
}

/// Follows the links from the last kernel of a way: the first way that stands still in a cycle, or else the
/// first. `done` are kernels from which all ways were followed.
fn follow<'a>(way: &mut Vec<Step<'a>>, done: &mut Vec<*const KernelShared>) -> (Vec<Step<'a>>, StallEnd) {
    let mut found = None;
    for target in way[way.len() - 1].kernel().waited_for() {
        let seen = way.iter().position(|step| std::ptr::eq(step.kernel(), &raw const *target));
        way.push(Step::Next(target));
        let kernel = way[way.len() - 1].kernel();
        let mut sure = false;
        let this = if let Some(first) = seen {
            let cycle: Vec<_> = way[first..way.len() - 1].iter().map(Step::kernel).collect();
            let names = || cycle.iter().map(|kernel| kernel.core.name.clone()).collect();
            sure = stands_still(&cycle);
            if sure {
                tell(&cycle);
            }
            let in_rounds =
                |kernel: &&KernelShared| kernel.core.options.shape.rounds && kernel.has_full_ring();
            let end = if cycle.iter().any(in_rounds) {
                StallEnd::CycleInRounds(names())
            } else if sure {
                StallEnd::Cycle(names())
            } else if cycle.iter().any(|kernel| !kernel.bridged_to().is_empty()) {
                StallEnd::CycleOverBridges(names())
            } else {
                StallEnd::Room
            };
            (way.clone(), end)
        } else {
            match kernel.waits() {
                Waits::Kernel if !done.contains(&std::ptr::from_ref(kernel)) => follow(way, done),
                Waits::Kernel | Waits::Nothing => (way.clone(), StallEnd::Room),
                Waits::Activation => (way.clone(), StallEnd::Activation),
                Waits::Host
                    if kernel.bridged_to().is_empty() || done.contains(&std::ptr::from_ref(kernel)) =>
                {
                    (way.clone(), StallEnd::Host)
                }
                Waits::Host => follow(way, done),
            }
        };
        way.pop();
        if sure || matches!(this.1, StallEnd::Cycle(_)) {
            return this;
        }
        found.get_or_insert(this);
    }
    done.push(way[way.len() - 1].kernel());
    found.unwrap_or_else(|| (way.clone(), StallEnd::Room))
}

/// Reports, once, that these kernels wait for each other, and stand still.
fn tell(cycle: &[&KernelShared]) {
    let names: Vec<&str> = cycle.iter().map(|kernel| kernel.core.name.as_str()).collect();
    let is_new = {
        // If several threads find the same cycle, only one reports it.
        static ONE_BY_ONE: Mutex<()> = Mutex::new(());
        let _one = ONE_BY_ONE.lock().unwrap_or_else(PoisonError::into_inner);
        cycle.iter().filter(|kernel| !kernel.links.told.swap(true, Ordering::Relaxed)).count() != 0
    };
    if !is_new {
        return;
    }
    for kernel in cycle {
        kernel.core.record(event::CYCLE, [0; 3]);
    }
    let cycle = names.join(", ");
    // This may be a worker or the pump.
    contained(|| {
        tracing::warn!(
            target: STALL_TARGET,
            kernel = names[0],
            cycle,
            "kernels wait for room in each other's full rings, and stand still: {cycle}; terminate or disconnect \
             one of them, and send less for each message, raise capacity or hold until all that is on its way has room, or connect one with Reject"
        );
    });
}

/// Whether none of these kernels can go on by itself. Each waits for the next; see the module.
fn stands_still(cycle: &[&KernelShared]) -> bool {
    let others = beside(cycle);
    let others: Vec<&KernelShared> = others.iter().map(|kernel| &**kernel).collect();
    let look = || {
        let mut counts = Vec::new();
        let all = || cycle.iter().chain(&others).copied();
        all().for_each(|kernel| kernel.moved(&mut counts));
        let waits =
            |kernel: &&KernelShared| matches!(kernel.waits(), Waits::Kernel) && kernel.has_full_ring();
        let mut stuck: Vec<_> = all().filter(waits).collect();
        loop {
            let these = stuck.clone();
            stuck.retain(|kernel| kernel.is_filled_by(&these));
            if stuck.len() == these.len() {
                break;
            }
        }
        let is_stuck = |kernel: &KernelShared| stuck.iter().any(|stuck| std::ptr::eq(*stuck, kernel));
        let next = cycle.iter().cycle().skip(1);
        (cycle.iter().all(|kernel| is_stuck(kernel))
            && cycle.iter().zip(next).all(|(kernel, next)| kernel.waits_for(next)))
        .then_some(counts)
    };
    let first = look();
    first.is_some() && look() == first
}

/// Further kernels for which those of a cycle, or these, hold outputs: what is held for them may fill a long hold, too; and they
/// may take what is held for any.
fn beside(cycle: &[&KernelShared]) -> Vec<Arc<KernelShared>> {
    let mut found: Vec<Arc<KernelShared>> = Vec::new();
    let for_any =
        |kernel: &KernelShared| kernel.core.shards.iter().any(|shard| kernel.held_for_any(shard) != 0);
    if cycle.iter().all(|kernel| kernel.core.options.outbound.hold == 0 && !for_any(kernel)) {
        return found;
    }
    let mut next: Vec<_> = cycle.iter().flat_map(|kernel| kernel.linked_and_waited_for()).collect();
    while let Some(kernel) = next.pop() {
        let is_same = |other: &KernelShared| std::ptr::eq(other, &raw const *kernel);
        if !cycle.iter().any(|other| is_same(other)) && !found.iter().any(|other| is_same(other)) {
            next.extend(kernel.linked_and_waited_for());
            found.push(kernel);
        }
    }
    found
}
