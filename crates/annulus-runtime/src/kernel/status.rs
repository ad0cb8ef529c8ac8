//! The status of a kernel.

use std::{fmt, path::PathBuf, time::Duration};

use annulus_abi::{
    error::{ErrorName, brief},
    memory::KernelMemory,
};
use annulus_queue::QueueStatus;

use crate::bridge::KernelBridgeStatus;

/// The lifecycle state of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KernelState {
    /// Some shard has not seen its first command yet.
    Launched,
    /// The kernel consumes messages.
    Active,
    /// The kernel keeps its state and its queues, and consumes nothing.
    Inactive,
    /// The kernel has ended for good. Its last outputs can still be received.
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

/// Why a kernel has terminated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Ending {
    /// The program asked for it: it terminated the kernel, shut it down, or dropped its last handle. Also if the device
    /// failed after that.
    Asked,
    /// Its body has returned, where the loop is the kernel's own ([`Inbox`](annulus_kernel::Inbox)).
    ByItself,
    /// Its device failed, or its backend gave it up: nobody asked for it. Of messages that it had taken, nobody knows
    /// whether they were handled. [`KernelStatus::notes`] says why.
    Lost,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Asked => "terminated",
            Self::ByItself => "ended by itself",
            Self::Lost => "lost",
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
    /// Recognised as duplicates when they were sent, and handed back.
    pub duplicate: u64,
    /// Not handed over to the kernel within the launch's expiry.
    pub expired: u64,
    /// Rolled back because the handler failed.
    pub failed: u64,
    /// Refused by the kernel because their key named no actor.
    pub unknown_actor: u64,
    /// Left in the queues when the kernel terminated. Handed back, except messages that other kernels sent
    /// over a device's own memory.
    pub undelivered: u64,
    /// Taken out of a queue by the program, with `clear`, and handed back.
    pub cleared: u64,
}

impl Drops {
    /// The causes and their counts.
    ///
    /// ```
    /// # use annulus_runtime::Drops;
    /// let drops = Drops { failed: 2, ..Drops::default() };
    /// let failed = drops.by_cause().into_iter().find(|(cause, _)| *cause == "failed");
    /// assert_eq!(failed, Some(("failed", 2)));
    /// ```
    pub fn by_cause(&self) -> [(&'static str, u64); 9] {
        [
            ("rejected", self.rejected),
            ("evicted", self.evicted),
            ("discarded", self.discarded),
            ("duplicate", self.duplicate),
            ("expired", self.expired),
            ("failed", self.failed),
            ("unknown_actor", self.unknown_actor),
            ("undelivered", self.undelivered),
            ("cleared", self.cleared),
        ]
    }

    /// The sum of all causes.
    ///
    /// ```
    /// # use annulus_runtime::Drops;
    /// let drops = Drops { rejected: 1, failed: 2, ..Drops::default() };
    /// assert_eq!(drops.total(), 3);
    /// ```
    pub fn total(&self) -> u64 {
        self.by_cause().iter().map(|(_, count)| count).sum()
    }
}

/// Of messages that were followed, what a kernel's blocks have written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TraceStatus {
    /// Records of messages that were followed.
    pub recorded: u64,
    /// Records that were lost, since their shard's ring was full before the host read them.
    pub lost: u64,
}

/// A kernel's status. The numbers are read one after the other, so they need not agree while the kernel runs.
/// At rest, `sent = processed + drops.total() + pending` holds exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelStatus {
    /// The instance's name.
    pub name: String,
    /// The backend that runs it.
    pub backend: &'static str,
    /// Its lifecycle state.
    pub state: KernelState,
    /// Why it has terminated; `None` until then.
    pub ending: Option<Ending>,
    /// Whether it is open to new messages.
    pub accepts_messages: bool,
    /// Messages that the host or connected kernels have sent, whatever became of them. Messages that a closed
    /// kernel refused do not count.
    pub sent: u64,
    /// Messages that wait to be handled, those that other kernels sent over a device's own memory included. Of these, the blocks of
    /// both kernels tell the numbers at the end of a turn.
    pub pending: u64,
    /// How many of these are in the kernel's rings. Policies no longer affect them: they are handled in the
    /// order in which they lie there, and are neither evicted nor expire. In a kernel with policies, each
    /// shard has at most two batches of them, besides what connected kernels sent. In a kernel without
    /// policies, all pending messages are there.
    pub handed_over: u64,
    /// Messages whose handler succeeded.
    pub processed: u64,
    /// Messages that were not processed, by cause.
    pub drops: Drops,
    /// The kernel's queues, its own first, if the launch names further ones; else empty. A message is
    /// dequeued when it is handed over to the ring, or cleared. Capacity and memory are those of all shards.
    pub queues: Vec<QueueStatus>,
    /// Messages that handlers sent.
    pub produced: u64,
    /// How many of these were for a connected kernel and were lost: that kernel had terminated, or had no
    /// room under Reject, or this kernel terminated while they waited.
    pub outputs_lost: u64,
    /// Its messages to itself, if its handler sends any ([`Later`](annulus_kernel::Later)), and those that nobody sends,
    /// its ticks, its start and its end; `None` if it has neither. They count in [`sent`](Self::sent) when they are taken.
    pub timers: Option<TimerStatus>,
    /// Outputs that wait until somebody receives them.
    pub outputs_waiting: u64,
    /// What each outbox has sent, in the order of the handler's parameters, if there are several; else empty.
    pub ports: Vec<PortStatus>,
    /// Replies that have come, but were not taken by their callers yet. They take no room from outputs.
    pub replies_waiting: u64,
    /// Shards that wait for room for what their handlers send. They go on when somebody receives, or when the
    /// kernel that they are connected to has room.
    pub stalled_shards: u32,
    /// What the stalled shards wait for, if there are any.
    pub stall: Option<Stall>,
    /// The bridges that lead from it to other kernels ([`bridge_to`](crate::KernelHandle::bridge_to)), as long as they
    /// have not ended.
    pub bridges: Vec<KernelBridgeStatus>,
    /// Dead letters that were lost, since their shard's ring was full before the host collected them.
    pub dead_letters_lost: u64,
    /// Of messages that were followed, how many were told, if the launch has
    /// [tracing](crate::LaunchOptions::tracing).
    pub traces: Option<TraceStatus>,
    /// How many keys have an actor, if keys are [sparse](crate::LaunchOptions::sparse_keys).
    pub actors: Option<ActorStatus>,
    /// Number of shards.
    pub shards: u32,
    /// Turns that took messages, of all shards, if the launch
    /// [counts them](crate::LaunchOptions::count_turns); else 0. At rest, the messages that were taken, by
    /// this, are the mean size of a turn.
    pub turns: u64,
    /// How often the kernel came to run, if it leaves and comes back
    /// ([`EventDriven`](crate::RunMode::EventDriven), or on a device that lets no kernel stay): on a device
    /// its launches, on the CPU how often one of its blocks got a worker. 0 for a kernel that stays.
    pub epochs: u64,
    /// How many [rounds](crate::LaunchOptions::rounds) have begun. `None` unless the launch goes in rounds.
    pub rounds: Option<u64>,
    /// How far the times that the kernel tells (latencies, the last message's time,
    /// [`Cx::now`](annulus_kernel::Cx::now)) may be from the host's clock: nothing on the CPU, the measured
    /// uncertainty of a device's clock. `None` if the kernel has no clock: its times are then those of the
    /// host's last heartbeat.
    pub clock_uncertainty: Option<Duration>,
    /// The last error code of one of the shards; 0 if no shard had an error.
    pub last_error: u16,
    /// The names of its failures, if the handler's error derives `ErrorCode`.
    pub error_names: &'static [ErrorName],
    /// Notes of its backend, for example that the kernel runs in another way than was asked for, or does not
    /// begin. Each note is there once, in the order of time.
    pub notes: Vec<String>,
    /// The file that its rings lie in, if it was launched with a
    /// [black box](crate::LaunchOptions::black_box).
    pub black_box: Option<PathBuf>,
    /// How many messages can wait: in its queues if they are in front of the rings, else in the inbound rings
    /// of all shards.
    pub inbound_capacity: u64,
    /// How many outputs can wait in the outbound rings of all shards.
    pub outbound_capacity: u64,
    /// The bytes of its memory, by what they are for and where they lie; [`total`](KernelMemory::total) is the sum.
    /// [`Bound::memory`](crate::Bound::memory) tells them before a launch.
    pub memory: KernelMemory,
    /// How many latencies telemetry has measured since its last reset; 0 while it is off.
    pub latencies: u64,
    /// Their sum.
    pub latency_total: Duration,
    /// Time since launch. It goes on when the kernel has ended.
    pub uptime: Duration,
    /// When the kernel was launched, in nanoseconds on the runtime's clock, as
    /// [`Cx::now`](annulus_kernel::Cx::now).
    pub launched_at: u64,
    /// How long the kernel has executed in total: from its launch until the host saw its last block end, or until
    /// now. It includes the time in which the kernel was inactive or had nothing to do.
    pub execution_time: Duration,
}

/// The actors of a kernel whose keys are [sparse](crate::LaunchOptions::sparse_keys). It was read while everything went on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ActorStatus {
    /// How many keys have an actor.
    pub used: u64,
    /// How many there is room for, in all shards.
    pub places: u64,
    /// Shards without a place for one more. Messages for further keys of theirs count as
    /// [`unknown_actor`](Drops::unknown_actor).
    pub full_shards: u32,
    /// Actors that were forgotten for others, since launch, if the launch [evicts](crate::LaunchOptions::evict_actors) them.
    pub evicted: u64,
    /// Actors that their handlers have [ended](annulus_kernel::ThisActor::end), since launch.
    pub ended: u64,
}

/// The messages of a kernel to itself, and those that nobody sends. It was read while everything went on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TimerStatus {
    /// How many messages to itself wait for their time, or for a kernel that is inactive.
    pub waiting: u64,
    /// When the first of them, or the next tick, is due, in nanoseconds on the runtime's clock, as
    /// [`Cx::now`](annulus_kernel::Cx::now); `None` if there is neither.
    pub next_due: Option<u64>,
    /// How many waited in shards that have terminated, or were last messages (`#[ring(stop)]`) without room: they are lost.
    pub lost: u64,
    /// How many asks use a place in the kernel that is asked: their answers have not come, or no shard has seen them yet. Those
    /// that are out of time are among them until their answers have come.
    pub asks: u64,
    /// How many were taken when their time had come, since launch, ticks, starts and ends among them. [`KernelStatus::sent`] counts them, too.
    pub taken: u64,
}

/// What one of several outboxes has sent, except replies to calls: to the host, and to kernels that it was
/// connected to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PortStatus {
    /// The name of the handler's parameter.
    pub name: &'static str,
    /// Outputs of this outbox that were received, by it or from the kernel.
    pub received: u64,
    /// Outputs that wait for that: its part of [`outputs_waiting`](KernelStatus::outputs_waiting). They are counted where they
    /// lie, so a look gives the kernel no room.
    pub waiting: u64,
    /// The kernel that it is connected to.
    pub connected_to: Option<String>,
    /// Outputs that went to connected kernels, since launch.
    pub sent: u64,
    /// Outputs that wait for room in the connected kernel. While there are any, their shards take no message, unless they have a
    /// longer [hold](crate::LaunchOptions::hold).
    pub held: u64,
    /// Outputs for a connected kernel that were lost, since launch: its part of
    /// [`outputs_lost`](KernelStatus::outputs_lost).
    pub lost: u64,
}

/// What the stalled shards of a kernel wait for. It was read at one time, while everything went on.
///
/// A handler never waits. A shard waits between two messages, until there is room for what the next handler
/// may send. So no kernel keeps another from being terminated or deactivated. But kernels that send to each
/// other can stand still, if each of them has no room in the next one: that is a [cycle](StallEnd::Cycle). An
/// event of `tracing` reports it once, at the level `WARN`, with the target
/// [`STALL_TARGET`](crate::STALL_TARGET).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stall {
    /// Shards that wait until the host receives.
    pub for_host: u32,
    /// Shards that wait for room in the kernel that this one is connected to; or in one that a bridge leads to, if
    /// bridges alone receive what this kernel sends to the host.
    pub for_kernel: u32,
    /// Names of the kernels that wait for each other: the kernel that this one is connected to, then the one
    /// that that kernel waits for, and so on. Empty if no shard waits for a kernel.
    pub waits_for: Vec<String>,
    /// What the last of these kernels waits for; if there are none, what this kernel waits for.
    pub end: StallEnd,
}

/// How a chain of kernels ends, each of which waits for the next.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StallEnd {
    /// The last kernel goes on, so there will be room.
    Room,
    /// The last kernel waits until the host receives what it has sent.
    Host,
    /// The last kernel is inactive: it waits until it is activated.
    Activation,
    /// The chain comes back to one of its kernels. The named kernels wait for room in each other: each in the
    /// next one, and the last in the first. They go on when one of them is terminated, or deactivated and
    /// disconnected.
    Cycle(Vec<String>),
    /// The same, but it leads over a [bridge](crate::KernelHandle::bridge_to). If its rings stay full, it stands still. That
    /// is not certain, since what a bridge holds is in no count; so no event reports it.
    CycleOverBridges(Vec<String>),
    /// The same, but one of them goes in [rounds](crate::LaunchOptions::rounds), and some of its rings are full of messages of
    /// the next round, which wait for the end of this one. If they do not fit, it stands still. An event reports it only if
    /// all rings are full.
    CycleInRounds(Vec<String>),
}

impl fmt::Display for Stall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, name) in self.waits_for.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", which " };
            write!(f, "{comma}waits for room in `{name}`")?;
        }
        match (&self.end, self.waits_for.is_empty()) {
            (StallEnd::Host, true) => f.write_str("waits until the host receives"),
            // The kernel was disconnected just now.
            (_, true) => f.write_str("waits for room"),
            (StallEnd::Host, false) => f.write_str(", which waits until the host receives"),
            (StallEnd::Activation, false) => f.write_str(", which is inactive: activate it"),
            (StallEnd::Room, false) => Ok(()),
            (StallEnd::CycleOverBridges(_), false) => f.write_str(
                ": a cycle over a bridge, which stands still if its rings stay full; terminate one of its kernels or stop a \
                 bridge, and send less for each message, or raise capacity",
            ),
            (StallEnd::CycleInRounds(_), false) => f.write_str(
                ", whose rings are full of messages of the next round; if they stay full, the round cannot end: launch it with a \
                 larger capacity, or send less for each message",
            ),
            (StallEnd::Cycle(names), false) if names.len() < 2 => f.write_str(
                ": a cycle that stands still, since its rings are full; terminate or disconnect it, and send less for \
                 each message, raise capacity or hold until all that is on its way has room, or connect it with Reject",
            ),
            (StallEnd::Cycle(_), false) => f.write_str(
                ": a cycle that stands still, since its rings are full; terminate or disconnect one of them, and send \
                 less for each message, raise capacity or hold until all that is on its way has room, or connect one with Reject",
            ),
        }?;
        if self.for_host != 0 && !self.waits_for.is_empty() {
            write!(f, "; {} of them wait until the host receives", self.for_host)?;
        }
        Ok(())
    }
}

impl KernelStatus {
    /// Whether the kernel consumes messages.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched();
    /// kernel.deactivate_blocking()?;
    /// assert!(!kernel.status().is_active());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_active(&self) -> bool {
        self.state == KernelState::Active
    }

    /// What the application calls the last error; `None` if there was none, if it is Annulus's own, or if the
    /// handler's error does not derive `ErrorCode`.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// assert_eq!(launched().status().error_name(), None);
    /// ```
    pub fn error_name(&self) -> Option<&'static ErrorName> {
        self.error_names.iter().find(|name| name.code == self.last_error)
    }
}

impl fmt::Display for KernelStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} on {}: {}, {} sent, {} processed, {} dropped, {} pending, {} outputs waiting",
            self.name,
            self.backend,
            self.ending.as_ref().map_or(&self.state as &dyn fmt::Display, |ending| ending),
            self.sent,
            self.processed,
            self.drops.total(),
            self.pending,
            self.outputs_waiting
        )?;
        if self.replies_waiting != 0 {
            write!(f, ", {} replies waiting", self.replies_waiting)?;
        }
        if let Some(rounds) = self.rounds {
            write!(f, ", {rounds} rounds")?;
        }
        if let Some(ActorStatus { used, places, full_shards, evicted, ended }) = self.actors {
            write!(f, ", {used} of {places} actors in use")?;
            if ended != 0 {
                write!(f, ", {ended} ended")?;
            }
            if evicted != 0 {
                write!(f, ", {evicted} evicted")?;
            } else if full_shards != 0 {
                write!(f, ", {full_shards} of {} shards without a place for another", self.shards)?;
            }
        }
        if let Some(stall) = &self.stall {
            let stalled = stall.for_host + stall.for_kernel;
            write!(f, ", {stalled} of {} shards stalled: {stall}", self.shards)?;
        }
        if self.outputs_lost != 0 {
            write!(f, ", {} outputs for a connected kernel lost", self.outputs_lost)?;
        }
        if self.last_error != 0 {
            match self.error_name() {
                Some(name) => write!(f, ", last error {name}")?,
                None => write!(f, ", last error {0:#06x} ({1})", self.last_error, brief(self.last_error))?,
            }
        }
        if let Some(TimerStatus { waiting, lost, asks, .. }) = &self.timers {
            write!(f, ", {waiting} timers set")?;
            if *asks != 0 {
                write!(f, ", {asks} asks open")?;
            }
            if *lost != 0 {
                write!(f, ", {lost} timers lost")?;
            }
        }
        for PortStatus { name, received, waiting, connected_to, sent, held, lost } in &self.ports {
            write!(f, "; outbox {name}: {received} received, {waiting} wait")?;
            if let Some(target) = connected_to {
                write!(f, ", connected to {target}")?;
            }
            for (count, what) in [(sent, "sent on"), (held, "held"), (lost, "lost")] {
                if *count != 0 {
                    write!(f, ", {count} {what}")?;
                }
            }
        }
        for bridge in &self.bridges {
            write!(f, "; bridge {bridge}")?;
        }
        for queue in &self.queues {
            let QueueStatus { name, depth, capacity, counters, .. } = queue;
            let state = if queue.closed { ", closed" } else { "" };
            write!(f, "; queue {name}: {depth} of {capacity} wait{state}, {} left", counters.dequeued)?;
        }
        for note in &self.notes {
            write!(f, "; {note}")?;
        }
        match &self.black_box {
            Some(path) => write!(f, "; black box {}", path.display()),
            None => Ok(()),
        }
    }
}
