//! What keeps a system going while parts of it fail: attempts, circuit breakers, supervision.
//!
//! | | what it is | where it lives |
//! |---|---|---|
//! | [`Retry`] | how often to try again, and how long to wait before | data: in a handler's state or message, or in a variable of the host |
//! | [`Breaker`] | whether it makes sense to try at all | the same |
//! | [`Supervisor`] | launches a kernel again when it was lost, or when a handler does not return | the host |
//!
//! [`Retry`] and [`Breaker`] read no clock and wait for nothing: the caller says what time it is, in nanoseconds. So a
//! handler uses them with [`Cx::now`](annulus_kernel::Cx::now) and [`Later`](annulus_kernel::Later) on every backend, and
//! the host with [`Runtime::now`](crate::Runtime::now) and its own timer.
//!
//! # Is it safe to try again?
//!
//! [`CallError::may_have_run`](crate::CallError::may_have_run) says whether the handler may have taken the message of a
//! call that failed. If it may, a second attempt may have its effect twice. Then give the message a number, keep the last
//! number in the actor's state, and let the handler compare.

mod breaker;
mod retry;
mod supervise;
mod supervised;

pub use breaker::{Breaker, Circuit};
pub use retry::Retry;
pub use supervise::{Cause, NotStarted, Start, Supervisor};
pub use supervised::{MissingKernel, NotRunning, Supervised, SupervisedState, SupervisedStatus};
