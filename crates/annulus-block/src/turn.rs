//! A block: what it does with its shard, turn by turn.
//!
//! A block is run by one thread at a time, and owns its shard's state, the consuming end of its inbound ring
//! and the producing end of its outbound ring. One turn takes up to `max_messages_per_iteration` messages:
//!
//! 1. It looks at its command word, and acknowledges what changed.
//! 2. For each message it makes sure that its outbound ring has room for all that the handler may send, calls
//!    the handler, and then either commits what it sent, or forgets it and counts the failure. Without room
//!    it stops *between* messages. A reply needs no room there: it has a slot of its own
//!    ([`Callers`](annulus_ring::ring::Callers)).
//! 3. It publishes counts, telemetry and the slots that it gives back, in this order, and reports to the
//!    host. So whoever sees that a message was consumed sees it counted.
//! 4. If its kernel is connected to another, the outputs of handlers go there: see the module `links`.
//!
//! The backend decides who runs it, and when ([`Runner`]).

use std::{cell::Cell, marker::PhantomData, sync::Arc};

use annulus_abi::{control::command, kernel::KernelLayout, ring::RingLayout, telemetry::Telemetry};
use annulus_kernel::{
    Binding, BoundMemory, CpuEntry, Cx, KernelDefinition, KernelShape, PeersDefinition, PortDefinition,
    ProcessingMode, RawOutbox, ThisActor,
};
use annulus_ring::{
    memory::{AtLine, ShardMemory},
    ring::{Answers, Consumer, Ends, SoleProducer},
};
use annulus_sync::{Ordering, rounds::Part};

use crate::{
    adaptive::TurnSize,
    asks::Asks,
    body::Body,
    clock::RuntimeClock,
    hold::Hold,
    host::{Link, NextLinks, Signals},
    rows::Walk,
    runner::Runner,
    state::BlockState,
    timers::Timers,
    traced::Records,
};

pub(crate) use crate::totals::TurnTotals;

/// The parts that a block is made of.
pub struct BlockParameters {
    /// The shard's memory.
    pub memory: ShardMemory,
    /// Which of the kernel's blocks it is.
    pub index: u32,
    /// How many blocks the kernel has.
    pub grid: u32,
    /// The kernel as data.
    pub definition: &'static KernelDefinition,
    /// The bound parameters, in the order of the definition.
    pub bindings: Arc<Vec<Binding>>,
    /// Where outputs go after the next command, if not to the host.
    pub links: Arc<NextLinks>,
    /// How many outputs for connected kernels may wait while the block goes on; 0 if it goes on with none.
    pub hold: u32,
    /// The shard's states.
    pub state: BlockState,
    /// How the block takes its messages.
    pub mode: ProcessingMode,
    /// The largest number of messages in one turn.
    pub max_messages_per_iteration: u32,
    /// How many threads work on a message together, where the kernel's shape says so.
    pub block_dim: u32,
    /// Whether messages carry their enqueue time.
    pub timestamps: bool,
    /// Whether the blocks, which take their turns in step, go in rounds: [`annulus_sync::rounds`].
    pub rounds: bool,
    /// Whether turns are counted, in [`ShardMemory::turns`].
    pub counts_turns: bool,
    /// Whether a sequentially consistent fence stands before each handler.
    pub sequential: bool,
    /// That of the numbers of spans: [`annulus_abi::trace::span`]. Used if the launch keeps records.
    pub trace_seed: u32,
    /// The runtime's clock.
    pub clock: RuntimeClock,
    /// Where to report.
    pub signals: Arc<dyn Signals>,
}

/// A block, without the thread that runs it.
pub struct BlockCore<R> {
    /// Views of the shard's memory, which keep it alive. It must outlive every use of the ends below.
    pub(crate) memory: ShardMemory,
    pub(crate) inbound: Consumer,
    /// What the block is at; a line of its own if nobody watches it.
    pub(crate) at: AtLine,
    pub(crate) outbound: SoleProducer,
    /// Where replies go, if the launch has calls.
    pub(crate) answers: Option<Answers>,
    /// Where answers to calls through pipelines go, if the launch has such calls.
    pub(crate) landings: Ends,
    /// A call has ended whose message may stay pending, and nobody was told.
    pub(crate) lost_call: Cell<bool>,
    /// Where a call's outputs are until they are published, if there may be several; and those of a handler
    /// with several outboxes, of which some are connected.
    pub(crate) aside: Box<[Line]>,
    /// The ring of dead letters, if the launch keeps them.
    pub(crate) dead_letters: Option<SoleProducer>,
    /// The ring of records of messages that carried a trace, if the launch keeps them.
    pub(crate) records: Option<Records>,
    /// Whether messages carry stamps.
    pub(crate) is_causal: bool,
    /// The block's hybrid clock: the stamp of its last event, which is what the handler that was called last has sent with;
    /// 0 for none.
    pub(crate) stamp: u64,
    /// The trace of what the handler that was called last has sent; 0 for none.
    pub(crate) trace: u64,
    pub(crate) outbox: RawOutbox,
    /// Where outputs go since the last obeyed command, if not to the host: by each outbox.
    pub(crate) links: Box<[Option<Link>]>,
    /// Room for a message of a connected kernel's, of which a variant takes outputs.
    pub(crate) whole: Box<[Line]>,
    /// The outputs that are being offered to one kernel; kept for its memory.
    pub(crate) row: Vec<*const u8>,
    /// The same, by their numbers, of several outboxes.
    pub(crate) numbers: Vec<u32>,
    /// The places that each of the held outputs of several outboxes waits for, a bit for each.
    pub(crate) wanted: Box<[u64]>,
    /// The place that is asked first to take the next output for any kernel.
    pub(crate) turn: usize,
    /// That of a block that goes on while outputs wait.
    pub(crate) hold: Option<Box<Hold>>,
    /// The graph that outputs go along, if they do.
    pub(crate) walk: Option<Box<Walk>>,
    /// Whether what goes to other kernels is put aside: it may wait beside other outputs.
    pub(crate) puts_aside: bool,
    /// Whether there is a link.
    pub(crate) is_linked: bool,
    /// The value that `links` gets with the next command.
    pub(crate) next_links: Arc<NextLinks>,
    /// The outboxes of a handler that has several.
    pub(crate) ports: &'static [PortDefinition],
    /// What lies where in outputs that say whom they are for.
    pub(crate) peers: Option<PeersDefinition>,
    /// Links have changed since outputs of several outboxes are pending.
    pub(crate) returns: bool,
    /// Whether it was told of some outbox that outputs are held.
    pub(crate) told_held: bool,
    /// The outputs of the message at the front of the inbound ring, or of the timer's message in use, if its
    /// handler has succeeded and not all of them have gone.
    pub(crate) pending: Option<PendingOutputs>,
    /// The kernel's bound parameters; `_bindings` owns the memory.
    pub(crate) bindings: Box<[BoundMemory]>,
    pub(crate) _bindings: Arc<Vec<Binding>>,
    /// The states. They are in a [`StateMemory`](crate::StateMemory), and belong to the block while it is
    /// active.
    pub(crate) state: BlockState,
    /// By what a handler ends the actor of its message.
    pub(crate) actor: ThisActor,
    pub(crate) entry: CpuEntry,
    pub(crate) key: Option<unsafe fn(*const u8) -> u64>,
    pub(crate) cx: Cx,
    /// Whether handlers ask for the time.
    pub(crate) asks_time: bool,
    /// What handlers send to themselves, if they do.
    pub(crate) timers: Option<Box<Timers>>,
    pub(crate) output_bytes: u32,
    /// What a body's turn has, if the kernel is one.
    pub(crate) body: Option<Box<Body>>,
    /// Also while a turn has taken that.
    pub(crate) is_body: bool,
    /// Slots that a message may need in the outbound ring: as many as its handler may send. A call's first
    /// output needs none.
    pub(crate) credit: u32,
    pub(crate) mode: ProcessingMode,
    pub(crate) max_batch: u32,
    /// What the block knows of its part of the round, if the launch goes in rounds.
    pub(crate) round: Option<Part>,
    /// The size of the next turn, in the mode Adaptive.
    pub(crate) turn_size: TurnSize,
    pub(crate) counts_turns: bool,
    pub(crate) sequential: bool,
    pub(crate) timestamps: bool,
    /// The enqueue times of a turn's messages, at most `max_batch`, if their latencies are counted.
    pub(crate) enqueued: Option<Vec<u64>>,
    pub(crate) clock: RuntimeClock,
    /// `None` after the block has terminated.
    pub(crate) signals: Option<Arc<dyn Signals>>,
    /// The command that the block saw last; [`NONE_SEEN`] before the first look.
    pub(crate) seen_command: u32,
    /// Whether the block has taken a turn and has not come to the barrier since; see [`InStep`].
    pub(crate) in_turn: bool,
    pub(crate) stalled: bool,
    /// Whether it was reported that the block is stalled by a kernel.
    pub(crate) told_stalled: bool,
    /// Whether it waits no more, and that was not reported: whoever waits until all is handled looks at the control block's word.
    pub(crate) goes_on: bool,
    /// Whether the block delivers outputs while its word still says that it waits; `rested` shows that.
    pub(crate) moves: bool,
    pub(crate) counts: Counts,
    pub(crate) telemetry: Telemetry,
    pub(crate) telemetry_on: bool,
    /// Whether it is on, and messages have times.
    pub(crate) measures: bool,
    pub(crate) _runner: PhantomData<fn() -> R>,
}

// SAFETY: the raw pointers in `outbox`, `body` and `bindings` lead into memory that `memory` and `_bindings` keep
// alive; those in `row` are of the last pass, and nobody follows them. Only the thread that has the block reaches that memory through them (except shared atomics, which
// any thread may access). The pointers in `state` lead into memory that lives as long as this, by the promise
// of `new`. Others reach it only while the block is inactive or has terminated.
unsafe impl<R> Send for BlockCore<R> {}

/// Stands for no command, since hosts leave most bits of a command at 0. A kernel that is launched inactive
/// has command 0, which it must obey.
const NONE_SEEN: u32 = u32::MAX;

/// Counts since launch.
#[derive(Default)]
pub(crate) struct Counts {
    pub(crate) processed: u64,
    pub(crate) failed: u64,
    pub(crate) unknown_actor: u64,
    pub(crate) sent: u64,
    /// Messages that were taken when their time had come.
    pub(crate) timed: u64,
}

/// Outputs on their way to another kernel. They are in the outbound ring; the first of all is in the slot of
/// the next ticket. Those of several outboxes are put aside, one slot of the ring apart.
#[derive(Clone, Copy)]
pub(crate) struct PendingOutputs {
    pub(crate) gone: u32,
    pub(crate) all: u32,
    /// Whether they are of several outboxes. Then those that have gone may lie between others.
    pub(crate) is_parted: bool,
    /// The call through a pipeline that goes on with them; 0 if none does.
    pub(crate) call: u64,
    /// The number of the output that carries it.
    pub(crate) bearer: u32,
    /// The trace that all of them carry; 0 for none.
    pub(crate) trace: u64,
    /// The stamp that all of them carry; 0 for none.
    pub(crate) stamp: u64,
}

/// A unit of the memory in which outputs are put aside. A slot's length is a multiple of it, and payloads
/// need no more alignment.
#[derive(Clone, Copy, Default)]
#[repr(C, align(64))]
pub(crate) struct Line([u64; 8]);

/// Whether outputs are put aside before they go anywhere.
fn puts_aside(definition: &KernelDefinition, hold: u32) -> bool {
    !definition.ports.is_empty() || definition.peers.is_some() || hold != 0
}

/// Lines for outputs that are put aside.
fn aside(definition: &KernelDefinition, outbound: &RingLayout, answers: bool, hold: u32) -> usize {
    match puts_aside(definition, hold) || answers && definition.max_outputs > 1 {
        true => definition.max_outputs.max(hold) as usize * outbound.slot_stride / size_of::<Line>(),
        false => 0,
    }
}

/// Words that say where these go.
fn wanted(definition: &KernelDefinition, hold: u32) -> usize {
    if puts_aside(definition, hold) { definition.max_outputs.max(hold) as usize } else { 0 }
}

/// The bytes that a block works with: outputs that it puts aside or holds, and messages to itself that wait. Not those that it
/// takes when it is connected to a kernel whose messages hold its outputs in a variant.
pub fn scratch_bytes(definition: &KernelDefinition, layout: &KernelLayout, hold: u32) -> usize {
    let lines = aside(definition, &layout.outbound, layout.replies.is_some(), hold);
    lines * size_of::<Line>()
        + wanted(definition, hold) * size_of::<u64>()
        + Hold::bytes(hold)
        + Walk::bytes(definition)
        + Timers::bytes(definition)
}

/// What a turn found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// The turn took messages, or a command that came meanwhile.
    Progress,
    /// There was nothing to do.
    Nothing,
    /// The block has ended and must not be run again.
    Terminated,
}

impl<R: Runner> BlockCore<R> {
    /// A block that has not looked at any command yet.
    ///
    /// # Safety
    ///
    /// It is the shard's only block. Nobody else consumes from the inbound ring, or produces for the outbound
    /// ring and the rings of replies and dead letters. It is not run again after it has
    /// [terminated](Turn::Terminated). The memory's layout, the states, the bindings and the targets of `links`
    /// have the definition's types. The states live as long as the block.
    pub unsafe fn new(parameters: BlockParameters) -> Self {
        let BlockParameters {
            memory, index, grid, definition, bindings, links, state, clock, signals, ..
        } = parameters;
        // SAFETY: this block is the inbound ring's one consumer, and keeps the memory beside it.
        let inbound = unsafe { memory.inbound() };
        // SAFETY: as above.
        let inbound = unsafe { Consumer::new(inbound) };
        // SAFETY: this block is the outbound ring's one producer, and keeps the memory beside it.
        let outbound = unsafe { memory.outbound() };
        // SAFETY: this block is the one producer of its ring of dead letters, and keeps the memory beside it.
        let dead_letters = unsafe { memory.dead_letters() };
        // SAFETY: as above.
        let dead_letters = dead_letters.map(|ring| unsafe { SoleProducer::new(ring) });
        // SAFETY: as above.
        let records = unsafe { Records::new(&memory, parameters.trace_seed) };
        let layout = *outbound.layout();
        let is_causal = layout.stamp_offset.is_some();
        // SAFETY: as above.
        let outbound = unsafe { SoleProducer::new(outbound) };
        // SAFETY: the ring's payloads have the size and alignment of the kernel's output type. The block asks
        // for credit for `max_outputs` slots before each call, and the slots that it has credit for are its
        // own.
        let outbox = unsafe {
            RawOutbox::new(
                memory.outbound_payloads(),
                layout.slot_stride,
                u64::from(layout.capacity) - 1,
                definition.max_outputs,
            )
        };
        // SAFETY: this block is the one writer of its ring of replies, and keeps the memory beside it.
        let replies = unsafe { memory.replies() };
        // SAFETY: as above.
        let answers = replies.map(|ring| unsafe { Answers::new(ring) });
        // SAFETY: this is a block of the kernel whose shards these are, and keeps the memory beside it.
        let landings = unsafe { memory.landings() };
        // SAFETY: as above.
        let landings = unsafe { Ends::new(landings) };
        let puts_aside = puts_aside(definition, parameters.hold);
        let aside = aside(definition, &layout, answers.is_some(), parameters.hold);
        let wanted = wanted(definition, parameters.hold);
        let at = memory.at().cloned().or_else(AtLine::unseen).expect("there is memory for a line");
        Self {
            inbound,
            at,
            outbound,
            answers,
            landings,
            lost_call: Cell::new(false),
            aside: vec![Line::default(); aside].into(),
            dead_letters,
            records,
            is_causal,
            stamp: 0,
            trace: 0,
            outbox,
            links: vec![None; definition.places()].into(),
            whole: Box::default(),
            row: Vec::new(),
            numbers: Vec::new(),
            puts_aside,
            wanted: vec![0; wanted].into(),
            turn: 0,
            hold: Hold::new(parameters.hold),
            walk: Walk::new(definition, links.graph()).map(Box::new),
            is_linked: false,
            next_links: links,
            ports: definition.ports,
            peers: definition.peers,
            returns: false,
            told_held: false,
            pending: None,
            bindings: bindings.iter().map(|b| BoundMemory { data: b.as_ptr(), len: b.len() }).collect(),
            _bindings: bindings,
            state,
            actor: ThisActor::new(),
            entry: definition.cpu,
            key: definition.key,
            cx: match definition.shape {
                KernelShape::Thread => Cx::new(index, grid, 0),
                KernelShape::Block | KernelShape::Body => {
                    Cx::new(index, grid, 0).with_block_dim(parameters.block_dim)
                }
            },
            body: (definition.shape == KernelShape::Body).then(Box::default),
            is_body: definition.shape == KernelShape::Body,
            asks_time: definition.asks_time || is_causal,
            timers: definition.timers.map(|timers| {
                Box::new(Timers::new(timers, definition.message, Asks::new(definition, index)))
            }),
            output_bytes: layout.payload_size as u32,
            credit: definition.max_outputs,
            mode: parameters.mode,
            max_batch: parameters.max_messages_per_iteration,
            round: parameters.rounds.then(Part::default),
            turn_size: TurnSize::new(parameters.max_messages_per_iteration),
            counts_turns: parameters.counts_turns,
            sequential: parameters.sequential,
            timestamps: parameters.timestamps,
            enqueued: memory.latency_bucket(0).map(|_| Vec::new()),
            clock,
            signals: Some(signals),
            seen_command: NONE_SEEN,
            in_turn: false,
            stalled: false,
            told_stalled: false,
            goes_on: false,
            moves: false,
            counts: Counts::default(),
            telemetry: Telemetry::new(0),
            telemetry_on: false,
            measures: false,
            memory,
            _runner: PhantomData,
        }
    }

    /// Takes a turn.
    // TWIN: iterate
    pub fn iterate(&mut self) -> Turn {
        // SYNC: command (acquire)
        let command = self.memory.command().load(Ordering::Acquire);
        if command != self.seen_command {
            if let Some(now) = self.begin_stop(command) {
                return self.take_timers(now, command);
            }
            self.obey(command);
        }
        if command & command::TERMINATE != 0 {
            return Turn::Terminated;
        }
        if command & command::ACTIVE == 0 {
            self.note_depth();
            return Turn::Nothing;
        }
        if let Some(now) = self.begin_timers() {
            return self.take_timers(now, command);
        }
        let limit = match self.mode {
            ProcessingMode::Continuous => 1,
            ProcessingMode::Batch => self.max_batch,
            // A turn that finds nothing leaves the size as it is.
            ProcessingMode::Adaptive if !self.is_ready_in_round() => 1,
            // Producers write the line that holds the gauge of depth: it is not read for a single message.
            ProcessingMode::Adaptive if !self.inbound.is_ready_after(1) => self.turn_size.adapt(1),
            ProcessingMode::Adaptive => self.turn_size.adapt(self.depth()),
        };
        if self.is_body {
            return self.take_as_body(command, limit);
        }
        if self.hold.is_some() {
            return self.take_holding(command, limit);
        }
        let mut batch = TurnTotals::default();
        let mut is_first = true;
        let limit = self.within_round(limit);
        while batch.consumed < limit {
            let Some(slot) = self.inbound.peek() else { break };
            // The command is checked between any two messages, so a batch does not delay it. A message that
            // was sent after a reset of the telemetry comes after that command, so the new epoch counts it.
            if self.memory.command().load(Ordering::Relaxed) != command {
                if batch.consumed == 0 {
                    return Turn::Progress;
                }
                break;
            }
            if self.asks_time && batch.consumed == 0 {
                self.cx = self.cx.with_time(R::now(&self.clock));
            }
            if self.pending.is_none() {
                if !self.has_credit(&slot, &batch) {
                    break;
                }
                if std::mem::take(&mut is_first) {
                    self.at_handler();
                }
                if self.is_linked {
                    R::hand_over();
                }
                self.handle_slot(&slot, &mut batch);
            }
            if self.pending.is_some() && !self.release(slot.header.enqueue_time, &mut batch) {
                break;
            }
            self.advance(&slot);
            batch.consumed += 1;
        }
        self.finish_turn(&mut batch)
    }

    /// Publishes what the turn has taken, or says that it found nothing.
    #[inline]
    pub(crate) fn finish_turn(&mut self, batch: &mut TurnTotals) -> Turn {
        if self.hold.is_some()
            && let Some(turn) = self.finish_holding(batch)
        {
            return turn;
        }
        if batch.consumed + batch.due == 0 {
            if batch.produced != 0 || batch.replied {
                // A message is held, of which something has gone to the host, or to who asked.
                self.show(batch.produced);
            }
            if self.pending.is_some() {
                self.tell_timers();
            }
            self.tell_if_freed();
            self.at_nothing();
            self.note_depth();
            return Turn::Nothing;
        }
        self.in_turn = true;
        self.publish(batch);
        Turn::Progress
    }

    /// Messages that it has taken since launch, whatever became of them.
    #[inline]
    pub fn taken(&self) -> u64 {
        let Counts { processed, failed, unknown_actor, .. } = self.counts;
        processed + failed + unknown_actor
    }

    /// Whether it has taken a turn that was not [ended](Self::end_turn). A panic of the program's code may
    /// have interrupted the thread that runs it.
    pub fn is_in_turn(&self) -> bool {
        self.in_turn
    }

    /// Called by the thread that runs it, after all that belongs to the turn is done.
    pub fn end_turn(&mut self) {
        self.in_turn = false;
    }
}
