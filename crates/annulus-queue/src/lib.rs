//! Bounded message queues: placeholder front page.
pub mod doze;
pub mod event;
pub mod outcome;
pub mod region;
pub mod relay;
pub mod ring;
#[doc(hidden)]
pub mod sync;
pub mod wait;
pub use outcome::{Admission, Backpressure, RecvError, SendError, TryRecvError, TrySendError};
