//! Bounded message queues: placeholder front page.
pub mod event;
pub mod outcome;
#[doc(hidden)]
pub mod sync;
pub mod wait;
pub use outcome::{Admission, Backpressure, RecvError, SendError, TryRecvError, TrySendError};
