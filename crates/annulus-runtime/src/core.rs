//! What is the same for every kernel, whatever its types: shards, lifecycle, counts.
//!
//! # Lifecycle
//!
//! launched → active ⇄ inactive → terminated, and beside it *closed to new messages* of the host's. The host writes the command words, under
//! the lifecycle lock; each shard acknowledges in its state word; a transition is done when every shard has. Terminating ends
//! with [`KernelCore::finished`]: set once, by whoever reports the last shard's end, after what was left in the rings has been
//! taken out. From then on nobody but receivers touches the kernel's memory.
//!
//! The rings of a kernel close when it is closed. Those of one that others may be connected to stay open until it terminates: closing it refuses the host's
//! messages alone ([`Intake`]). A message that got its ticket before a ring closed is written in any case, so taking out what is left ends.
//!
//! What *drained* means where kernels are connected stands in [`links`](crate::links).

use std::{
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak},
    time::{Duration, Instant},
};

use annulus_abi::control::{command, state};
use annulus_block::Clock;
use annulus_kernel::KernelDefinition;
use annulus_ring::ring::{Producers, Ring};
use annulus_sync::{AtomicBool, AtomicU64, Ordering, event::Event, intake::Intake};

use crate::{
    backend::DeviceKernel,
    error::LifecycleError,
    kernel::KernelShared,
    lifecycle::{Compilation, Told},
    links::Links,
    options::LaunchOptions,
    registry::Registry,
    runtime::TakenLines,
    status::{Drops, KernelState, KernelStatus},
    telemetry::QueueDrops,
    waits::Waits,
};
use annulus_ring::memory::ShardMemory;

/// The host's side of one shard.
pub(crate) struct Shard {
    pub(crate) memory: ShardMemory,
    pub(crate) inbound: Producers,
    /// For the gauge of depth; the consumer lies elsewhere.
    pub(crate) outbound: Ring,
    /// Notified when the inbound queue has space, and when it closes.
    pub(crate) space: Event,
}

/// Messages that the host dropped, by cause. On the path of a message that is not queued, never on that of one that is.
#[derive(Default)]
pub(crate) struct HostDrops {
    pub(crate) rejected: AtomicU64,
    pub(crate) evicted: AtomicU64,
    pub(crate) discarded: AtomicU64,
    pub(crate) duplicate: AtomicU64,
    pub(crate) expired: AtomicU64,
    pub(crate) undelivered: AtomicU64,
}

impl HostDrops {
    /// What the kernel's queues dropped so far.
    #[inline]
    pub(crate) fn by_queues(&self) -> QueueDrops {
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        QueueDrops {
            rejected: count(&self.rejected),
            evicted: count(&self.evicted),
            discarded: count(&self.discarded),
            duplicate: count(&self.duplicate),
            expired: count(&self.expired),
        }
    }
}

impl HostDrops {
    /// Notes what the queues have dropped so far.
    pub(crate) fn set(&self, drops: QueueDrops) {
        self.rejected.store(drops.rejected, Ordering::Relaxed);
        self.evicted.store(drops.evicted, Ordering::Relaxed);
        self.discarded.store(drops.discarded, Ordering::Relaxed);
        self.duplicate.store(drops.duplicate, Ordering::Relaxed);
        self.expired.store(drops.expired, Ordering::Relaxed);
    }
}

/// The part of a kernel that does not depend on its types.
pub(crate) struct KernelCore {
    pub(crate) name: String,
    pub(crate) backend_name: &'static str,
    pub(crate) definition: &'static KernelDefinition,
    pub(crate) options: LaunchOptions,
    pub(crate) clock: Clock,
    pub(crate) launched: Instant,
    pub(crate) shards: Box<[Shard]>,
    /// How many elements each bound parameter has.
    pub(crate) binding_lengths: Box<[usize]>,
    /// Set by the launch, before anyone else has the kernel.
    pub(crate) device: OnceLock<Box<dyn DeviceKernel>>,
    /// Notified when some shard's inbound queue has space, where messages have no key.
    pub(crate) space: Event,
    /// Notified when replies are there, and when no more will come.
    pub(crate) ready: Event,
    /// Notified when a shard's state changes, when the kernel is finished, and, while `watched`, at each progress.
    pub(crate) changed: Event,
    /// Shared by all kernels of the runtime: notified like `changed` for those that can be connected.
    pub(crate) flow: Arc<Event>,
    pub(crate) links: Links,
    /// Through here the host's messages come, if the kernel can be connected.
    pub(crate) intake: Intake,
    pub(crate) drops: HostDrops,
    /// What the queues had dropped when telemetry was last reset.
    pub(crate) dropped_before: HostDrops,
    /// When telemetry was enabled or reset last, on the runtime's clock.
    pub(crate) counting_since: AtomicU64,
    /// Somebody waits, or has waited, for the queues to drain.
    pub(crate) watched: AtomicBool,
    /// Intake is closed.
    pub(crate) closing: AtomicBool,
    /// Somebody has begun to take out what terminated shards left.
    pub(crate) finishing: AtomicBool,
    /// Every shard has terminated, and what it left was taken out.
    pub(crate) finished: AtomicBool,
    /// How the launch came by its program, if it needed one.
    pub(crate) compilation: OnceLock<Compilation>,
    pub(crate) told: Told,
    pub(crate) waits: Waits,
    /// Itself. Set by the launch, before anyone else has the kernel.
    pub(crate) this: OnceLock<Weak<KernelShared>>,
    pub(crate) registry: Weak<Registry>,
    /// What its backend had to say of it.
    pub(crate) notes: Mutex<Vec<String>>,
    /// The host's half of the command words, so that they change one after the other.
    pub(crate) command: Mutex<u32>,
    /// Given back when nobody can poll them any more.
    pub(crate) _telemetry_lines: Option<Arc<TakenLines>>,
}

/// What a transition did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transition {
    /// The kernel changed.
    Done,
    /// The kernel was like that already; nothing happened.
    Already,
}

impl KernelCore {
    #[inline]
    pub(crate) fn wake(&self, shard: usize) {
        if let Some(device) = self.device.get() {
            device.wake(shard as u32);
        }
    }

    /// Before waiting for what the kernel reports, once the caller has registered where [`HostSignals::is_awaited`] looks: whoever
    /// reports may sleep until then. Either it sees the caller there, or this sees it asleep (SYNC: expected).
    #[inline]
    pub(crate) fn expect(&self) {
        if let Some(device) = self.device.get() {
            device.expect();
        }
    }

    pub(crate) fn wake_all(&self) {
        (0..self.shards.len()).for_each(|shard| self.wake(shard));
    }

    pub(crate) fn lock_command(&self) -> MutexGuard<'_, u32> {
        // The command is one word: a panic cannot leave it half written.
        self.command.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the command of every shard; says whether that changed anything.
    pub(crate) fn change_command(&self, change: impl FnOnce(u32) -> u32) -> bool {
        let changed = {
            let mut command = self.lock_command();
            let before = *command;
            *command = change(before);
            for shard in &self.shards {
                // SYNC: command (release)
                shard.memory.command().store(*command, Ordering::Release);
            }
            before != *command
        };
        if changed {
            self.wake_all();
            self.changed.notify_all();
        }
        changed
    }

    pub(crate) fn current_command(&self) -> u32 {
        *self.lock_command()
    }

    /// Messages in the rings.
    fn handed_over(&self) -> u64 {
        self.shards.iter().map(|shard| shard.inbound.ring().depth()).sum()
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.finished.load(Ordering::Acquire)
    }

    /// Whether every shard has obeyed this command.
    pub(crate) fn all_obeyed(&self, command: u32) -> bool {
        self.shards.iter().all(|shard| {
            // SYNC: state (acquire)
            let obeyed = shard.memory.acknowledged().load(Ordering::Acquire) == command;
            match shard.memory.state().load(Ordering::Acquire) {
                state::TERMINATED => true,
                // It has not looked at any command yet, not even at one that happens to equal the word's initial value.
                state::LAUNCHED => false,
                _ => obeyed,
            }
        })
    }

    /// Tells those who wait for a change, here or of all connected kernels.
    pub(crate) fn tell(&self) {
        self.changed.notify_all();
        if self.options.linked {
            self.flow.notify_all();
        }
    }

    /// Calls `f` while every shard is inactive and stays so, or has terminated. Waits until the shards have obeyed; `None` if the kernel is active.
    pub(crate) async fn while_inactive<R>(&self, f: impl FnOnce(&dyn DeviceKernel) -> R) -> Option<R> {
        loop {
            let command = self.current_command();
            if command & command::TERMINATE != 0 {
                self.until(|| self.is_finished()).await;
            } else if command & command::ACTIVE != 0 {
                return None;
            } else {
                self.until(|| self.current_command() != command || self.all_obeyed(command)).await;
            }
            // Nobody changes the command while this is held.
            let held = self.lock_command();
            if *held == command {
                let device = self.device.get().expect("a kernel that somebody holds was launched");
                return Some(f(&**device));
            }
        }
    }

    pub(crate) async fn until(&self, condition: impl Fn() -> bool) {
        while !condition() {
            let listener = self.changed.listen();
            if condition() {
                return;
            }
            self.expect();
            listener.await;
        }
    }

    /// Whether every shard has obeyed a command, and none has ended.
    pub(crate) fn is_ready(&self) -> bool {
        self.shards.iter().all(|shard| {
            let state = shard.memory.state().load(Ordering::Acquire);
            state != state::LAUNCHED && state != state::TERMINATED
        })
    }

    /// Waits until every shard has obeyed a command for the first time.
    pub(crate) async fn ready(&self) -> Result<(), LifecycleError> {
        let is_ending = || self.current_command() & command::TERMINATE != 0;
        self.until(|| self.is_ready() || is_ending()).await;
        if is_ending() { Err(LifecycleError::Terminated) } else { Ok(()) }
    }

    pub(crate) async fn set_active(&self, active: bool) -> Result<Transition, LifecycleError> {
        if self.current_command() & command::TERMINATE != 0 {
            return Err(LifecycleError::Terminated);
        }
        let wanted = if active { command::ACTIVE } else { 0 };
        let changed = self.change_command(|command| {
            let changed = if active { command | command::ACTIVE } else { command & !command::ACTIVE };
            if changed == command { command } else { next_generation(changed) }
        });
        self.until(|| {
            let command = self.current_command();
            // Somebody else may ask for the opposite meanwhile: that ends the wait too.
            (command & command::ACTIVE != 0) != active || self.all_obeyed(command)
        })
        .await;
        let now = self.current_command();
        if now & command::TERMINATE != 0 {
            return Err(LifecycleError::Terminated);
        }
        if changed && now & command::ACTIVE == wanted {
            self.tell_plainly(if active { "activated" } else { "deactivated" });
        }
        Ok(if changed { Transition::Done } else { Transition::Already })
    }
}

/// A command unlike those before, so that whoever sees it acknowledged knows that it is this one that was obeyed.
fn next_generation(command: u32) -> u32 {
    const ONE: u32 = command::GENERATION & command::GENERATION.wrapping_neg();
    let generation = (command & command::GENERATION).wrapping_add(ONE) & command::GENERATION;
    command & !command::GENERATION | generation
}

impl KernelShared {
    /// Closes the kernel to new messages of the host's. What was sent before is handled; what waits for space is refused.
    pub(crate) fn close(&self) -> Transition {
        let core = self.core();
        // Before the flag, so that intake is closed when this returns, whoever was first.
        self.close_intake();
        if core.closing.swap(true, Ordering::AcqRel) {
            return Transition::Already;
        }
        core.space.notify_all();
        for shard in &core.shards {
            shard.space.notify_all();
        }
        core.changed.notify_all();
        core.tell_plainly("closed");
        Transition::Done
    }

    /// Asks every shard to stop at its next message boundary.
    pub(crate) fn request_termination(&self) -> Transition {
        let core = self.core();
        self.close();
        // A queue in front of the ring keeps its messages; nothing is moved any more.
        for shard in &core.shards {
            shard.inbound.ring().close();
        }
        if core.change_command(|command| command | command::TERMINATE) {
            Transition::Done
        } else {
            Transition::Already
        }
    }

    /// Whether termination has been asked for.
    pub(crate) fn is_ending(&self) -> bool {
        self.core().current_command() & command::TERMINATE != 0
    }

    pub(crate) async fn finished(&self) {
        let core = self.core();
        core.until(|| core.is_finished()).await;
    }

    /// Messages that wait to be handled.
    pub(crate) fn pending(&self) -> u64 {
        let core = self.core();
        // The queue in front first: a message has its ticket in the ring before it leaves the queue.
        (0..core.shards.len()).map(|s| self.staged(s) + core.shards[s].inbound.ring().depth()).sum()
    }

    /// Whether everything that was sent before the kernel was closed has been handled.
    pub(crate) async fn drained(self: &Arc<Self>) {
        let core = self.core();
        if core.options.linked {
            self.settled().await;
            return core.tell_drained();
        }
        // The fence of `listen`, within `until`, stands between this and the look at the queues (SYNC: watched).
        core.watched.store(true, Ordering::Relaxed);
        core.until(|| core.is_finished() || self.pending() == 0).await;
        core.tell_drained();
    }

    /// Shards that wait for space in some ring.
    pub(crate) fn stalled_shards(&self) -> u32 {
        let shards = self.core().shards.iter();
        shards
            // Once terminated, it waits for nothing, whatever the word said last.
            .filter(|shard| shard.memory.state().load(Ordering::Acquire) != state::TERMINATED)
            .filter(|shard| shard.memory.stalled().load(Ordering::Acquire) != 0)
            .count() as u32
    }

    pub(crate) fn status(&self) -> KernelStatus {
        let core = self.core();
        let sum = |count: fn(&ShardMemory) -> &AtomicU64| -> u64 {
            core.shards.iter().map(|shard| count(&shard.memory).load(Ordering::Acquire)).sum()
        };
        // From the end of a message's way to its beginning, so that no message is seen to arrive that was not seen to leave.
        let processed = sum(ShardMemory::processed);
        let failed = sum(ShardMemory::failed);
        let unknown_actor = sum(ShardMemory::unknown_actor);
        // What other kernels sent over the device's memory, as far as it arrived.
        let unread: u64 =
            core.shards.iter().map(|shard| u64::from(shard.memory.unread().load(Ordering::Acquire))).sum();
        let arrived = sum(ShardMemory::taken) + unread;
        let drops = Drops {
            rejected: core.drops.rejected.load(Ordering::Relaxed),
            evicted: core.drops.evicted.load(Ordering::Relaxed),
            discarded: core.drops.discarded.load(Ordering::Relaxed),
            duplicate: core.drops.duplicate.load(Ordering::Relaxed),
            expired: core.drops.expired.load(Ordering::Relaxed),
            failed,
            unknown_actor,
            undelivered: core.drops.undelivered.load(Ordering::Relaxed) + unread,
        };
        let admitted = self
            .admitted()
            .unwrap_or_else(|| core.shards.iter().map(|shard| shard.inbound.ring().reserved()).sum());
        KernelStatus {
            name: core.name.clone(),
            backend: core.backend_name,
            state: self.state(),
            accepts_messages: !core.closing.load(Ordering::Acquire),
            sent: admitted + arrived + drops.rejected + drops.discarded + drops.duplicate,
            pending: if core.is_finished() { 0 } else { self.pending() },
            handed_over: if core.is_finished() { 0 } else { core.handed_over() },
            processed,
            drops,
            produced: sum(ShardMemory::sent),
            replies_waiting: core.shards.iter().map(|shard| shard.outbound.depth()).sum(),
            outputs_lost: sum(ShardMemory::unforwarded),
            stalled_shards: self.stalled_shards(),
            stall: core.stall(),
            letters_lost: sum(ShardMemory::letters_lost),
            shards: core.shards.len() as u32,
            last_error: core
                .shards
                .iter()
                .map(|shard| shard.memory.last_error().load(Ordering::Relaxed) as u16)
                .find(|&code| code != 0)
                .unwrap_or(0),
            notes: core.notes.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            uptime: core.launched.elapsed(),
        }
    }

    pub(crate) fn state(&self) -> KernelState {
        let core = self.core();
        if core.is_finished() {
            return KernelState::Terminated;
        }
        let states: Vec<u32> =
            core.shards.iter().map(|shard| shard.memory.state().load(Ordering::Acquire)).collect();
        if states.contains(&state::LAUNCHED) {
            KernelState::Launched
        } else if states.contains(&state::INACTIVE) {
            KernelState::Inactive
        } else {
            KernelState::Active
        }
    }

    /// Closes, drains and terminates; terminates anyway when `limit` has passed. Blocks.
    pub(crate) fn shut_down(self: &Arc<Self>, limit: Duration) -> ShutdownOutcome {
        use annulus_sync::wait::{block_on, block_on_deadline};
        let core = self.core();
        if core.is_finished() {
            return ShutdownOutcome::AlreadyTerminated;
        }
        let deadline = Instant::now().checked_add(limit);
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
                // Somebody else ended it, and what it left is taken out of the rings: they are empty, and not drained.
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
    /// The deadline passed first; what was left is returned.
    DeadlinePassed,
    /// The kernel was inactive, so it did not drain; what waited is returned.
    Inactive,
    /// The kernel had terminated before, or somebody else terminated it meanwhile.
    AlreadyTerminated,
}
