//! Items for authors of backends. Programs choose a backend with [`Backend`](crate::Backend), or give the
//! builder a value of the backend's own type.
//!
//! [`DeviceBackend`] is the contract. `annulus-conformance` has the tests that every backend passes.

pub use annulus_runtime::{
    BackendError, BackendSource, Compilation, Deliver, Delivery, DeviceBackend, DeviceInfo, DeviceKernel,
    HostSignals, LaunchSpec, Link, LinkTarget, NoBackend, Noop, OrElse, Place, PrintOrigin, PrintScope,
    ProgramOrigin, Progress, QueueDrops, RuntimeClock, ShardMemory, SharedMemory, Signals, TelemetryLine,
};
