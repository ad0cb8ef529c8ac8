//! When a batch is delivered.

use std::time::Duration;

use super::StartError;

/// When a batch is delivered. The default: at 64 messages, or a millisecond after the first.
///
/// The defaults are those of the specification's section "Message Batching".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchOptions {
    pub(crate) messages: usize,
    pub(crate) delay: Duration,
}

/// The capacity of the largest queue.
pub(super) const MOST_MESSAGES: usize = 1 << 20;

impl BatchOptions {
    /// 64 messages, 1 ms.
    ///
    /// ```
    /// use annulus_queue::batching::BatchOptions;
    /// let options = BatchOptions::new().messages(64).delay(std::time::Duration::from_millis(1));
    /// assert_eq!(BatchOptions::new(), options);
    /// ```
    pub fn new() -> Self {
        Self { messages: 64, delay: Duration::from_millis(1) }
    }

    /// How many messages make a batch full: 1 ..= 1,048,576.
    ///
    /// ```
    /// # use annulus_queue::batching::{BatchOptions, Batcher, StartError};
    /// let sink = |_: &mut Vec<u8>| Ok::<(), ()>(());
    /// assert!(matches!(Batcher::new(BatchOptions::new().messages(0), sink), Err(StartError::Messages(0))));
    /// ```
    pub fn messages(mut self, messages: usize) -> Self {
        self.messages = messages;
        self
    }

    /// How long the first message of a batch waits for others. A delay that the clock cannot express never
    /// ends.
    ///
    /// ```
    /// # use annulus_queue::batching::BatchOptions;
    /// let only_when_full_or_flushed = BatchOptions::new().delay(std::time::Duration::MAX);
    /// ```
    pub fn delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    pub(crate) fn validate(&self) -> Result<(), StartError> {
        if (1..=MOST_MESSAGES).contains(&self.messages) {
            Ok(())
        } else {
            Err(StartError::Messages(self.messages))
        }
    }
}

impl Default for BatchOptions {
    fn default() -> Self {
        Self::new()
    }
}
