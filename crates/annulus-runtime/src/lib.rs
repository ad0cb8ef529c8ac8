//! The Annulus runtime: launches ring kernels on a backend, and connects the host to them.
//!
//! # What this crate promises
//!
//! * A message that a send accepted is handled exactly once, or is counted by cause and, where somebody can
//!   take it, handed back. `sent = processed + dropped + pending` holds exactly whenever the kernel is at
//!   rest.
//! * Messages of one producer for one actor are handled in the order in which they were sent; nothing more is
//!   promised.
//! * What the handlers of a [connected](KernelHandle::connect) kernel send becomes messages of another one
//!   under the same promises: each handled once, or counted. A pipeline that is drained, or shut down from
//!   its beginning, has nothing under way.
//! * The lifecycle means the same on every backend: launched → active ⇄ inactive → terminated, and beside it
//!   *closed to new messages*. Repeating a transition is harmless and says so.
//! * Telemetry is polled without a lock, without an allocation, and without the kernel's help. A kernel whose
//!   telemetry is off pays nothing for it.
//! * Every wait can be bounded, and every future can be dropped without losing a message.
//! * A handler never waits: between two messages a shard does, until there is room for what the next handler
//!   may send. So every kernel can be stopped at any time. Kernels that wait for room in each other, in a
//!   circle, stand still, and [say so by name](Stall).
//! * Wakers, alerts and subscribers of `tracing` are called while no lock is held that a call of theirs could
//!   wait for, so they may call back whatever does not block. Their panics end nothing here.
//!
//! # What it does not do
//!
//! It names no backend: those are crates of their own, behind [`DeviceBackend`]. It needs no async executor
//! and brings none: its futures run on any, and each has a blocking form. It does not persist messages.
//!
//! It does not wake others in place of a future that waited and was forgotten: a future that is neither
//! polled again nor dropped (`std::mem::forget`, or a task that its executor keeps and never polls) keeps its
//! place among those who wait, and the wake-up that comes to it is lost to the others, who may sleep on
//! beside an output, or beside room for a message, until the next one comes. A future that is dropped hands
//! its wake-up on.
//!
//! It does not follow a `fork`: a runtime's threads are in the process that built it. In a child of that
//! process launching is refused; what is sent to a kernel that was launched before the fork is taken, and
//! nobody handles it; and whatever waits there waits for ever. Build a runtime in the child, or fork first.
//! (A device's library that was opened before the fork has its own threads there, too.)

// The types that `annulus-macros` emits code for stand under `::annulus`, which this crate's tests are not.
extern crate self as annulus;

mod backend;
mod elsewhere;
mod error;
mod handle;
mod kernel;
mod launch;
mod links;
mod maybe;
mod options;
mod snapshot;
mod telemetry;
mod time;

pub use crate::{
    backend::{
        BackendError, BackendSource, Compilation, DeviceBackend, DeviceInfo, DeviceKernel, HostSignals,
        LaunchSpec, Link, LinkTarget, OrElse, ProgramOrigin, noop::Noop,
    },
    error::{CallError, HandleError, LaunchError, LifecycleError, TelemetryError, UnknownKernel},
    handle::{
        KernelHandle, Shutdown, control::KernelControl, outputs::Outputs, send::BatchError, sink::KernelSink,
    },
    kernel::{
        core::Transition,
        drops::QueueDrops,
        events::LIFECYCLE_TARGET,
        lifecycle::ShutdownOutcome,
        print::{PRINT_TARGET, PrintOrigin, PrintScope},
        status::{Drops, KernelState, KernelStatus, Stall, StallEnd},
        watcher::STALL_TARGET,
    },
    launch::{
        bound::Bound,
        launching::Launching,
        runtime::{DEFAULT_TELEMETRY_LINES, NoBackend, Runtime, RuntimeBuilder},
    },
    links::connect::ConnectError,
    maybe::Maybe,
    options::{
        Inbound, InvalidLaunch, LaunchOptions, LaunchProblem, MAX_BLOCK, MAX_GRID, MAX_WINDOW, MIN_WINDOW,
        Observe, Outbound, Shape, WholeKernel,
    },
    snapshot::{Snapshot, SnapshotError},
    telemetry::{LatencyHistogram, Telemetry, TelemetrySnapshot},
    time::{ForPeople, for_people},
};
pub use annulus_abi::error::describe as describe_error;
pub use annulus_block::{Deliver, Delivery, Progress, RuntimeClock, Signals};
pub use annulus_kernel::ProcessingMode;
pub use annulus_queue::{
    Alert, Backpressure, DeadLetter, DeadLetters, Deduplication, InvalidOptions, Reason, RecvError, Redriven,
    SendError, SendOutcome, TryRecvError, TrySendError,
};
pub use annulus_ring::memory::{Place, ShardMemory, SharedMemory, TelemetryLine};
pub use annulus_sync::wait::block_on;

#[cfg(feature = "registry")]
pub use launch::dynamic::DynamicMessage;
#[cfg(feature = "registry")]
pub use launch::registered::{DynamicError, DynamicKernel, NotRegistered, RegisteredKernel};

/// Prints from a handler, or from a function that it calls: an event of [`tracing`](https://docs.rs/tracing)
/// on the host, whatever the handler runs on.
///
/// The text and its formats are those of [`format!`]. On a device the values are numbers and booleans, by
/// themselves or behind references; anything else is refused there.
///
/// The event has the target [`PRINT_TARGET`] and the level `INFO`. Its fields are `kernel`, `instance` if the
/// kernel runs under another name than its own, `shard`, `file`, `line`, and the text as its message. Where a
/// function is called outside of a kernel the first three are missing.
///
/// A handler that fails has printed all the same. Of one shard, the prints of one handler come in order;
/// those of messages that are handled side by side come as they ran. On a device a print never waits: a block
/// prints 1024 in one turn at most, and no more than the host has read; the others are dropped, and counted
/// in an event of the level `WARN` with a field `lost`.
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

/// Puts a kernel into the list of the program's kernels, where that is asked for.
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

/// Puts a kernel into the list of the program's kernels, where that is asked for.
#[cfg(not(feature = "registry"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __register_kernel {
    ($kernel:ty) => {};
}

/// What the macros' output names. Not a public API.
#[doc(hidden)]
pub mod __private {
    #[cfg(feature = "registry")]
    pub use crate::launch::registered::KERNELS;
    pub use crate::{__register_kernel as register_kernel, kernel::print::print};
    pub use crate::{
        Backpressure, Bound, Deduplication, KernelHandle, LaunchError, LaunchOptions, Launching, Runtime,
    };
    pub use annulus_kernel::*;

    /// What the test beside a kernel knows of it.
    pub trait Checked {
        /// The kernel as data.
        const DEFINITION: &'static KernelDefinition;
    }

    /// The body of the test that stands beside each kernel.
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
        Backpressure, CallError, KernelHandle, LaunchError, LaunchOptions, Maybe, ProcessingMode, RecvError,
        Runtime, SendError, SendOutcome, TryRecvError, TrySendError, device_print,
    };
    pub use annulus_kernel::{
        Cx, DeviceType, Failure, List, Message as _, Outbox, RingKernel, RingMessage, Text,
    };
    pub use annulus_macros::{
        DeviceType, RingMessage, device_fn, device_impl, device_trait, device_type, ring_kernel,
    };
}
