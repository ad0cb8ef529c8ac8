//! Every protocol of the crate, in every interleaving that loom can tell apart.
//!
//! Models without a bound on preemption are complete. Those with sleepers or several workers would take
//! minutes, and have a bound of 2 or 3: two involuntary switches suffice for every known shape of lost
//! wake-up (one to stop a thread between its two steps, one to return to it); the third is margin.
//!
//! Models whose names begin with `broken` leave out a fence or a look. loom must find what that breaks.
#![cfg(loom)]

mod alarm;
mod broken;
mod doorbell;
mod enlist;
mod event;
mod last;
mod lease;
mod rounds;
mod runners;
mod schedule;
mod sleepers;
mod stay;
mod step;
mod transit;
mod watched;
