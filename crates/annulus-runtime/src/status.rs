//! What a kernel tells about itself when it is asked.

use std::{fmt, time::Duration};

/// Where a kernel is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KernelState {
    /// Not every shard has looked at its command yet.
    Launched,
    /// Consumes messages.
    Active,
    /// Keeps its state and its queues, consumes nothing.
    Inactive,
    /// Gone for good. Its last replies can still be received.
    Terminated,
}

impl fmt::Display for KernelState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Launched => "launched",
            Self::Active => "active",
            Self::Inactive => "inactive",
            Self::Terminated => "terminated",
        })
    }
}

/// Messages that were not processed, by cause, since launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drops {
    /// Refused because the queue was full, and handed back.
    pub rejected: u64,
    /// Evicted by a newer message (DropOldest).
    pub evicted: u64,
    /// Discarded when they were sent (DropNew).
    pub discarded: u64,
    /// Rolled back because the handler failed.
    pub failed: u64,
    /// Refused by the kernel because their key named no actor.
    pub unknown_actor: u64,
    /// Left in the queues when the kernel terminated. Handed back, but for what other kernels sent over a device's own memory.
    pub undelivered: u64,
}

impl Drops {
    /// The causes and their counts.
    pub fn by_cause(&self) -> [(&'static str, u64); 6] {
        [
            ("rejected", self.rejected),
            ("evicted", self.evicted),
            ("discarded", self.discarded),
            ("failed", self.failed),
            ("unknown_actor", self.unknown_actor),
            ("undelivered", self.undelivered),
        ]
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.by_cause().iter().map(|(_, count)| count).sum()
    }
}

/// A kernel's status. While it runs the numbers are read one after the other; at rest
/// `sent = processed + drops.total() + pending`, exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelStatus {
    /// The instance's name.
    pub name: String,
    /// The backend that runs it.
    pub backend: &'static str,
    /// Where it is in its life.
    pub state: KernelState,
    /// Whether it is open to new messages.
    pub accepts_messages: bool,
    /// Messages that were sent, whatever became of them, by the host or by connected kernels. Refusals by a closed kernel do not count. Of
    /// messages that kernels send each other over a device's own memory, those that the kernel has not taken yet are not known here.
    pub sent: u64,
    /// Messages that wait to be handled.
    pub pending: u64,
    /// Messages whose handler succeeded.
    pub processed: u64,
    /// Messages that were not processed, by cause.
    pub drops: Drops,
    /// Messages that handlers sent.
    pub produced: u64,
    /// Of these, messages for a connected kernel that were lost: it had terminated, or had no room under Reject; or this kernel terminated while they waited.
    pub outputs_lost: u64,
    /// Replies that wait in the outbound rings.
    pub replies_waiting: u64,
    /// Shards that wait for space in their outbound ring: they go on when somebody receives, or when the kernel that they are connected to has room.
    pub stalled_shards: u32,
    /// Dead letters that were lost, since their shard's ring was full before the host came by.
    pub letters_lost: u64,
    /// Shards.
    pub shards: u32,
    /// A shard's last error code, 0 if none had an error.
    pub last_error: u16,
    /// Time since launch.
    pub uptime: Duration,
}

impl KernelStatus {
    /// Whether the kernel consumes messages.
    pub fn is_active(&self) -> bool {
        self.state == KernelState::Active
    }
}

impl fmt::Display for KernelStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} on {}: {}, {} sent, {} processed, {} dropped, {} pending, {} replies waiting",
            self.name,
            self.backend,
            self.state,
            self.sent,
            self.processed,
            self.drops.total(),
            self.pending,
            self.replies_waiting
        )?;
        if self.stalled_shards != 0 {
            write!(
                f,
                ", {} of {} shards stalled: receive their replies, or see why the connected kernel has no room",
                self.stalled_shards, self.shards
            )?;
        }
        if self.outputs_lost != 0 {
            write!(f, ", {} outputs for a connected kernel lost", self.outputs_lost)?;
        }
        if self.last_error != 0 {
            write!(
                f,
                ", last error {:#06x} ({})",
                self.last_error,
                annulus_abi::error::describe(self.last_error)
            )?;
        }
        Ok(())
    }
}
