//! How threads and tasks wait. Everything here is modelled with loom and is independent of messages.
//!
//! | to | use |
//! |---|---|
//! | sleep until a condition changes, without a lock on the side that changes it | [`event`] |
//! | sleep until something of one's own comes, one of many | [`sleepers`] |
//! | wait for a while busily, then asleep; run a future on this thread | [`wait`] |
//! | run something on one thread at a time, asleep when there is nothing to do | [`wake_flag`] |
//! | queue what is awake for worker threads | [`schedule`] |
//! | take turns together with others | [`phase_barrier`] |
//! | go in rounds together with others | [`rounds`] |
//! | refuse some callers while others still come in | [`gate`] |
//! | have a job done by whoever holds the lock | [`combining`] |
//! | wake a kernel that stays on a device, or one in epochs | [`stay`] |
//! | wait for room in a ring | [`stall`] |
//! | sleep until a thread or a device has something new | [`doorbell`] |
//! | tell of a frequent change once somebody waits for it | [`watched`] |
//! | find out which of several was the last to end | [`last`] |
//! | look after what somebody waits at | [`enlist`] |
//! | fence on the side that can afford it | [`barrier`] |
//! | call the program's code from a thread that must outlive it | [`contain`] |
//!
//! The crate root has the atomics, cells and locks that all of these are built on. With `--cfg loom` the same
//! names are loom's types, so the models check the code that runs. Every lock-free protocol of the workspace
//! takes its atomics from here.
//!
//! Programs use `annulus-queue` or `annulus`; this crate is for the other parts of Annulus.

mod backoff;
pub mod barrier;
pub mod combining;
pub mod contain;
pub mod doorbell;
pub mod enlist;
pub mod event;
pub mod gate;
pub mod last;
pub mod phase_barrier;
mod primitive;
pub mod rounds;
pub mod schedule;
pub mod sleepers;
pub mod stall;
pub mod stay;
pub mod transit;
pub mod wait;
mod wait_strategy;
pub mod wake_flag;
pub mod watched;

pub use primitive::*;
