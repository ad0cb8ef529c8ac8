//! A kernel as data.

use annulus_abi::{actors::Exits, error::ErrorName};
use annulus_message::Message;

use crate::{
    Accepts, AskDefinition, BindingDefinition, BridgedDefinition, CpuEntry, DeviceType, KernelMessage,
    KernelTree, KeyDescriptor, LowerError, MOST_PEERS, PeersDefinition, PrintSite, RingMessage,
    RowsDefinition, Target, TypeDescriptor, TypeKind, tree::reachable,
};

/// A ring kernel. `#[ring_kernel]` implements it for a type that has the handler's name.
///
/// # Safety
///
/// The definition describes the associated types and one handler: its descriptors belong to these types, its
/// `key` takes a `Message`, and its `cpu` entry is sound to call with memory of the types that the definition
/// names.
pub unsafe trait RingKernel: Send + Sync + 'static {
    /// The message type that it takes.
    type Message: KernelMessage;
    /// The type that it sends; [`NoOutput`](crate::NoOutput) if the handler has no outbox.
    type Output: RingMessage;
    /// What it answers: the type of its [`Reply`](crate::Reply), if the handler has one; otherwise the output. It is a message,
    /// as the output is.
    type Answer;
    /// The kernel as data.
    const DEFINITION: &'static KernelDefinition;
}

/// Everything a runtime needs to know to check, place and launch a kernel.
#[derive(Clone, Copy, Debug)]
pub struct KernelDefinition {
    /// The kernel's id: the handler's name unless the attribute gives another.
    pub name: &'static str,
    /// The module that contains the handler.
    pub module: &'static str,
    /// The source file of the handler.
    pub file: &'static str,
    /// The line of the handler.
    pub line: u32,
    /// The message type. Of a bridged message this is [`BRIDGED_HEAD`](crate::BRIDGED_HEAD).
    pub message: &'static TypeDescriptor,
    /// What a bridged message adds; `None` if messages are direct.
    pub bridged: Option<BridgedDefinition>,
    /// The output type; `None` if the handler has no outbox.
    pub output: Option<&'static TypeDescriptor>,
    /// The handler's outboxes, if it has several; empty otherwise. Then `output` is an enum: its variant of the
    /// same number and name holds what an outbox sends.
    pub ports: &'static [PortDefinition],
    /// The key of a message, if its type has one. The pointer is to a valid message as it lies in a slot.
    pub key: Option<unsafe fn(*const u8) -> u64>,
    /// Where the key lies in the message, for devices; `None` if there is no key, or if code computes it.
    pub key_field: Option<KeyDescriptor>,
    /// The variants of the message that take what other kernels send (`#[ring(from)]`), by their numbers in order
    /// of declaration.
    pub from: &'static [usize],
    /// If outputs say which kernel they are for, what lies where in them.
    pub peers: Option<PeersDefinition>,
    /// If outputs go along rows of a graph, what lies where in them.
    pub rows: Option<RowsDefinition>,
    /// Where the key lies in an output: with it a device finds the shard of a connected kernel that an output is for.
    pub output_key_field: Option<KeyDescriptor>,
    /// What state it keeps.
    pub state: StateShape,
    /// What works on a message: a thread, or a whole block.
    pub shape: KernelShape,
    /// What a launch must bind, in the order of the handler's parameters.
    pub bindings: &'static [BindingDefinition],
    /// How a block takes its messages.
    pub mode: ProcessingMode,
    /// At most this many messages in one iteration, at least 1: also the fairness limit between kernels.
    pub max_messages_per_iteration: u32,
    /// At most this many sends per message, by all outboxes; 0 if and only if there is no outbox.
    pub max_outputs: u32,
    /// How many turns the loops of one call may take on a device, all together. One more, and the call fails
    /// with [`BUDGET_EXHAUSTED`](annulus_abi::error::BUDGET_EXHAUSTED). The CPU does not count.
    pub loop_budget: u32,
    /// The names of its failures, if the handler's error derives `ErrorCode`.
    pub errors: &'static [ErrorName],
    /// Whether the handler asks for the time ([`Cx::now`](crate::Cx::now)), or hands its context to a
    /// function that may.
    pub asks_time: bool,
    /// The timers of the handler, if it takes a [`Later`](crate::Later), or gets messages that nobody sends. Then it
    /// asks for the time.
    pub timers: Option<TimersDefinition>,
    /// The names of the backends that the kernel may be launched on; empty if it may be launched on any.
    pub backends: &'static [&'static str],
    /// The most bytes that the arrays which the handler shares
    /// ([`BlockCx::shared`](crate::BlockCx::shared)) may have together.
    pub shared_memory: u32,
    /// The handler on the CPU.
    pub cpu: CpuEntry,
    /// The handler as data, for devices; `None` for `#[ring_kernel(cpu_only)]`.
    pub tree: Option<fn() -> KernelTree>,
}

/// How many messages to itself a kernel keeps, and sets; and those that it gets without having sent them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimersDefinition {
    /// The most that wait in one block.
    pub room: u32,
    /// The most that the handler sets for one message.
    pub each: u32,
    /// What comes again and again.
    pub tick: Option<TickDefinition>,
    /// The variant that comes before all other messages (`#[ring(start)]`), by its number.
    pub start: Option<usize>,
    /// The variant that comes when the kernel is to terminate (`#[ring(stop)]`), by its number.
    pub stop: Option<usize>,
}

/// The tick of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TickDefinition {
    /// The variant that is marked `#[ring(tick)]`, by its number.
    pub variant: usize,
    /// From one to the next, in nanoseconds: at least 1.
    pub period: u64,
}

impl TimersDefinition {
    /// Those of a kernel with room for `later.0` messages to itself, and `later.1` for each message, if its handler
    /// sends any; and with a tick of so many nanoseconds.
    pub const fn of<K: RingKernel>(later: Option<(u32, u32)>, period: Option<u64>) -> Option<Self> {
        let tick = match (K::Message::TICK_VARIANT, period) {
            (Some(variant), Some(period)) => Some(TickDefinition { variant, period }),
            _ => None,
        };
        let (start, stop) = (K::Message::START_VARIANT, K::Message::STOP_VARIANT);
        let events = Self { room: 0, each: 0, tick, start, stop };
        match later {
            Some((room, each)) => Some(Self { room, each, ..events }),
            None if events.has_events() => Some(events),
            None => None,
        }
    }

    /// Whether the kernel's message has a variant `#[ring(tick)]`, and one that comes first or last.
    #[doc(hidden)]
    pub const fn marks<K: RingKernel>() -> (bool, bool) {
        let others = K::Message::START_VARIANT.is_some() || K::Message::STOP_VARIANT.is_some();
        (K::Message::TICK_VARIANT.is_some(), others)
    }

    /// Whether there are messages that nobody has sent.
    pub const fn has_events(&self) -> bool {
        self.tick.is_some() || self.start.is_some() || self.stop.is_some()
    }

    /// How many messages have a place in a block: those that wait, the one that is handled, and one that nobody has
    /// sent.
    pub const fn places(&self) -> u32 {
        self.room + 1 + self.has_events() as u32
    }
}

/// One of several outboxes of a handler.
#[derive(Clone, Copy, Debug)]
pub struct PortDefinition {
    /// The parameter's name.
    pub name: &'static str,
    /// What it sends.
    pub output: &'static TypeDescriptor,
    /// Where the key lies in that.
    pub output_key_field: Option<KeyDescriptor>,
    /// At most this many sends per message.
    pub max_outputs: u32,
    /// Whether it is the handler's [`Reply`](crate::Reply): it sends to who asked, at most once, and is never connected.
    pub is_reply: bool,
    /// What comes of what it sends, if it is the handler's [`Ask`](crate::Ask): it sends at most once, too.
    pub ask: Option<AskDefinition>,
    /// The first word of the kernel's output if it came by this outbox: its number.
    pub tag: u64,
    /// Where in the kernel's output that lies which was sent.
    pub offset: usize,
}

/// The most outboxes of one handler.
pub const MOST_PORTS: usize = 16;

/// The loop budget of a kernel whose attribute gives none. It is enough for any sensible handler, and small
/// enough that a device in an endless loop returns within a second.
pub const DEFAULT_LOOP_BUDGET: u32 = 1 << 24;

/// The most bytes of shared arrays of a kernel whose attribute says nothing about them: a half of what OpenCL
/// promises for a block.
pub const DEFAULT_SHARED_MEMORY: u32 = 16 << 10;

/// How many messages a block takes in one iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum ProcessingMode {
    /// One: the lowest latency.
    #[default]
    Continuous,
    /// Up to `max_messages_per_iteration` at once: the highest throughput.
    Batch,
    /// As many as wait, up to a size between 1 and `max_messages_per_iteration`. The size doubles when a turn
    /// finds more messages, and halves when it finds a quarter of it or fewer.
    Adaptive,
}

/// What works on a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum KernelShape {
    /// One thread; several threads of a block work on several messages.
    #[default]
    Thread,
    /// All threads of a block, together: the handler takes a [`BlockCx`](crate::BlockCx).
    Block,
    /// All threads of a block work on all messages of a turn: the handler, a *body*, takes an
    /// [`Inbox`](crate::Inbox), too.
    Body,
}

impl KernelShape {
    /// Whether all threads of a block run the handler together.
    #[inline]
    pub const fn is_block_wide(self) -> bool {
        !matches!(self, Self::Thread)
    }
}

/// What state a kernel keeps between messages, besides bound memory.
#[derive(Clone, Copy, Debug)]
pub enum StateShape {
    /// None: messages are independent of each other.
    Stateless,
    /// One for each actor that a key names. Actors run in parallel; each takes its messages one at a time.
    PerActor(StateDefinition),
    /// One for the whole kernel, which then runs as one block, one message at a time.
    Whole(StateDefinition),
}

impl StateShape {
    /// The shape for a `&mut S` parameter of this kernel.
    pub const fn of<K: RingKernel, S: DeviceType + Default>() -> Self {
        let definition = StateDefinition { ty: S::DESCRIPTOR, init: init_default::<S>, ends: false };
        if K::Message::KEYED { Self::PerActor(definition) } else { Self::Whole(definition) }
    }

    /// The same shape, of a handler that may end its actor.
    pub const fn ending(self) -> Self {
        match self {
            Self::Stateless => Self::Stateless,
            Self::PerActor(state) => Self::PerActor(StateDefinition { ends: true, ..state }),
            Self::Whole(state) => Self::Whole(StateDefinition { ends: true, ..state }),
        }
    }

    /// The type and initial value, if there is state.
    pub const fn definition(&self) -> Option<StateDefinition> {
        match self {
            Self::Stateless => None,
            Self::PerActor(definition) | Self::Whole(definition) => Some(*definition),
        }
    }
}

/// The type and initial value of a state, and whether it may end.
#[derive(Clone, Copy, Debug)]
pub struct StateDefinition {
    /// The type.
    pub ty: &'static TypeDescriptor,
    /// Writes the initial value, the type's `Default`, to memory that is valid and aligned for it.
    pub init: unsafe fn(*mut u8),
    /// Whether the handler may end its actor: it takes a [`ThisActor`](crate::ThisActor).
    pub ends: bool,
}

impl StateDefinition {
    /// How actors with such states go, in a launch that evicts some, or none.
    pub const fn exits(&self, evicts: bool) -> Exits {
        Exits { evicted: evicts, ended: self.ends }
    }
}

unsafe fn init_default<S: Default>(state: *mut u8) {
    debug_assert!(state.cast::<S>().is_aligned(), "a state lies where its type may");
    // SAFETY: the caller gives memory that is valid and aligned for `S`.
    unsafe { state.cast::<S>().write(S::default()) };
}

impl KernelDefinition {
    /// The handler's [`Reply`](crate::Reply), if it has one.
    pub fn reply(&self) -> Option<&'static PortDefinition> {
        self.ports.iter().find(|port| port.is_reply)
    }

    /// The handler's [`Ask`](crate::Ask), if it has one.
    pub fn ask(&self) -> Option<&'static PortDefinition> {
        self.ports.iter().find(|port| port.ask.is_some())
    }

    /// The number of the outbox by which it asks, if it has an [`Ask`](crate::Ask).
    pub fn asks_by(&self) -> Option<usize> {
        self.ports.iter().position(|port| port.ask.is_some())
    }

    /// What answers a call through a pipeline that ends here, and where that lies in an output: what the handler replies,
    /// or what its only outbox sends.
    pub fn answer(&self) -> Option<(&'static TypeDescriptor, usize)> {
        match (self.reply(), self.ports) {
            (Some(reply), _) => Some((reply.output, reply.offset)),
            (None, []) => self.output.map(|output| (output, 0)),
            (None, _) => None,
        }
    }

    /// To how many kernels it may be connected at a time: one by each outbox, or several by their addresses, with
    /// one place more that stands for nobody. The places have numbers; those of outboxes have theirs.
    pub const fn places(&self) -> usize {
        match (self.peers, self.ports.len()) {
            (Some(_), _) => MOST_PEERS + 1,
            (None, 0) => 1,
            (None, ports) => ports,
        }
    }

    /// How many of its places are counted by themselves: all, if there may be several. A kernel whose outputs go along rows
    /// has one more, [`NO_ROW`](Self::NO_ROW).
    pub const fn counted_places(&self) -> usize {
        match (self.peers, self.rows) {
            (Some(_), _) => self.places(),
            (None, Some(_)) => Self::NO_ROW + 1,
            (None, None) => self.ports.len(),
        }
    }

    /// Of a kernel whose outputs go along rows, the place that counts those for which there is no row. It leads nowhere.
    pub const NO_ROW: usize = 1;

    /// The place that counts what is for nobody, if there may be such.
    pub const fn nobody(&self) -> Option<usize> {
        match (self.peers, self.rows) {
            (Some(_), _) => Some(MOST_PEERS),
            (None, Some(_)) => Some(Self::NO_ROW),
            (None, None) => None,
        }
    }

    /// Whether it takes a message, or what a variant of it holds, of a type with this layout and key.
    pub fn takes(&self, ty: &TypeDescriptor, key: Option<KeyDescriptor>, variant: Option<usize>) -> bool {
        if self.bridged.is_some() {
            return false;
        }
        match (variant, self.message.kind) {
            (None, _) => self.message.difference(ty).is_none() && self.key_field == key,
            (Some(number), TypeKind::Enum { variants, .. }) if self.from.contains(&number) => {
                let held = match self.key_field {
                    Some(KeyDescriptor::Held(keys)) => keys.get(number).and_then(|key| key.of),
                    _ => None,
                };
                let [field] = variants.get(number).map_or(&[][..], |variant| variant.fields) else {
                    return false;
                };
                field.ty.difference(ty).is_none() && held == key
            }
            _ => false,
        }
    }

    /// The prints of the handler and of all functions that it can reach, indexed by their numbers in its
    /// device texts. A `cpu_only` kernel has no such text and no prints.
    pub fn prints(&self) -> Vec<PrintSite> {
        let Some(tree) = self.tree else { return Vec::new() };
        let KernelTree { mut prints, functions, .. } = tree();
        for (_, function) in reachable(&functions) {
            prints.extend(function.tree.prints);
        }
        prints
    }

    /// The handler as C in one of the dialects: readable, with the lines of its Rust in comments.
    ///
    /// # Errors
    ///
    /// If the handler is `cpu_only`, or uses something that devices, or this kind of device, cannot do.
    pub fn handler_source(&'static self, target: Target) -> Result<String, LowerError> {
        crate::handler_source(self, target)
    }

    // The functions below take the kernel, not its messages. So if a type is no message, the error appears
    // only once.

    /// The layout of a kernel's message.
    pub const fn message_of<K: RingKernel>() -> &'static TypeDescriptor {
        K::Message::SLOT
    }

    /// What a kernel's bridged message adds.
    pub const fn bridged_of<K: RingKernel>() -> Option<BridgedDefinition> {
        K::Message::BRIDGED
    }

    /// The layout of a kernel's output.
    pub const fn output_of<K: RingKernel>() -> &'static TypeDescriptor {
        K::Output::DESCRIPTOR
    }

    /// An outbox of a kernel that has several, by its number among them.
    ///
    /// # Panics
    ///
    /// If the kernel's output is not the enum that `#[ring_kernel]` makes for them.
    pub const fn port_of<K: RingKernel, T: RingMessage>(
        number: usize,
        name: &'static str,
        max_outputs: u32,
    ) -> PortDefinition {
        let TypeKind::Enum { variants, .. } = K::Output::DESCRIPTOR.kind else {
            panic!("what several outboxes send is an enum")
        };
        let variant = &variants[number];
        PortDefinition {
            name,
            output: T::DESCRIPTOR,
            output_key_field: T::KEY_FIELD,
            max_outputs,
            is_reply: false,
            ask: None,
            tag: variant.tag,
            offset: variant.fields[0].offset,
        }
    }

    /// The reply of a kernel, by its number among the ways out.
    ///
    /// # Panics
    ///
    /// As [`port_of`](Self::port_of).
    pub const fn reply_of<K: RingKernel, T: RingMessage>(
        number: usize,
        name: &'static str,
        max_outputs: u32,
    ) -> PortDefinition {
        PortDefinition { is_reply: true, ..Self::port_of::<K, T>(number, name, max_outputs) }
    }

    /// What a kernel asks others by, by its number among the ways out; the awaited message is an `A`.
    ///
    /// # Panics
    ///
    /// As [`port_of`](Self::port_of), and if the kernel's message has no variant of its own for an `A`.
    pub const fn ask_of<K: RingKernel<Message: Accepts<A>>, Q: RingMessage, A: RingMessage>(
        number: usize,
        name: &'static str,
        max_outputs: u32,
    ) -> PortDefinition {
        let ask = Some(AskDefinition::of::<K::Message, A>());
        PortDefinition { ask, ..Self::port_of::<K, Q>(number, name, max_outputs) }
    }

    /// The name of the kernel's message type.
    pub fn message_name(&self) -> &'static str {
        self.bridged.map_or(self.message.name, |bridged| bridged.name)
    }

    /// Where the key lies in a kernel's message.
    pub const fn key_field_of<K: RingKernel>() -> Option<KeyDescriptor> {
        K::Message::KEY_PLACE
    }

    /// What lies where in a kernel's output, if that says which kernel it is for.
    pub const fn peers_of<K: RingKernel>() -> Option<PeersDefinition> {
        K::Output::PEERS
    }

    /// What lies where in a kernel's output, if that goes along a row.
    pub const fn rows_of<K: RingKernel>() -> Option<RowsDefinition> {
        K::Output::ROWS
    }

    /// The variants of a kernel's message that take what other kernels send.
    pub const fn from_of<K: RingKernel>() -> &'static [usize] {
        K::Message::FROM_VARIANTS
    }

    /// Where the key lies in a kernel's output.
    pub const fn output_key_field_of<K: RingKernel>() -> Option<KeyDescriptor> {
        K::Output::KEY_FIELD
    }

    /// The key function of a kernel's message.
    pub const fn key_of<K: RingKernel>() -> Option<unsafe fn(*const u8) -> u64> {
        if K::Message::KEYED { Some(K::Message::key_in) } else { None }
    }
}
