//! The CPU backend: ring kernels on worker threads.
//!
//! # What this crate promises
//!
//! * The user's handler runs, as the same function that rustc compiled.
//! * Blocks of all kernels share a few workers, one per core unless told otherwise. A block that has nothing
//!   to do looks for messages for as long as its launch's `spin` says, then sleeps: a hundred idle kernels
//!   cost nothing.
//! * Fairness: while other blocks wait for a worker, a block gives way after each iteration, that is after
//!   `max_messages_per_iteration` messages at most.
//! * A handler that panics takes back what its message did, is counted, and harms nobody else. (With `panic =
//!   "abort"` a panic ends the process, as everywhere.)
//!
//! # What it does not do
//!
//! It does not interrupt a handler: one that never returns keeps its worker, and the runtime's end waits for
//! it. It does not run the threads of a block at the same time: a block without barriers is a plain loop.

mod backend;
mod block;
mod pool;
mod run;
mod step;

pub use backend::Cpu;
