//! The contract between the runtime and a backend, which runs kernels.
//!
//! The runtime validates everything once, before it calls a backend; a backend may trust every input.

use std::{
    any::Any,
    fmt,
    mem::MaybeUninit,
    sync::{Arc, Weak},
    time::Duration,
};

use annulus_abi::vitals::At;
use annulus_block::{Answered, Deliver, RuntimeClock, Signals};
use annulus_kernel::{Binding, Inside, KernelDefinition, ProcessingMode, Rows};

use annulus_ring::memory::{ShardMemory, SharedMemory};

use crate::options::RunMode;

mod capabilities;
mod compilation;
pub(crate) mod noop;
mod size;

pub use capabilities::Capabilities;
pub use compilation::{Compilation, ProgramOrigin};
pub use size::{BackendMemory, LaunchSize};

/// Something that runs kernels.
///
/// # Safety
///
/// Memory safety rests on what a backend does with a launched kernel: it makes the one consumer of each
/// shard's inbound ring and the one producer of its outbound ring, calls the definition's handler with memory
/// of the types that the definition names, publishes outputs of the kernel's output type only, and touches
/// neither rings nor state of a shard after it has stored *terminated* in the shard's state word.
pub unsafe trait DeviceBackend: Send + Sync + 'static {
    /// The backend's name, as the command line and telemetry show it: `cpu`, `cuda`, …
    fn name(&self) -> &'static str;

    /// The backend's devices; the first is the one that it would launch on. Never empty.
    fn devices(&self) -> Vec<DeviceInfo>;

    /// The name of the device that it launches on: that of the first of [`devices`](Self::devices), without asking
    /// others.
    fn device_name(&self) -> String {
        self.devices().into_iter().next().map_or_else(String::new, |device| device.name)
    }

    /// Allocates zeroed memory that both its kernels and the host see while a kernel runs.
    ///
    /// # Errors
    ///
    /// If there is not enough memory.
    fn allocate(&self, bytes: usize) -> Result<SharedMemory, BackendError>;

    /// Whether a shard's control block, the tickets of its rings to and from the host, and its telemetry line
    /// may lie in any memory of this process. Then the runtime puts them where other processes can see them.
    /// If not, they lie in memory of this backend, and the runtime shows copies ([`HostSignals::beat`]).
    fn shares_any_memory(&self) -> bool {
        false
    }

    /// Memory of this process at the same place, now as memory that both its kernels and the host see while a kernel
    /// runs, as from [`allocate`](Self::allocate): a part of a file that is mapped, shared, from a page on, and whole pages.
    /// It is zero, and is so when this returns. It is dropped when no kernel can touch it any more.
    ///
    /// # Errors
    ///
    /// If kernels cannot use it.
    fn adopt(&self, memory: SharedMemory) -> Result<SharedMemory, BackendError> {
        match self.shares_any_memory() {
            true => Ok(memory),
            false => Err(BackendError::new(format!(
                "its rings lie in memory of the {} backend, which is no file: launch it on another backend",
                self.name()
            ))),
        }
    }

    /// Whether its kernels read the time by [`RuntimeClock::now`] alone, and are called when it has come
    /// ([`RuntimeClock::arm`]). Then a program may move the clock by hand. Devices have clocks of their own.
    fn follows_any_clock(&self) -> bool {
        false
    }

    /// Whether prints become events on the thread that runs the handler
    /// ([`PrintOrigin::enter`](crate::PrintOrigin::enter)). If not, each shard has a ring of prints, and the
    /// host makes events of them.
    fn prints_where_it_runs(&self) -> bool {
        false
    }

    /// Whether the slots of this kernel's inbound rings are sealed ([`annulus_ring::sealed`]) if its messages
    /// are small enough, in a launch with `block` threads for each block. The runtime asks only if the host
    /// [can seal](annulus_ring::sealed::is_offered), and before memory is laid out. The shards' layout says
    /// whether the slots are sealed.
    fn seals(&self, _definition: &KernelDefinition, _block: u32) -> bool {
        false
    }

    /// The memory that a launch of this size would take of the backend, besides the [allocated](Self::allocate) memory of its
    /// shards: as many bytes as [`launch`](Self::launch) then asks for.
    ///
    /// # Errors
    ///
    /// If no kernel of this size can be launched.
    fn memory(&self, size: &LaunchSize<'_>) -> Result<BackendMemory, BackendError> {
        let _ = size;
        Ok(BackendMemory::default())
    }

    /// Launches a kernel. From then on the kernel obeys its shards' command words, acknowledges *active*,
    /// *inactive* and *terminated* in their state words, and reports to `spec.signals`.
    ///
    /// # Errors
    ///
    /// If the device cannot run the kernel, or has no place for one more.
    fn launch(&self, spec: LaunchSpec) -> Result<Box<dyn DeviceKernel>, BackendError>;
}

/// A kernel that a backend has launched.
pub trait DeviceKernel: Send + Sync {
    /// Says that a shard has something new: messages, a command, or space in its outbound ring after it
    /// stalled.
    ///
    /// It must order the caller's earlier stores before its own look whether the shard sleeps (a SeqCst
    /// fence). Then the shard either sees them or is woken. Cheap while the shard is awake.
    fn wake(&self, shard: u32);

    /// [`wake`](Self::wake), by a thread that has given the shard something, and may run it next itself, if it runs shards.
    fn wake_next(&self, shard: u32) {
        self.wake(shard);
    }

    /// The kernel was told to end, and is not waited for any more, since a handler of it does not return. A backend whose own
    /// threads run handlers ends without those that are in one of this kernel's.
    fn leave_behind(&self) {}

    /// Whether a shard sleeps, or may, for a caller that has made work for it and fenced (SeqCst). One that does not looks for
    /// work once more before it sleeps, and finds it. One that does has told before what it waits for.
    fn is_asleep(&self, shard: u32) -> bool {
        let _ = shard;
        true
    }

    /// Says that somebody is about to wait for what the kernel reports. Before this call,
    /// [`HostSignals::is_awaited`] has become true.
    ///
    /// A thread that looks at the kernel's words on behalf of those who wait may sleep until this call. This
    /// must order the caller's earlier stores before its own look whether that thread sleeps, as
    /// [`wake`](Self::wake) does. If a backend's blocks report by themselves, it needs nothing here.
    fn expect(&self) {}

    /// Copies out a shard's states, in the order of its actors.
    ///
    /// # Errors
    ///
    /// If the device fails.
    ///
    /// # Safety
    ///
    /// The shard is inactive or has terminated, as the caller has acquired, and stays so; nobody else reads
    /// or sets its states meanwhile. There are as many bytes as the shard's states have.
    unsafe fn read_states(&self, shard: u32, states: &mut [MaybeUninit<u8>]) -> Result<(), BackendError>;

    /// Sets a shard's states.
    ///
    /// # Errors
    ///
    /// If the device fails.
    ///
    /// # Safety
    ///
    /// As for [`read_states`](Self::read_states), and the bytes are valid values of the kernel's state type.
    unsafe fn write_states(&self, shard: u32, states: &[MaybeUninit<u8>]) -> Result<(), BackendError>;

    /// Copies out a shard's [table of actors](annulus_abi::actors), if the kernel's keys are sparse.
    ///
    /// # Errors
    ///
    /// If the device fails.
    ///
    /// # Safety
    ///
    /// As for [`read_states`](Self::read_states); there are as many words as the table has.
    unsafe fn read_actors(&self, shard: u32, words: &mut [u64]) -> Result<(), BackendError>;

    /// Sets a shard's table of actors, if the kernel's keys are sparse.
    ///
    /// # Errors
    ///
    /// If the device fails.
    ///
    /// # Safety
    ///
    /// As for [`read_actors`](Self::read_actors), and the words are a table for as many places.
    unsafe fn write_actors(&self, shard: u32, words: &[u64]) -> Result<(), BackendError>;

    /// Copies out the memory of a bound parameter, which is given by its number in the definition.
    ///
    /// # Errors
    ///
    /// If the device fails.
    ///
    /// # Safety
    ///
    /// Every shard is inactive or has terminated, and stays so; there are as many bytes as the parameter has.
    unsafe fn read_binding(&self, index: usize, memory: &mut [MaybeUninit<u8>]) -> Result<(), BackendError>;

    /// Sets the memory of a bound parameter.
    ///
    /// # Errors
    ///
    /// If the device fails.
    ///
    /// # Safety
    ///
    /// As for [`read_binding`](Self::read_binding), and the bytes are valid values of the parameter's type.
    unsafe fn write_binding(&self, index: usize, memory: &[MaybeUninit<u8>]) -> Result<(), BackendError>;

    /// Sets where the handlers' outputs go from the next activation on, by an outbox: to another kernel or, as
    /// after the launch, to the host. A kernel with one outbox has number 0 alone. Outputs of calls are replies, and always go to the host. Pending outputs, which
    /// handlers have already sent but which have found no room yet, go to the new target.
    ///
    /// # Errors
    ///
    /// If the two are not on the same device.
    ///
    /// # Safety
    ///
    /// Both were launched [connectable](LaunchSpec::connectable), by this backend. Every shard of this one is
    /// inactive or has terminated, and stays so meanwhile. This one has a [place](KernelDefinition::places) of that
    /// number, and the
    /// target's message type is what this outbox sends, or is an enum that holds it inside of a variant, as the
    /// link says.
    unsafe fn connect(&self, outbox: usize, link: Option<Link>) -> Result<(), BackendError> {
        let _ = (outbox, link);
        Err(BackendError::new("its kernels cannot be connected: launch on another backend"))
    }

    /// Sets an entry of the kernel's [table of topics](annulus_abi::topics), at any time. Messages that are sent to the
    /// kernel afterwards meet it. A backend that [connects](Self::connect) kernels implements this, too.
    ///
    /// # Panics
    ///
    /// If the kernel was launched with no such [entry](LaunchSpec::topics).
    fn set_topic(&self, place: usize, entry: u64) {
        let _ = (place, entry);
        unreachable!("a backend without connections launches no kernel with topics");
    }

    /// What a shard's block is at, where the block says it in memory of the backend. `None` if it says it in
    /// [`ShardMemory::at`], or not at all.
    fn at(&self, shard: u32) -> Option<At> {
        let _ = shard;
        None
    }

    /// How often the kernel came to run, if it leaves and comes back; see
    /// [`KernelStatus::epochs`](crate::KernelStatus::epochs).
    fn epochs(&self) -> u64 {
        0
    }

    /// How many rounds have begun, if the kernel goes in rounds; see
    /// [`KernelStatus::rounds`](crate::KernelStatus::rounds).
    fn rounds(&self) -> Option<u64> {
        None
    }

    /// How far the times that the kernel tells may be from the host's; see
    /// [`KernelStatus::clock_uncertainty`](crate::KernelStatus::clock_uncertainty).
    fn clock_uncertainty(&self) -> Option<Duration> {
        None
    }

    /// With this a backend recognises its own kernels.
    fn as_any(&self) -> &dyn Any;
}

/// Where the outputs of a kernel's outbox go, if not to the host.
#[derive(Clone)]
pub struct Link {
    /// The kernel that takes them.
    pub target: Weak<dyn LinkTarget>,
    /// What happens to an output for which there is no room. If true, it waits, and the block takes no
    /// message until it is sent; else it is lost, and counted.
    pub waits: bool,
    /// Where in a message of the target's an output lies, if a variant of it takes outputs. Only kernels that
    /// were launched with [`LaunchSpec::into_variants`] have such links.
    pub inside: Option<Inside>,
    /// The address of the target, if the outputs of the kernel say whom they are for. That of nobody is 0; then
    /// there is no target, and what goes there is lost.
    pub peer: Option<u64>,
    /// If the source asks by this outbox, where the answers are.
    pub asks: Option<AskedAt>,
}

/// Where a kernel finds the answers to what it asks another one.
#[derive(Clone)]
pub struct AskedAt {
    /// The first of the places that its asks have in the asked kernel: block after block, as many as a block may have asks
    /// ([`asks_of`](annulus_abi::launch::asks_of)).
    pub first: u32,
    /// Where in an output of the asked kernel the answer lies.
    pub answer: usize,
    /// The answers, for a backend whose blocks answer in the [landings](annulus_ring::ring::Landings) of their kernel.
    pub answers: Arc<dyn Answered>,
}

/// A kernel to which other kernels of the same backend send.
pub trait LinkTarget: Deliver {
    /// The kernel as its backend launched it.
    fn device(&self) -> Option<&dyn DeviceKernel>;
}

/// What a backend tells the runtime about a kernel, besides the [progress](Signals) of its shards. Called by
/// the thread that drives the shards: a worker or the runtime's pump.
pub trait HostSignals: Signals {
    /// Whether somebody waits for a report, or a queue in front of a ring waits for space in the ring. While
    /// nobody waits, reports may come late.
    fn is_awaited(&self) -> bool;

    /// Called when the kernel has ended without being told to: its device failed, or a block found its host
    /// gone. Each shard that has ended says *terminated* in its state word, and touches no memory any more.
    /// This closes the kernel, and tells its other shards to end. The messages in its queues can then be
    /// taken. `why` is for people: the status has it among its notes.
    fn lost(&self, why: &str);

    /// How many messages kernels have sent over the device's own memory that this one has not taken yet
    /// ([`ShardMemory::forwarded`]), as far as they have told.
    fn unread(&self) -> u64 {
        0
    }

    /// Whether there are such messages. If kernels run in epochs, this tells the host that there is something
    /// to do.
    fn is_fed(&self) -> bool {
        self.unread() != 0
    }

    /// A launch on this device looks for the kernel's program, and compiles it if there is none. The launch
    /// calls this before it compiles.
    fn compiling(&self, device: &str) {
        let _ = device;
    }

    /// The device has the program. A launch calls this once, if it needs a program.
    fn compiled(&self, compilation: Compilation) {
        let _ = compilation;
    }

    /// The host has renewed the kernel's heartbeat.
    fn beat(&self) {}

    /// Copies the shards' words to where other processes see them, unless they lie there. Called some 25 times a second, at moments
    /// that nothing sets which the kernel does: whoever looks at the copies takes their moments for random ones.
    fn copy(&self) {}

    /// A note for whoever runs the kernel, in words: for example, that it runs in another way than was asked
    /// for, or does not begin. The note is shown in the kernel's [status](crate::KernelStatus::notes), and as
    /// a warning of `tracing`; each text only once.
    fn noted(&self, note: String) {
        let _ = note;
    }

    /// A shard's handler has printed, at this place of its source. Backends whose prints
    /// [become events where they are made](DeviceBackend::prints_where_it_runs) need not call this: what prints does.
    fn printed(&self, shard: u32, file: &str, line: u32) {
        let _ = (shard, file, line);
    }
}

/// A kernel to launch. It is validated, and its memory is laid out.
pub struct LaunchSpec {
    /// The kernel as data.
    pub definition: &'static KernelDefinition,
    /// The name that it runs under.
    pub name: String,
    /// The bound parameters, as the definition lists them.
    pub bindings: Vec<Binding>,
    /// The shards, one for each block.
    pub shards: Vec<ShardMemory>,
    /// Of a kernel with a [black box](crate::LaunchOptions::black_box) on a backend whose blocks keep their words in its own
    /// memory: room for a [`BlockRecord`](annulus_abi::launch::BlockRecord) of each block, [adopted](DeviceBackend::adopt).
    /// It survives the process.
    pub block_records: Option<SharedMemory>,
    /// Threads of a block.
    pub block: u32,
    /// Actors of the kernel: keys are `0..actors`, unless they are sparse, and key `k` lives in shard `k % shards`. 0 without
    /// per-actor state.
    pub actors: u64,
    /// Whether any keys may come, and the first of them get the shard's places: `actors / shards` of them, rounded up. Only
    /// with per-actor state.
    pub sparse: bool,
    /// Whether an actor without recent messages gives way to a new one that finds no place. Only with sparse keys.
    pub evicts: bool,
    /// How a block takes its messages.
    pub mode: ProcessingMode,
    /// At most this many messages in one iteration.
    pub max_messages_per_iteration: u32,
    /// Whether the kernel can be [connected](DeviceKernel::connect).
    pub connectable: bool,
    /// Whether what it sends may become a variant of what the connected kernel takes.
    pub into_variants: bool,
    /// Whether the blocks take their turns together: no block begins its next turn before all have ended
    /// theirs, and what it does then happens after everything that they did.
    pub supersteps: bool,
    /// Whether they go in rounds, too: a block takes what lay in its ring when the round began, and the next one begins when
    /// all have done so and nothing waits to be delivered.
    pub rounds: bool,
    /// How long a block polls for more before it goes to sleep.
    pub spin: Duration,
    /// Whether the kernel stays, or leaves and comes back.
    pub run_mode: RunMode,
    /// In the mode [`EventDriven`](RunMode::EventDriven): after so many messages a block leaves.
    pub leave_after: u32,
    /// Whether a sequentially consistent fence stands before each handler.
    pub sequential: bool,
    /// Whether calls go through the kernel to others; such a kernel's messages are not sealed, and on a device its blocks
    /// have one thread.
    pub through: bool,
    /// How many outputs for connected kernels may wait in a block that goes on meanwhile; 0 if it goes on with none. Such a
    /// kernel's messages are not sealed, and on a device its blocks have one thread.
    pub hold: u32,
    /// Entries of the [table of topics](annulus_abi::topics), a power of two; 0 for a kernel that publishes nothing.
    pub topics: usize,
    /// The graph whose rows the kernel's outputs go along, if they do, and if it was given one.
    pub rows: Option<Arc<Rows>>,
    /// Whether messages carry a [trace](annulus_abi::trace), and blocks write records of those that do: then that of the
    /// numbers of spans. Such a kernel's messages are not sealed.
    pub trace_seed: Option<u32>,
    /// Whether messages carry their enqueue time.
    pub timestamps: bool,
    /// Whether the shards count their turns, in [`ShardMemory::turns`].
    pub counts_turns: bool,
    /// The runtime's clock.
    pub clock: RuntimeClock,
    /// Where to report.
    pub signals: Arc<dyn HostSignals>,
}

impl LaunchSpec {
    /// Of this, what decides how much memory the launch takes.
    pub fn size(&self) -> LaunchSize<'_> {
        LaunchSize {
            definition: self.definition,
            layout: self.shards[0].layout(),
            bindings: &self.bindings,
            rows: self.rows.as_deref(),
            grid: self.shards.len() as u32,
            block: self.block,
            actors: self.actors,
            sparse: self.sparse,
            evicts: self.evicts,
            mode: self.mode,
            max_messages_per_iteration: self.max_messages_per_iteration,
            connectable: self.connectable,
            supersteps: self.supersteps,
            rounds: self.rounds,
            run_mode: self.run_mode,
            through: self.through,
            hold: self.hold,
            topics: self.topics,
        }
    }
}

impl fmt::Debug for LaunchSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LaunchSpec")
            .field("kernel", &self.definition.name)
            .field("grid", &self.shards.len())
            .field("mode", &self.mode)
            .finish_non_exhaustive()
    }
}

/// A description of a device, for people and for programs that choose one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// The device's own name.
    pub name: String,
    /// How many blocks run at the same time.
    pub parallel_blocks: u32,
    /// What it has that not every device has.
    pub capabilities: Capabilities,
    /// Other notes, one line each.
    pub notes: Vec<String>,
}

/// Why a backend could not do something, in words that name the remedy. Two errors are equal if their words
/// are equal.
///
/// `Debug` prints the same words as `Display`, since a `main` that returns a `Result` shows its error with
/// `Debug`.
#[derive(Clone)]
pub struct BackendError {
    message: String,
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

impl BackendError {
    /// An error with this message.
    ///
    /// ```
    /// # use annulus_runtime::BackendError;
    /// let error = BackendError::new("no device: plug one in");
    /// assert_eq!(error.to_string(), "no device: plug one in");
    /// ```
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), source: None }
    }

    /// The same error with its cause. The message must already contain the words of the cause.
    ///
    /// ```
    /// # use annulus_runtime::BackendError;
    /// use std::error::Error;
    /// let cause = "x".parse::<u32>().unwrap_err();
    /// let error = BackendError::new(format!("no number of devices: {cause}")).caused_by(cause);
    /// assert!(error.source().is_some());
    /// ```
    pub fn caused_by(self, cause: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self { source: Some(Arc::new(cause)), ..self }
    }
}

impl PartialEq for BackendError {
    fn eq(&self, other: &Self) -> bool {
        self.message == other.message
    }
}

impl Eq for BackendError {}

impl fmt::Display for BackendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for BackendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for BackendError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|cause| &**cause as &(dyn std::error::Error + 'static))
    }
}

/// Anything that a runtime can be built on: a backend, or a name for one.
#[diagnostic::on_unimplemented(
    message = "no backend was chosen",
    label = "this is no backend",
    note = "say `.backend(…)`; with `use annulus::prelude::*`, `build()` chooses by itself"
)]
pub trait BackendSource {
    /// Opens the backend.
    ///
    /// # Errors
    ///
    /// If the backend needs something that this machine lacks; the message says what.
    fn open(self) -> Result<Arc<dyn DeviceBackend>, BackendError>;

    /// This backend, or another one if this machine lacks what it needs. `other` gets the reason, so that the
    /// program can report it: a handler means the same on every backend, but it may take longer on another
    /// one.
    ///
    /// ```
    /// use annulus_runtime::{BackendError, BackendSource, DeviceBackend, Noop, Runtime};
    /// # struct Gpu;
    /// # impl BackendSource for Gpu {
    /// #     fn open(self) -> Result<std::sync::Arc<dyn DeviceBackend>, BackendError> { Err(BackendError::new("no GPU")) }
    /// # }
    /// let backend = Gpu.or_else(|error| {
    ///     eprintln!("{error}: going on without");
    ///     Noop // the CPU, in a real program
    /// });
    /// assert_eq!(Runtime::builder().backend(backend).build()?.backend(), "noop");
    /// # Ok::<(), BackendError>(())
    /// ```
    fn or_else<B: BackendSource, F: FnOnce(BackendError) -> B>(self, other: F) -> OrElse<Self, F>
    where
        Self: Sized,
    {
        OrElse { first: self, other }
    }
}

/// A backend with an alternative; see [`BackendSource::or_else`].
#[derive(Clone, Copy, Debug)]
pub struct OrElse<A, F> {
    first: A,
    other: F,
}

impl<A: BackendSource, B: BackendSource, F: FnOnce(BackendError) -> B> BackendSource for OrElse<A, F> {
    fn open(self) -> Result<Arc<dyn DeviceBackend>, BackendError> {
        self.first.open().or_else(|error| (self.other)(error).open())
    }
}

impl<B: DeviceBackend> BackendSource for B {
    fn open(self) -> Result<Arc<dyn DeviceBackend>, BackendError> {
        Ok(Arc::new(self))
    }
}
