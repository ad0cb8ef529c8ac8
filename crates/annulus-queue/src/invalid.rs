//! Errors of invalid options.

use std::fmt;

use crate::{QueueOptions, short::Short};

/// All problems of the options of a queue, or of something else that has options. The type of the problems
/// says of what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidOptions<P = OptionProblem> {
    /// One or more.
    problems: Vec<P>,
}

/// One problem of some options.
#[doc(hidden)]
pub trait Problem: fmt::Display {
    /// The name of the thing that has the options.
    const SUBJECT: &'static str;
}

impl<P> InvalidOptions<P> {
    pub(crate) fn of(problem: P) -> Self {
        Self { problems: vec![problem] }
    }

    #[doc(hidden)]
    pub fn unless_empty(problems: Vec<P>) -> Result<(), Self> {
        if problems.is_empty() { Ok(()) } else { Err(Self { problems }) }
    }

    /// Every problem, in the order of the options.
    ///
    /// ```
    /// # use annulus_queue::{OptionProblem, QueueOptions};
    /// let invalid = QueueOptions::new().capacity(5000).validate().unwrap_err();
    /// assert_eq!(invalid.problems(), [OptionProblem::Capacity { given: 5000, valid: 8192 }]);
    /// ```
    pub fn problems(&self) -> &[P] {
        &self.problems
    }
}

/// One problem of a queue's options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OptionProblem {
    /// The capacity is not a power of two, or outside its limits.
    Capacity {
        /// What was asked for.
        given: usize,
        /// The next valid capacity, or the greatest if there is none above.
        valid: usize,
    },
    /// Eviction was asked for, but the senders of a queue with one receiver cannot evict.
    Eviction,
    /// The deduplication window is outside its limits.
    Window {
        /// What was asked for.
        given: usize,
    },
    /// The expiry is zero, so no message could ever be received.
    Expiry,
    /// The greatest message size is zero bytes.
    MessageBytes,
    /// The name is empty or too long.
    Name {
        /// Its length in bytes.
        bytes: usize,
    },
    /// The function that was called does not offer this option.
    NotOffered {
        /// The option's name.
        option: &'static str,
    },
    /// Deduplication by payload was asked for, but this message type has no payload hash.
    NoPayloadHash {
        /// The message type.
        message: &'static str,
    },
    /// Dead letters were given to a queue in which messages never expire.
    NoExpiry,
    /// There is not enough memory for this [lossy ring](crate::lossy::ring).
    Memory {
        /// How many messages were asked for.
        given: usize,
        /// The bytes that they need; `None` if that is more than the address space.
        bytes: Option<usize>,
    },
}

impl fmt::Display for OptionProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Capacity { given, valid } => {
                let (min, max) = (QueueOptions::MIN_CAPACITY, QueueOptions::MAX_CAPACITY);
                write!(f, "capacity {given} is not a power of 2 from {min} to {max}")?;
                let which = if given > max { "greatest" } else { "next" };
                write!(f, ": the {which} valid capacity is {valid}")
            }
            Self::Eviction => f.write_str(
                "DropOldest needs `queue`: where the receiver is alone, senders cannot take a message out",
            ),
            Self::Window { given } => {
                let (min, max) = (QueueOptions::MIN_WINDOW, QueueOptions::MAX_WINDOW);
                let nearest = given.clamp(min, max);
                write!(f, "deduplication_window {given} is not from {min} to {max}: the nearest is {nearest}")
            }
            Self::Expiry => {
                f.write_str("expiry is zero, so nothing could be received: make it longer, or leave it out")
            }
            Self::MessageBytes => {
                f.write_str("max_message_bytes is 0: give it what the largest message has, or none")
            }
            Self::Name { bytes } => {
                write!(f, "the name has {bytes} bytes: give it 1 to {}, or none", QueueOptions::MAX_NAME)
            }
            Self::NotOffered { option } => {
                write!(f, "{option} is asked for, which only a MessageQueue offers: make one, or leave it out")
            }
            Self::NoPayloadHash { message } => write!(
                f,
                "deduplication is ByPayload, and {message} has no payload hash: \
                 give it `Message::PAYLOAD_HASH`, or deduplicate ById",
                message = Short(message)
            ),
            Self::Memory { given, bytes } => {
                write!(f, "a lossy ring for {given} messages needs ")?;
                match bytes {
                    Some(bytes) => write!(f, "{bytes} bytes, which the system does not give: make it smaller"),
                    None => f.write_str("more bytes than there are addresses: make it smaller"),
                }
            }
            Self::NoExpiry => f.write_str(
                "dead letters are given, and no expiry, so the queue would never use them: set one, or bury by hand",
            ),
        }
    }
}

impl Problem for OptionProblem {
    const SUBJECT: &'static str = "queue";
}

impl<P: Problem> fmt::Display for InvalidOptions<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid {} options: ", P::SUBJECT)?;
        for (i, problem) in self.problems.iter().enumerate() {
            let separator = if i == 0 { "" } else { "; " };
            write!(f, "{separator}{problem}")?;
        }
        Ok(())
    }
}

impl<P: Problem + fmt::Debug> std::error::Error for InvalidOptions<P> {}
