//! Tests that every Annulus backend passes: written once against the runtime, instantiated per backend.
//!
//! # What this crate promises
//!
//! A backend that passes behaves as all others do: the lifecycle and what its repetition says; which messages
//! are handled, in which order, and what becomes of the others, by exact count; that a handler is a
//! transaction; that a kernel whose replies nobody reads waits and loses nothing; what kernels send to each
//! other; calls; telemetry; shutdown; and that no wake-up is lost.
//!
//! # What it does not do
//!
//! It measures nothing: no case asserts a maximum time. A case that hangs becomes a failure that shows the
//! status of every kernel of its runtime. It does not test what a handler's Rust means on a device: that is
//! the kernel language's suite.
//!
//! # Adding a backend
//!
//! Implement [`Subject`], say what the backend cannot do, and instantiate the suite in a test of its own:
//!
//! ```
//! use annulus_conformance::Subject;
//! use annulus_runtime::{Noop, Runtime};
//!
//! struct Nothing;
//!
//! impl Subject for Nothing {
//!     fn name(&self) -> &str {
//!         "noop"
//!     }
//!     fn runtime(&self) -> Runtime {
//!         Runtime::builder().backend(Noop).build().expect("it needs nothing")
//!     }
//!     fn runs_handlers(&self) -> bool {
//!         false
//!     }
//! }
//!
//! // One `#[test]` per case, in a module per subject matter.
//! annulus_conformance::conformance_suite!(Nothing);
//! ```
//!
//! A case that the backend cannot do prints `skipped:` and why, and passes. The idle kernels' use of the
//! processor is measured for the whole process, so [`idle_suite!`] stands in a test binary of its own.
//!
//! # Adding a case
//!
//! Write a `pub fn name(bench: &Bench)` in a module of [`cases`], and list it in `suite.rs`; a test sees to
//! it that every case is listed. What a case waits for, it waits for without a limit: the runner has one for
//! the whole case.
//!
//! # Sizes
//!
//! `ANNULUS_LONG=1` and release builds run the long cases at their full size. Without `ANNULUS_LONG` that is less on a device
//! than on the CPU, and a case's rounds end early when it has run for ten seconds. `ANNULUS_PATIENCE` is the
//! number of seconds after which a case counts as hung (default 120). `ANNULUS_TIMES` names a file to which
//! each case adds a line with its time, and the processor's.

// The types that `annulus-macros` emits code for stand under `::annulus`.
extern crate annulus_runtime as annulus;

mod bench;
pub mod cases;
#[cfg(target_os = "linux")]
pub mod cuda;
pub mod epoch;
#[cfg(target_os = "linux")]
pub mod icd;
pub mod kernels;
pub mod language;
pub mod library;
pub mod life;
pub mod made;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub mod metal;
pub mod prints;
#[cfg(target_os = "linux")]
pub mod sanitizer;
mod subject;
mod suite;

pub use bench::{Bench, Needs, is_wrong_with_a_device, run};
pub use subject::Subject;
