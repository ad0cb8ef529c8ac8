//! A kernel as the host knows it, without its types.
//!
//! | module | what it has |
//! |---|---|
//! | [`shared`] | the kernel: its shards, the queues in front of them, its outputs, calls, dead letters and prints |
//! | [`core`] | what does not depend on the queues: words, commands, who waits |
//! | [`lifecycle`], [`events`], [`status`], [`metrics`] | closing, draining, ending; what is told of it; what it says of itself |
//! | [`front`], [`outbound`], [`ports`], [`calls`], [`dead_letters`], [`print`] | queues in front of rings; outputs; outputs of several outboxes; calls and their replies; dead letters; prints |
//! | [`carried`], [`image`], [`bytes`] | messages between typed and untyped code |
//! | [`notes`] | what a queue in front reports under its lock, and what is done about it |
//! | [`lanes`] | what can be asked and done about one of several queues |
//! | [`watcher`], [`slow`] | who looks after sends that wait for space; after handlers that take long |

pub(crate) mod bytes;
pub(crate) mod calls;
pub(crate) mod carried;
pub(crate) mod core;
pub(crate) mod dead_letters;
pub(crate) mod drops;
pub(crate) mod events;
pub(crate) mod front;
pub(crate) mod image;
pub(crate) mod lanes;
pub(crate) mod launches;
pub(crate) mod lifecycle;
pub(crate) mod links;
pub(crate) mod metrics;
pub(crate) mod notes;
pub(crate) mod outbound;
pub(crate) mod passage;
pub(crate) mod ports;
pub(crate) mod print;
pub(crate) mod receive;
pub(crate) mod send;
pub(crate) mod shared;
pub(crate) mod slow;
pub(crate) mod status;
pub(crate) mod told;
pub(crate) mod traced;
pub(crate) mod watcher;
