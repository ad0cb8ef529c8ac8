//! The part of a kernel that does not depend on its types: shards, lifecycle, counts.
//!
//! # Lifecycle
//!
//! launched → active ⇄ inactive → terminated. Independently of that, a kernel can be *closed to new messages*
//! of the host. The host writes the command words, under the lifecycle lock. Each shard acknowledges in its
//! state word, and a transition is done when every shard has acknowledged. Termination ends with
//! [`KernelCore::finished`]. Whoever reports the last shard's end sets it, once, after the messages left in
//! the rings have been taken out. From then on only receivers touch the kernel's memory.
//!
//! The rings of a kernel close when it is closed. But the rings of a connectable kernel stay open until it
//! terminates: closing it refuses only the host's messages ([`Gate`]). A message that got its ticket before a
//! ring closed is written in any case, so taking out the remaining messages ends.
//!
//! [`links`](crate::links) says what *drained* means for connected kernels.

use std::{
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::{Duration, Instant},
};

use annulus_abi::{
    control::{Timers, command, state},
    memory::KernelMemory,
    vitals::recorder::{NO_SHARD, event, print_site},
};
use annulus_block::RuntimeClock;
use annulus_kernel::KernelDefinition;
use annulus_ring::{
    memory::ShardMemory,
    ring::{Producers, Ring},
};
use annulus_sync::{
    AtomicBool, AtomicU64, Ordering, enlist::Enlisted, event::Event, gate::Gate, last::Last, watched::Watched,
};

use crate::{
    backend::{Compilation, DeviceKernel},
    error::LifecycleError,
    kernel::{
        drops::{Dropped, HostDrops},
        launches::Launch,
        slow::SlowWatch,
        status::TimerStatus,
        told::Told,
        traced::Traced,
    },
    options::LaunchOptions,
    stamps::Stamps,
    vitals::{BoxName, Home, is_recorded},
};

/// The host's side of one shard.
pub(crate) struct HostShard {
    pub(crate) memory: ShardMemory,
    pub(crate) inbound: Producers,
    /// Used only as a gauge of depth; the consumer is elsewhere.
    pub(crate) outbound: Ring,
    /// Notified when the inbound queue has space, and when it closes.
    pub(crate) space: Event,
}

/// The messages of a shard to itself.
fn timers_of(shard: &HostShard) -> Timers {
    Timers::of_word(shard.memory.timers().load(Ordering::Relaxed))
}

/// The part of a kernel that does not depend on its types.
pub(crate) struct KernelCore {
    pub(crate) name: String,
    /// No two kernels of this process have the same number.
    pub(crate) launch: Launch,
    pub(crate) backend_name: &'static str,
    pub(crate) definition: &'static KernelDefinition,
    pub(crate) options: LaunchOptions,
    pub(crate) clock: RuntimeClock,
    pub(crate) launched: Instant,
    /// The same on the runtime's clock.
    pub(crate) launched_at: u64,
    /// When the last shard's end was reported, on the runtime's clock; 0 before that. It is set before
    /// `finished`, which publishes it.
    pub(crate) ended_at: AtomicU64,
    pub(crate) shards: Box<[HostShard]>,
    /// Its memory, by what it is for.
    pub(crate) memory: KernelMemory,
    /// How many elements each bound parameter has.
    pub(crate) binding_lengths: Box<[usize]>,
    /// Who wants its telemetry. Its command says whether anybody does.
    pub(crate) wants: Mutex<Wants>,
    /// Set by the launch, before anyone else has the kernel.
    pub(crate) device: OnceLock<Box<dyn DeviceKernel>>,
    /// For messages without a key: notified when some shard's inbound queue has space.
    pub(crate) space: Event,
    /// Notified when outputs are there, and when no more will come.
    pub(crate) ready: Event,
    /// Notified when a shard's state changes, when the kernel is finished, and, while `watched`, at each
    /// progress.
    pub(crate) changed: Event,
    /// Notified when the kernel, or one of its queues, is closed to new messages. Whoever waits here waits for nothing that
    /// a block reports, so nobody need watch the kernel for it.
    pub(crate) closed: Event,
    /// Shared by all kernels of the runtime: notified like `changed` for those that can be connected.
    pub(crate) flow: Arc<Event>,
    /// The gate for the host's messages, if the kernel is connectable.
    pub(crate) gate: Gate,
    pub(crate) drops: HostDrops,
    /// What the queues had dropped when telemetry was last reset.
    pub(crate) dropped_before: HostDrops,
    /// When telemetry was last enabled or reset, on the runtime's clock.
    pub(crate) counting_since: AtomicU64,
    /// Somebody waits, or has waited, for the queues to drain.
    pub(crate) watched: Watched,
    /// No more messages of the host are taken.
    pub(crate) closing: AtomicBool,
    /// Finds out which shard was the last to terminate: whoever reports its end takes out what is left.
    pub(crate) finishing: Last,
    /// Every shard has terminated, and what it left was taken out.
    pub(crate) finished: AtomicBool,
    /// How the launch got its program, if it needed one.
    pub(crate) compilation: OnceLock<Compilation>,
    pub(crate) told: Told,
    /// Whether its name was freed: read and written under the lock of the names.
    pub(crate) nameless: AtomicBool,
    /// Why it was lost, set once before it is told.
    pub(crate) lost_by: OnceLock<String>,
    /// Prints so far, where they are seen from outside.
    pub(crate) printed: AtomicU64,
    /// The sends that wait for space. The watcher watches them.
    pub(crate) waits: Enlisted,
    /// The host's hybrid clock, if messages carry stamps.
    pub(crate) stamps: Option<Arc<Stamps>>,
    /// Which messages are followed, if messages carry traces.
    pub(crate) traced: Option<Traced>,
    /// Looks for slow handlers, if the launch asks for it.
    pub(crate) slow: Option<Arc<SlowWatch>>,
    /// The backend's notes about the kernel.
    pub(crate) notes: Mutex<Vec<String>>,
    /// The host's copy of the command words. Its lock makes commands change one after the other.
    pub(crate) command: Mutex<u32>,
    /// Where it is seen from outside; `None` if that is nowhere, or if its shards' words are not there.
    pub(crate) home: Option<Home>,
    /// The file that the shards' memory lies in, if it was launched so.
    pub(crate) black_box: Option<BoxName>,
    /// Whether the shards' words are elsewhere, and copied into `home`.
    pub(crate) mirrored: bool,
    /// The telemetry lines, given back when nobody can poll them any more.
    pub(crate) _telemetry_lines: Option<Arc<dyn Send + Sync>>,
}

/// Who wants a kernel's telemetry.
#[derive(Clone, Copy, Default)]
pub(crate) struct Wants {
    /// The program.
    pub(crate) program: bool,
    /// Observers of other processes.
    pub(crate) lease: bool,
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
    /// Records what happened, for those who look after a crash; see
    /// [`annulus_abi::vitals::recorder::event`].
    pub(crate) fn record(&self, event: u32, values: [u64; 3]) {
        self.record_of(NO_SHARD, event, values);
    }

    /// The same, of one shard.
    pub(crate) fn record_of(&self, shard: u32, event: u32, values: [u64; 3]) {
        if let Some(home) = &self.home {
            home.record(event, shard, values);
        }
    }

    /// Records that a handler has printed, and where; of many only some.
    pub(crate) fn record_print(&self, shard: u32, file: &str, line: u32) {
        if let Some(home) = &self.home
            && is_recorded(self.printed.fetch_add(1, Ordering::Relaxed) + 1)
        {
            home.record(event::PRINTED, shard, print_site(file, line));
        }
    }

    /// Counts messages that were dropped, where they are seen from outside.
    pub(crate) fn show_drops(&self, cause: Dropped, count: u64) {
        if let (Some(home), true) = (&self.home, count != 0) {
            home.count_drops(cause as usize, count);
        }
    }

    #[inline]
    pub(crate) fn wake(&self, shard: usize) {
        self.wake_by(|device| device.wake(shard as u32));
    }

    #[inline]
    fn wake_by(&self, wake: impl FnOnce(&dyn DeviceKernel)) {
        if let Some(device) = self.device.get() {
            wake(&**device);
        }
        if let Some(slow) = &self.slow {
            slow.wake();
        }
    }

    /// [`wake`](Self::wake) of a shard that gets something which this thread has just given it, and whose answer it may wait for.
    pub(crate) fn wake_next(&self, shard: usize) {
        self.wake_by(|device| device.wake_next(shard as u32));
    }

    /// Whether a shard sleeps, or may, for a caller that has made work for it and fenced. One that runs looks once more before
    /// it sleeps.
    pub(crate) fn is_asleep(&self, shard: usize) -> bool {
        self.device.get().is_some_and(|device| device.is_asleep(shard as u32))
    }

    /// Before waiting for what the kernel reports, once the caller has registered where
    /// [`HostSignals::is_awaited`] looks: whoever reports may sleep until then. Either it sees the caller
    /// there, or this sees it asleep (SYNC: expected).
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

    /// Changes the command of every shard; returns whether that changed anything.
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

    /// Changes who wants the kernel's telemetry; it is on if anybody does.
    pub(crate) fn want_telemetry(&self, change: impl FnOnce(&mut Wants)) {
        // Two words, each valid by itself, so poison is ignored. Held until the command has followed.
        let mut wants = self.wants.lock().unwrap_or_else(PoisonError::into_inner);
        let is_on = |wants: &Wants| wants.program || wants.lease;
        let before = is_on(&wants);
        change(&mut wants);
        let on = is_on(&wants);
        if on == before {
            return;
        }
        if on {
            self.count_from_now();
        }
        self.change_command(
            |command| if on { command | command::TELEMETRY } else { command & !command::TELEMETRY },
        );
    }

    /// Says that telemetry counts, or counts anew, from now on.
    pub(crate) fn count_from_now(&self) {
        let now = self.clock.now();
        self.counting_since.store(now, Ordering::Relaxed);
        if let Some(home) = &self.home {
            home.set_counting_since(now);
        }
    }

    /// Messages in the rings.
    pub(crate) fn handed_over(&self) -> u64 {
        self.shards.iter().map(|shard| shard.inbound.ring().depth()).sum()
    }

    /// Messages to itself that wait in the shards, or were lost with them.
    pub(crate) fn timers(&self) -> u64 {
        self.shards.iter().map(|shard| u64::from(timers_of(shard).waiting)).sum()
    }

    pub(crate) fn timer_status(&self) -> TimerStatus {
        let mut status = TimerStatus::default();
        for shard in &self.shards {
            // SYNC: state (acquire): what was set when it ended is seen.
            let ended = shard.memory.state().load(Ordering::Acquire) == state::TERMINATED;
            let Timers { waiting, taken, asks } = timers_of(shard);
            status.taken += taken;
            if ended {
                status.lost += u64::from(waiting);
                continue;
            }
            status.waiting += u64::from(waiting);
            status.asks += u64::from(asks);
            let due = Some(shard.memory.due().load(Ordering::Relaxed)).filter(|due| *due != 0);
            status.next_due = status.next_due.into_iter().chain(due).min();
        }
        status
    }

    pub(crate) fn is_finished(&self) -> bool {
        // SYNC: finished (acquire)
        self.finished.load(Ordering::Acquire)
    }

    /// From the launch to the end of the last shard, or to now.
    pub(crate) fn execution_time(&self) -> Duration {
        // `finished` has published the end.
        let until = if self.is_finished() { self.ended_at.load(Ordering::Relaxed) } else { self.clock.now() };
        Duration::from_nanos(until.saturating_sub(self.launched_at))
    }

    /// Whether every shard has obeyed this command.
    pub(crate) fn all_obeyed(&self, command: u32) -> bool {
        self.shards.iter().all(|shard| {
            // SYNC: state (acquire)
            let obeyed = shard.memory.acknowledged().load(Ordering::Acquire) == command;
            match shard.memory.state().load(Ordering::Acquire) {
                state::TERMINATED => true,
                // The shard has not looked at any command yet, although the command may equal the word's
                // initial value.
                state::LAUNCHED => false,
                _ => obeyed,
            }
        })
    }

    /// Wakes those who wait for a change of this kernel, or of all connected kernels.
    pub(crate) fn tell(&self) {
        self.changed.notify_all();
        if self.options.shape.connectable {
            self.flow.notify_all();
        }
    }

    /// Calls `f` while every shard is inactive and stays so, or has terminated. Waits until the shards have
    /// obeyed; `None` if the kernel is active.
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
            // Nobody can change the command while this is held.
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
            // SYNC: state (acquire)
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
            // Somebody else may ask for the opposite meanwhile: that also ends the wait.
            (command & command::ACTIVE != 0) != active || self.all_obeyed(command)
        })
        .await;
        let now = self.current_command();
        if now & command::TERMINATE != 0 {
            return Err(LifecycleError::Terminated);
        }
        if changed && now & command::ACTIVE == wanted {
            self.record(if active { event::ACTIVATED } else { event::DEACTIVATED }, [0; 3]);
            self.tell_plainly(if active { "activated" } else { "deactivated" });
        }
        Ok(if changed { Transition::Done } else { Transition::Already })
    }
}

/// Gives the command a new generation. So whoever sees it acknowledged knows that this command was obeyed,
/// and not an older one.
fn next_generation(command: u32) -> u32 {
    const ONE: u32 = command::GENERATION & command::GENERATION.wrapping_neg();
    let generation = (command & command::GENERATION).wrapping_add(ONE) & command::GENERATION;
    command & !command::GENERATION | generation
}
