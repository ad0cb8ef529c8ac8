//! The OpenCL backend: ring kernels that stay on a device, or return in epochs.
//!
//! # What this crate promises
//!
//! * The handler that the CPU backend calls runs on the device as well, as C that means the same, by the same
//!   rules: a transaction per message, order per producer and key, the same counts, replies and telemetry.
//! * A kernel stays on the device (*persistent*) where the device shows, in a trial when it is opened, that
//!   host and running kernel see each other's writes; else it runs in bounded *epochs*, launched again while
//!   there is work. The choice and its reason stand in the device's notes.
//! * Never more groups than can be resident: a kernel for which there is no place is refused, and told what
//!   to do.
//! * An idle kernel naps where the system lets it (PoCL on Linux), and is woken by the next message.
//! * Nothing links to OpenCL when a program is built. On a machine without it, opening the backend says what
//!   to install.
//!
//! # What it does not do
//!
//! It does not interrupt a handler, and cannot remove a kernel that hangs from its device: ending is waited
//! for, for a bounded time, and what a hanging device may still touch is then leaked. On a device without
//! naps a resident kernel keeps its compute units busy; there, that a kernel ends itself when its host is
//! gone is best effort, and times are as coarse as the host's heartbeat.
//!
//! On PoCL a kernel is compiled once for each size of its grid: PoCL 3.1 confuses runs of one program whose
//! grids differ, and aborts the process when they end.
//!
//! The host's side, all that is the same on other devices, is in `annulus_device`; here is what drives
//! OpenCL.
//!
//! # The environment
//!
//! PoCL runs each resident group on a thread of its own and reads their number, once, from
//! `POCL_MAX_PTHREAD_COUNT`. Unless it is set, opening the process's first OpenCL device sets it. Changing
//! the environment while C code of another thread reads it is undefined behaviour: a program for which that
//! may happen sets the variable before it starts.

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
