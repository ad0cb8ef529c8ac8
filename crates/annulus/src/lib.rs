//! Annulus: device-resident actors in Rust.
//!
//! A **ring kernel** is launched once and stays. It takes messages from lock-free rings, keeps its state
//! between messages, answers, and shows its health in 64 bytes that anyone may read at any time. You write
//! its handler once, as a plain Rust function. The parameters of the handler say what it may touch, and so
//! what may run at the same time.
//!
//! # What this crate promises
//!
//! * On every backend, the function that you wrote runs as a transaction: changes to an actor's state, and
//!   the messages that it sends, take effect only if the handler succeeds.
//! * A message that a send accepted is handled once, or counted by cause. Nothing is dropped silently.
//! * Messages of one producer for one actor are handled in the order in which they were sent.
//!
//! # What it does not do
//!
//! It does not persist messages, and it does not interrupt a handler. Its tests have run on the CPU, on OpenCL
//! implementations that use the CPU, and most of them on one GPU, an NVIDIA H200 with CUDA. No GPU has run it by OpenCL, and no
//! Mac by Metal. The README's table "What was run where" says more.
//!
//! # Features
//!
//! | feature | by default | what it adds |
//! |---|---|---|
//! | `cpu`, `opencl`, `cuda`, `metal` | on | the backend of that name; a device's libraries are looked for when it is opened |
//! | `wire` | off | messages with text and collections for kernels, files and pipes; frames |
//! | `serde` | off | snapshots of states by serde |
//! | `registry` | off | the list of the program's kernels, launching them by name, messages as JSON |
//! | `toml` | off | [topologies](Topology) from TOML; brings `registry` |
//!
//! # A kernel
//!
//! ```
//! use annulus::prelude::*;
//!
//! #[derive(RingMessage, Clone, Copy)]
//! #[repr(C)]
//! struct Reading {
//!     #[ring(key)]
//!     sensor: u32,
//!     value: f32,
//! }
//!
//! #[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
//! #[repr(C)]
//! struct Alert {
//!     sensor: u32,
//!     z: f32,
//! }
//!
//! #[derive(DeviceType, Clone, Copy, Default)]
//! #[repr(C)]
//! struct Stats {
//!     n: u32,
//!     mean: f32,
//!     m2: f32,
//! }
//!
//! /// Welford's running variance; `stats` is this sensor's own. Alerts on readings over three sigma.
//! #[ring_kernel(mode = Adaptive, max_messages_per_iteration = 32)]
//! fn detect(reading: &Reading, stats: &mut Stats, alerts: &Outbox<Alert>) {
//!     let n = stats.n as f32;
//!     let delta = reading.value - stats.mean;
//!     let z = delta / (stats.m2 / n).sqrt();
//!     if n >= 30.0 && z.abs() > 3.0 {
//!         alerts.send(Alert { sensor: reading.sensor, z });
//!     }
//!     stats.n += 1;
//!     stats.mean += delta / (n + 1.0);
//!     stats.m2 += delta * (reading.value - stats.mean);
//! }
//!
//! let runtime = Runtime::builder().backend(Backend::Auto).build()?;
//! let kernel = detect::launch(&runtime, LaunchOptions::production().actors(1024))?;
//! let telemetry = kernel.enable_telemetry()?;
//! for i in 0..100 {
//!     let _ = kernel.send_blocking(Reading { sensor: 7, value: 20.0 + (i % 2) as f32 })?;
//! }
//! let _ = kernel.send_blocking(Reading { sensor: 7, value: 500.0 })?; // or `send(…).await`, try_send, send_batch
//! let alert = kernel.recv_blocking()?; //                                 or `recv().await`, try_recv, recv_timeout, a Stream
//! assert_eq!(alert.sensor, 7);
//!
//! let shutdown = kernel.shutdown_blocking(std::time::Duration::from_secs(1));
//! assert!(shutdown.undelivered.is_empty());
//! println!("{}", telemetry.poll()); // 101 processed, 0 dropped, 0 queued, latency …
//! # assert_eq!(telemetry.poll().messages_processed, 101);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A kernel on a device
//!
//! The macro keeps your function, and adds the kernel as data. Device programs are generated from this data.
//! You can read them:
//!
//! ```
//! use annulus::{kernel::Target, prelude::*};
//!
//! #[derive(RingMessage, Clone, Copy)]
//! #[repr(C)]
//! struct Sample {
//!     value: f32,
//! }
//!
//! #[ring_kernel]
//! fn low_pass(sample: &Sample, filtered: &mut f32, weight: &f32, out: &Outbox<Sample>) {
//!     *filtered += weight * (sample.value - *filtered);
//!     out.send(Sample { value: *filtered });
//! }
//!
//! let text = low_pass::DEFINITION.handler_source(Target::OpenCl)?;
//! assert!(text.contains("(*filtered) = (*filtered) + ((*weight) * (sample->value - (*filtered)));"));
//! # Ok::<(), annulus::kernel::LowerError>(())
//! ```
//!
//! [`kernel`] says which part of Rust such a handler may use, and what it means on a device. A handler that
//! needs more of Rust says `#[ring_kernel(cpu_only)]`, and stays on the CPU.
//!
//! # Kernels that send to each other
//!
//! A kernel that is launched *into* another one sends to it: its outputs become that one's messages, without the
//! host. The types must match, or the program does not compile.
//!
//! ```
//! use annulus::prelude::*;
//!
//! #[derive(RingMessage, Clone, Copy)]
//! #[repr(C)]
//! struct Raw {
//!     sensor: u32,
//!     millivolts: i32,
//! }
//!
//! #[derive(RingMessage, Clone, Copy)]
//! #[repr(C)]
//! struct Reading {
//!     #[ring(key)]
//!     sensor: u32,
//!     celsius: f32,
//! }
//!
//! #[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
//! #[repr(C)]
//! struct Warmest {
//!     sensor: u32,
//!     celsius: f32,
//! }
//!
//! #[ring_kernel]
//! fn convert(raw: &Raw, readings: &Outbox<Reading>) {
//!     readings.send(Reading { sensor: raw.sensor, celsius: raw.millivolts as f32 / 10.0 });
//! }
//!
//! #[ring_kernel]
//! fn warmest(reading: &Reading, most: &mut f32, out: &Outbox<Warmest>) {
//!     if reading.celsius > *most {
//!         *most = reading.celsius;
//!         out.send(Warmest { sensor: reading.sensor, celsius: reading.celsius });
//!     }
//! }
//!
//! let runtime = Runtime::builder().backend(Backend::Cpu).build()?;
//! let options = LaunchOptions::production().actors(8).grid(2); // each reading goes to its sensor's block
//! let warmest = warmest::launch(&runtime, options.connectable(true))?; // others may send to it
//! let convert = convert::launch_into(&warmest, LaunchOptions::production())?;
//!
//! convert.send_batch_blocking(&[170, 215, 190].map(|millivolts| Raw { sensor: 3, millivolts }))?;
//! warmest.drained_blocking(); // and `convert` as well: nothing is under way
//! assert_eq!(warmest.recv_blocking()?, Warmest { sensor: 3, celsius: 17.0 });
//! assert_eq!(warmest.recv_blocking()?, Warmest { sensor: 3, celsius: 21.5 });
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A kernel that runs can be [connected](KernelHandle::connect) while it is inactive, and so can those of a cycle.
//! A kernel takes no message while the next one has no room for what it sent, unless its link says that such
//! outputs are [lost and counted](KernelHandle::connect_with). Many kernels may send to one, and kernels may
//! form a cycle. A cycle that is full everywhere stands still, and [says so](Stall): a handler never waits,
//! but its block does.
//!
//! # Parameters of a handler
//!
//! | parameter | meaning | what runs at the same time |
//! |---|---|---|
//! | `&M`, the message | its type derives [`RingMessage`](prelude::RingMessage) | |
//! | `&mut S`, and `M` has a `#[ring(key)]` | the state of the actor that the key names | other actors |
//! | `&mut S` or `&mut [T]`, and `M` has no key | the state of the whole kernel | nothing: one block, one message at a time |
//! | `&P`, `&[T]` | launch parameters, a read-only table; given to `bind` | anything |
//! | `&[AtomicU32]` and its kin | memory that all blocks share; given to `bind` | anything, ordered as you write |
//! | `&Outbox<O>` | where it sends | |
//! | `&Reply<T>`, beside an outbox | where it answers who asked | |
//! | `&Ask<Q, A>`, beside an outbox | another kernel, which it asks a `Q`; an `A` comes of it | |
//! | `&Later<M>` | where it sends to itself, to be taken later | |
//! | `&ThisActor` | by what it ends its actor | |
//! | `&Cx` | where it runs | |

#[doc(hidden)]
pub use annulus_runtime::__private;
pub use annulus_runtime::{barrier, resilience};

pub mod backend;
mod choice;

#[cfg(feature = "cpu")]
pub use annulus_cpu::Cpu;
#[cfg(feature = "cuda")]
pub use annulus_cuda::{self as cuda, Cuda};
#[cfg(any(feature = "cuda", feature = "metal", feature = "opencl"))]
pub use annulus_device::default_directory as cache_directory;
pub use annulus_kernel as kernel;
pub use annulus_message as message;
#[cfg(feature = "metal")]
pub use annulus_metal::Metal;
#[cfg(feature = "opencl")]
pub use annulus_opencl::OpenCl;
pub use annulus_queue as queue;
pub use choice::{Backend, BuildAuto, UnknownBackend};

// Launching: runtimes, kernels and handles.
pub use annulus_runtime::{
    Addressed, Along, BackendSource, Bound, BridgeOptions, Cleared, Clock, EdgeValue, GroupError, Handling,
    KernelBridge, KernelControl, KernelGroup, KernelHandle, KernelQueue, KernelReceiver, KernelSender,
    KernelSink, Launching, MOST_EVENTS, Maybe, Outputs, Peeked, Peer, PeerStatus, PeersStatus, Pipeline,
    PipelineError, PipelineStatus, Port, PortName, PortStatus, Published, Receipt, Rows, RowsError,
    RowsStatus, Runtime, RuntimeBuilder, Shutdown, ShutdownOutcome, Sleep, Stamp, Topic, TopicError,
    TopicStatus, Topics, TraceContext, TraceEvent, TraceScope, TraceStatus, Transition, block_on,
    device_print, ended,
};
// Several kernels as one value.
pub use annulus_runtime::{
    ReplaceError, Replaced, Replacement, RunningTopology, Topology, TopologyError, TopologyPlan,
    TopologyProblem,
};
// Options of a launch.
pub use annulus_runtime::{
    Backpressure, Consistency, DeadLetters, Deduplication, Domain, Inbound, LaunchOptions, NamedQueue,
    Observe, Outbound, ProcessingMode, RunMode, SendOutcome, Shape, Share,
};
// Status and telemetry.
pub use annulus_runtime::{
    BridgeCounts, BridgeKind, BridgeLook, BridgeTarget, Capabilities, Compilation, DeviceInfo, Drops, Ending,
    ErrorName, Interval, KernelBridgeRates, KernelBridgeStatus, KernelLook, KernelMemory, KernelMetrics,
    KernelState, KernelStatus, LIFECYCLE_TARGET, LatencyHistogram, Load, PRINT_TARGET, PortLook,
    ProgramOrigin, QueueStatus, Rates, SLOW_TARGET, STALL_TARGET, SampleStream, Samples, Snapshot, Stall,
    StallEnd, Telemetry, TelemetryRates, TelemetrySample, TelemetrySnapshot, TelemetryWarning, Thresholds,
    Vitals, describe_error, for_people,
};
// Errors.
#[cfg(feature = "toml")]
#[doc(hidden)]
pub use annulus_runtime::in_toml;
#[cfg(feature = "registry")]
pub use annulus_runtime::{
    AlreadyRegistered, DynamicDeadLetter, DynamicError, DynamicKernel, DynamicMessage, NotRegistered,
    RegisteredKernel,
};
pub use annulus_runtime::{
    BackendError, BatchError, CallError, ConnectError, HandleError, IntervalTooShort, InvalidLaunch,
    LaunchError, LaunchProblem, LifecycleError, RecvError, SendError, SnapshotError, TelemetryError,
    TryRecvError, TrySendError, TypeLimit, UnknownKernel, UnknownQueue,
};

/// Everything that a program with ring kernels usually imports.
pub mod prelude {
    pub use crate::{Backend, BuildAuto as _};
    #[cfg(feature = "wire")]
    pub use annulus_message::Archived;
    pub use annulus_runtime::prelude::*;
}
