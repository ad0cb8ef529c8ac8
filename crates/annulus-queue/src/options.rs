//! How to make a queue: options, and what is wrong with them.

use std::fmt;

use crate::Backpressure;

/// How to make a [`queue`](crate::queue).
///
/// ```
/// use annulus_queue::{Backpressure, QueueOptions, queue};
///
/// let options = QueueOptions::new().capacity(1024).backpressure(Backpressure::DropOldest).name("readings");
/// let (tx, rx) = queue::<u32>(options)?;
/// # Ok::<(), annulus_queue::InvalidOptions>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueOptions {
    pub(crate) capacity: usize,
    pub(crate) backpressure: Backpressure,
    pub(crate) name: Option<String>,
}

impl QueueOptions {
    /// The least capacity: 16 messages.
    pub const MIN_CAPACITY: usize = 16;
    /// The greatest capacity: 1,048,576 messages.
    pub const MAX_CAPACITY: usize = 1 << 20;
    /// The capacity unless said otherwise: 4096 messages.
    pub const DEFAULT_CAPACITY: usize = 4096;
    /// The greatest length of a name: 128 bytes.
    pub const MAX_NAME: usize = 128;

    /// Capacity 4096, [`Backpressure::Block`], no name.
    ///
    /// ```
    /// let (tx, _rx) = annulus_queue::queue::<u32>(annulus_queue::QueueOptions::new())?;
    /// assert_eq!(tx.capacity(), 4096);
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn new() -> Self {
        Self { capacity: Self::DEFAULT_CAPACITY, backpressure: Backpressure::default(), name: None }
    }

    /// How many messages the queue holds, exactly: a power of two from [`MIN_CAPACITY`](Self::MIN_CAPACITY) to
    /// [`MAX_CAPACITY`](Self::MAX_CAPACITY). Memory for all of them is allocated at once.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, queue};
    /// let refused = queue::<u32>(QueueOptions::new().capacity(5000)).unwrap_err();
    /// assert!(refused.to_string().contains("the next valid capacity is 8192"));
    /// ```
    pub fn capacity(mut self, messages: usize) -> Self {
        self.capacity = messages;
        self
    }

    /// What to do with a message when the queue is full.
    ///
    /// ```
    /// # use annulus_queue::{Backpressure, QueueOptions};
    /// let options = QueueOptions::new().backpressure(Backpressure::Reject);
    /// ```
    pub fn backpressure(mut self, backpressure: Backpressure) -> Self {
        self.backpressure = backpressure;
        self
    }

    /// A name for people and for metrics: 1 to [`MAX_NAME`](Self::MAX_NAME) bytes.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, queue};
    /// let (tx, _rx) = queue::<u32>(QueueOptions::new().name("readings"))?;
    /// assert_eq!(tx.name(), Some("readings"));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Looks at every option, and returns all that is wrong with them. [`queue`](crate::queue) does so first.
    ///
    /// ```
    /// # use annulus_queue::QueueOptions;
    /// let invalid = QueueOptions::new().capacity(5000).name("").validate().unwrap_err();
    /// assert_eq!(invalid.problems().len(), 2);
    /// ```
    pub fn validate(&self) -> Result<(), InvalidOptions> {
        let mut problems = Vec::new();
        let valid = self.capacity.clamp(Self::MIN_CAPACITY, Self::MAX_CAPACITY).next_power_of_two();
        if self.capacity != valid {
            problems.push(OptionProblem::Capacity { given: self.capacity, valid });
        }
        if let Some(name) = &self.name
            && !(1..=Self::MAX_NAME).contains(&name.len())
        {
            problems.push(OptionProblem::Name { bytes: name.len() });
        }
        if problems.is_empty() { Ok(()) } else { Err(InvalidOptions { problems }) }
    }

    /// What is wrong with them for a queue with one receiver, beyond what [`validate`](Self::validate) finds.
    pub(crate) fn refuse_eviction(&self) -> Result<(), InvalidOptions> {
        match self.backpressure {
            Backpressure::DropOldest => Err(InvalidOptions { problems: vec![OptionProblem::Eviction] }),
            _ => Ok(()),
        }
    }
}

impl Default for QueueOptions {
    fn default() -> Self {
        Self::new()
    }
}

/// All that is wrong with a queue's options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidOptions {
    /// One or more.
    problems: Vec<OptionProblem>,
}

impl InvalidOptions {
    /// Every problem, in the order of the options.
    ///
    /// ```
    /// # use annulus_queue::{OptionProblem, QueueOptions};
    /// let invalid = QueueOptions::new().capacity(5000).validate().unwrap_err();
    /// assert_eq!(invalid.problems(), [OptionProblem::Capacity { given: 5000, valid: 8192 }]);
    /// ```
    pub fn problems(&self) -> &[OptionProblem] {
        &self.problems
    }
}

/// One thing that is wrong with a queue's options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OptionProblem {
    /// The capacity is not a power of two, or beyond its limits.
    Capacity {
        /// What was asked for.
        given: usize,
        /// The next valid capacity, or the greatest if there is none above.
        valid: usize,
    },
    /// The senders of a queue with one receiver cannot evict.
    Eviction,
    /// The name is empty or too long.
    Name {
        /// How long it is.
        bytes: usize,
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
            Self::Name { bytes } => {
                write!(f, "the name has {bytes} bytes: give it 1 to {}, or none", QueueOptions::MAX_NAME)
            }
        }
    }
}

impl fmt::Display for InvalidOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("invalid queue options: ")?;
        for (i, problem) in self.problems.iter().enumerate() {
            let separator = if i == 0 { "" } else { "; " };
            write!(f, "{separator}{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for InvalidOptions {}
