//! The OpenCL backend: ring kernels that stay on a device, or return in epochs.
//!
//! # What this crate promises
//!
//! * The handler that the CPU backend calls also runs on the device, as C with the same meaning and by the
//!   same rules: a transaction per message, order per producer and key, the same counts, replies and
//!   telemetry.
//! * When a device is opened, a trial checks whether host and running kernel see each other's writes. If they
//!   do, a kernel stays on the device (*persistent*). Otherwise it runs in bounded *epochs*, launched again
//!   while there is work. The device's notes tell the choice and its reason.
//! * There are never more groups than can be resident. A kernel for which there is no slot is refused, and
//!   the error says what to do.
//! * An idle kernel naps where the system allows it (PoCL on Linux), and the next message wakes it.
//! * Nothing links to OpenCL when a program is built. On a machine without it, opening the backend says what
//!   to install.
//!
//! # What it does not do
//!
//! It does not interrupt a handler, and it cannot remove a kernel that hangs from its device: it waits for
//! the end of a kernel for a bounded time, and then leaks the memory that the kernel may still touch. On a
//! device without naps a resident kernel keeps its compute units busy. There, a kernel ends itself on a
//! best-effort basis when its host is gone, and times are as coarse as the host's heartbeat.
//!
//! On PoCL a kernel is compiled once for each size of its grid: PoCL 3.1 confuses runs of one program with
//! different grids, and aborts the process when they end.
//!
//! The part of the host's side that is the same on other devices is in `annulus_device`; this crate drives
//! OpenCL.
//!
//! # The environment
//!
//! PoCL runs each resident group on a thread of its own. It reads the number of threads once, from
//! `POCL_MAX_PTHREAD_COUNT`. When the process opens its first OpenCL device, that variable is set, unless it
//! is set already. Changing the environment while C code of another thread reads it is undefined behaviour:
//! if this may happen in a program, the program sets the variable before it starts.

mod backend;
mod cl;
mod clock;
mod device;
mod driver;
mod loader;
mod probe;
mod program;

#[doc(hidden)]
pub use annulus_device::Faults;
pub use backend::{OpenCl, RESIDENT_GROUPS};
