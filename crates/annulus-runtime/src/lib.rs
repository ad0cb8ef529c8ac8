//! The Annulus runtime: launches ring kernels on a backend, and connects the host to them.
//!
//! # What this crate promises
//!
//! * A message that a send accepted is handled exactly once, or is counted by cause. A counted message is
//!   handed back if somebody can take it. `sent = processed + dropped + pending` holds exactly whenever the
//!   kernel is at rest.
//! * Messages of one producer for one actor are handled in the order in which they were sent. No other order
//!   is promised.
//! * What the handlers of a [connected](KernelHandle::connect) kernel send becomes messages of another
//!   kernel. The same promises hold for them: each is handled once, or counted. A pipeline that is drained,
//!   or shut down from its beginning, has nothing under way.
//! * The lifecycle means the same on every backend: launched → active ⇄ inactive → terminated. Independently
//!   of that, a kernel can be *closed to new messages*. Repeating a transition is harmless, and its result
//!   says so.
//! * Telemetry is polled without a lock, without an allocation, and without the kernel's help. A kernel whose
//!   telemetry is off pays nothing for it.
//! * Every wait can be bounded, and every future can be dropped without losing a message.
//! * A handler never waits. A shard waits between two messages, until there is room for what the next handler
//!   may send. So every kernel can be stopped at any time. Kernels that wait in a cycle for room in each
//!   other stand still; their status [names them](Stall).
//! * Wakers, alerts and subscribers of `tracing` may call any function of this crate that does not block: the
//!   runtime then holds no lock that such a call could wait for. Their panics end nothing here.
//!
//! # What it does not do
//!
//! It names no backend: backends are separate crates that implement [`DeviceBackend`]. It neither needs nor
//! brings an async executor: its futures run on any executor, and each has a blocking form. It does not
//! persist messages.
//!
//! It does not recover the wake-up of a forgotten future. A future is forgotten if it has waited and is then
//! neither polled again nor dropped (`std::mem::forget`, or a task that its executor keeps and never polls).
//! It keeps its place among those who wait, and the others lose the wake-up that comes to it. They may then
//! sleep on until the next wake-up, although there is an output, or room for a message. A future that is
//! dropped hands its wake-up on.
//!
//! It does not follow a `fork`: a runtime's threads are in the process that built it. A child of that process
//! cannot launch kernels on this runtime. There, a kernel that was launched before the fork takes messages,
//! but nobody handles them, and every wait lasts for ever. Build a runtime in the child, or fork first. (The
//! threads of a device's library that was opened before the fork are in the parent, too.)

// The code that `annulus-macros` emits refers to `::annulus`. In this crate's tests that name must mean this
// crate.
extern crate self as annulus;

mod backend;
pub mod barrier;
mod bridge;
mod elsewhere;
mod error;
mod group;
mod handle;
mod kernel;
mod launch;
mod links;
mod maybe;
mod options;
pub mod resilience;
mod snapshot;
mod stamps;
mod telemetry;
mod time;
mod topology;
mod traces;
mod vitals;
pub mod why;
mod within;

pub use crate::{
    backend::{
        AskedAt, BackendError, BackendMemory, BackendSource, Capabilities, Compilation, DeviceBackend,
        DeviceInfo, DeviceKernel, HostSignals, LaunchSize, LaunchSpec, Link, LinkTarget, OrElse,
        ProgramOrigin, noop::Noop,
    },
    bridge::{
        BridgeOptions, KernelBridge, KernelBridgeRates, KernelBridgeStatus,
        look::{BridgeCounts, BridgeKind, BridgeLook, BridgeTarget},
    },
    error::{
        CallError, ConnectError, HandleError, LaunchError, LifecycleError, PipelineError, TelemetryError,
        UnknownKernel, UnknownQueue,
    },
    group::{GroupError, KernelGroup},
    handle::{
        KernelHandle, Shutdown,
        control::KernelControl,
        look::{KernelLook, PortLook},
        outputs::Outputs,
        pipeline::{Pipeline, PipelineStatus},
        port::{Port, PortName},
        queue::{Cleared, KernelQueue, Peeked},
        send::BatchError,
        sink::KernelSink,
    },
    kernel::{
        core::Transition,
        drops::QueueDrops,
        events::LIFECYCLE_TARGET,
        lifecycle::ShutdownOutcome,
        metrics::KernelMetrics,
        print::{PRINT_TARGET, PrintOrigin, PrintScope},
        slow::SLOW_TARGET,
        status::{
            ActorStatus, Drops, Ending, KernelState, KernelStatus, PortStatus, Stall, StallEnd, TimerStatus,
            TraceStatus,
        },
        watcher::STALL_TARGET,
    },
    launch::{
        bound::Bound,
        by_name::{KernelReceiver, KernelSender},
        launching::Launching,
        runtime::{DEFAULT_TELEMETRY_LINES, NoBackend, Runtime, RuntimeBuilder},
    },
    links::{
        peers::{PeerStatus, PeersStatus},
        rows::RowsStatus,
        topics::{TopicError, TopicStatus, Topics},
    },
    maybe::Maybe,
    options::{
        BodyOption, Consistency, Domain, Inbound, InvalidLaunch, LaunchOptions, LaunchProblem, MAX_BLOCK,
        MAX_GRID, MAX_WINDOW, MIN_WINDOW, NamedQueue, NoHold, Observe, Outbound, RunMode, Shape, TypeLimit,
        WholeKernel,
    },
    snapshot::{Snapshot, SnapshotError},
    stamps::Stamp,
    telemetry::{
        Interval, IntervalTooShort, LatencyHistogram, Load, SampleStream, Samples, Telemetry, TelemetryRates,
        TelemetrySample, TelemetrySnapshot, TelemetryWarning, Thresholds,
    },
    time::{ForPeople, for_people},
    topology::{
        ReplaceError, Replaced, Replacement, RunningTopology, Topology, TopologyError, TopologyPlan,
        TopologyProblem,
    },
    traces::{Handling, MOST_EVENTS, Receipt, TraceContext, TraceEvent, TraceScope},
    vitals::{Vitals, check_vitals_folder, vitals_boot, vitals_folders, vitals_owner_lives},
    within::Sleep,
};
pub use annulus_abi::{
    error::{ErrorName, describe as describe_error},
    memory::KernelMemory,
};
pub use annulus_block::{Deliver, Delivery, Progress, Row, RuntimeClock, Signals};
pub use annulus_kernel::{
    Addressed, Along, EdgeValue, KernelMessage, Peer, ProcessingMode, Published, Rows, RowsError, Topic,
    ended,
};
pub use annulus_queue::Clock;
pub use annulus_queue::{
    Alert, Backpressure, Counters, DeadLetter, DeadLetters, Deduplication, InvalidOptions, QueueStatus,
    Rates, Reason, RecvError, Redriven, SendError, SendOutcome, Share, TryRecvError, TrySendError,
};
pub use annulus_ring::memory::{Place, ShardMemory, SharedMemory, TelemetryLine};
pub use annulus_sync::wait::block_on;

#[cfg(feature = "registry")]
pub use launch::dynamic::DynamicMessage;
#[cfg(feature = "registry")]
pub use launch::{
    dynamic_kernel::{DynamicDeadLetter, DynamicError, DynamicKernel},
    registered::{AlreadyRegistered, NotRegistered, RegisteredKernel},
};
#[cfg(feature = "toml")]
#[doc(hidden)]
pub use topology::in_toml;

/// Prints from a handler, or from a function that it calls. The print becomes an event of
/// [`tracing`](https://docs.rs/tracing) on the host, wherever the handler runs.
///
/// The text and its formats are those of [`format!`]. On a device the values must be numbers or booleans, or
/// references to them; anything else is refused there.
///
/// The event has the target [`PRINT_TARGET`] and the level `INFO`. Its fields are `kernel`, `instance` (if
/// the kernel runs under another name than its own), `shard`, `file` and `line`; the text is its message. If
/// a function is called outside of a kernel, the first three are missing.
///
/// The prints of a handler that fails are kept. The prints of one handler come in order. If a shard handles
/// several messages at the same time, their prints come in the order in which they ran. On a device a print
/// never waits: a block can print at most 1024 times in one turn, and only as much as the host has made room
/// for by reading. Further prints are dropped; an event of the level `WARN` counts them in its field `lost`.
///
/// ```
/// use annulus::prelude::*;
/// # extern crate annulus_runtime as annulus;
///
/// #[derive(RingMessage, Clone, Copy)]
/// #[repr(C)]
/// struct Reading {
///     sensor: u32,
///     value: f32,
/// }
///
/// #[ring_kernel]
/// fn check(reading: &Reading) {
///     let excess = reading.value - 100.0;
///     if excess > 0.0 {
///         device_print!("sensor {} is {excess:.1} too hot", reading.sensor);
///     }
/// }
///
/// let text = check::DEFINITION.handler_source("opencl".parse()?)?;
/// assert!(text.contains("ann_print(ann_print_to, 0u);"));
/// let words = [7, f32::to_bits(21.25).into()];
/// assert_eq!(check::DEFINITION.prints()[0].message(&words).to_string(), "sensor 7 is 21.2 too hot");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[macro_export]
macro_rules! device_print {
    ($($arguments:tt)*) => {
        $crate::__private::print(::core::file!(), ::core::line!(), ::core::format_args!($($arguments)*))
    };
}

/// Puts a kernel into the list of the program's kernels, if the feature `registry` is on.
#[cfg(feature = "registry")]
#[doc(hidden)]
#[macro_export]
macro_rules! __register_kernel {
    ($kernel:ty) => {
        const _: () = {
            #[$crate::__private::linkme::distributed_slice($crate::__private::KERNELS)]
            #[linkme(crate = $crate::__private::linkme)]
            static KERNEL: $crate::RegisteredKernel =
                $crate::RegisteredKernel::of::<$kernel>(<$kernel>::options);
        };
    };
}

/// Puts a kernel into the list of the program's kernels, if the feature `registry` is on.
#[cfg(not(feature = "registry"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __register_kernel {
    ($kernel:ty) => {};
}

/// Items that the macros' output refers to. Not a public API.
#[doc(hidden)]
pub mod __private {
    #[cfg(feature = "registry")]
    pub use crate::launch::registered::KERNELS;
    pub use crate::{__register_kernel as register_kernel, kernel::print::print};
    pub use crate::{
        Backpressure, Bound, Consistency, Deduplication, Domain, KernelHandle, LaunchError, LaunchOptions,
        Launching, PortName, RunMode, Runtime,
    };
    pub use annulus_kernel::*;

    /// What the test beside a kernel knows of the kernel.
    pub trait Checked {
        /// The kernel as data.
        const DEFINITION: &'static KernelDefinition;
    }

    /// The body of the test that the macro puts beside each kernel.
    #[track_caller]
    pub fn assert_for_devices(definition: &'static KernelDefinition) {
        if let Err(error) = definition.check() {
            panic!("{}", LaunchError::Handler(error));
        }
    }

    #[cfg(feature = "registry")]
    pub use linkme;
}

/// What a program that uses ring kernels imports.
pub mod prelude {
    pub use crate::{
        Backpressure, BridgeOptions, CallError, Clock, Consistency, Deduplication, KernelHandle, LaunchError,
        LaunchOptions, Maybe, NamedQueue, Pipeline, ProcessingMode, RecvError, RunMode, Runtime, SendError,
        SendOutcome, Share, Stamp, Topology, TryRecvError, TrySendError, device_print,
    };
    pub use annulus_kernel::{
        Addressed, Along, Answer, Ask, Block, BlockArray, BlockCx, Cx, DeviceType, ErrorCode, Failure,
        FenceScope, Inbox, Later, List, Message as _, Outbox, Peer, Published, Reply, RingKernel,
        RingMessage, Rows, Text, ThisActor, Topic,
    };
    pub use annulus_macros::{
        DeviceType, ErrorCode, RingMessage, device_fn, device_impl, device_trait, device_type, ring_kernel,
    };
}
