//! What a block tells the host's side of its kernel, and where it delivers messages for other kernels.

use std::sync::Weak;

/// Who is told of a shard's progress. Called by whoever drives the shard, a worker or the runtime's pump.
pub trait Signals: Send + Sync {
    /// The shard made progress. What it reports was published before the call.
    fn progressed(&self, shard: u32, progress: Progress);
}

/// What happened in a shard since its last report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Slots that it gave back in its inbound ring.
    pub consumed: u32,
    /// Messages that it published in its outbound ring.
    pub produced: u32,
    /// Dead letters that it published.
    pub dead_letters: u32,
    /// Whether it may have printed something that was not reported yet, or lost a print.
    pub prints: bool,
    /// Whether it has obeyed a new command, and acknowledged it.
    pub state_changed: bool,
    /// Whether it has sent to, or taken from, other kernels over the device's own memory, or has lost a
    /// message of that kind; or waits for room there, or does not any more.
    pub traffic: bool,
    /// Whether it has begun to wait for room in the kernel that it is connected to. A backend that reports
    /// that as `traffic` needs not say it.
    pub stalled: bool,
}

/// A kernel that takes messages of other kernels from a thread of this process.
pub trait Deliver: Send + Sync {
    /// Puts a message into the inbound ring of the shard that it is for.
    ///
    /// # Safety
    ///
    /// It is a message of the kernel's type.
    unsafe fn deliver(&self, message: *const u8) -> Delivery;

    /// Whether `deliver` would not say now that the ring is full.
    ///
    /// # Safety
    ///
    /// It is a message of the kernel's type.
    unsafe fn has_room(&self, message: *const u8) -> bool;
}

/// Where a block's outputs go, if not to the host.
#[derive(Clone)]
pub struct Link {
    /// The kernel that takes them.
    pub target: Weak<dyn Deliver>,
    /// An output for which there is no room waits, and the block takes no message until it has gone; else it
    /// is lost, and counted.
    pub waits: bool,
}

/// What became of a message between kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// The kernel has it.
    Done,
    /// There is no room for it.
    Full,
    /// The kernel ends, or has ended.
    Closed,
}
