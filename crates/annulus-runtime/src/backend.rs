//! What a backend is: the one contract between the runtime and whatever runs kernels.
//!
//! The runtime validates everything once, above this line; a backend may take every input for good.

use std::{fmt, sync::Arc, time::Duration};

use annulus_kernel::{Binding, KernelDefinition, ProcessingMode};

use crate::{
    clock::Clock,
    memory::{ShardMemory, SharedMemory},
};

/// Something that runs kernels.
///
/// # Safety
///
/// Memory safety rests on what a backend does with a launched kernel: it makes the one consumer of each shard's inbound ring and the
/// one producer of its outbound ring, calls the definition's handler with memory of the types that the definition names, publishes
/// outputs of the kernel's output type only, and touches neither rings nor state of a shard after it has stored *terminated* in
/// the shard's state word.
pub unsafe trait DeviceBackend: Send + Sync + 'static {
    /// Its name, as the command line and telemetry show it: `cpu`, `cuda`, …
    fn name(&self) -> &'static str;

    /// The devices it has, the one it would launch on first. Never empty.
    fn devices(&self) -> Vec<DeviceInfo>;

    /// Zeroed memory that its kernels and the host both see while a kernel runs.
    ///
    /// # Errors
    ///
    /// If there is not that much.
    fn allocate(&self, bytes: usize) -> Result<SharedMemory, BackendError>;

    /// Launches a kernel, which obeys its shards' command words from then on: it acknowledges *active*, *inactive* and
    /// *terminated* in their state words, and reports to `spec.signals`.
    ///
    /// # Errors
    ///
    /// If the device cannot run the kernel, or not one more.
    fn launch(&self, spec: LaunchSpec) -> Result<Box<dyn DeviceKernel>, BackendError>;
}

/// A kernel that a backend has launched.
pub trait DeviceKernel: Send + Sync {
    /// Says that a shard has something new: messages, a command, or space in its outbound ring after it stalled.
    ///
    /// Must order the caller's earlier stores before it looks whether the shard sleeps (a SeqCst fence), so that the shard
    /// either sees them or is woken. Cheap while the shard is awake.
    fn wake(&self, shard: u32);
}

/// What a backend tells the runtime about a shard. Called by whoever drives the shard, a worker or the runtime's pump.
pub trait HostSignals: Send + Sync {
    /// The shard made progress. What it reports was published before the call.
    fn progressed(&self, shard: u32, progress: Progress);
}

/// What happened in a shard since its last report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Slots that it gave back in its inbound ring.
    pub consumed: u32,
    /// Messages that it published in its outbound ring.
    pub produced: u32,
    /// Whether it has obeyed a new command, and acknowledged it.
    pub state_changed: bool,
}

/// A kernel to launch: validated, its memory laid out.
pub struct LaunchSpec {
    /// The kernel as data.
    pub definition: &'static KernelDefinition,
    /// The bound parameters, as the definition lists them.
    pub bindings: Vec<Binding>,
    /// The shards, one for each block.
    pub shards: Vec<ShardMemory>,
    /// Threads of a block.
    pub block: u32,
    /// Actors of the kernel: keys are `0..actors`, and key `k` lives in shard `k % shards`. 0 without per-actor state.
    pub actors: u64,
    /// How a block takes its messages.
    pub mode: ProcessingMode,
    /// At most this many messages in one iteration.
    pub max_messages_per_iteration: u32,
    /// How long a block looks for more before it goes to sleep.
    pub spin: Duration,
    /// Whether messages carry their enqueue time.
    pub timestamps: bool,
    /// The runtime's clock.
    pub clock: Clock,
    /// Where to report.
    pub signals: Arc<dyn HostSignals>,
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

/// A device, for people and for choosing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// What it calls itself.
    pub name: String,
    /// How many blocks run at the same time.
    pub parallel_blocks: u32,
    /// What else there is to say, a line each.
    pub notes: Vec<String>,
}

/// Why a backend could not do something, in words that name the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackendError {
    message: String,
}

impl BackendError {
    /// An error with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

impl fmt::Display for BackendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for BackendError {}

/// Anything that a runtime can be built on: a backend, or a name for one.
pub trait BackendSource {
    /// Opens the backend.
    ///
    /// # Errors
    ///
    /// If this machine has not what it needs; the message says what.
    fn open(self) -> Result<Arc<dyn DeviceBackend>, BackendError>;
}

impl<B: DeviceBackend> BackendSource for B {
    fn open(self) -> Result<Arc<dyn DeviceBackend>, BackendError> {
        Ok(Arc::new(self))
    }
}
