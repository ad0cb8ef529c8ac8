//! The Annulus runtime: launches ring kernels on a backend, and connects the host to them.
//!
//! # What this crate promises
//!
//! * A message that a send accepted is handled exactly once, or is counted by cause and, where somebody can take it, handed
//!   back. `sent = processed + dropped + pending` holds exactly whenever the kernel is at rest.
//! * Messages of one producer for one actor are handled in the order in which they were sent; nothing more is promised.
//! * The lifecycle means the same on every backend: launched → active ⇄ inactive → terminated, and beside it *closed to new
//!   messages*. Repeating a transition is harmless and says so.
//! * Telemetry is polled without a lock, without an allocation, and without the kernel's help. A kernel whose telemetry is
//!   off pays nothing for it.
//! * Every wait can be bounded, and every future can be dropped without losing a message.
//!
//! # What it does not do
//!
//! It names no backend: those are crates of their own, behind [`DeviceBackend`]. It needs no async executor and brings none:
//! its futures run on any, and each has a blocking form. It does not persist messages.

// The types that `annulus-macros` emits code for stand under `::annulus`, which this crate's tests are not.
extern crate self as annulus;

mod backend;
mod calls;
mod clock;
mod core;
mod error;
mod handle;
mod kernel;
mod letters;
mod memory;
mod noop;
mod options;
mod receive;
#[cfg(feature = "registry")]
mod registered;
mod registry;
mod runtime;
mod send;
mod snapshot;
mod status;
mod telemetry;

pub use crate::{
    backend::{
        BackendError, BackendSource, DeviceBackend, DeviceInfo, DeviceKernel, HostSignals, LaunchSpec,
        OrElse, Progress,
    },
    clock::Clock,
    core::{ShutdownOutcome, Transition},
    error::{CallError, HandleError, LaunchError, LifecycleError, TelemetryError, UnknownKernel},
    handle::{KernelControl, KernelHandle, Outputs, Shutdown},
    memory::{Place, ShardMemory, SharedMemory, TelemetryLine},
    noop::Noop,
    options::{InvalidOptions, LaunchOptions, MAX_BLOCK, MAX_GRID, MAX_WINDOW, MIN_WINDOW},
    runtime::{Bound, DEFAULT_TELEMETRY_LINES, NoBackend, Runtime, RuntimeBuilder},
    send::BatchError,
    snapshot::{Snapshot, SnapshotError},
    status::{Drops, KernelState, KernelStatus},
    telemetry::{LatencyHistogram, Telemetry, TelemetrySnapshot},
};
pub use annulus_abi::error::describe as describe_error;
pub use annulus_kernel::ProcessingMode;
pub use annulus_queue::{
    Admission, Alert, Backpressure, DeadLetters, Deduplication, Letter, Reason, RecvError, Redriven,
    SendError, TryRecvError, TrySendError, wait::block_on,
};

#[cfg(feature = "registry")]
pub use registered::{DynamicError, DynamicKernel, NotRegistered, RegisteredKernel};

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
    pub use crate::__register_kernel as register_kernel;
    #[cfg(feature = "registry")]
    pub use crate::registered::KERNELS;
    pub use crate::{Backpressure, Bound, Deduplication, KernelHandle, LaunchError, LaunchOptions, Runtime};
    pub use annulus_kernel::*;
    #[cfg(feature = "registry")]
    pub use linkme;
}

/// What a program that uses ring kernels imports.
pub mod prelude {
    pub use crate::{
        Admission, Backpressure, KernelHandle, LaunchOptions, ProcessingMode, RecvError, Runtime, SendError,
        TryRecvError, TrySendError,
    };
    pub use annulus_kernel::{Cx, DeviceType, Failure, List, Outbox, RingKernel, RingMessage, Text};
    pub use annulus_macros::{DeviceType, RingMessage, device_fn, device_impl, ring_kernel};
}
