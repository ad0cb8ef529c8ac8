//! The errors of a batcher.

use std::{error::Error, fmt, io};

use super::options::MOST_MESSAGES;

/// Why no batcher was made.
#[derive(Debug)]
#[non_exhaustive]
pub enum StartError {
    /// A batch cannot have this number of messages.
    Messages(usize),
    /// The system did not start the timer's thread.
    Timer(io::Error),
}

/// Why [`push`](super::Batcher::push) did not accept the message. The error contains the message.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PushError<T, E> {
    /// The batcher is closed. This is final.
    Closed(T),
    /// There is no space while another thread delivers, and `try_push` does not wait.
    Busy(T),
    /// There is no space, and the sink refused the waiting messages with this error.
    Refused(T, E),
}

impl<T, E> PushError<T, E> {
    /// The message that was not accepted.
    ///
    /// ```
    /// # use annulus_queue::batching::PushError;
    /// assert_eq!(PushError::<_, ()>::Closed(7).into_inner(), 7);
    /// ```
    pub fn into_inner(self) -> T {
        match self {
            Self::Closed(message) | Self::Busy(message) | Self::Refused(message, _) => message,
        }
    }
}

/// Why [`close`](super::Batcher::close) did not deliver everything, and the messages that it did not deliver,
/// oldest first.
#[derive(Clone, PartialEq, Eq)]
pub struct CloseError<T, E> {
    /// The error of the sink.
    pub error: E,
    /// The messages that the sink did not take.
    pub undelivered: Vec<T>,
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Messages(n) => write!(f, "a batch of {n} messages: choose 1 to {MOST_MESSAGES}"),
            Self::Timer(error) => write!(f, "the thread that flushes batches in time did not start: {error}"),
        }
    }
}

impl Error for StartError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Messages(_) => None,
            Self::Timer(error) => Some(error),
        }
    }
}

impl<T, E: fmt::Display> fmt::Display for PushError<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed(_) => f.write_str("the batcher is closed to new messages"),
            Self::Busy(_) => {
                f.write_str("the batcher is full while a batch is delivered: try later, or wait with `push`")
            }
            Self::Refused(_, error) => write!(f, "the batcher is full and its sink refuses: {error}"),
        }
    }
}

impl<T, E: fmt::Display> fmt::Display for CloseError<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { error, undelivered } = self;
        write!(f, "the sink refused the last {} messages: {error}", undelivered.len())
    }
}

// By hand, so that `T` need not be `Debug`.
impl<T, E: fmt::Debug> fmt::Debug for PushError<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed(_) => f.write_str("Closed(..)"),
            Self::Busy(_) => f.write_str("Busy(..)"),
            Self::Refused(_, error) => write!(f, "Refused(.., {error:?})"),
        }
    }
}

impl<T, E: fmt::Debug> fmt::Debug for CloseError<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CloseError")
            .field("error", &self.error)
            .field("undelivered", &self.undelivered.len())
            .finish()
    }
}

impl<T, E: Error + 'static> Error for PushError<T, E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Closed(_) | Self::Busy(_) => None,
            Self::Refused(_, error) => Some(error),
        }
    }
}

impl<T, E: Error + 'static> Error for CloseError<T, E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.error)
    }
}
