//! What a kernel with several outboxes shows of them: where each leads, and what it has sent there. To a kernel whose
//! outputs say whom they are for, its places are what outboxes are to others; the last one stands for nobody
//! ([`HOST_OR_NO_PEER`], [`ANY_OR_NO_PEER`]).
//!
//! The part of the file lies beside the shards': as many [`ShardPorts`] as there are
//! [`ShardVitals`](super::ShardVitals), in the same order. Only kernels with several outboxes that may be
//! connected use theirs ([`KernelEntry::ports`](super::KernelEntry::ports)); the others' are holes of the file.
//!
//! # Words and writers
//!
//! | part | written by | when |
//! |---|---|---|
//! | [`PortCounts`] | the shard; where blocks cannot use this memory, the host copies them as it does the shard's other words | while the kernel runs |
//! | [`PortLink::kernel`], [`name`](PortLink::name) | the runtime, while the kernel's entry is free | at a launch |
//! | [`PortLink::kernel`] of a place | the runtime | while the source is inactive |
//! | [`PortLink::waits`], then [`target`](PortLink::target) | the runtime | while the source is inactive |
//!
//! Links are those of the kernel, not of a shard: they stand with its first shard alone. All words are stored
//! relaxed. A reader that finds a link of another launch than it looks at leaves it out.

use core::mem::offset_of;

use super::{read::word64, text};
use crate::control::PortCounts;

/// The name of the place that stands for nobody, and where outputs wait that are for any; where names are addresses. No
/// outbox has one of several words.
pub const ANY_OR_NO_PEER: &str = "any or no peer";

/// Its name in a kernel that publishes on topics: what the host got is what the place has sent.
pub const HOST_OR_NO_PEER: &str = "host or no peer";

/// Most outboxes of a kernel that a file shows. Source: that of the kernel language.
pub const MOST_PORTS: usize = 16;

/// What the outboxes of a shard show, by their numbers.
#[derive(Debug)]
#[repr(C, align(128))]
pub struct ShardPorts {
    /// What they have sent.
    pub counts: [PortCounts; MOST_PORTS],
    /// Where they lead. Of the kernel's first shard alone.
    pub links: [PortLink; MOST_PORTS],
}

/// Where an outbox leads.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct PortLink {
    /// The [`id`](super::KernelEntry::id) of the launch that has this outbox. Any other one: it is of a kernel of
    /// the past, or a place that leads nowhere.
    pub kernel: u64,
    /// The `id` of the kernel that it is connected to; 0: it leads to the host.
    pub target: u64,
    /// Whether outputs without room there wait. Else they are lost.
    pub waits: u64,
    /// Its name.
    pub name: [u8; 40],
}

/// An outbox, as a file shows it.
#[derive(Clone, Copy, Debug)]
pub struct Port<'a> {
    /// The [`ShardPorts`] of the kernel, as far as they are there.
    bytes: &'a [u8],
    number: usize,
}

/// What an outbox of a shard has sent to kernels, since launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortShard {
    /// Messages that went to a connected kernel: [`PortCounts::forwarded`].
    pub sent: u64,
    /// Messages that wait for room there: [`PortCounts::held`].
    pub held: u64,
    /// Messages for a connected kernel that were lost: [`PortCounts::unforwarded`].
    pub lost: u64,
}

/// The outboxes of the launch `kernel`, of which there are `count`, given the [`ShardPorts`] of its shards.
pub(super) fn ports(bytes: &[u8], kernel: u64, count: usize) -> impl Iterator<Item = Port<'_>> {
    let ports = (0..count.min(MOST_PORTS)).map(move |number| Port { bytes, number });
    ports.filter(move |port| port.link(offset_of!(PortLink, kernel)) == Some(kernel))
}

impl<'a> Port<'a> {
    /// Where its link begins.
    fn link_offset(&self) -> usize {
        offset_of!(ShardPorts, links) + self.number * size_of::<PortLink>()
    }

    fn link(&self, offset: usize) -> Option<u64> {
        word64(self.bytes, self.link_offset() + offset)
    }

    /// Its number among the kernel's outboxes.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Its name.
    pub fn name(&self) -> &'a str {
        let first = self.link_offset() + offset_of!(PortLink, name);
        self.bytes.get(first..first + 40).map_or("", text)
    }

    /// The launch that it leads to, and whether outputs wait for room there; `None` if it leads to the host.
    pub fn target(&self) -> Option<(u64, bool)> {
        let target = self.link(offset_of!(PortLink, target)).filter(|&target| target != 0)?;
        Some((target, self.link(offset_of!(PortLink, waits)) != Some(0)))
    }

    /// What it has sent, by shards, as far as they are there.
    pub fn shards(&self) -> impl Iterator<Item = PortShard> + use<'a> {
        let counts = offset_of!(ShardPorts, counts) + self.number * size_of::<PortCounts>();
        self.bytes.chunks_exact(size_of::<ShardPorts>()).map(move |shard| {
            let word = |offset| word64(shard, counts + offset).unwrap_or(0);
            PortShard {
                sent: word(offset_of!(PortCounts, forwarded)),
                held: word(offset_of!(PortCounts, held)),
                lost: word(offset_of!(PortCounts, unforwarded)),
            }
        })
    }
}

const _: () = {
    assert!(size_of::<PortLink>() == 64);
    assert!(offset_of!(PortLink, target) == 8);
    assert!(offset_of!(PortLink, waits) == 16);
    assert!(offset_of!(PortLink, name) == 24);
    assert!(size_of::<ShardPorts>() == 2048);
    assert!(offset_of!(ShardPorts, counts) == 0);
    assert!(offset_of!(ShardPorts, links) == 1024);
};
