//! Bounded message queues: placeholder front page.
pub mod outcome;
#[doc(hidden)]
pub mod sync;
pub use outcome::{Admission, Backpressure, RecvError, SendError, TryRecvError, TrySendError};
