//! What is wrong with a launch's options.

use std::{fmt, time::Duration};

use annulus_abi::{
    LINE,
    ring::{MAX_CAPACITY, MAX_PAYLOAD, MIN_CAPACITY},
};
use annulus_kernel::{
    BindingKind, KernelDefinition, KernelShape, Primitive, Rows, StateShape, TypeDescriptor,
};
use annulus_queue::{Deduplication, Problem, Share};

use crate::{
    options::{Consistency, Inbound, LaunchOptions, MAX_BLOCK, MAX_GRID, MAX_WINDOW, MIN_WINDOW, TypeLimit},
    vitals::beyond_readers,
};

/// Why outputs of a kernel cannot wait while its blocks go on; see [`LaunchOptions::hold`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoHold {
    /// Its handler has one way out, and sends along no rows.
    OneWay,
    /// All threads of a block work on each message.
    Block,
    /// Its blocks take their turns in step.
    Supersteps,
    /// It is not connectable.
    Unconnected,
}

/// One thing that is wrong with a launch's options. Its text names the value, the limit and the remedy.
///
/// ```
/// # extern crate annulus_runtime as annulus;
/// use annulus_runtime::{LaunchError, LaunchOptions, LaunchProblem, Noop, Runtime, prelude::*};
///
/// #[derive(RingMessage, Clone, Copy)]
/// #[repr(C)]
/// struct Deposit {
///     #[ring(key)]
///     account: u32,
///     amount: i64,
/// }
///
/// #[ring_kernel]
/// fn keep(deposit: &Deposit, balance: &mut i64) {
///     *balance += deposit.amount;
/// }
///
/// let runtime = Runtime::builder().backend(Noop).build()?;
/// let Err(LaunchError::Invalid(invalid)) = keep::launch(&runtime, LaunchOptions::production()) else {
///     panic!("it has state by key, and nobody said how many keys there are");
/// };
/// assert_eq!(invalid.problems(), [LaunchProblem::NoActors { kernel: "keep" }]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LaunchProblem {
    /// A number is not a power of 2, or is outside its limits.
    PowerOfTwo {
        /// The option's name.
        option: &'static str,
        /// What was asked for.
        given: u32,
        /// The next greater valid value, or the greatest valid value if there is none.
        valid: u32,
    },
    /// A number is outside its limits.
    Range {
        /// The option's name.
        option: &'static str,
        /// What was asked for.
        given: u32,
        /// The smallest valid value.
        min: u32,
        /// The greatest valid value.
        max: u32,
    },
    /// `spin` is longer than it can be.
    Spin {
        /// What was asked for.
        given: Duration,
        /// The longest valid value.
        max: Duration,
    },
    /// `track_latency` is on, and `timestamps` are off.
    NoTimestamps,
    /// `tracing` is on, and `timestamps` are off.
    TracingTimestamps,
    /// [`trace_sample`](LaunchOptions::trace_sample) is said, and [`tracing`](LaunchOptions::tracing) is off.
    NothingTraced,
    /// [`trace_sample`](LaunchOptions::trace_sample) is no number from 0 to 1.
    TraceSample,
    /// The causal ordering that was asked for contradicts the consistency.
    CausalOrdering {
        /// What was asked for.
        given: bool,
        /// The consistency.
        consistency: Consistency,
    },
    /// `rounds` are on, and `supersteps` off.
    RoundsWithoutSteps,
    /// The expiry is zero: every message would expire before it is handed over.
    Expiry,
    /// The name is empty.
    Name,
    /// A name is longer than it can be.
    LongName {
        /// How it begins.
        begins: String,
        /// Its bytes.
        bytes: usize,
    },
    /// A name has a control character, as a new line is.
    ControlInName {
        /// The name: the kernel's, or a queue's.
        name: String,
    },
    /// There are more named queues than a kernel can have.
    Queues {
        /// How many were asked for.
        given: usize,
        /// How many there can be.
        max: usize,
    },
    /// A further queue has no name.
    Unnamed {
        /// Its number.
        number: usize,
    },
    /// Two queues have the same name.
    NameTaken {
        /// The name.
        queue: String,
    },
    /// A queue has the name of its kernel.
    NameOfKernel {
        /// The name.
        queue: String,
    },
    /// A problem of a named queue.
    Queue {
        /// The queue's name.
        queue: String,
        /// Its problem.
        problem: Box<LaunchProblem>,
    },
    /// Deduplication is by id, but the messages have no id.
    NoId {
        /// The kernel.
        kernel: &'static str,
        /// Its message type.
        message: &'static str,
    },
    /// A black box was asked for, and messages are bridged.
    BlackBox {
        /// The kernel.
        kernel: &'static str,
        /// Its message type.
        message: &'static str,
    },
    /// A black box was asked for, and nobody could read these messages in it.
    BlackBoxType {
        /// The message type.
        message: &'static str,
        /// What is beyond its limit.
        limit: TypeLimit,
        /// How much of it there is.
        given: u64,
        /// The greatest valid value.
        max: u64,
    },
    /// The kernel has state by key, and `actors` is 0.
    NoActors {
        /// The kernel.
        kernel: &'static str,
    },
    /// `sparse_keys` is on, and the kernel has no state by key.
    SparseKeys {
        /// The kernel.
        kernel: &'static str,
    },
    /// `evict_actors` is on, and `sparse_keys` off.
    EvictsDense,
    /// The kernel has something that exactly one block must own, and `grid` is not 1.
    OneBlock {
        /// The kernel.
        kernel: &'static str,
        /// What one block must own.
        owns: WholeKernel,
        /// What was asked for.
        grid: u32,
    },
    /// A message or output does not fit into a slot.
    Payload {
        /// `message` or `output`.
        what: &'static str,
        /// Its type.
        ty: &'static str,
        /// The type's size in bytes.
        size: usize,
        /// The type's alignment in bytes.
        align: usize,
    },
    /// The spill blocks of a shard's bridged messages need more memory than a ring can have.
    Spill {
        /// The capacity, in messages.
        capacity: u32,
        /// The largest payload, in bytes.
        max_payload: u32,
    },
    /// The kernel has timers, ticks, a start or an end, and the launch puts its blocks in step.
    Timers {
        /// The kernel.
        kernel: &'static str,
    },
    /// Calls go through the kernel, and an option is off without which they cannot.
    Through {
        /// The kernel.
        kernel: &'static str,
        /// The option.
        needs: &'static str,
    },
    /// Calls go through the kernel, and a whole block works on each of its messages.
    ThroughBlock {
        /// The kernel.
        kernel: &'static str,
    },
    /// Calls go through the kernel, and its outputs say whom they are for.
    ThroughPeers {
        /// The kernel.
        kernel: &'static str,
    },
    /// Outputs are to wait while blocks go on, and the kernel is not one of which that can be.
    Hold {
        /// The kernel.
        kernel: &'static str,
        /// Why.
        why: NoHold,
    },
    /// Fewer outputs may wait than the handler may send for one message.
    HoldOutputs {
        /// The kernel.
        kernel: &'static str,
        /// How many may wait.
        hold: u32,
        /// How many it may send.
        outputs: u32,
    },
    /// [`rows`](LaunchOptions::rows) are given to a kernel whose outputs go along none.
    NoAlong {
        /// The kernel.
        kernel: &'static str,
    },
    /// The values of the rows' entries do not fit what the kernel sends along them.
    RowValues {
        /// The kernel.
        kernel: &'static str,
        /// What it sends along rows.
        message: &'static str,
        /// The type of the values.
        values: &'static str,
        /// The type of the field that is marked `#[ring(edge)]`, if there is one.
        edge: Option<&'static str>,
    },
    /// A row names an actor whose key has no place in what the kernel sends along it.
    RowKeys {
        /// The kernel.
        kernel: &'static str,
        /// What it sends along rows.
        message: &'static str,
        /// The greatest key of the rows.
        key: u32,
        /// The greatest key that fits.
        max: u64,
    },
    /// The kernel is a body, which takes messages from an [`Inbox`](annulus_kernel::Inbox), and its launch asks for what
    /// bodies do not have.
    Body {
        /// The kernel.
        kernel: &'static str,
        /// What it asks for.
        option: BodyOption,
    },
    /// Calls go through the kernel, and it has timers, ticks, a start or an end.
    ThroughTimers {
        /// The kernel.
        kernel: &'static str,
    },
    /// A handler may send more at once than the outbound ring holds.
    Outputs {
        /// The kernel.
        kernel: &'static str,
        /// What a handler may send.
        outputs: u32,
        /// What the ring holds.
        slots: u32,
    },
}

/// The smallest `max_payload`, in bytes. Source: a spill block is a multiple of a cache line.
const MIN_SPILL: u32 = 64;
/// The most bytes of a ring's spill blocks. Source: a head says in 32 bits, in units of 16 bytes, where its
/// archive begins; this is half of what it can say.
const MOST_SPILLED: u64 = 1 << 35;

/// What bodies do not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BodyOption {
    /// Blocks of one thread.
    Block,
    /// Links to and from other kernels.
    Connectable,
    /// Supersteps.
    Supersteps,
    /// Outputs that say whom they are for.
    Peers,
    /// Traces of its messages.
    Tracing,
    /// Stamps of its messages.
    Causal,
    /// A black box.
    BlackBox,
}

/// What belongs to a whole kernel, so that exactly one block must own it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WholeKernel {
    /// State without a key.
    State,
    /// Memory that is bound as `&mut [T]` or `&Block<[T]>`.
    Memory,
}

/// Problems that do not depend on the kernel.
pub(super) fn of(options: &LaunchOptions) -> Vec<LaunchProblem> {
    let LaunchOptions { name, shape, inbound, queues, outbound, observe, said: _ } = options;
    let mut problems = of_inbound(inbound);
    if let Some(capacity) = outbound.capacity {
        check_capacity(&mut problems, "output_capacity", capacity);
    }
    check_range(&mut problems, "max_payload", inbound.max_payload, MIN_SPILL, MAX_PAYLOAD as u32);
    check_range(&mut problems, "grid", shape.grid, 1, MAX_GRID);
    check_range(&mut problems, "block", shape.block, 1, MAX_BLOCK);
    if let Some(cap) = shape.max_messages_per_iteration {
        let most = if is_capacity(inbound.capacity) { inbound.capacity } else { MAX_CAPACITY };
        check_range(&mut problems, "max_messages_per_iteration", cap, 1, most);
    }
    check_range(&mut problems, "leave_after", shape.leave_after, 1, u32::MAX);
    check_range(&mut problems, "dead_letters", observe.dead_letters, 0, LaunchOptions::MAX_DEAD_LETTERS);
    let (given, max) = (shape.spin, LaunchOptions::MAX_SPIN);
    if given > max {
        problems.push(LaunchProblem::Spin { given, max });
    }
    let consistency = shape.consistency;
    match (consistency, shape.causal_ordering) {
        (Consistency::Relaxed, Some(given @ true)) | (Consistency::Sequential, Some(given @ false)) => {
            problems.push(LaunchProblem::CausalOrdering { given, consistency });
        }
        _ => {}
    }
    if shape.rounds && !shape.supersteps {
        problems.push(LaunchProblem::RoundsWithoutSteps);
    }
    if shape.evict_actors && !shape.sparse_keys {
        problems.push(LaunchProblem::EvictsDense);
    }
    if observe.track_latency && !observe.timestamps {
        problems.push(LaunchProblem::NoTimestamps);
    }
    if observe.tracing && !observe.timestamps {
        problems.push(LaunchProblem::TracingTimestamps);
    }
    if let Some(sample) = observe.trace_sample {
        if sample > 1_000_000 {
            problems.push(LaunchProblem::TraceSample);
        }
        if !observe.tracing {
            problems.push(LaunchProblem::NothingTraced);
        }
    }
    if name.as_deref() == Some("") {
        problems.push(LaunchProblem::Name);
    }
    for name in name.iter().map(String::as_str).chain(queues.iter().map(|queue| &*queue.name)) {
        if name.len() > LaunchOptions::MAX_NAME {
            let begins = name.chars().take(32).collect();
            problems.push(LaunchProblem::LongName { begins, bytes: name.len() });
        }
        if name.contains(char::is_control) {
            problems.push(LaunchProblem::ControlInName { name: name.to_owned() });
        }
    }
    if queues.len() > LaunchOptions::MAX_QUEUES {
        problems.push(LaunchProblem::Queues { given: queues.len(), max: LaunchOptions::MAX_QUEUES });
    }
    for (at, queue) in queues.iter().enumerate() {
        if queue.name.is_empty() {
            problems.push(LaunchProblem::Unnamed { number: at + 1 });
        } else if queues[..at].iter().any(|other| other.name == queue.name) {
            problems.push(LaunchProblem::NameTaken { queue: queue.name.clone() });
        }
        let of_queue =
            |problem| LaunchProblem::Queue { queue: queue.name.clone(), problem: Box::new(problem) };
        problems.extend(of_inbound(&queue.inbound).into_iter().map(of_queue));
    }
    problems
}

/// Problems of one queue.
fn of_inbound(inbound: &Inbound) -> Vec<LaunchProblem> {
    let mut problems = Vec::new();
    check_capacity(&mut problems, "capacity", inbound.capacity);
    check_range(&mut problems, "deduplication_window", inbound.deduplication_window, MIN_WINDOW, MAX_WINDOW);
    if inbound.expiry == Some(Duration::ZERO) {
        problems.push(LaunchProblem::Expiry);
    }
    if let Share::Weight(weight) = inbound.share {
        check_range(&mut problems, "weight", weight, 1, LaunchOptions::MAX_WEIGHT);
    }
    problems
}

/// All problems for this kernel.
pub(super) fn of_launch(
    options: &LaunchOptions,
    definition: &KernelDefinition,
    identified: bool,
) -> Vec<LaunchProblem> {
    let mut problems = of(options);
    let LaunchOptions { shape, inbound, outbound, .. } = options;
    let kernel = definition.name;
    if inbound.deduplication == Deduplication::ById && !identified {
        problems.push(LaunchProblem::NoId { kernel, message: definition.message_name() });
    }
    if options.observe.black_box && definition.bridged.is_some() {
        problems.push(LaunchProblem::BlackBox { kernel, message: definition.message_name() });
    } else if options.observe.black_box {
        let message = definition.message.name;
        let beyond = beyond_readers(definition.message).into_iter();
        let told = |(limit, given, max)| LaunchProblem::BlackBoxType { message, limit, given, max };
        problems.extend(beyond.map(told));
    }
    let own = options.name.as_deref().unwrap_or(kernel);
    for queue in &options.queues {
        if queue.name == own {
            problems.push(LaunchProblem::NameOfKernel { queue: own.to_owned() });
        }
        if queue.inbound.deduplication == Deduplication::ById && !identified {
            let problem = Box::new(LaunchProblem::NoId { kernel, message: definition.message.name });
            problems.push(LaunchProblem::Queue { queue: queue.name.clone(), problem });
        }
    }
    let one_block = |owns| LaunchProblem::OneBlock { kernel, owns, grid: shape.grid };
    match definition.state {
        StateShape::PerActor(_) if shape.actors == 0 => problems.push(LaunchProblem::NoActors { kernel }),
        StateShape::Stateless | StateShape::Whole(_) if shape.sparse_keys => {
            problems.push(LaunchProblem::SparseKeys { kernel });
        }
        StateShape::Whole(_) if shape.grid != 1 => problems.push(one_block(WholeKernel::State)),
        _ => {}
    }
    if shape.grid != 1 && definition.bindings.iter().any(|binding| binding.kind == BindingKind::Whole) {
        problems.push(one_block(WholeKernel::Memory));
    }
    check_payload(&mut problems, "message", definition.message);
    let spilled = u64::from(inbound.capacity) * u64::from(inbound.max_payload);
    if definition.bridged.is_some() && spilled > MOST_SPILLED {
        problems.push(LaunchProblem::Spill { capacity: inbound.capacity, max_payload: inbound.max_payload });
    }
    if let Some(output) = definition.output {
        check_payload(&mut problems, "output", output);
    }
    if outbound.through != 0 {
        check_range(&mut problems, "through", outbound.through, 1, LaunchOptions::MAX_THROUGH);
        let needs = [("calls", outbound.calls), ("connectable", shape.connectable)];
        let off = needs.into_iter().filter(|(_, on)| !*on);
        problems.extend(off.map(|(option, _)| LaunchProblem::Through { kernel, needs: option }));
        if definition.shape.is_block_wide() {
            problems.push(LaunchProblem::ThroughBlock { kernel });
        }
        if definition.timers.is_some() && definition.ask().is_none() {
            problems.push(LaunchProblem::ThroughTimers { kernel });
        }
        if definition.peers.is_some() || definition.rows.is_some() {
            problems.push(LaunchProblem::ThroughPeers { kernel });
        }
    }
    if outbound.hold != 0 {
        let reasons = [
            (definition.counted_places() == 0, NoHold::OneWay),
            (definition.shape.is_block_wide(), NoHold::Block),
            (shape.supersteps, NoHold::Supersteps),
        ];
        let found = reasons.into_iter().filter(|(is_one, _)| *is_one);
        problems.extend(found.map(|(_, why)| LaunchProblem::Hold { kernel, why }));
        let (hold, outputs) = (outbound.hold, definition.max_outputs);
        if hold < outputs {
            problems.push(LaunchProblem::HoldOutputs { kernel, hold, outputs });
        }
        check_range(&mut problems, "hold", hold, 1, LaunchOptions::MAX_HOLD);
        problems
            .extend((!shape.connectable).then_some(LaunchProblem::Hold { kernel, why: NoHold::Unconnected }));
    }
    if let Some(rows) = &outbound.rows {
        check_rows(&mut problems, rows, definition);
    }
    check_range(&mut problems, "topics", outbound.topics, 1, LaunchOptions::MAX_TOPICS);
    if definition.timers.is_some() {
        problems.extend(shape.supersteps.then_some(LaunchProblem::Timers { kernel }));
    }
    if definition.shape == KernelShape::Body {
        let asks = [
            (shape.block < 2, BodyOption::Block),
            (shape.connectable, BodyOption::Connectable),
            (shape.supersteps, BodyOption::Supersteps),
            (definition.peers.is_some() || definition.rows.is_some(), BodyOption::Peers),
            (options.observe.tracing, BodyOption::Tracing),
            (options.observe.causal, BodyOption::Causal),
            (options.observe.black_box, BodyOption::BlackBox),
        ];
        let asked = asks.into_iter().filter(|(asks, _)| *asks);
        problems.extend(asked.map(|(_, option)| LaunchProblem::Body { kernel, option }));
    }
    let slots = outbound.capacity.unwrap_or(inbound.capacity);
    // A capacity that cannot be is told already.
    if definition.max_outputs > slots && is_capacity(slots) {
        problems.push(LaunchProblem::Outputs { kernel, outputs: definition.max_outputs, slots });
    }
    problems
}

fn is_capacity(slots: u32) -> bool {
    slots.is_power_of_two() && (MIN_CAPACITY..=MAX_CAPACITY).contains(&slots)
}

fn check_rows(problems: &mut Vec<LaunchProblem>, rows: &Rows, definition: &KernelDefinition) {
    let kernel = definition.name;
    let Some(along) = &definition.rows else {
        problems.push(LaunchProblem::NoAlong { kernel });
        return;
    };
    let message = along.message.name;
    let edge = along.edge.map(|edge| edge.ty);
    if let Some(values) = rows.value_type().filter(|&values| edge != Some(values)) {
        let (values, edge) = (edge_name(values), edge.map(edge_name));
        problems.push(LaunchProblem::RowValues { kernel, message, values, edge });
    }
    let max = along.most_key();
    if let Some(key) = rows.most_key().filter(|&key| u64::from(key) > max) {
        problems.push(LaunchProblem::RowKeys { kernel, message, key, max });
    }
}

/// The name of a type that values of entries have.
fn edge_name(ty: Primitive) -> &'static str {
    match ty {
        Primitive::I32 => "i32",
        Primitive::F32 => "f32",
        _ => "u32",
    }
}

fn check_payload(problems: &mut Vec<LaunchProblem>, what: &'static str, ty: &TypeDescriptor) {
    if ty.size > MAX_PAYLOAD || ty.align > LINE {
        problems.push(LaunchProblem::Payload { what, ty: ty.name, size: ty.size, align: ty.align });
    }
}

fn check_range(problems: &mut Vec<LaunchProblem>, option: &'static str, given: u32, min: u32, max: u32) {
    if !(min..=max).contains(&given) {
        problems.push(LaunchProblem::Range { option, given, min, max });
    }
}

fn check_capacity(problems: &mut Vec<LaunchProblem>, option: &'static str, given: u32) {
    if !is_capacity(given) {
        let valid = given.clamp(MIN_CAPACITY, MAX_CAPACITY).next_power_of_two();
        problems.push(LaunchProblem::PowerOfTwo { option, given, valid });
    }
}

impl Problem for LaunchProblem {
    const SUBJECT: &'static str = "launch";
}

impl fmt::Display for LaunchProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PowerOfTwo { option, given, valid } => write!(
                f,
                "{option} is {given}, and must be a power of 2, {MIN_CAPACITY} ..= {MAX_CAPACITY}: use {valid}"
            ),
            Self::Range { option, given, min, max } => {
                let nearest = given.clamp(min, max);
                write!(f, "{option} is {given}, and must be {min} ..= {max}: use {nearest}")
            }
            Self::CausalOrdering { given: true, consistency } => write!(
                f,
                "causal_ordering is on, and with {consistency:?} a message orders nothing but itself: use \
                 ReleaseAcquire, or leave causal_ordering out"
            ),
            Self::CausalOrdering { given: false, consistency } => write!(
                f,
                "causal_ordering is off, and {consistency:?} orders everything: use Relaxed or ReleaseAcquire, or \
                 leave causal_ordering out"
            ),
            Self::RoundsWithoutSteps => f.write_str(
                "rounds are on, and supersteps off, in which blocks do not wait for each other: leave supersteps(false) out, or \
                 rounds",
            ),
            Self::LongName { begins, bytes } => write!(
                f,
                "the name that begins with {begins:?} has {bytes} bytes, and may have {}: use a shorter one",
                LaunchOptions::MAX_NAME
            ),
            Self::ControlInName { name } => write!(
                f,
                "the name {name:?} has a control character, which would break the lines of a status or a log: leave it out"
            ),
            Self::Spin { given, max } => write!(
                f,
                "spin is {given:?}, in which a block without work keeps a core busy, and must be {max:?} at most: use microseconds \
                 to milliseconds, after which the block sleeps and is woken"
            ),
            Self::NoTimestamps => f.write_str("track_latency needs timestamps: leave timestamps on"),
            Self::TracingTimestamps => f.write_str("tracing needs timestamps: leave timestamps on"),
            Self::NothingTraced => f.write_str(
                "trace_sample says which part of the messages is followed, and nothing is followed: add .tracing(true), or \
                 leave trace_sample out",
            ),
            Self::TraceSample => f.write_str(
                "trace_sample is a part of the messages, and must be from 0 to 1: 1 follows all of them",
            ),
            Self::Expiry => f.write_str(
                "expiry is 0, in which no message can be handed over: use a longer one, or leave it out",
            ),
            Self::Name => f.write_str("name is empty: leave it out to use the kernel's id"),
            Self::Queues { given, max } => write!(
                f,
                "{given} queues are named, and a kernel can have {max} besides its own: tell messages apart by a \
                 field, or launch another kernel"
            ),
            Self::Unnamed { number } => {
                write!(f, "queue {number} has an empty name: give it one, by which senders find it")
            }
            Self::NameTaken { queue } => {
                write!(f, "two queues are named \"{queue}\": give each its own name")
            }
            Self::NameOfKernel { queue } => write!(
                f,
                "a queue is named \"{queue}\", as its kernel is: give one of them another name, by which a status and a \
                 log tell them apart"
            ),
            Self::Queue { queue, problem } => write!(f, "queue \"{queue}\": {problem}"),
            Self::NoId { kernel, message } => write!(
                f,
                "deduplication is ById, and messages of `{kernel}` have no id: mark a field of {message} with \
                 #[ring(id)], or use ByPayload"
            ),
            Self::NoActors { kernel } => write!(
                f,
                "`{kernel}` keeps state by key, and actors is 0: say how many keys there are with .actors(n)"
            ),
            Self::SparseKeys { kernel } => write!(
                f,
                "sparse_keys is on, and `{kernel}` keeps no state by key: leave it out, since any key is taken where there is no state"
            ),
            Self::EvictsDense => f.write_str(
                "evict_actors is on, and sparse_keys off, by which each key below actors has a place of its own: leave one of \
                 them out",
            ),
            Self::OneBlock { kernel, owns, grid } => {
                let (owns, remedy) = match owns {
                    WholeKernel::State => {
                        ("state", "give its message a #[ring(key)] so that each actor has its own")
                    }
                    WholeKernel::Memory => ("memory", "let all blocks share atomics, `&[AtomicU32]`"),
                };
                write!(
                    f,
                    "`{kernel}` has {owns} of the whole kernel, which one block owns, and grid is {grid}: use \
                     .grid(1), or {remedy}"
                )
            }
            Self::Payload { what, ty, size, align } => write!(
                f,
                "the {what} type {ty} has {size} bytes aligned to {align}, and a slot takes {MAX_PAYLOAD} bytes \
                 aligned to {LINE}: send it in parts"
            ),
            Self::Spill { capacity, max_payload } => write!(
                f,
                "{capacity} messages of {max_payload} bytes are more than the {MOST_SPILLED} bytes that a ring of \
                 bridged messages has: lower capacity or max_payload"
            ),
            Self::BlackBox { kernel, message } => write!(
                f,
                "`{kernel}` takes bridged messages, of type {message}, which no black box shows yet: leave black_box out"
            ),
            Self::BlackBoxType { message, limit, given, max } => {
                let (has, remedy) = limit.words();
                write!(
                    f,
                    "black_box is on, and the message type {message} {has} {given}, where a reader of black boxes takes {max} at \
                     most: {remedy}, or leave black_box out"
                )
            }
            Self::Timers { kernel } => write!(
                f,
                "`{kernel}` sends messages to itself, or gets ticks, a start or an end, and supersteps are on (rounds have \
                 them), which such a kernel does not have yet: leave supersteps and rounds out"
            ),
            Self::Through { kernel, needs } => write!(
                f,
                "calls go through `{kernel}`, and {needs} is off, without which they cannot: leave {needs} on, or leave \
                 through out"
            ),
            Self::ThroughBlock { kernel } => write!(
                f,
                "calls go through `{kernel}`, and a whole block works on each of its messages, which does not hand calls on \
                 yet: call it directly, or write its handler for one thread"
            ),
            Self::Body { kernel, option } => {
                let text = match option {
                    BodyOption::Block => {
                        "block is 1, whose one thread needs no inbox: use .block(2) or more, or write a handler for one \
                         message, `message: &M`"
                    }
                    BodyOption::Connectable => {
                        "connectable is on, which bodies are not yet: leave it out, and let the host or a handler for one \
                         message send on what it answers"
                    }
                    BodyOption::Supersteps => {
                        "supersteps are on (rounds have them), in which a turn takes all that it finds: leave supersteps and \
                         rounds out, or write a handler for one message"
                    }
                    BodyOption::Peers => {
                        "its outputs say whom they are for, and bodies are not connected yet: send an output without an \
                         address or a row, or write a handler for one message"
                    }
                    BodyOption::BlackBox => {
                        "black_box is on, which cannot say yet which of its messages a body has taken: leave black_box out, or \
                         write a handler for one message"
                    }
                    BodyOption::Causal => {
                        "causal is on, and it takes many messages at once, of which none is stamped yet: leave causal out, or \
                         write a handler for one message"
                    }
                    BodyOption::Tracing => {
                        "tracing is on, and it takes many messages at once, of which none is followed yet: leave tracing out, \
                         or write a handler for one message"
                    }
                };
                write!(f, "`{kernel}` is a body, with an inbox, and {text}")
            }
            Self::Hold { kernel, why } => {
                let why = match why {
                    NoHold::OneWay => {
                        "its handler has one way out, so that nothing else could go on: give it several outboxes, \
                         addresses, topics or rows"
                    }
                    NoHold::Block => "all threads of a block work on each of its messages: let one thread handle a message",
                    NoHold::Supersteps => "its blocks take their turns in step: leave supersteps and rounds out",
                    NoHold::Unconnected => "connectable is off, so that nothing it sends waits: leave connectable(false) out",
                };
                write!(f, "outputs of `{kernel}` are to wait while it goes on (hold), and {why}, or leave hold out")
            }
            Self::HoldOutputs { kernel, hold, outputs } => write!(
                f,
                "of `{kernel}` {hold} outputs may wait (hold), and its handler may send {outputs} for a message, so that it \
                 would never take one: say hold({outputs}) at least"
            ),
            Self::ThroughPeers { kernel } => write!(
                f,
                "calls go through `{kernel}`, and its outputs say whom they are for, or go along rows, which one kernel cannot do yet: \
                 call it directly, or leave through out"
            ),
            Self::NoAlong { kernel } => write!(
                f,
                "rows are given, and the outputs of `{kernel}` go along none: send `Along<M>` by its outbox, or leave rows out"
            ),
            Self::RowValues { kernel, message, values, edge: Some(edge) } => write!(
                f,
                "the entries of the rows have values of type {values}, and the field of `{message}` that `{kernel}` sends \
                 them in is {edge}: give values of that type, or change the field"
            ),
            Self::RowValues { kernel, message, values, edge: None } => write!(
                f,
                "the entries of the rows have values of type {values}, and `{message}`, which `{kernel}` sends along them, \
                 has no field for them: mark one with #[ring(edge)], or leave the values out"
            ),
            Self::RowKeys { kernel, message, key, max } => write!(
                f,
                "a row names the actor {key}, and the key of `{message}`, which `{kernel}` sends along it, is {max} at \
                 most: make it `u32`, or leave such entries out"
            ),
            Self::ThroughTimers { kernel } => write!(
                f,
                "calls go through `{kernel}`, and it sends messages to itself, or gets ticks, a start or an end, which \
                 one kernel cannot do yet: call it directly, or leave through out"
            ),
            Self::Outputs { kernel, outputs, slots } => write!(
                f,
                "`{kernel}` may send {outputs} messages at once, and the outbound ring has {slots} slots: raise \
                 output_capacity"
            ),
        }
    }
}
