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
    /// The message's payload has more bytes than the kernel was launched for: see
    /// [`max_payload`](https://docs.rs/annulus/latest/annulus/struct.LaunchOptions.html#method.max_payload).
    /// Only bridged messages of kernels have payloads of different sizes.
    Oversize {
        /// The message.
        message: T,
        /// Bytes of its payload; [`usize::MAX`] if it has more than any message may have.
        size: usize,
        /// The most that the launch has room for.
        limit: usize,
    },
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
            | Self::Oversize { message, .. }
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
            Self::Oversize { message, size, limit } => {
                TrySendError::Oversize { message: f(message), size, limit }
            }
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
    /// The message's payload has more bytes than the kernel was launched for: see
    /// [`max_payload`](https://docs.rs/annulus/latest/annulus/struct.LaunchOptions.html#method.max_payload).
    /// Only bridged messages of kernels have payloads of different sizes.
    Oversize {
        /// The message.
        message: T,
        /// Bytes of its payload; [`usize::MAX`] if it has more than any message may have.
        size: usize,
        /// The most that the launch has room for.
        limit: usize,
    },
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
            | Self::TooLarge(message)
            | Self::Oversize { message, .. } => message,
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
            Self::Oversize { message, size, limit } => {
                SendError::Oversize { message: f(message), size, limit }
            }
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
            TrySendError::Oversize { message, size, limit } => Self::Oversize { message, size, limit },
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

impl<T> fmt::Display for TrySendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full(_) => "the queue is full: wait with `send`, or choose a backpressure that drops",
            Self::Closed(_) => CLOSED,
            Self::TooLarge(_) => TOO_LARGE,
            Self::NotOffered(_) => {
                "a queue with DropOldest has no reservations, since senders could not evict one: write the message \
                 first and send it with `try_send`, or choose Block, Reject or DropNew"
            }
            Self::Oversize { size, limit, .. } => return write!(f, "{}", Oversize { size: *size, limit: *limit }),
        })
    }
}

impl<T> std::error::Error for TrySendError<T> {}

impl<T> fmt::Display for SendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full(_) => "the queue is full and its backpressure is Reject",
            Self::Closed(_) => CLOSED,
            Self::Timeout(_) => "the queue stayed full until the deadline",
            Self::TooLarge(_) => TOO_LARGE,
            Self::Oversize { size, limit, .. } => {
                return write!(f, "{}", Oversize { size: *size, limit: *limit });
            }
        })
    }
}

impl<T> std::error::Error for SendError<T> {}

const CLOSED: &str = "closed to new messages: the queue was closed, or the kernel that takes from it was closed or has terminated";
const TOO_LARGE: &str = "the message is larger than the queue's `max_message_bytes`";

/// The description of a payload that is too large for a kernel.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Oversize {
    /// Its bytes; [`usize::MAX`] if nobody knows how many.
    pub size: usize,
    /// The most that there is room for.
    pub limit: usize,
}

impl From<Oversize> for TrySendError<()> {
    fn from(Oversize { size, limit }: Oversize) -> Self {
        Self::Oversize { message: (), size, limit }
    }
}

impl fmt::Display for Oversize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// The most that any launch has room for. Source: the specification's row W-10.
        const MOST: usize = 65_536;
        let Self { size, limit } = self;
        if *size > MOST {
            let known = if *size == usize::MAX { "more than 65536".to_owned() } else { size.to_string() };
            return write!(
                f,
                "the payload has {known} bytes, and the kernel takes at most {limit}: send it in parts, since no \
                 message has more than {MOST}"
            );
        }
        write!(
            f,
            "the payload has {size} bytes, and the kernel takes at most {limit}: launch it with `max_payload({size})`, \
             or send it in parts"
        )
    }
}

macro_rules! messages {
    ($($type:ident { $($variant:ident => $text:literal),+ $(,)? })+) => {$(
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(Self::$variant => $text),+ })
            }
        }
        impl std::error::Error for $type {}
    )+};
}

messages! {
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
            Self::Oversize { .. } => "Oversize { .. }",
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
            Self::Oversize { .. } => "Oversize { .. }",
        })
    }
}
