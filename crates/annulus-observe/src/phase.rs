//! What a shard is at.

use std::fmt;

use annulus_abi::vitals::{phase, read::Shard};

/// What a shard is at, as its block says. See [`annulus_abi::vitals::phase`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Nobody says: the block has not begun, or nobody has copied it yet.
    Unknown,
    /// It sleeps until somebody wakes it.
    Asleep,
    /// It looks for messages.
    Looking,
    /// It is in a message's handler.
    InHandler,
    /// It makes results visible, and wakes those who wait.
    Publishing,
    /// It waits until the host takes outputs.
    StalledOnHost,
    /// It waits for room in a kernel.
    StalledOnKernel,
    /// It waits for the kernel's other blocks.
    AtBarrier,
    /// It is inactive.
    Inactive,
    /// It has ended.
    Ended,
}

impl Phase {
    /// The phase of a shard.
    pub fn of(shard: &Shard) -> Self {
        match shard.at.phase {
            phase::ASLEEP => Self::Asleep,
            phase::LOOKING => Self::Looking,
            phase::IN_HANDLER => Self::InHandler,
            phase::PUBLISHING => Self::Publishing,
            phase::STALLED_ON_HOST => Self::StalledOnHost,
            phase::STALLED_ON_KERNEL => Self::StalledOnKernel,
            phase::AT_BARRIER => Self::AtBarrier,
            phase::INACTIVE => Self::Inactive,
            phase::ENDED => Self::Ended,
            _ => Self::Unknown,
        }
    }

    /// Whether the shard is at a message: its number and key mean something.
    pub fn is_work(self) -> bool {
        matches!(self, Self::InHandler | Self::StalledOnHost | Self::StalledOnKernel)
    }

    /// The number of the message that the shard is at, from 0 in each shard.
    pub fn message(self, shard: &Shard) -> u64 {
        shard.at.number
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(phase::NAMES[*self as usize])
    }
}
