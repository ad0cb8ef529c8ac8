//! A block: one shard's dispatch loop.
//!
//! A block is run by one worker at a time ([`Doze`]) and owns its shard's state, the consuming end of its inbound ring and the
//! producing end of its outbound ring. One iteration takes up to `max_messages_per_iteration` messages:
//!
//! 1. It looks at its command word, and acknowledges what changed.
//! 2. For each message it makes sure that its outbound ring has room for all that the handler may send, calls the handler, and
//!    then either commits what it sent, or forgets it and counts the failure. Without room it stops *between* messages.
//! 3. It publishes counts, telemetry and the slots that it gives back, in this order, and reports to the host. So whoever sees
//!    that a message was consumed sees it counted.
//! 4. Where its kernel is connected to another, what handlers send goes there: see [`link`].
//!
//! In step with the others ([`InStep`]), it then waits for them, without a worker.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use annulus_abi::{
    control::{command, state},
    error, histogram,
    ring::kind,
    telemetry::Telemetry,
};
use annulus_kernel::{Binding, BoundMemory, CpuEntry, Cx, Invocation, ProcessingMode, RawOutbox, panic_code};
use annulus_ring::ring::{Consumer, Header, Slot, SoleProducer};
use annulus_runtime::{
    BackendError, Clock, HostSignals, LaunchSpec, Link, PrintOrigin, Progress, ShardMemory,
};
use annulus_sync::{
    AtomicBool, AtomicU64, Ordering, contain::discard, doze::Doze, fence, spin_loop, yield_now,
};

use crate::{
    pool::{self, Looking, Pool},
    state::{BlockState, StateMemory},
    step::InStep,
};

mod link;

use link::Held;

/// A block and whether it sleeps.
pub(crate) struct Block {
    doze: Doze,
    /// If the kernel's blocks take their turns together.
    step: Option<Arc<InStep>>,
    /// It has terminated, and takes no part any more. Written before it leaves the barrier, and read after.
    gone: AtomicBool,
    /// Locked by the worker that runs the block, for as long as it does, and by nobody else: not by what the
    /// program calls, on whatever thread, since wakers, alerts and handlers run meanwhile. A worker never
    /// waits for it longer than it takes another one to lie the block down.
    core: Mutex<BlockCore>,
    /// The memory of the shard's states, outside of the lock: see [`state`](crate::state) for whose it is
    /// when.
    states: StateMemory,
}

struct BlockCore {
    /// Views of the shard's memory, and what keeps it alive: dropped after the ends below are used no more.
    memory: ShardMemory,
    inbound: Consumer,
    outbound: SoleProducer,
    /// The ring of dead letters, if the launch keeps them.
    letters: Option<SoleProducer>,
    outbox: RawOutbox,
    /// Where outputs go, if not to the host, as of the last command that was obeyed.
    link: Option<Link>,
    /// What `link` is to become.
    next_link: Arc<Mutex<Option<Link>>>,
    /// The outputs of the message at the front of the inbound ring, if its handler has succeeded and they have not all gone.
    held: Option<Held>,
    /// The kernel's bound parameters; `_bindings` owns the memory.
    bindings: Box<[BoundMemory]>,
    _bindings: Arc<Vec<Binding>>,
    /// They lie in `Block::states`, and are the block's while it is active.
    state: BlockState,
    entry: CpuEntry,
    key: Option<unsafe fn(*const u8) -> u64>,
    cx: Cx,
    output_bytes: u32,
    /// Slots that a message may need in the outbound ring: what its handler may send, or the notice to its caller.
    credit: u32,
    mode: ProcessingMode,
    max_batch: u32,
    timestamps: bool,
    /// The enqueue times of an iteration's messages, if their latencies are counted: at most `max_batch`.
    enqueued: Option<Vec<u64>>,
    clock: Clock,
    spin: Duration,
    /// Whose the handlers' prints are.
    origin: Arc<PrintOrigin>,
    /// Until the block has terminated.
    signals: Option<Arc<dyn HostSignals>>,
    /// The command that was looked at last; [`NONE_SEEN`] before the first look.
    seen_command: u32,
    /// It has taken a turn, and has not come to the barrier since; see [`InStep`].
    in_turn: bool,
    stalled: bool,
    /// It was reported that it is, and for a kernel.
    told_stalled: bool,
    counts: Counts,
    telemetry: Telemetry,
    telemetry_on: bool,
}

// SAFETY: the raw pointers in `outbox` and `bindings` lead into memory that `memory` and `_bindings` keep alive, and which no
// thread but the one that holds the block's lock reaches through them (shared atomics excepted, which any
// thread may). Those in `state` lead into `Block::states`, which is dropped with this, and reached otherwise
// only while the block is inactive or has terminated.
unsafe impl Send for BlockCore {}

/// No command: hosts leave most of its bits at 0. A kernel that is launched inactive has command 0, which is one to obey.
const NONE_SEEN: u32 = u32::MAX;

/// What a block that waits for the host to receive says in its control block.
const STALLED_BY_HOST: u32 = 1;

/// Since launch.
#[derive(Default)]
struct Counts {
    processed: u64,
    failed: u64,
    unknown_actor: u64,
    sent: u64,
}

/// One iteration's messages.
#[derive(Default)]
struct Batch {
    consumed: u32,
    produced: u32,
    /// Whether handlers have sent to a connected kernel.
    forwarded: bool,
    processed: u32,
    dropped: u32,
    letters: u32,
    error: u16,
    /// Of the enqueue times of processed messages.
    earliest: u64,
    latest: u64,
    sum: u128,
}

/// What an iteration found.
enum Turn {
    Progress,
    Nothing,
    Terminated,
}

impl Block {
    pub(crate) fn new(
        spec: &LaunchSpec,
        index: u32,
        bindings: &Arc<Vec<Binding>>,
        link: &Arc<Mutex<Option<Link>>>,
        step: Option<Arc<InStep>>,
    ) -> Result<Self, BackendError> {
        let gone = AtomicBool::new(false);
        let grid = spec.shards.len() as u64;
        let states = StateMemory::new(spec.definition.state, spec.actors, index.into(), grid)?;
        let core = Mutex::new(BlockCore::new(spec, index, bindings, link, states.states()));
        Ok(Self { doze: Doze::new(), step, gone, core, states })
    }

    /// Whether the caller must queue the block, after giving it something to do.
    #[inline]
    pub(crate) fn rouse(&self) -> bool {
        self.doze.rouse()
    }

    /// It has terminated.
    pub(crate) fn set_gone(&self) {
        self.gone.store(true, Ordering::Relaxed);
    }

    /// Whether it has terminated, by whoever opens the barrier.
    pub(crate) fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Relaxed)
    }

    /// The memory of the shard's states.
    pub(crate) fn states(&self) -> &StateMemory {
        &self.states
    }

    /// Runs the block until it sleeps, gives way or terminates.
    pub(crate) fn run(self: &Arc<Self>, pool: &Pool) {
        // A panic outside a handler would be a bug of this crate; the block's words are each valid at any time.
        let mut core = self.core.lock().unwrap_or_else(PoisonError::into_inner);
        let _prints = core.origin.enter();
        let mut idle_since = None;
        let step = self.step.as_deref();
        let others_wait_for_it = || step.is_some_and(InStep::has_begun);
        loop {
            // A waker of the program may have panicked after its turn.
            let turn = if step.is_some() && core.in_turn { Turn::Progress } else { core.iterate() };
            match turn {
                Turn::Nothing if !others_wait_for_it() => {
                    let others_wait = pool.others_wait() || pool::keeps_one();
                    if !others_wait && core.look_busily(&mut idle_since, others_wait_for_it) {
                        continue;
                    }
                    core.tell_stall();
                    self.doze.lie_down();
                    if (core.has_work() || others_wait_for_it()) && self.doze.claim() {
                        continue;
                    }
                    return;
                }
                Turn::Progress | Turn::Nothing => {
                    idle_since = None;
                    core.in_turn = false;
                    if step.is_some() {
                        core.tell_stall();
                    }
                    if step.is_some_and(|step| !step.arrive(self, pool)) {
                        return;
                    }
                    if pool.others_wait() {
                        drop(core);
                        pool.push(Arc::clone(self));
                        return;
                    }
                }
                // It stays awake, on no schedule: nobody rouses it again.
                Turn::Terminated => {
                    if let Some(step) = step {
                        step.leave(self, pool);
                    }
                    return;
                }
            }
        }
    }
}

impl BlockCore {
    fn new(
        spec: &LaunchSpec,
        index: u32,
        bindings: &Arc<Vec<Binding>>,
        link: &Arc<Mutex<Option<Link>>>,
        state: BlockState,
    ) -> Self {
        let definition = spec.definition;
        let grid = spec.shards.len() as u32;
        let memory = spec.shards[index as usize].clone();
        // SAFETY: this block is the inbound ring's one consumer, and keeps the memory beside it.
        let inbound = unsafe { memory.inbound() };
        // SAFETY: as above.
        let inbound = unsafe { Consumer::new(inbound) };
        // SAFETY: this block is the outbound ring's one producer, and keeps the memory beside it.
        let outbound = unsafe { memory.outbound() };
        // SAFETY: this block is the one producer of its ring of letters, and keeps the memory beside it.
        let letters = unsafe { memory.letters() };
        // SAFETY: as above.
        let letters = letters.map(|ring| unsafe { SoleProducer::new(ring) });
        let layout = *outbound.layout();
        // SAFETY: as above.
        let outbound = unsafe { SoleProducer::new(outbound) };
        // SAFETY: the ring's payloads have the size and alignment of the kernel's output type; the block asks for credit for
        // `max_outputs` slots before each call, and the slots that it has credit for are its own.
        let outbox = unsafe {
            RawOutbox::new(
                memory.outbound_payloads(),
                layout.slot_stride,
                u64::from(layout.capacity) - 1,
                definition.max_outputs,
            )
        };
        let calls = layout.correlation_offset.is_some();
        Self {
            inbound,
            outbound,
            letters,
            outbox,
            link: None,
            next_link: Arc::clone(link),
            held: None,
            bindings: bindings.iter().map(|b| BoundMemory { data: b.as_ptr(), len: b.len() }).collect(),
            _bindings: Arc::clone(bindings),
            state,
            entry: definition.cpu,
            key: definition.key,
            cx: Cx::new(index, grid, 0),
            output_bytes: layout.payload_size as u32,
            credit: definition.max_outputs.max(calls.into()),
            mode: spec.mode,
            max_batch: spec.max_messages_per_iteration,
            timestamps: spec.timestamps,
            enqueued: memory.latency_bucket(0).map(|_| Vec::new()),
            clock: spec.clock,
            spin: spec.spin,
            origin: spec.print_origin(index),
            signals: Some(Arc::clone(&spec.signals)),
            seen_command: NONE_SEEN,
            in_turn: false,
            stalled: false,
            told_stalled: false,
            counts: Counts::default(),
            telemetry: Telemetry::new(0),
            telemetry_on: false,
            memory,
        }
    }

    fn iterate(&mut self) -> Turn {
        // SYNC: command (acquire)
        let command = self.memory.command().load(Ordering::Acquire);
        if command != self.seen_command {
            self.obey(command);
        }
        if command & command::TERMINATE != 0 {
            return Turn::Terminated;
        }
        if command & command::ACTIVE == 0 {
            self.note_depth();
            return Turn::Nothing;
        }
        let limit = match self.mode {
            ProcessingMode::Continuous => 1,
            ProcessingMode::Batch => self.max_batch,
            // With one message there is nothing to adapt to, and the gauge of depth lies in a line that producers write.
            ProcessingMode::Adaptive if !self.inbound.is_ready_after(1) => 1,
            ProcessingMode::Adaptive => self.depth().clamp(1, self.max_batch.into()) as u32,
        };
        let mut batch = Batch::default();
        while batch.consumed < limit {
            let Some(slot) = self.inbound.peek() else { break };
            // Between any two messages: a batch is no reason to obey late. And a message that was sent after a reset of the
            // telemetry comes after the command that says so, whose epoch then counts it.
            if self.memory.command().load(Ordering::Relaxed) != command {
                if batch.consumed == 0 {
                    return Turn::Progress;
                }
                break;
            }
            if self.held.is_none() {
                if !self.has_credit(&batch) {
                    break;
                }
                if self.link.is_some() {
                    pool::hand_over();
                }
                self.handle(&slot, &mut batch);
            }
            if self.held.is_some() && !self.release(&slot, &mut batch) {
                break;
            }
            self.inbound.advance(&slot);
            batch.consumed += 1;
        }
        if batch.consumed == 0 {
            self.note_depth();
            return Turn::Nothing;
        }
        self.in_turn = true;
        self.publish(&batch);
        Turn::Progress
    }

    /// Acknowledges a new command.
    fn obey(&mut self, command: u32) {
        self.seen_command = command;
        self.link.clone_from(&self.next_link.lock().unwrap_or_else(PoisonError::into_inner));
        if command & command::TERMINATE != 0 {
            self.abandon();
        }
        self.obey_telemetry(command);
        let state = if command & command::TERMINATE != 0 {
            self.outbound.close();
            state::TERMINATED
        } else if command & command::ACTIVE != 0 {
            state::ACTIVE
        } else {
            state::INACTIVE
        };
        self.memory.state().store(state, Ordering::Release);
        // SYNC: state (release)
        self.memory.acknowledged().store(command, Ordering::Release);
        let signals = if state == state::TERMINATED {
            self.signals.take()
        } else {
            self.signals.as_ref().map(Arc::clone)
        };
        if let Some(signals) = signals {
            let progress = Progress { state_changed: true, ..Progress::default() };
            signals.progressed(self.cx.block_index(), progress);
            // The last to hold what the program gave the kernel may be this one.
            pool::hand_over();
        }
    }

    fn obey_telemetry(&mut self, command: u32) {
        let epoch = (command >> command::EPOCH_SHIFT) as u16;
        if epoch != self.telemetry.epoch {
            self.telemetry = Telemetry::new(epoch);
        }
        self.telemetry_on = command & command::TELEMETRY != 0;
        self.write_telemetry();
    }

    fn depth(&self) -> u64 {
        self.inbound.ring().reserved() - self.inbound.position()
    }

    /// Whether the outbound ring has room for all that a message may need; says so in the control block if not.
    #[inline]
    fn has_credit(&mut self, batch: &Batch) -> bool {
        self.or_stall(STALLED_BY_HOST, batch, |block| block.outbound.has_credit(block.credit))
    }

    /// Whether there is room for what is attempted. If not, says so in the control block and tries once more after that: whoever makes room made it before,
    /// or sees that the block waits.
    ///
    /// It says so in an iteration that has consumed nothing: what the one before has consumed was given back,
    /// so that whoever sees the block wait sees how full its ring is.
    #[inline]
    fn or_stall(&mut self, by: u32, batch: &Batch, attempt: impl Fn(&mut Self) -> bool) -> bool {
        let mut room = attempt(self);
        if room != self.stalled || !room && batch.consumed != 0 {
            return room;
        }
        if !room {
            self.memory.stalled().store(by, Ordering::Relaxed);
            // SYNC: stalled
            fence(Ordering::SeqCst);
            room = attempt(self);
        }
        if room {
            self.memory.stalled().store(0, Ordering::Relaxed);
        }
        self.stalled = !room;
        self.told_stalled = false;
        room
    }

    /// Before the block goes to sleep: reports that it waits for room in another kernel, if it does.
    fn tell_stall(&mut self) {
        if self.stalled && self.held.is_some() && !std::mem::replace(&mut self.told_stalled, true) {
            let progress = Progress { stalled: true, ..Progress::default() };
            if let Some(signals) = &self.signals {
                signals.progressed(self.cx.block_index(), progress);
            }
        }
    }

    /// Handles one message as a transaction.
    #[inline]
    fn handle(&mut self, slot: &Slot, batch: &mut Batch) {
        if slot.kind != kind::MESSAGE {
            return;
        }
        let message = self.inbound.payload(slot);
        // SAFETY: the slot holds a message of the kernel's type, which the key function takes.
        let key = self.key.map_or(0, |key| unsafe { key(message) });
        let state = self.state.of(key);
        let code = state.map_or(error::UNKNOWN_ACTOR, |state| self.call(message, state));
        let caller = slot.header.correlation;
        let reply = |correlation| Header { correlation, ..Header::default() };
        if code == 0 && caller == 0 && self.link.is_some() {
            self.held = Some(Held { gone: 0, all: self.outbox.sent() });
        } else if code == 0 {
            let sent = self.outbox.sent();
            for i in 0..sent {
                let header = reply(if i == 0 { caller } else { 0 });
                // SAFETY: there was credit for `max_outputs` slots, and the outbox has written the first `sent` payloads.
                unsafe { self.outbound.publish(kind::MESSAGE, self.output_bytes, header) };
            }
            batch.produced += sent;
            self.counts.sent += u64::from(sent);
            if sent == 0 && caller != 0 {
                // SAFETY: there was credit for one slot at least; this kind has no payload.
                unsafe { self.outbound.publish(kind::NO_REPLY, 0, reply(caller)) };
                batch.produced += 1;
            }
            self.note_success(slot.header.enqueue_time, batch);
        } else {
            self.bury(message, code, batch);
            if caller != 0 {
                // SAFETY: as above.
                unsafe { self.outbound.publish(kind::FAILED, code.into(), reply(caller)) };
                batch.produced += 1;
            }
            batch.dropped += 1;
            batch.error = code;
            let counts = &mut self.counts;
            let count = if state.is_none() { &mut counts.unknown_actor } else { &mut counts.failed };
            *count += 1;
        }
    }

    /// Puts the message of a failed call into the ring of letters; counts it if there is no room.
    #[cold]
    fn bury(&mut self, message: *const u8, code: u16, batch: &mut Batch) {
        let Some(letters) = &mut self.letters else { return };
        if !letters.has_credit(1) {
            return add(self.memory.letters_lost(), 1);
        }
        // SAFETY: there is credit for the slot, and the message is of the kernel's message type, which is the ring's.
        unsafe { letters.publish_copy(kind::LETTER, code.into(), Header::default(), message) };
        batch.letters += 1;
    }

    /// Calls the handler; returns its error code, 0 for success.
    #[inline]
    fn call(&self, message: *const u8, state: *mut u8) -> u16 {
        // SAFETY: the block has credit for `max_outputs` slots from the next ticket on.
        unsafe { self.outbox.begin(self.outbound.next()) };
        let invocation =
            Invocation { cx: self.cx, message, state, bindings: &self.bindings, outbox: &self.outbox };
        // The handler's state is a copy that is committed on success, and its sends are not published yet, so a panic leaves
        // nothing half done that anybody sees, but for whole-kernel slices and shared atomics, as documented.
        let verdict = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: message, state, bindings and outbox have the types of the kernel's definition, which is where the entry
            // comes from.
            unsafe { (self.entry)(&invocation) }
        }));
        match verdict {
            Ok(Ok(())) if self.outbox.refused() => error::TOO_MANY_OUTPUTS,
            Ok(Ok(())) => 0,
            Ok(Err(failure)) => failure.code(),
            Err(panic) => {
                let code = panic_code(&*panic);
                discard(panic);
                code
            }
        }
    }

    #[inline]
    fn note_success(&mut self, enqueued: u64, batch: &mut Batch) {
        batch.processed += 1;
        if let Some(times) = &mut self.enqueued {
            times.push(enqueued);
        }
        if self.telemetry_on && self.timestamps {
            batch.earliest = if batch.processed == 1 { enqueued } else { batch.earliest.min(enqueued) };
            batch.latest = batch.latest.max(enqueued);
            batch.sum += u128::from(enqueued);
        }
    }

    /// Makes an iteration's results visible, and reports them.
    fn publish(&mut self, batch: &Batch) {
        // One clock read for the batch: a message's latency then ends with its batch's last handler.
        let is_timed = batch.processed != 0 && (self.telemetry_on || self.enqueued.is_some());
        let now = if is_timed { self.clock.now() } else { 0 };
        self.count_latencies(now);
        let counts = &mut self.counts;
        counts.processed += u64::from(batch.processed);
        self.memory.processed().store(counts.processed, Ordering::Relaxed);
        if batch.dropped != 0 {
            self.memory.failed().store(counts.failed, Ordering::Relaxed);
            self.memory.unknown_actor().store(counts.unknown_actor, Ordering::Relaxed);
            self.memory.last_error().store(batch.error.into(), Ordering::Relaxed);
        }
        if batch.letters != 0
            && let Some(letters) = &self.letters
        {
            letters.show();
        }
        if batch.produced != 0 || batch.forwarded {
            self.memory.sent().store(counts.sent, Ordering::Relaxed);
        }
        if batch.produced != 0 {
            self.outbound.show();
        }
        self.count_telemetry(batch, now);
        self.inbound.give_back();
        if let Some(signals) = &self.signals {
            let progress = Progress {
                consumed: batch.consumed,
                produced: batch.produced,
                letters: batch.letters,
                ..Progress::default()
            };
            signals.progressed(self.cx.block_index(), progress);
        }
    }

    /// Counts the latencies of an iteration's messages, which ended now.
    fn count_latencies(&mut self, now: u64) {
        let Some(times) = &mut self.enqueued else { return };
        let memory = &self.memory;
        let count = |bucket: usize, messages: u64| {
            if let Some(count) = memory.latency_bucket(bucket) {
                add(count, messages);
            }
        };
        // Messages of a batch were sent together, so most have their neighbour's bucket.
        let (mut bucket, mut messages) = (0, 0);
        for enqueued in times.drain(..) {
            let next = histogram::bucket(now.saturating_sub(enqueued));
            if next != bucket && messages != 0 {
                count(bucket, std::mem::take(&mut messages));
            }
            bucket = next;
            messages += 1;
        }
        if messages != 0 {
            count(bucket, messages);
        }
    }

    /// Counts an iteration in the telemetry line; `now` is when its last handler ended, if telemetry is on.
    fn count_telemetry(&mut self, batch: &Batch, now: u64) {
        let telemetry = &mut self.telemetry;
        telemetry.messages_processed += u64::from(batch.processed);
        telemetry.messages_dropped += u64::from(batch.dropped);
        if batch.error != 0 {
            telemetry.error_code = batch.error;
        }
        if !(self.telemetry_on && self.timestamps) {
            telemetry.unmeasured = telemetry.unmeasured.saturating_add(batch.processed);
        }
        if !self.telemetry_on {
            return;
        }
        if batch.processed != 0 {
            telemetry.last_processed_timestamp = now as i64;
            if self.timestamps {
                let all = u128::from(now) * u128::from(batch.processed);
                telemetry.total_latency_nanos += all.saturating_sub(batch.sum) as u64;
                telemetry.max_latency_nanos =
                    telemetry.max_latency_nanos.max(now.saturating_sub(batch.earliest));
                telemetry.min_latency_nanos =
                    telemetry.min_latency_nanos.min(now.saturating_sub(batch.latest));
            }
        }
        self.write_telemetry();
    }

    /// Shows in the telemetry what came while nothing was consumed: a block that is inactive or stalled is called all the same.
    fn note_depth(&mut self) {
        if self.telemetry_on && i64::from(self.telemetry.queue_depth) != self.depth() as i64 {
            self.write_telemetry();
        }
    }

    /// Writes the line, if telemetry is on and there is one.
    fn write_telemetry(&mut self) {
        if !self.telemetry_on {
            return;
        }
        self.telemetry.queue_depth = i32::try_from(self.depth()).unwrap_or(i32::MAX);
        let Some(line) = self.memory.telemetry() else { return };
        for (i, word) in self.telemetry.to_words().into_iter().enumerate() {
            // Relaxed and in any order: the check tells a reader which words belong together.
            line.word(i).store(word, Ordering::Relaxed);
        }
    }

    /// Whether an iteration would find something to do. Asked by whoever lay the block down.
    ///
    /// Without credit a message is still work as long as the block has not said that it is stalled: only then does the host that
    /// makes space know whom to wake.
    fn has_work(&mut self) -> bool {
        let command = self.memory.command().load(Ordering::Relaxed);
        command != self.seen_command
            || (command & command::ACTIVE != 0
                && self.inbound.is_ready()
                && (!self.stalled || self.has_room()))
    }

    /// Whether what the block waits for has come.
    fn has_room(&mut self) -> bool {
        if self.held.is_some() { self.deliver() } else { self.outbound.has_credit(self.credit) }
    }

    /// Looks for something to do, or for others that wait for it, for as long as the launch says since the block became idle; false if
    /// that time is up. An inactive block does not look: it is called when its command changes.
    fn look_busily(
        &mut self,
        idle_since: &mut Option<(Instant, Looking)>,
        others_wait_for_it: impl Fn() -> bool,
    ) -> bool {
        const LOOKS: u32 = 64;
        if self.seen_command & command::ACTIVE == 0 || self.spin.is_zero() {
            return false;
        }
        for _ in 0..LOOKS {
            if self.has_work() || others_wait_for_it() {
                return true;
            }
            spin_loop();
        }
        let (since, _) = idle_since.get_or_insert_with(|| (Instant::now(), Looking::new()));
        let idle = since.elapsed();
        // So long, or so many, that another thread on this core may have the answer.
        if idle > self.spin / 4 || Looking::is_crowd() {
            yield_now();
        }
        idle < self.spin
    }
}

/// Adds to a count that has one writer.
#[inline]
fn add(count: &AtomicU64, n: u64) {
    count.store(count.load(Ordering::Relaxed) + n, Ordering::Relaxed);
}
