//! What happened to a message: outcomes and errors of sending and receiving.
//!
//! Sending never hides what happened, and a message that was not queued always comes back to the caller.

use std::fmt;

/// What a bounded queue does with a message when it is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Backpressure {
    /// The producer waits for space, as long as needed; nothing is lost. `try_send` reports `Full` instead.
    #[default]
    Block,
    /// The send fails at once and hands the message back.
    Reject,
    /// The oldest message leaves and is returned to the producer. The send never waits, and never fails for
    /// lack of space.
    DropOldest,
    /// The new message is discarded and handed back; the send never waits.
    DropNew,
}

/// How a send that did not fail ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "an evicted, discarded or duplicate message comes back in it; where there are none, write `let _ =`"]
pub enum SendOutcome<T> {
    /// The message is queued.
    Accepted,
    /// The message is queued, and this older one left to make room ([`Backpressure::DropOldest`]).
    Evicted(T),
    /// The queue was full and this message, the one being sent, was not queued ([`Backpressure::DropNew`]).
    Discarded(T),
    /// This message was recognised as a duplicate and not queued.
    Duplicate(T),
}

impl<T> SendOutcome<T> {
    /// Whether the message being sent is queued now.
    ///
    /// ```
    /// # use annulus_queue::SendOutcome;
    /// assert!(SendOutcome::Evicted(1).is_queued());
    /// assert!(!SendOutcome::Duplicate(1).is_queued());
    /// ```
    pub fn is_queued(&self) -> bool {
        matches!(self, Self::Accepted | Self::Evicted(_))
    }

    /// The same outcome, with its message converted by `f`.
    ///
    /// ```
    /// # use annulus_queue::SendOutcome;
    /// assert_eq!(SendOutcome::Evicted(7).map(|n| n + 1), SendOutcome::Evicted(8));
    /// ```
    #[inline]
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> SendOutcome<U> {
        match self {
            Self::Accepted => SendOutcome::Accepted,
            Self::Evicted(message) => SendOutcome::Evicted(f(message)),
            Self::Discarded(message) => SendOutcome::Discarded(f(message)),
            Self::Duplicate(message) => SendOutcome::Duplicate(f(message)),
        }
    }
}

/// Why [`try_send`](crate::Sender::try_send) did not queue the message. The error contains the message.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TrySendError<T> {
    /// No space now ([`Backpressure::Block`] or [`Backpressure::Reject`]).
    Full(T),
    /// The queue is closed. This is final.
    Closed(T),
    /// The message is larger than the queue's [`max_message_bytes`](crate::QueueOptions::max_message_bytes).
    TooLarge(T),
    /// The queue has [`Backpressure::DropOldest`] and offers no [reservations](crate::Sender::try_reserve): a
    /// sender that had to evict a reserved place would wait for it, for ever if the reservation belongs to
    /// the same thread. Sends never return this.
    NotOffered(T),
}

impl<T> TrySendError<T> {
    /// The message that was not queued.
    ///
    /// ```
    /// assert_eq!(annulus_queue::TrySendError::Full(7).into_inner(), 7);
    /// ```
    pub fn into_inner(self) -> T {
        match self {
            Self::Full(message)
            | Self::Closed(message)
            | Self::TooLarge(message)
            | Self::NotOffered(message) => message,
        }
    }

    /// The same error, with its message converted by `f`.
    ///
    /// ```
    /// # use annulus_queue::TrySendError;
    /// assert_eq!(TrySendError::Full(7).map(|n| n + 1), TrySendError::Full(8));
    /// ```
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> TrySendError<U> {
        match self {
            Self::Full(message) => TrySendError::Full(f(message)),
            Self::Closed(message) => TrySendError::Closed(f(message)),
            Self::TooLarge(message) => TrySendError::TooLarge(f(message)),
            Self::NotOffered(message) => TrySendError::NotOffered(f(message)),
        }
    }
}

/// Why a send that may wait did not queue the message. The error contains the message.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SendError<T> {
    /// The queue was full under [`Backpressure::Reject`].
    Full(T),
    /// The queue is closed. This is final.
    Closed(T),
    /// The deadline passed while the queue was full.
    Timeout(T),
    /// The message is larger than the queue's [`max_message_bytes`](crate::QueueOptions::max_message_bytes).
    TooLarge(T),
}

impl<T> SendError<T> {
    /// The message that was not queued.
    ///
    /// ```
    /// assert_eq!(annulus_queue::SendError::Timeout(7).into_inner(), 7);
    /// ```
    pub fn into_inner(self) -> T {
        match self {
            Self::Full(message)
            | Self::Closed(message)
            | Self::Timeout(message)
            | Self::TooLarge(message) => message,
        }
    }

    /// The same error, with its message converted by `f`.
    ///
    /// ```
    /// # use annulus_queue::SendError;
    /// assert_eq!(SendError::Timeout(7).map(|n| n + 1), SendError::Timeout(8));
    /// ```
    #[inline]
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> SendError<U> {
        match self {
            Self::Full(message) => SendError::Full(f(message)),
            Self::Closed(message) => SendError::Closed(f(message)),
            Self::Timeout(message) => SendError::Timeout(f(message)),
            Self::TooLarge(message) => SendError::TooLarge(f(message)),
        }
    }
}

impl<T> From<TrySendError<T>> for SendError<T> {
    fn from(error: TrySendError<T>) -> Self {
        match error {
            TrySendError::Full(message) => Self::Full(message),
            // Only reservations are not offered, and they have no form that waits.
            TrySendError::Closed(message) | TrySendError::NotOffered(message) => Self::Closed(message),
            TrySendError::TooLarge(message) => Self::TooLarge(message),
        }
    }
}

/// Why `try_recv` returned no message, or `peek` found none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TryRecvError {
    /// No message now.
    Empty,
    /// No message now, and none will come.
    Closed,
    /// The queue offers no [`peek`](crate::MessageQueue::peek): it has no policy, so it is the lock-free one,
    /// in which another receiver may take a message while this one looks at it. Receives never return this.
    NotOffered,
}

/// Why a receive that may wait returned no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecvError {
    /// The queue is closed and everything in it was received.
    Closed,
    /// The deadline passed first. The queue is still open: this is not a shutdown.
    Timeout,
}

macro_rules! messages {
    ($($type:ident $(<$t:ident>)? { $($variant:ident $(($ignored:tt))? => $text:literal),+ $(,)? })+) => {$(
        impl$(<$t>)? fmt::Display for $type$(<$t>)? {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(Self::$variant $(($ignored))? => $text),+ })
            }
        }
        impl$(<$t>)? std::error::Error for $type$(<$t>)? where Self: fmt::Debug {}
    )+};
}

messages! {
    TrySendError<T> {
        Full(_) => "the queue is full: wait with `send`, or choose a backpressure that drops",
        Closed(_) => "the queue is closed to new messages",
        TooLarge(_) => "the message is larger than the queue's `max_message_bytes`",
        NotOffered(_) => "a queue with DropOldest has no reservations, since senders could not evict one: \
                          write the message first and send it with `try_send`, or choose Block, Reject or DropNew",
    }
    SendError<T> {
        Full(_) => "the queue is full and its backpressure is Reject",
        Closed(_) => "the queue is closed to new messages",
        Timeout(_) => "the queue stayed full until the deadline",
        TooLarge(_) => "the message is larger than the queue's `max_message_bytes`",
    }
    TryRecvError {
        Empty => "no message is waiting",
        Closed => "the queue is closed and empty",
        NotOffered => "a queue without priority, deduplication and expiry has no peek: give it one of them, or \
                       use the ends of `single_consumer`, whose receiver is alone",
    }
    RecvError {
        Closed => "the queue is closed and empty",
        Timeout => "no message came before the deadline",
    }
}

// By hand, so that `T` need not be `Debug`.
impl<T> fmt::Debug for TrySendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full(_) => "Full(..)",
            Self::Closed(_) => "Closed(..)",
            Self::TooLarge(_) => "TooLarge(..)",
            Self::NotOffered(_) => "NotOffered(..)",
        })
    }
}

impl<T> fmt::Debug for SendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full(_) => "Full(..)",
            Self::Closed(_) => "Closed(..)",
            Self::Timeout(_) => "Timeout(..)",
            Self::TooLarge(_) => "TooLarge(..)",
        })
    }
}
