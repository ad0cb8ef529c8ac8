//! A handler whose whole block works on one message: its context, and the memory that its threads share.
//!
//! # What this module promises
//!
//! * All threads of a block run the handler for the same message. [`BlockCx`] tells a thread which one it is.
//!   [`BlockCx::barrier`] brings the threads together; what any of them wrote before it, all see after it.
//! * Results are the same on every backend, bit for bit, as long as threads that write what others read have
//!   a barrier in between: a reduction combines its values in the order that [`BlockCx::block_reduce`]
//!   documents, a scan in that of [`BlockCx::block_scan`], and a warp has [`WARP`] threads everywhere.
//! * Nobody waits for ever. If a thread fails, the message fails at the next barrier of the others, with the
//!   code of the first such thread. If some threads wait at a barrier that others do not reach, the message
//!   fails with [`BARRIER_NOT_REACHED`](annulus_abi::error::BARRIER_NOT_REACHED).
//!
//! # On the CPU
//!
//! The threads of a block are stackful coroutines of one thread of the system ([`run_block`]). Between two
//! barriers they run one after the other, from thread 0 on, so what they share needs no lock and no atomics:
//! a race between threads of a block is an error of the program, but never undefined behaviour. [`check_block`]
//! finds it, and so does every block if the variable `ANNULUS_RACES` is 1.

mod cx;
mod inbox;
mod memory;
mod races;
mod team;
mod value;
mod warps;

pub use cx::{BlockCx, WARP};
pub use inbox::{Inbox, RawInbox, TestInbox};
pub use memory::{Block, BlockArray};
pub(crate) use team::{NOT_REACHED, NOT_THE_LEADER};
pub use team::{check_block, run_block};
pub use value::BlockValue;
