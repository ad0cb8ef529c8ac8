//! The memory layouts that Annulus hosts and devices share.
//!
//! # What this crate promises
//!
//! * Every structure here has the same offsets in Rust and in C: `include/annulus_abi.h` is its twin
//!   ([`C_HEADER`]), and a test has a C compiler assert that they agree.
//! * Every word has one writer, or one *side* of writers. Its documentation names the writer, and says how
//!   stale a reader may find the word.
//!
//! # What it does not do
//!
//! It has no behaviour. `annulus-ring` and `annulus-block` decide who waits for whom, and in what order words
//! are written. It allocates nothing and needs no `std`.
#![no_std]

pub mod actors;
pub mod bridged;
pub mod control;
pub mod error;
pub mod histogram;
pub mod kernel;
pub mod launch;
pub mod memory;
pub mod ring;
pub mod stamp;
pub mod telemetry;
pub mod topics;
pub mod trace;
pub mod vitals;

/// The C twin of this crate, as device source and C programs include it.
pub const C_HEADER: &str = include_str!("../include/annulus_abi.h");

/// Bytes that two cores never share by accident: two cache lines, since neighbours are prefetched in pairs.
///
/// Source: Intel's optimisation manual on the spatial prefetcher; ARM and NVIDIA parts have 128-byte lines.
pub const PAIR: usize = 128;

/// Bytes of a cache line.
pub const LINE: usize = 64;
