//! The Metal backend: ring kernels on the GPUs of Apple's computers.
//!
//! **It has not run on Apple's hardware yet**, nor has Apple's compiler seen its text. What stands in for both, on Linux, are a
//! library with the functions of Objective-C and Metal that this crate calls, and the host's C++ compiler: the same
//! host code and the same text run there through the whole conformance suite.
//!
//! # What this crate promises
//!
//! * The handler that the CPU backend calls also runs on the device, as C++ with the same meaning and by the
//!   same rules: a transaction per message, order per producer and key, the same counts, replies and
//!   telemetry.
//! * Kernels run in bounded *epochs*, launched again while there is work. None stays: a GPU that also draws its computer's screen
//!   has been seen to stand still under kernels that do not end.
//! * Messages lie in memory that host and GPU share (`MTLStorageModeShared`): nothing is copied for them.
//! * Nothing links to Metal when a program is built, and this crate compiles on every system. Where there is no Metal,
//!   opening the backend says so.
//! * Version 3.2 of Metal's language is needed, for its fences: macOS 15 or later.
//!
//! # What it does not do
//!
//! It has no `f64` and no atomics of 64 bits, which Metal lacks. Blocks have no clock: times are as coarse as the host's
//! heartbeat. It does not interrupt a handler.
//!
//! The part of the host's side that is the same on other devices is in `annulus_device`; this crate drives
//! Metal.

mod backend;
mod device;
mod driver;
mod memory;
mod mtl;
mod probe;
mod program;

#[doc(hidden)]
pub use annulus_device::Faults;
pub use backend::Metal;
