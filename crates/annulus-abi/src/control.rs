//! The control block through which a host commands a shard of a running kernel, and the shard answers.
//!
//! It has two pairs of cache lines. Only the host writes the first pair, and only the shard's kernel the
//! second.

use core::mem::offset_of;

/// Commands from the host, in [`ControlBlock::command`].
pub mod command {
    /// Consume messages.
    pub const ACTIVE: u32 = 1 << 0;
    /// Stop for good at the next message boundary.
    pub const TERMINATE: u32 = 1 << 1;
    /// Write telemetry.
    pub const TELEMETRY: u32 = 1 << 2;
    /// Bits 3 to 15. They change with each activation and deactivation, so an acknowledged command differs
    /// from earlier ones. They have no meaning to the shard.
    pub const GENERATION: u32 = 0xFFF8;
    /// The telemetry epoch is in the upper 16 bits. Counters restart when it changes.
    pub const EPOCH_SHIFT: u32 = 16;
}

/// Answers of the shard, in [`ControlBlock::state`].
pub mod state {
    /// The shard was launched and has not looked at its command yet.
    pub const LAUNCHED: u32 = 0;
    /// Consumes messages.
    pub const ACTIVE: u32 = 1;
    /// Keeps state and queues, consumes nothing.
    pub const INACTIVE: u32 = 2;
    /// Ended for good: touches neither rings nor state again.
    pub const TERMINATED: u32 = 3;
}

/// In [`ControlBlock::stalled`]: the shard waits for room in its outbound ring.
pub const STALLED_BY_HOST: u32 = 1;
/// In [`ControlBlock::stalled`]: the shard waits for room in the kernel that it is connected to.
pub const STALLED_BY_KERNEL: u32 = 2;
/// In [`ControlBlock::stalled`]: outputs wait for room in a kernel that the shard is connected to, and the shard takes messages
/// nevertheless, since its hold has room.
pub const STALLED_HOLDS: u32 = 3;

/// One shard's control block.
#[derive(Debug)]
#[repr(C, align(128))]
pub struct ControlBlock {
    /// What the host wants, see [`command`]. Written by the host, under the kernel's lifecycle lock.
    pub command: u32,
    /// Always 0.
    pub host_reserved: u32,
    /// Nanoseconds on the host's clock, renewed while the host lives. Unused by backends that share the
    /// host's process.
    pub host_heartbeat: u64,
    /// Rest of the host's pair of lines.
    pub host_padding: [u64; 14],

    /// What the shard does, see [`state`]. Written by the shard with release: a reader that acquires this
    /// sees what the shard wrote before.
    pub state: u32,
    /// The last error code, 0 for none. Written by the shard after the message that it belongs to.
    pub last_error: u32,
    /// Messages whose handler succeeded, since launch. Written by the shard once per iteration.
    pub processed: u64,
    /// Messages that were rolled back, since launch. Messages for unknown actors are counted only in
    /// `unknown_actor`.
    pub failed: u64,
    /// Messages whose key named no actor, since launch.
    pub unknown_actor: u64,
    /// Messages that handlers sent, since launch.
    pub sent: u64,
    /// 1 once a body has ended its kernel: the shard takes no more messages, and the host terminates the kernel.
    /// Written once, by the shard.
    pub leaving: u32,
    /// The command that the shard obeyed last. Written after `state`, so a reader that sees a command here
    /// also sees its result in `state`.
    pub acknowledged: u32,
    /// Dead letters that found no room in the ring of dead letters, since launch.
    pub dead_letters_lost: u64,
    /// Prints that found no room in the ring of prints, since launch.
    pub prints_lost: u64,
    /// 1 while the shard waits for room in its outbound ring; [`STALLED_BY_KERNEL`] while it waits for room
    /// in the kernel that it is connected to; [`STALLED_HOLDS`] while something waits there, and the shard goes on; else 0. A host that makes room wakes the shard. It looks here
    /// after each message that it takes, so this word is in a line that the shard seldom writes.
    pub stalled: u32,
    /// Messages of other kernels that were unread when the shard terminated. Written once, by the shard.
    pub unread: u32,
    /// Messages that the shard has put into device-local rings of connected kernels, since launch. Counted
    /// before they are published there. Always 0 where kernels send to the same ring as the host.
    pub forwarded: u64,
    /// Messages that the shard has taken out of its own device-local ring, since launch. May be outdated when it
    /// is read.
    pub taken: u64,
    /// The value of `taken` when the shard last came to rest. A reader that acquires it sees what the shard
    /// had done until then.
    pub rested: u64,
    /// Messages for a connected kernel that were lost, since launch: the kernel had ended, or had no room
    /// under `Reject`.
    pub unforwarded: u64,
    /// Turns that took messages, since launch. Stays 0 unless the launch counts turns.
    pub turns: u64,
    /// When the first of its timers is due, in nanoseconds on the runtime's clock; 0 if none is set. Written
    /// by the shard once per iteration.
    pub due: u64,
    /// How many timers are set, and how many were taken, see [`Timers`]. Written by the shard together with `due`, and
    /// before it counts what came of them.
    pub timers: u64,
}

/// What `timers` says in [`ControlBlock`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timers {
    /// How many are set: 65,536 at most.
    pub waiting: u32,
    /// How many places for answers are in use: 64 at most. Where no answer has come in time, longer than the timer waits.
    pub asks: u32,
    /// How many were taken since the launch, modulo 2⁴⁰.
    pub taken: u64,
}

/// Where the count of asks begins in the word.
pub const TIMERS_ASKS_SHIFT: u32 = 17;
/// Where the count of those that were taken begins in the word.
pub const TIMERS_TAKEN_SHIFT: u32 = 24;

impl Timers {
    /// From the word.
    pub const fn of_word(word: u64) -> Self {
        Self {
            waiting: (word & ((1 << TIMERS_ASKS_SHIFT) - 1)) as u32,
            asks: (word >> TIMERS_ASKS_SHIFT & 0x7F) as u32,
            taken: word >> TIMERS_TAKEN_SHIFT,
        }
    }

    /// As the word.
    pub const fn word(self) -> u64 {
        self.taken << TIMERS_TAKEN_SHIFT | (self.asks as u64) << TIMERS_ASKS_SHIFT | self.waiting as u64
    }
}

/// What one of several outboxes of a shard has sent to other kernels. All words are written by the shard.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct PortCounts {
    /// Messages that went to a connected kernel, since launch. Unlike [`ControlBlock::forwarded`] it also
    /// counts where kernels send to the same ring as the host.
    pub forwarded: u64,
    /// Messages for a connected kernel that were lost, since launch: as [`ControlBlock::unforwarded`].
    pub unforwarded: u64,
    /// Messages that wait for room in the connected kernel.
    pub held: u64,
    /// Rest of the line.
    pub padding: [u64; 5],
}

/// How many actors a shard has, of a kernel whose keys are sparse. Written by the shard when it takes a message for a key
/// that it does not know, and when an actor ends; and by the runtime when it restores a snapshot, while the shard is inactive.
#[derive(Debug)]
#[repr(C, align(128))]
pub struct ActorCounts {
    /// Places in use.
    pub used: u64,
    /// Actors that were evicted for others, since launch. Only written by the shard.
    pub evicted: u64,
    /// Actors that their handlers have ended, since launch. Only written by the shard.
    pub ended: u64,
    /// Rest of the pair of lines.
    pub padding: [u64; 13],
}

const _: () = {
    assert!(size_of::<ActorCounts>() == 128);
    assert!(offset_of!(ActorCounts, used) == 0);
    assert!(offset_of!(ActorCounts, evicted) == 8);
    assert!(offset_of!(ActorCounts, ended) == 16);
    assert!(size_of::<PortCounts>() == 64);
    assert!(offset_of!(PortCounts, forwarded) == 0);
    assert!(offset_of!(PortCounts, unforwarded) == 8);
    assert!(offset_of!(PortCounts, held) == 16);
    assert!(size_of::<ControlBlock>() == 256);
    assert!(offset_of!(ControlBlock, command) == 0);
    assert!(offset_of!(ControlBlock, host_heartbeat) == 8);
    assert!(offset_of!(ControlBlock, state) == 128);
    assert!(offset_of!(ControlBlock, last_error) == 132);
    assert!(offset_of!(ControlBlock, processed) == 136);
    assert!(offset_of!(ControlBlock, failed) == 144);
    assert!(offset_of!(ControlBlock, unknown_actor) == 152);
    assert!(offset_of!(ControlBlock, sent) == 160);
    assert!(offset_of!(ControlBlock, leaving) == 168);
    assert!(offset_of!(ControlBlock, stalled) == 192);
    assert!(offset_of!(ControlBlock, unread) == 196);
    assert!(offset_of!(ControlBlock, forwarded) == 200);
    assert!(offset_of!(ControlBlock, taken) == 208);
    assert!(offset_of!(ControlBlock, rested) == 216);
    assert!(offset_of!(ControlBlock, unforwarded) == 224);
    assert!(offset_of!(ControlBlock, turns) == 232);
    assert!(offset_of!(ControlBlock, due) == 240);
    assert!(offset_of!(ControlBlock, timers) == 248);
    assert!(offset_of!(ControlBlock, acknowledged) == 172);
    assert!(offset_of!(ControlBlock, dead_letters_lost) == 176);
    assert!(offset_of!(ControlBlock, prints_lost) == 184);
};
