//! A launched kernel: queues in front, rings, calls. Its types are not known here; all messages are bytes.

use std::{
    any::{Any, TypeId},
    mem::MaybeUninit,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak},
};

use annulus_abi::{
    control::{Timers, state},
    kernel::KernelLayout,
    ring::{is_ask, is_through, kind},
    telemetry::Telemetry,
    vitals::{
        At, phase,
        read::{Actors, Shard},
        recorder::event,
    },
};
use annulus_block::{Deliver, Delivery, MessageFailure, Progress, Row, Signals};
use annulus_kernel::{KernelDefinition, KernelMessage, PrintSite, ProcessingMode, RingKernel};
use annulus_ring::{
    memory::AtLine,
    ring::{Consumer, Header, Refused},
};
use annulus_sync::{AtomicU32, AtomicU64, AtomicUsize, Ordering, stall};

use crate::{
    backend::{Compilation, DeviceKernel, HostSignals, LinkTarget},
    bridge::carry::Bridges,
    kernel::{
        bytes::{ByteQueue, Bytes, blank},
        calls::CallTable,
        core::{HostShard, KernelCore},
        dead_letters::{DeadLetterBacklog, MessageId, id_of},
        drops::Dropped,
        front::{Asked, FrontEnd, Fronts},
        links::Links,
        outbound::{Destination, Outbound},
        passage::Through,
        ports::Ports,
        print::Prints,
        watcher::StallWatch,
    },
    links::{
        asks::Asking,
        topics::{self, TopicTable},
    },
    options::LaunchOptions,
    resilience::MissingKernel,
    vitals::is_recorded,
};

/// What a launch must know of a kernel's types besides its definition. All fields are of the same kernel.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    pub(crate) definition: &'static KernelDefinition,
    kernel: TypeId,
    message: TypeId,
    pub(crate) id: MessageId,
    pub(crate) asked: Asked,
}

impl Kind {
    /// The types of `K`.
    pub(crate) const fn of<K: RingKernel>() -> Self {
        let asked = Asked::of::<K::Message>();
        let (kernel, message) = (TypeId::of::<K>(), TypeId::of::<K::Message>());
        Self { definition: K::DEFINITION, kernel, message, id: id_of::<K::Message>, asked }
    }
}

/// The names of kernels that run.
pub(crate) trait Names: Send + Sync {
    /// Frees the name of a kernel that has terminated, or that nobody waits for any more; the first time alone.
    fn free(&self, kernel: &KernelCore);

    /// What a supervisor, known by a number, has to tell of its kernel: that it is to run and does not, or, by `None`, that all
    /// is as it should be.
    fn set_missing(&self, supervisor: usize, kernel: Option<MissingKernel>);
}

/// A launched kernel. It belongs to one [`Kind`]: its rings, and everything else that holds messages or
/// outputs, hold those of that kind's types.
pub(crate) struct KernelShared {
    pub(crate) core: KernelCore,
    /// A reference to itself, once it was launched. Set before anyone else has the kernel.
    pub(crate) this: OnceLock<Weak<KernelShared>>,
    /// Frees its name when it has terminated.
    names: Weak<dyn Names>,
    /// Looks after sends that wait, once one has waited.
    pub(crate) stalls: OnceLock<Arc<StallWatch>>,
    pub(crate) links: Links<KernelShared>,
    /// The bridges from it to other kernels.
    pub(crate) bridges: Bridges,
    /// If it publishes on topics.
    pub(crate) topics: Option<TopicTable>,
    /// The type that stands for the kernel, and that of its messages.
    kernel: TypeId,
    message: TypeId,
    /// One queue for each shard, or none.
    pub(crate) fronts: Fronts,
    pub(crate) outbound: Box<[Outbound]>,
    /// What was received, by outboxes, if the handler has several.
    pub(crate) ports: Ports,
    /// Outputs received so far. It decides at which shard the next receive begins to look.
    pub(crate) received: AtomicUsize,
    /// Messages without a key sent so far. It decides at which shard the next one begins to look.
    pub(crate) dealt: AtomicUsize,
    /// Messages of other kernels that went past the queues in front of the rings.
    passed: AtomicU64,
    pub(crate) calls: CallTable,
    /// If calls go through it.
    pub(crate) through: Option<Through>,
    /// What it has reserved in the kernel that it asks.
    pub(crate) asking: Mutex<Option<Asking>>,
    pub(crate) dead_letters: Option<DeadLetterBacklog>,
    prints: Option<Prints>,
    /// The guard that all handles hold; set by the first handle.
    pub(crate) guard: OnceLock<Weak<dyn Any + Send + Sync>>,
    /// The messages that were left when the kernel terminated, until somebody takes them.
    undelivered: Mutex<ByteQueue>,
}

/// The host's ends of the rings in which shards send.
pub(crate) struct HostEnds {
    /// One for each shard.
    pub(crate) outbound: Box<[Outbound]>,
    pub(crate) calls: CallTable,
    pub(crate) through: Option<Through>,
    pub(crate) dead_letters: Option<DeadLetterBacklog>,
    pub(crate) prints: Option<Prints>,
}

impl KernelShared {
    pub(crate) fn new(
        kind: &Kind,
        core: KernelCore,
        fronts: Fronts,
        ends: HostEnds,
        names: Weak<dyn Names>,
    ) -> Self {
        let HostEnds { outbound, calls, through, dead_letters, prints } = ends;
        let entries = topics::entries(core.definition, &core.options);
        let topics = (entries != 0).then(|| TopicTable::new(entries, &core.options));
        Self {
            core,
            this: OnceLock::new(),
            names,
            stalls: OnceLock::new(),
            links: Links::default(),
            bridges: Bridges::default(),
            topics,
            kernel: kind.kernel,
            message: kind.message,
            fronts,
            outbound,
            ports: Ports::new(kind.definition),
            received: AtomicUsize::new(0),
            dealt: AtomicUsize::new(0),
            passed: AtomicU64::new(0),
            calls,
            through,
            asking: Mutex::default(),
            dead_letters,
            prints,
            guard: OnceLock::new(),
            undelivered: Mutex::default(),
        }
    }

    pub(crate) fn core(&self) -> &KernelCore {
        &self.core
    }

    /// Whether this is a launch of the kernel `K`.
    pub(crate) fn is<K: RingKernel>(&self) -> bool {
        self.kernel == TypeId::of::<K>()
    }

    /// Whether its messages are of type `M`.
    pub(crate) fn takes<M: KernelMessage>(&self) -> bool {
        self.message == TypeId::of::<M>()
    }

    /// Writes the next output of a shard to `to`, if there is one now.
    pub(crate) fn take_from(&self, shard: usize, to: &mut Bytes) -> bool {
        let taken = self.outbound[shard].take(to);
        if taken {
            self.after_receiving();
            self.after_taking(shard);
        }
        taken
    }

    /// Takes up to `max` outputs of a shard.
    ///
    /// # Safety
    ///
    /// `outputs` takes outputs of this kernel's type.
    pub(crate) unsafe fn take_many(&self, shard: usize, max: usize, outputs: &mut dyn Destination) -> usize {
        // SAFETY: by the caller's word.
        let taken = unsafe { self.outbound[shard].take_many(max, outputs) };
        if taken != 0 {
            self.after_receiving();
            self.after_taking(shard);
        }
        taken
    }

    /// After this thread has received something: it is told what carried a trace, and the host's clock is raised.
    #[inline]
    pub(crate) fn after_receiving(&self) {
        if let Some(traced) = &self.core.traced {
            traced.received();
        }
        if let Some(stamps) = &self.core.stamps {
            stamps.received();
        }
    }

    /// After slots of an outbound ring were given back: wakes the shard if it waits for space.
    ///
    /// The shard stores `stalled`, fences, and looks for space once more. So one of the two sees the other.
    #[inline]
    pub(crate) fn after_taking(&self, shard: usize) {
        // SYNC: stalled
        if stall::is_said(self.core.shards[shard].memory.stalled()) {
            self.core.wake(shard);
        }
    }

    /// The queues in front of the rings, with the parts of the kernel that they need.
    #[inline]
    pub(crate) fn front_end(&self) -> FrontEnd<'_> {
        let dead_letters = self.dead_letters.as_ref();
        FrontEnd { fronts: &self.fronts, core: &self.core, dead_letters, calls: &self.calls }
    }

    /// Whether observers of other processes want its telemetry. A kernel without lines has none.
    pub(crate) fn lease_telemetry(&self, on: bool) {
        if self.core.shards.iter().all(|shard| shard.memory.telemetry().is_some()) {
            self.core.want_telemetry(|wants| wants.lease = on);
        }
    }

    /// Copies the shards' words to where other processes see them, unless they lie there, and of how many messages of other
    /// kernels the host knows in a device's memory: those that wait, and all that came.
    fn mirror(&self, linked: [u64; 2]) {
        if let (Some(home), true) = (&self.core.home, self.core.mirrored) {
            let shards = self.core.shards.iter().enumerate();
            let words = shards.map(|(index, shard)| {
                (&shard.memory, [shard.inbound.ring(), &shard.outbound], self.at(index))
            });
            home.mirror(linked, words);
        }
    }

    /// What a shard is at, as far as its block says.
    pub(crate) fn at(&self, shard: usize) -> At {
        if let Some(at) = self.core.device.get().and_then(|device| device.at(shard as u32)) {
            return at;
        }
        self.core.shards[shard].memory.at().map_or_else(At::default, AtLine::load)
    }

    /// The shards' words, as an observer from outside would find them.
    pub(crate) fn look(&self) -> Vec<Shard> {
        let of = |(index, shard): (usize, &HostShard)| {
            let (memory, inbound) = (&shard.memory, shard.inbound.ring());
            // A number for people: no word is ordered with another one.
            let (short, long) = (
                |word: &AtomicU32| word.load(Ordering::Relaxed),
                |word: &AtomicU64| word.load(Ordering::Relaxed),
            );
            Shard {
                command: short(memory.command()),
                acknowledged: short(memory.acknowledged()),
                state: short(memory.state()),
                last_error: short(memory.last_error()),
                processed: long(memory.processed()),
                failed: long(memory.failed()),
                unknown_actor: long(memory.unknown_actor()),
                sent: long(memory.produced()),
                dead_letters_lost: long(memory.dead_letters_lost()),
                stalled: short(memory.stalled()),
                unforwarded: long(memory.unforwarded()),
                pending: inbound.reserved().saturating_sub(inbound.consumed()),
                staged: self.staged(index),
                accepted: inbound.reserved(),
                taken: long(memory.taken()),
                unread: short(memory.unread()),
                fed: if index == 0 { self.fed() } else { 0 },
                outputs_waiting: shard.outbound.depth(),
                timers: Timers::of_word(long(memory.timers())),
                actors: Actors {
                    used: memory.actors_used().map_or(0, long),
                    evicted: memory.actors_evicted().map_or(0, long),
                    ended: memory.actors_ended().map_or(0, long),
                },
                traces: self.core.traced.as_ref().map(|traced| traced.counts_of(index)).unwrap_or_default(),
                telemetry: memory.telemetry().and_then(|line| {
                    let words: [u64; 8] = std::array::from_fn(|i| line.word(i).load(Ordering::Relaxed));
                    if words == [0; 8] { None } else { Telemetry::from_words(&words) }
                }),
                at: self.at(index),
            }
        };
        self.core.shards.iter().enumerate().map(of).collect()
    }

    /// Makes events of what a shard has printed.
    fn show_prints(&self, shard: usize) {
        if let Some(prints) = &self.prints {
            let printed = |site: &PrintSite| self.core.record_print(shard as u32, site.file, site.line);
            prints.collect(shard, &self.core.shards[shard].memory, &printed);
        }
    }

    /// Called after the last shard has terminated: takes out the remaining messages, ends every call, frees
    /// the name.
    fn finish(&self) {
        self.core.ended_at.store(self.core.clock.now(), Ordering::Relaxed);
        (0..self.outbound.len()).for_each(|shard| {
            self.show_prints(shard);
            self.core.collect_traces(shard);
            // Of a kernel that was lost nobody reports them.
            self.dead_letters.iter().for_each(|dead_letters| dead_letters.collect(shard));
        });
        let mut left = ByteQueue::new();
        let mut message = Box::<Bytes>::default();
        for (index, shard) in self.core.shards.iter().enumerate() {
            // SAFETY: the host made this ring's producers; the block, its consumer, has terminated, so this
            // is the only one.
            let ring = unsafe { shard.memory.inbound() };
            // SAFETY: as above.
            let mut consumer = unsafe { Consumer::new(ring) };
            while !consumer.is_finished() {
                let Some(slot) = consumer.peek() else {
                    // A producer has a ticket and is about to write. It waits for nobody, so this ends soon.
                    std::thread::yield_now();
                    continue;
                };
                if slot.kind == kind::MESSAGE {
                    // SAFETY: the slot was just peeked, and is a message.
                    let size = unsafe { consumer.bytes_of(&slot) };
                    if message.len() != size {
                        message = blank(size);
                    }
                    // SAFETY: as above.
                    unsafe { consumer.read_bytes(&slot, &mut message) };
                    left.push(&message);
                    let call = slot.header.correlation;
                    match &self.through {
                        // SAFETY: the block that would have answered has terminated, and its message goes nowhere.
                        Some(through) if is_ask(call) => unsafe { through.landings.end(call) },
                        Some(through) if is_through(call) => through.passage.end(call),
                        _ => {}
                    }
                }
                consumer.advance(&slot);
                consumer.give_back();
            }
            self.fronts.take_all(index, |message| left.push(message));
        }
        self.core.drops.undelivered.fetch_add(left.len() as u64, Ordering::Relaxed);
        // With what other kernels sent over the device's memory: the blocks have counted that.
        self.core.show_drops(Dropped::Undelivered, left.len() as u64 + self.left_unread());
        *self.lock_undelivered() = left;
        self.calls.end();
        if self.core.options.shape.connectable {
            self.end_links();
        }
        self.free_name();
        // What came was taken, or was left. The blocks of a lost kernel have not told what they left.
        self.mirror([0, if self.core.options.shape.connectable { self.fed() } else { 0 }]);
        if let Some(home) = &self.core.home {
            home.set_ended();
        }
        // SYNC: finished (release)
        self.core.finished.store(true, Ordering::Release);
        self.core.ready.notify_all();
        self.tell_terminated();
    }

    /// The number of its launch, by which observers know it.
    pub(crate) fn number(&self) -> u64 {
        self.core.launch.number()
    }

    /// Tells its runtime from others: [`RuntimeInner::place`](crate::launch::runtime::RuntimeInner::place).
    pub(crate) fn runtime_place(&self) -> usize {
        self.names.as_ptr().addr()
    }

    /// The names of its runtime's kernels.
    pub(crate) fn names(&self) -> &Weak<dyn Names> {
        &self.names
    }

    /// Lets another kernel have its name.
    pub(crate) fn free_name(&self) {
        if let Some(names) = self.names.upgrade() {
            names.free(&self.core);
        }
    }

    /// Nobody waits any more until it has ended, though it was told to: a handler of it does not return. Another kernel may have
    /// its name. Observers see that.
    pub(crate) fn leave_behind(&self) {
        self.core.told.add(super::told::LEFT_BEHIND);
        if let Some(home) = &self.core.home {
            home.set_left_behind();
        }
        self.free_name();
        if let Some(device) = self.core.device.get() {
            device.leave_behind();
        }
    }

    /// Looks for cycles of kernels that wait for room in each other, after a report that may complete one.
    fn look_for_cycles(&self, shard: usize, progress: Progress) {
        let has_emptied = || progress.consumed != 0 && self.core.shards[shard].inbound.ring().depth() == 0;
        if (progress.stalled || progress.traffic || has_emptied()) && self.waits_for_a_kernel() {
            self.tell_of_a_cycle();
        }
    }

    /// The messages that were left when the kernel terminated; the first call gets them.
    pub(crate) fn take_undelivered(&self) -> ByteQueue {
        std::mem::take(&mut *self.lock_undelivered())
    }

    fn lock_undelivered(&self) -> MutexGuard<'_, ByteQueue> {
        // The queue is replaced as a whole, so poison is ignored.
        self.undelivered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes the queues to new messages.
    pub(crate) fn refuse_more(&self) {
        if !self.fronts.is_empty() {
            self.front_end().close();
        } else if self.core.options.shape.connectable {
            self.core.gate.close();
        } else {
            self.core.shards.iter().for_each(|shard| shard.inbound.ring().close());
        }
    }

    /// How many messages wait in front of a shard's ring.
    pub(crate) fn staged(&self, shard: usize) -> u64 {
        self.fronts.waiting(shard)
    }

    /// How many messages were ever accepted by the queues in front, or went past them; `None` if there are no
    /// such queues.
    pub(crate) fn admitted(&self) -> Option<u64> {
        Some(self.fronts.accepted()? + self.passed.load(Ordering::Relaxed))
    }
}

/// How the blocks of a launch take messages.
pub(crate) fn mode(definition: &KernelDefinition, options: &LaunchOptions) -> ProcessingMode {
    options.shape.mode.unwrap_or(definition.mode)
}

/// At most this many messages in one iteration of a block.
pub(crate) fn max_batch(definition: &KernelDefinition, options: &LaunchOptions) -> u32 {
    match mode(definition, options) {
        ProcessingMode::Continuous => 1,
        _ => options
            .shape
            .max_messages_per_iteration
            .unwrap_or(definition.max_messages_per_iteration)
            .min(options.inbound.capacity),
    }
}

/// Size of a message in bytes; of bridged messages, of the largest image.
#[inline]
pub(crate) fn message_size(definition: &KernelDefinition, layout: &KernelLayout) -> usize {
    let archive = if definition.bridged.is_some() { layout.inbound.payload_most() } else { 0 };
    definition.message.size + archive
}

impl KernelCore {
    /// At most this many messages in one iteration of a block.
    pub(crate) fn max_batch(&self) -> u32 {
        max_batch(self.definition, &self.options)
    }

    /// Size of a message in bytes; of bridged messages, of the largest image.
    #[inline]
    pub(crate) fn message_size(&self) -> usize {
        message_size(self.definition, self.shards[0].memory.layout())
    }

    /// Bytes of the largest payload that the launch has room for.
    pub(crate) fn max_payload(&self) -> usize {
        self.shards[0].inbound.ring().layout().payload_most()
    }

    /// How its blocks take messages.
    pub(crate) fn mode(&self) -> ProcessingMode {
        mode(self.definition, &self.options)
    }
}

impl Signals for KernelShared {
    fn progressed(&self, shard: u32, progress: Progress) {
        let shard = shard as usize;
        if progress.prints {
            self.show_prints(shard);
            self.core.collect_traces(shard);
        }
        if progress.dead_letters != 0
            && let Some(dead_letters) = &self.dead_letters
        {
            dead_letters.collect(shard);
        }
        if progress.produced != 0 {
            self.core.ready.notify(progress.produced as usize);
        }
        if progress.consumed != 0 {
            if self.fronts.is_empty() {
                self.space(0, shard).notify(progress.consumed as usize);
            } else {
                self.front_end().refill(shard);
            }
            // A fence stands between giving slots back and this load, that of `notify` or of `refill`.
            self.calls.wake_answered(shard, || self.core.shards[shard].inbound.ring().consumed());
        }
        if progress.traffic {
            self.wake_targets();
        }
        // An answer may come before the message that asked is given back.
        if progress.consumed != 0 || progress.traffic || progress.goes_on || self.through.is_some() {
            if self.core.options.shape.connectable {
                self.wake_sources();
            }
            // A fence stands between giving slots back and this: that of `notify`, of the combining lock that
            // refills, or of `wake_sources` (SYNC: watched).
            self.core.watched.tell_behind_fence(|| self.core.tell());
        }
        if self.core.options.shape.connectable {
            self.look_for_cycles(shard, progress);
        }
        if let Some(through) = &self.through {
            through.passage.progressed();
        }
        if progress.leaving {
            self.end_by_itself();
        }
        if progress.state_changed {
            // SYNC: state (acquire)
            let terminated = |s: &HostShard| s.memory.state().load(Ordering::Acquire) == state::TERMINATED;
            let is_last = self.core.finishing.is_last(|| self.core.shards.iter().all(terminated));
            // Behind the same fence: if two shards answer at the same time, one of them sees both answers.
            self.core.tell_if_ready();
            if is_last {
                self.finish();
                self.through.iter().for_each(|through| through.passage.tidy());
            }
            self.core.tell();
        }
    }

    fn failed(&self, shard: u32, failure: MessageFailure) {
        let MessageFailure { code, number, key, failures } = failure;
        if is_recorded(failures) {
            self.core.record_of(shard, event::FAILED, [code.into(), number + 1, key]);
        }
    }
}

impl HostSignals for KernelShared {
    fn is_awaited(&self) -> bool {
        let core = &self.core;
        // SYNC: expected
        core.ready.has_waiters()
            || core.changed.has_waiters()
            || core.options.shape.connectable && core.flow.has_waiters()
            || core.space.has_waiters()
            || self.calls.has_sleepers()
            || self.through.as_ref().is_some_and(|through| through.passage.is_awaited())
            || self.fronts.has_waiters()
            || core.shards.iter().any(|shard| shard.space.has_waiters())
            || !self.fronts.is_empty() && (0..core.shards.len()).any(|shard| self.staged(shard) != 0)
    }

    fn lost(&self, why: &str) {
        self.core.tell_lost(why);
        self.request_termination();
        // Before the messages that are left are taken out: of one that is still in its ring nobody knows whether it was
        // taken.
        if let Some(through) = &self.through {
            through.passage.lose(self);
        }
        let progress = Progress { state_changed: true, ..Progress::default() };
        self.progressed(0, progress);
    }

    fn unread(&self) -> u64 {
        if self.core.options.shape.connectable { self.unread().unwrap_or(0) } else { 0 }
    }

    fn compiling(&self, device: &str) {
        self.core.tell_compiling(device);
    }

    fn compiled(&self, compilation: Compilation) {
        // A launch has only one program.
        let _ = self.core.compilation.set(compilation);
        self.core.tell_compiled(compilation);
    }

    fn copy(&self) {
        self.mirror([self.linked(), self.fed()]);
    }

    fn beat(&self) {
        // Another kernel may have sent it something without the host.
        if let Some(slow) = &self.core.slow
            && (0..self.core.shards.len()).any(|shard| self.at(shard).phase == phase::IN_HANDLER)
        {
            slow.wake();
        }
    }

    fn printed(&self, shard: u32, file: &str, line: u32) {
        self.core.record_print(shard, file, line);
    }

    fn noted(&self, note: String) {
        let mut notes = self.core.notes.lock().unwrap_or_else(PoisonError::into_inner);
        if notes.contains(&note) {
            return;
        }
        notes.push(note.clone());
        drop(notes);
        tracing::warn!(kernel = self.core.name, "{note}");
    }
}

impl LinkTarget for KernelShared {
    fn device(&self) -> Option<&dyn DeviceKernel> {
        self.core.device.get().map(|device| &**device)
    }
}

impl Deliver for KernelShared {
    unsafe fn deliver(&self, row: Row<'_>) -> Delivery {
        let bytes = |index: usize| {
            let from: *const MaybeUninit<u8> = row.messages[index].cast();
            // SAFETY: the caller says that it is a message of this kernel, which has so many bytes.
            unsafe { std::slice::from_raw_parts(from, self.core.message_size()) }
        };
        // SAFETY: as above.
        let (shard, count) = unsafe { self.run_of(row.messages.len(), bytes) };
        match self.core.shards[shard].inbound.reserve(count) {
            Ok(mut slots) => {
                let count = slots.remaining() as usize;
                if !self.fronts.is_empty() {
                    self.passed.fetch_add(count as u64, Ordering::Relaxed);
                }
                let header = Header { trace: row.trace, stamp: row.stamp, ..self.core.sending_header() };
                // SAFETY: messages of this kernel. Connected kernels send direct messages, so they are that.
                unsafe {
                    slots.write_all_bytes_from(count, |index, _| {
                        (0, bytes(index), Header { correlation: row.carried(index), ..header })
                    });
                }
                self.core.wake(shard);
                Delivery::Done(count)
            }
            Err(Refused::Full) => Delivery::Full,
            Err(Refused::Closed) => Delivery::Closed,
        }
    }

    unsafe fn has_room(&self, message: *const u8) -> bool {
        // SAFETY: the caller says that it is a message of this kernel, which has so many bytes.
        let message = unsafe { std::slice::from_raw_parts(message.cast(), self.core.message_size()) };
        // SAFETY: as above.
        let ring = self.core.shards[unsafe { self.shard_of_anywhere(message) }].inbound.ring();
        ring.is_closed() || ring.depth() < u64::from(ring.layout().capacity)
    }
}
