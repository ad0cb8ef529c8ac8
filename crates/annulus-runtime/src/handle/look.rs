//! A look at a kernel, from inside its process.

use std::sync::Arc;

use annulus_abi::vitals::{
    ports::{ANY_OR_NO_PEER, HOST_OR_NO_PEER, PortShard},
    read::Shard,
};
use annulus_kernel::{KernelDefinition, ProcessingMode, StateShape};
use annulus_sync::Ordering;

use crate::{
    bridge::look::BridgeLook,
    handle::control::KernelControl,
    kernel::{core::HostShard, links::Target, shared::KernelShared, told},
};

/// A kernel as an observer finds it. See [`KernelControl::look`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct KernelLook {
    /// The number of its launch, which no other launch of the process has.
    pub id: u64,
    /// The kernel as data.
    pub definition: &'static KernelDefinition,
    /// How its blocks take messages.
    pub mode: ProcessingMode,
    /// Threads of a block.
    pub block: u32,
    /// Most messages of a turn.
    pub max_batch: u32,
    /// Its actors; 0 without state for each actor.
    pub actors: u64,
    /// Slots of each shard's inbound ring.
    pub inbound_capacity: u32,
    /// How many messages may wait for a shard: in the queues in front of its inbound ring, if there are any, else in
    /// the ring.
    pub queue_capacity: u64,
    /// Slots of each shard's outbound ring.
    pub outbound_capacity: u32,
    /// The [`id`](Self::id) of the kernel that its outputs go to. With several outboxes, one that is waited for.
    pub target: Option<u64>,
    /// Its outboxes, if it has several and may be connected. If its outputs say whom they are for, the kernels that it is
    /// connected to, and [nobody](PortLook::is_nobody).
    pub ports: Vec<PortLook>,
    /// The number of the outbox by which it asks, if it may ask.
    pub asks_by: Option<usize>,
    /// Whether it has ended.
    pub has_ended: bool,
    /// Whether it did not end when its supervisor told it to, and was left behind.
    pub left_behind: bool,
    /// When it was launched, in nanoseconds on the runtime's clock.
    pub launched_at: u64,
    /// Whether its messages may be [followed](crate::LaunchOptions::tracing).
    pub tracing: bool,
    /// Handlers that took longer than the launch's [`slow_after`](crate::LaunchOptions::slow_after).
    pub slow: u64,
    /// Whether its messages have keys.
    pub keys: bool,
    /// Whether it goes in [rounds](crate::LaunchOptions::rounds).
    pub rounds: bool,
    /// Whether its keys are [sparse](crate::LaunchOptions::sparse_keys).
    pub sparse_keys: bool,
    /// Messages that other kernels put into rings in a device's memory, and that it has not taken. They are not in
    /// [`shards`](Self::shards): nobody counts which shard they are for.
    pub linked: u64,
    /// The bridges that lead from it, and from queues to it: those that work, and the last ones that have ended.
    pub bridges: Vec<BridgeLook>,
    /// Its shards, one for each block.
    pub shards: Vec<Shard>,
}

/// One of several outboxes of a kernel, or one of several kernels that its outputs may name, as an observer finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortLook {
    /// The name of the handler's parameter; or `peer 1` for the first kernel that was given, and so on; or `rows` for the kernel
    /// whose actors the rows of a graph name.
    pub name: String,
    /// The `id` of the kernel that it leads to, and whether outputs wait for room there; `None`: to the host.
    pub target: Option<(u64, bool)>,
    /// What each shard has sent by it to kernels, since launch.
    pub shards: Vec<PortShard>,
}

impl PortLook {
    /// Whether it counts what is for none of the kernels that outputs may name. All of that is lost.
    pub fn is_nobody(&self) -> bool {
        [ANY_OR_NO_PEER, HOST_OR_NO_PEER].contains(&&*self.name)
    }

    /// The sum over all shards.
    pub fn sum(&self) -> PortShard {
        // The numbers may be anything.
        let add = |a: PortShard, b: &PortShard| PortShard {
            sent: a.sent.saturating_add(b.sent),
            held: a.held.saturating_add(b.held),
            lost: a.lost.saturating_add(b.lost),
        };
        self.shards.iter().fold(PortShard::default(), add)
    }
}

/// What observers call an outbox of a kernel, or a place.
pub(crate) fn outbox_name(definition: &KernelDefinition, number: usize) -> String {
    match definition.nobody() {
        None => definition.ports[number].name.into(),
        Some(nobody) if number == nobody => {
            let by_topic = definition.peers.is_some_and(|peers| peers.by_topic);
            (if by_topic { HOST_OR_NO_PEER } else { ANY_OR_NO_PEER }).into()
        }
        Some(_) if definition.rows.is_some() => "rows".into(),
        Some(_) => format!("peer {}", number + 1),
    }
}

/// Whether observers see a place: it leads to a kernel, or stands for nobody beside others that do.
pub(crate) fn shows_place(targets: &[Target<KernelShared>], place: usize, nobody: usize) -> bool {
    !targets.is_empty() && (place == nobody || targets.iter().any(|target| target.outbox == place))
}

impl KernelShared {
    /// Its outboxes, if it has several and may be connected, or its places that lead somewhere. `id` numbers the kernels
    /// that they lead to.
    pub(crate) fn look_at_ports(&self, id: impl Fn(&Arc<KernelShared>) -> u64) -> Vec<PortLook> {
        let known = self.links.known();
        let shards = |number: usize| {
            let of = |shard: &HostShard| {
                let words = shard.memory.port(number)?;
                Some(PortShard {
                    sent: words.forwarded().load(Ordering::Relaxed),
                    held: words.held().load(Ordering::Relaxed),
                    lost: words.unforwarded().load(Ordering::Relaxed),
                })
            };
            self.core.shards.iter().filter_map(of).collect::<Vec<_>>()
        };
        let definition = self.core.definition;
        let look = |number: usize| PortLook {
            name: outbox_name(definition, number),
            target: known
                .targets
                .iter()
                .find(|target| target.outbox == number)
                .and_then(|target| Some((id(&target.kernel.upgrade()?), target.waits))),
            shards: shards(number),
        };
        let is_shown = |&number: &usize| {
            definition.nobody().is_none_or(|nobody| shows_place(&known.targets, number, nobody))
        };
        let ports = (0..definition.counted_places()).filter(is_shown).map(look);
        ports.filter(|port| !port.shards.is_empty()).collect()
    }
}

impl KernelControl {
    /// What an observer from outside would find of it: the words of its shards at this moment, and what they
    /// mean. `annulus-observe` is made of looks.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched();
    /// kernel.send_batch_blocking(&numbers(0..10))?;
    /// kernel.drained_blocking();
    /// let look = kernel.look();
    /// assert_eq!((look.shards.len(), look.shards[0].processed), (1, 10));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn look(&self) -> KernelLook {
        let id = |kernel: &Arc<KernelShared>| kernel.number();
        let core = self.kernel.core();
        let (definition, options) = (core.definition, &core.options);
        KernelLook {
            id: id(&self.kernel),
            definition,
            mode: core.mode(),
            block: options.shape.block,
            max_batch: core.max_batch(),
            actors: match definition.state {
                StateShape::PerActor(_) => options.shape.actors,
                _ => 0,
            },
            inbound_capacity: core.shards[0].inbound.ring().layout().capacity,
            outbound_capacity: core.shards[0].outbound.layout().capacity,
            queue_capacity: core.queue_capacity(),
            target: self.kernel.target().map(|target| id(&target)),
            ports: self.kernel.look_at_ports(id),
            asks_by: definition.asks_by(),
            // Asked first: after the end nothing changes.
            has_ended: core.is_finished(),
            left_behind: core.told.has(told::LEFT_BEHIND),
            launched_at: core.launched_at,
            tracing: core.traced.is_some(),
            slow: core.slow.as_ref().map_or(0, |slow| slow.count()),
            keys: definition.key.is_some(),
            rounds: core.options.shape.rounds,
            sparse_keys: core.options.shape.sparse_keys,
            linked: self.kernel.linked(),
            bridges: self.kernel.bridges.looks(),
            shards: self.kernel.look(),
        }
    }
}
