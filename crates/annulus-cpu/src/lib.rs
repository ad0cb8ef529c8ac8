//! The CPU backend: ring kernels on worker threads.
//!
//! # What this crate promises
//!
//! * The user's handler runs, as the same function that rustc compiled.
//! * Blocks of all kernels share a few workers; by default there is one per core. A block without work polls
//!   for messages for as long as its launch's `spin` says, then sleeps: a hundred idle kernels cost nothing.
//! * Fairness: while other blocks wait for a worker, a block gives its worker up after each iteration, that
//!   is after `max_messages_per_iteration` messages at most.
//! * An event-driven kernel's block also gives its worker back after so many messages as its launch says.
//! * If a handler panics, the effects of its message are undone, the panic is counted, and nothing else is
//!   affected. (With `panic = "abort"` a panic ends the process, as everywhere.)
//!
//! # What it does not do
//!
//! It does not interrupt a handler: a handler that never returns keeps its worker, and the end of the runtime
//! waits for it. It does not run the threads of a block at the same time: a block without barriers is a plain
//! loop.

mod alarm;
mod backend;
mod block;
mod pool;
mod run;
mod step;

pub use backend::Cpu;
