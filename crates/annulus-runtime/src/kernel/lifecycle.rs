//! The lifecycle of a kernel, and its status: closing, draining, terminating.

use std::{
    sync::{Arc, PoisonError},
    time::{Duration, Instant},
};

use annulus_abi::{
    control::{STALLED_HOLDS, command, state},
    vitals::recorder::event,
};
use annulus_ring::memory::ShardMemory;
use annulus_sync::{AtomicU64, Ordering};

use crate::{
    bridge::upstream,
    kernel::{
        core::{HostShard, Transition},
        shared::KernelShared,
        status::{Drops, Ending, KernelState, KernelStatus},
        told::{ASKED_BEFORE, BY_ITSELF, LOST, SHUTS_DOWN},
    },
    links, telemetry,
};

impl KernelShared {
    /// Closes the kernel to new messages of the host. Messages that were sent before are handled; sends that
    /// wait for space are refused.
    pub(crate) fn close(&self) -> Transition {
        let core = self.core();
        // Before the flag is set: so when this returns, no more messages are taken, even if another thread
        // closed the kernel first.
        self.refuse_more();
        // SYNC: closing (release)
        if core.closing.swap(true, Ordering::AcqRel) {
            return Transition::Already;
        }
        core.space.notify_all();
        for shard in &core.shards {
            shard.space.notify_all();
        }
        (0..=core.options.queues.len()).for_each(|lane| self.fronts.notify_all(lane));
        core.changed.notify_all();
        core.closed.notify_all();
        core.record(event::CLOSED, [0; 3]);
        core.tell_plainly("closed");
        Transition::Done
    }

    /// Asks every shard to stop at its next message boundary.
    pub(crate) fn request_termination(&self) -> Transition {
        let core = self.core();
        self.close();
        // A queue in front of a ring keeps its messages; nothing is handed over any more.
        for shard in &core.shards {
            shard.inbound.ring().close();
        }
        if core.change_command(|command| command | command::TERMINATE) {
            Transition::Done
        } else {
            Transition::Already
        }
    }

    /// A body has ended the kernel: terminates it as if somebody had asked for that.
    pub(crate) fn end_by_itself(&self) {
        if !self.is_ending() && self.core().told.add(BY_ITSELF) & BY_ITSELF == 0 {
            self.core().tell_plainly("ended by its body");
        }
        self.request_termination();
    }

    /// Whether termination has been asked for.
    pub(crate) fn is_ending(&self) -> bool {
        self.core().current_command() & command::TERMINATE != 0
    }

    /// Why the kernel has terminated; `None` until then.
    pub(crate) fn ending(&self) -> Option<Ending> {
        // `finished` has published what was told before.
        self.core().is_finished().then(|| match &self.core().told {
            told if told.has(LOST) && !told.has(ASKED_BEFORE) => Ending::Lost,
            told if told.has(BY_ITSELF) => Ending::ByItself,
            _ => Ending::Asked,
        })
    }

    /// Why it was lost; empty if it was not.
    pub(crate) fn lost_by(&self) -> String {
        self.core().lost_by.get().cloned().unwrap_or_default()
    }

    /// Waits until the kernel has terminated.
    pub(crate) async fn ended(&self) -> Ending {
        self.finished().await;
        self.ending().expect("it has finished")
    }

    pub(crate) async fn finished(&self) {
        let core = self.core();
        core.until(|| core.is_finished()).await;
    }

    /// Messages that wait to be handled.
    pub(crate) fn pending(&self) -> u64 {
        let core = self.core();
        // Read the queue in front first: a message gets its ticket in the ring before it leaves the queue.
        (0..core.shards.len()).map(|s| self.staged(s) + core.shards[s].inbound.ring().depth()).sum()
    }

    /// Whether nothing waits, and what has expired in front of a ring is counted, and its dead letters lie there.
    fn has_handled_all(&self) -> bool {
        // In this order: what has left the queue is seen here. SYNC: settled (acquire)
        self.pending() == 0 && self.core().drops.unsettled.load(Ordering::Acquire) == 0
    }

    /// Waits until everything that was sent before the kernel was closed has been handled, here and by all from which links or
    /// bridges lead here.
    pub(crate) async fn drained(self: &Arc<Self>) {
        upstream::drained(self).await;
        // They may all send again at once, before the pump has looked.
        self.with_sources().iter().for_each(|kernel| kernel.collect_dead_letters());
        self.core().tell_drained();
    }

    /// The kernels that lead to it by links or bridges, and itself.
    fn with_sources(self: &Arc<Self>) -> Vec<Arc<Self>> {
        links::with_sources(std::slice::from_ref(self))
    }

    /// Collects the dead letters that the shards have shown, for a thread that may hold locks of the program: alerts come with
    /// the next report.
    pub(crate) fn collect_dead_letters(&self) {
        if let Some(dead_letters) = &self.dead_letters {
            dead_letters.collect_all();
        }
    }

    /// Whether it was told to take messages.
    pub(crate) fn is_active(&self) -> bool {
        self.core().current_command() & command::ACTIVE != 0
    }

    /// The same, without bridges.
    pub(crate) async fn rests(self: &Arc<Self>) {
        let core = self.core();
        if core.options.shape.connectable {
            return self.settled().await;
        }
        // The fence of `listen`, within `until`, stands between this and the look at the queues (SYNC:
        // watched).
        core.watched.watch();
        core.until(|| core.is_finished() || self.has_handled_all()).await;
    }

    /// Whether outputs wait in a shard that takes messages nevertheless.
    pub(crate) fn holds(&self) -> bool {
        let is_live = |shard: &&HostShard| {
            // SYNC: state (acquire)
            shard.memory.state().load(Ordering::Acquire) != state::TERMINATED
        };
        let core = self.core();
        core.options.outbound.hold != 0
            && core.shards.iter().filter(is_live).any(|shard| shard.memory.held().any(|held| held != 0))
    }

    /// Shards that wait for space in some ring.
    pub(crate) fn stalled_shards(&self) -> u32 {
        let shards = self.core().shards.iter();
        shards
            // A terminated shard waits for nothing, whatever its word said last.
            // SYNC: state, stalled-after-taken (acquire)
            .filter(|shard| shard.memory.state().load(Ordering::Acquire) != state::TERMINATED)
            .filter(|shard| !matches!(shard.memory.stalled().load(Ordering::Acquire), 0 | STALLED_HOLDS))
            .count() as u32
    }

    pub(crate) fn status(&self) -> KernelStatus {
        let core = self.core();
        let sum = |count: fn(&ShardMemory) -> &AtomicU64| -> u64 {
            // SYNC: none: keeps the looks in the order below, which is all that a status promises.
            core.shards.iter().map(|shard| count(&shard.memory).load(Ordering::Acquire)).sum()
        };
        // Read from the end of a message's way to its beginning: then no message is seen to arrive that is
        // not also seen to leave.
        let processed = sum(ShardMemory::processed);
        let failed = sum(ShardMemory::failed);
        let unknown_actor = sum(ShardMemory::unknown_actor);
        // Messages that other kernels sent over the device's memory, as far as they have arrived.
        let (taken, unread) = (self.taken(), self.left_unread());
        let linked = self.linked_behind(taken + unread);
        let timers = core.definition.timers.map(|_| core.timer_status());
        let arrived = taken + unread + timers.map_or(0, |timers| timers.taken);
        let drops = Drops {
            rejected: core.drops.rejected.load(Ordering::Relaxed),
            evicted: core.drops.evicted.load(Ordering::Relaxed),
            discarded: core.drops.discarded.load(Ordering::Relaxed),
            duplicate: core.drops.duplicate.load(Ordering::Relaxed),
            expired: core.drops.expired.load(Ordering::Relaxed),
            failed,
            unknown_actor,
            undelivered: core.drops.undelivered.load(Ordering::Relaxed) + unread,
            cleared: core.drops.cleared.load(Ordering::Relaxed),
        };
        let latencies = telemetry::measured(core);
        let admitted = self.admitted().unwrap_or_else(|| {
            let reserved: u64 = core.shards.iter().map(|shard| shard.inbound.ring().reserved()).sum();
            reserved.saturating_sub(core.drops.voided())
        });
        KernelStatus {
            name: core.name.clone(),
            backend: core.backend_name,
            state: self.state(),
            ending: self.ending(),
            // SYNC: closing (acquire)
            accepts_messages: !core.closing.load(Ordering::Acquire),
            sent: admitted + arrived + linked + drops.rejected + drops.discarded + drops.duplicate,
            pending: if core.is_finished() { 0 } else { self.pending() + linked },
            handed_over: if core.is_finished() { 0 } else { core.handed_over() + linked },
            processed,
            drops,
            queues: self.lane_statuses(),
            produced: sum(ShardMemory::produced),
            timers,
            outputs_waiting: core.shards.iter().map(|shard| shard.outbound.depth()).sum::<u64>()
                + self.ports.waiting(),
            ports: self.port_statuses(),
            replies_waiting: self.calls.waiting(),
            outputs_lost: sum(ShardMemory::unforwarded),
            stalled_shards: self.stalled_shards(),
            stall: self.stall(),
            bridges: self.bridges.statuses(),
            dead_letters_lost: sum(ShardMemory::dead_letters_lost),
            traces: core.traced.as_ref().map(|traced| {
                let counts = traced.counts();
                crate::TraceStatus { recorded: counts.recorded, lost: counts.lost }
            }),
            actors: core.actor_status(),
            shards: core.shards.len() as u32,
            turns: sum(ShardMemory::turns),
            epochs: core.device.get().map_or(0, |device| device.epochs()),
            rounds: core.device.get().and_then(|device| device.rounds()),
            clock_uncertainty: core.device.get().and_then(|device| device.clock_uncertainty()),
            last_error: core
                .shards
                .iter()
                .map(|shard| shard.memory.last_error().load(Ordering::Relaxed) as u16)
                .find(|&code| code != 0)
                .unwrap_or(0),
            error_names: core.definition.errors,
            notes: core.notes.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            inbound_capacity: core.queue_capacity() * core.shards.len() as u64,
            outbound_capacity: core
                .shards
                .iter()
                .map(|shard| u64::from(shard.outbound.layout().capacity))
                .sum(),
            black_box: core.black_box.as_ref().map(|name| name.path().to_owned()),
            memory: core.memory,
            latencies: latencies.0,
            latency_total: Duration::from_nanos(latencies.1),
            uptime: core.launched.elapsed(),
            launched_at: core.launched_at,
            execution_time: core.execution_time(),
        }
    }

    pub(crate) fn state(&self) -> KernelState {
        let core = self.core();
        if core.is_finished() {
            return KernelState::Terminated;
        }
        let states: Vec<u32> =
            // SYNC: state (acquire)
            core.shards.iter().map(|shard| shard.memory.state().load(Ordering::Acquire)).collect();
        if states.contains(&state::LAUNCHED) {
            KernelState::Launched
        } else if states.contains(&state::INACTIVE) {
            KernelState::Inactive
        } else {
            KernelState::Active
        }
    }

    /// Closes, drains and terminates the kernel; terminates it anyway when `limit` has passed. Blocks.
    pub(crate) fn shut_down(self: &Arc<Self>, limit: Duration) -> ShutdownOutcome {
        use annulus_sync::wait::{block_on, block_on_deadline};
        let core = self.core();
        if core.is_finished() {
            return ShutdownOutcome::AlreadyTerminated;
        }
        let deadline = Instant::now().checked_add(limit);
        core.told.add(SHUTS_DOWN);
        self.close();
        let outcome = if core.current_command() & command::ACTIVE == 0 {
            ShutdownOutcome::Inactive
        } else {
            let drained = match deadline {
                Some(deadline) => block_on_deadline(self.drained(), deadline).is_some(),
                None => {
                    block_on(self.drained());
                    true
                }
            };
            match drained {
                false => ShutdownOutcome::DeadlinePassed,
                // Somebody else ended it, and took the remaining messages out of the rings. So the rings are
                // empty, but the kernel was not drained.
                true if core.current_command() & command::TERMINATE != 0 => {
                    ShutdownOutcome::AlreadyTerminated
                }
                true => ShutdownOutcome::Drained,
            }
        };
        self.request_termination();
        block_on(self.finished());
        outcome
    }
}

/// How a shutdown ended. The kernel has terminated in every case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShutdownOutcome {
    /// Every message that was sent was handled.
    Drained,
    /// The deadline passed first; the messages that were left are returned.
    DeadlinePassed,
    /// The kernel was inactive, so it did not drain; the messages that waited are returned.
    Inactive,
    /// The kernel had terminated before, or somebody else terminated it meanwhile.
    AlreadyTerminated,
}
