//! The ring that host and device share, and the views of a shard's memory.
//!
//! | module | what it has |
//! |---|---|
//! | [`ring`] | the ring with its ends: who writes which word, and in what order |
//! | [`sealed`] | slots that a device finds and reads with one load |
//! | [`region`] | typed access to a stretch of memory that two sides share |
//! | [`memory`] | a shard's memory: where its control block, its rings, its histogram and its line of telemetry lie |
//!
//! The layouts are `annulus-abi`'s. Each end of a ring is made once, by the side that owns it.
//! `annulus-block` describes what a block does with them.

mod header;
#[cfg(not(loom))]
pub mod memory;
#[cfg(not(loom))]
mod ports;
pub mod region;
pub mod ring;
pub mod sealed;
