//! What the host says of a shard.

use core::mem::offset_of;

/// What the host says of a shard. The runtime is the only writer; words are stored relaxed, each by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(128))]
pub struct HostWords {
    /// Messages that wait in the host's queues in front of the inbound ring.
    pub staged: u64,
    /// Of the first shard alone: what the kernel's queues had dropped when telemetry was last reset, by the first
    /// five [causes](super::recorder::CAUSES). Telemetry counts from there; [`KernelEntry::drops`] does not.
    ///
    /// [`KernelEntry::drops`]: super::KernelEntry::drops
    pub dropped_before: [u64; 5],
    /// Records of messages that were followed which the host has found: see [`trace`](crate::trace). They are found soon after
    /// they were written.
    pub traces_recorded: u64,
    /// Records that found no room, as far as the host knows.
    pub traces_lost: u64,
    /// Of the first shard alone: messages that other kernels ever put into the kernel's rings in a device's memory, as far as
    /// the host knew when it last copied the shards' words. 0 where such messages go into the inbound rings.
    pub fed: u64,
    /// Always 0.
    pub reserved: [u64; 7],
}

const _: () = {
    assert!(size_of::<HostWords>() == 128);
    assert!(offset_of!(HostWords, staged) == 0);
    assert!(offset_of!(HostWords, dropped_before) == 8);
    assert!(offset_of!(HostWords, traces_recorded) == 48);
    assert!(offset_of!(HostWords, traces_lost) == 56);
    assert!(offset_of!(HostWords, fed) == 64);
};
