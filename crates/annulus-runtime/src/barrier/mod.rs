//! Barriers with names, at which kernels and the host come together.
//!
//! A handler never waits, so it waits at no barrier either. A *named barrier* is an actor of a kernel that
//! this module launches: who comes sends it [`Arrive`], and goes on with other messages; when all have come,
//! everybody gets [`Passed`]. What a kernel does between two of these messages is its part of a *generation*.
//!
//! ```text
//! kernel, party 0  --Arrive-->  +---------+  --Passed-->  kernel, party 0
//! kernel, party 1  --Arrive-->  | barrier |  --Passed-->  kernel, party 1
//! host,   party 2  --arrive-->  +---------+  --Passed-->  host
//!                                    |  ^
//!                                    +--+ its limit: a message to itself
//! ```
//!
//! # What holds
//!
//! * A barrier is for 1 to 64 *parties*, which are numbered from 0 on. A party is an actor of a kernel, or
//!   whoever the host says. Its *generation* counts from 0.
//! * When all parties have come, the generation passes: each party that is a kernel's gets one [`Passed`],
//!   and so does the host. Then the next one is open.
//! * With a *limit*, the generation passes that long after the first party has come. `missing` names those
//!   who had not. While nobody has come, no limit runs.
//! * What a party did before it came is done before any party learns that the generation has passed: the
//!   messages order it, as [messages do](crate::Consistency).
//! * Who comes says to which generation. The barrier takes no notice of who comes twice, comes to one that
//!   has passed (as a party does that was missing), or to one that is not open. Such a message fails with
//!   [`NotTaken`], and is counted and kept as a dead letter like any that fails. [`Arrive::OPEN`] is for
//!   those who do not count.
//! * A party that [leaves](Arrive::LEAVES) is not waited for, until it comes again.
//! * A party has one message under way at a time: it comes, and then it is told. So rings that have room for
//!   all parties are never full, and the cycle of kernels does not stand still. A kernel that takes none of
//!   its messages is told until its ring is full; then the barrier waits for it, whatever the limit is. What
//!   is for a kernel that has terminated is lost, and counted.
//!
//! # What it is not
//!
//! It is no barrier between the threads of a block, nor between the blocks of a kernel: those are
//! `cx.barrier()`, and [`supersteps`](crate::LaunchOptions::supersteps). It takes two messages for each
//! party, and no memory is shared.

mod host;
mod kernel;
mod plan;
mod waits;

pub use host::{Arrival, ArriveError, Barriers, KEPT, NamedBarrier, WaitError};
pub use kernel::{Arrive, MOST_BARRIERS, MOST_PARTIES, NotTaken, Passed};
#[doc(hidden)]
pub use kernel::{Meeting, Terms, Told, meet, tell_the_host};
pub use plan::{BarrierError, BarrierNumber, BarrierPlan};
pub(crate) use waits::AllBarriers;
