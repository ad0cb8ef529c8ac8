//! The limit for handlers.

use std::time::Duration;

use super::{LaunchOptions, said::Word};

impl LaunchOptions {
    /// Tells of handlers that take longer than this: by a warning with the target
    /// [`SLOW_TARGET`](crate::SLOW_TARGET) while the handler still runs, once for each message, and in the flight
    /// recorder. Off by default.
    ///
    /// Blocks read no clock: the process' monitor looks at what they are at, four times in this time, and at most once
    /// a millisecond. So a handler that takes a quarter longer than the limit is found for sure, unless the system is
    /// too busy to run the monitor; one that takes less than the limit never is. While the kernel has no messages,
    /// nobody looks. A send costs a fence more. On a device, the handlers of a turn that several threads run at once
    /// count as one.
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// use std::time::Duration;
    /// let options = LaunchOptions::production().slow_after(Duration::from_millis(5));
    /// assert_eq!(options.observe.slow_after, Some(Duration::from_millis(5)));
    /// assert_eq!(options.slow_after(None).observe.slow_after, None);
    /// ```
    pub fn slow_after(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.said.add(Word::SlowAfter);
        self.observe.slow_after = limit.into();
        self
    }
}
