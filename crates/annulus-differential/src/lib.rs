//! Random handlers: what they say as Rust, beside what they are lowered to.
//!
//! The tests of this crate run some hundred of them on random messages and states, as Rust, as C on the host,
//! and on an OpenCL device: outputs, states, shared memory and error codes must be the same. The program of
//! this crate does the same for as many as one likes, goes on where it was interrupted, and makes a handler
//! that fails as small as it can. `CONTRIBUTING.md` shows how.
//!
//! Fewer are run by whole blocks: their threads exchange values by shared memory, shuffles, votes, reductions and
//! scans, between barriers, and under conditions and in loops that are the same in all threads. They have no
//! races by construction, which the CPU's detector confirms. They run as Rust, on an OpenCL device, and as CUDA
//! on the libraries that stand in for NVIDIA's; a barrier that is taken out of their text is found.
//!
//! Each handler has four tables of atomics, which nobody else changes during a call, so that what is in them
//! afterwards is the same everywhere too. The threads of a block change them in ways of which the order does not
//! matter.
//!
//! Some have two outboxes and a reply, each with a type and a bound of its own.
//!
//! In some of those of whole blocks the first array is one that the kernel keeps, `&Block<[T]>`.
//!
//! Others send by other ways than a plain outbox, each by one of these: to themselves (`&Later<M>`), to whom they ask
//! (`&Ask<Q, A>`, and what comes of an ask, beside `&Later<M>`), to whom their outputs name (`Addressed`), to those that take a
//! topic (`Published`), and along the rows of a graph (`Along`). Addresses and topics come from messages, states, tables and
//! constants, and are compared. These hear the time, the queue and the stamp, too. What one call recorded must be the same:
//! each output with its address, topic or row, and each message to oneself with its time and whether it is that of an ask.
//! Faults that are planted in their texts are found, one for each of these. Where such outputs go then is no part of it; the
//! conformance suite's random routes are.
//!
//! Not among what is generated: the ways out above in handlers of whole blocks; other bound memory that is no atomics,
//! addresses or topics; instances of generic functions for tuples and options (which the language does not have), and
//! functions of floats that are only as exact as the target's.
//!
//! Nobody but this project needs it.

pub mod generate;
