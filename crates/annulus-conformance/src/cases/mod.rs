//! The cases, by subject matter. `suite.rs` lists them.

pub mod backpressure;
pub mod callbacks;
pub mod calls;
pub mod cycles;
pub mod dead_letters;
pub mod dropping;
pub mod failures;
pub mod idle;
pub mod launching;
pub mod lifecycle;
pub mod link_ends;
pub mod links;
pub mod load;
pub mod messages;
pub mod pipelines;
pub mod policies;
pub mod policy_model;
pub mod prints;
pub mod shutdown;
pub mod snapshots;
pub mod stalls;
pub mod state;
pub mod steps;
pub mod telemetry;
pub mod undelivered;
pub mod waking;
