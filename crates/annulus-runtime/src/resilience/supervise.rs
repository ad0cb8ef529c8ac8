//! When a kernel is launched again, and how often.

use std::{
    collections::VecDeque,
    error::Error,
    fmt,
    time::{Duration, Instant},
};

use annulus_kernel::RingKernel;

use super::supervised::Supervised;
use crate::{handle::KernelHandle, time::for_people};

/// Launches a kernel, watches it, and launches it again if it was lost or if one of its handlers does not return.
///
/// | | default |
/// |---|---|
/// | [`restarts`](Self::restarts): how often it may be launched again | 3 times in 10 minutes |
/// | [`pauses`](Self::pauses): how long to wait before | 2 s, then twice as long each time, 60 s at most |
/// | [`stalled_after`](Self::stalled_after): how long a handler may take | 30 s |
///
/// A kernel that the program ends, or whose own body returns, is not launched again.
///
/// **What a new kernel knows.** Its state is that of a first launch. A launch that wants more restores a
/// [snapshot](crate::Snapshot) which the program has kept. [`Start::undelivered`] has what the old kernel left; the launch
/// sends it again, or not. Of a message that a lost kernel had taken, nobody knows whether it was handled. Kernels that sent
/// to the old one are not connected to the new one: the launch connects them, while they are inactive.
///
/// **A handler that does not return** cannot be interrupted. Its kernel is told to terminate, and has a second for that.
/// Then it is left behind, with the messages in its rings, and another kernel may have its name. On the CPU it keeps a worker
/// thread, on a device its place: a launch that needs these uses another runtime. Calls of it end when its handler returns, so
/// give calls a time limit. The end of its runtime, and of the process, waits for it no longer.
///
/// **A launch** has no time limit, and is not watched. It is called on a thread without an async runtime.
///
/// ```
/// use annulus_runtime::{LaunchOptions, Noop, Runtime, resilience::Supervisor, prelude::*};
/// # extern crate annulus_runtime as annulus;
///
/// #[derive(RingMessage, Clone, Copy)]
/// #[repr(C)]
/// struct Number {
///     value: u64,
/// }
///
/// #[ring_kernel]
/// fn swallow(_number: &Number) {}
///
/// let runtime = Runtime::builder().backend(Noop).build()?;
/// let supervised = Supervisor::new().start(move |start| {
///     let kernel = swallow::launch(&runtime, LaunchOptions::production())?;
///     kernel.send_batch_blocking(start.undelivered)?; // none at the first start
///     Ok(kernel)
/// })?;
/// let _ = supervised.kernel()?.try_send(Number { value: 1 })?; // the kernel that runs now
/// println!("{}", supervised.status());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Supervisor {
    pub(super) restarts: u32,
    pub(super) within: Duration,
    first: Duration,
    longest: Duration,
    pub(super) stalled_after: Option<Duration>,
}

impl Default for Supervisor {
    fn default() -> Self {
        Self {
            restarts: 3,
            within: Duration::from_secs(600),
            first: Duration::from_secs(2),
            longest: Duration::from_secs(60),
            stalled_after: Some(Duration::from_secs(30)),
        }
    }
}

impl Supervisor {
    /// With the limits of the table above.
    ///
    /// ```
    /// # use annulus_runtime::resilience::Supervisor;
    /// assert_eq!(Supervisor::new(), Supervisor::default());
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// How often the kernel may be launched again `within` any such time; launches that fail count. If it ends once
    /// more, it is [given up](super::NotRunning::GaveUp). If that time is zero, each restart is
    /// the first one: nothing is given up, and pauses do not grow. 0 restarts are none in any case.
    ///
    /// ```
    /// # use {annulus_runtime::resilience::Supervisor, std::time::Duration};
    /// let supervisor = Supervisor::new().restarts(10, Duration::from_secs(3600));
    /// # assert_ne!(supervisor, Supervisor::new());
    /// ```
    #[must_use]
    pub fn restarts(mut self, restarts: u32, within: Duration) -> Self {
        (self.restarts, self.within) = (restarts, within);
        self
    }

    /// How long to wait before the first restart. Each further one waits twice as long as the one before, and never more
    /// than `longest`.
    ///
    /// ```
    /// # use {annulus_runtime::resilience::Supervisor, std::time::Duration};
    /// let supervisor = Supervisor::new().pauses(Duration::from_millis(100), Duration::from_secs(5));
    /// # assert_ne!(supervisor, Supervisor::new());
    /// ```
    #[must_use]
    pub fn pauses(mut self, first: Duration, longest: Duration) -> Self {
        (self.first, self.longest) = (first, longest);
        self
    }

    /// How long a block may be in the handler of the same messages; `None`: as long as it likes. The blocks are looked at
    /// four times in this time, and at most once a millisecond.
    ///
    /// ```
    /// # use annulus_runtime::resilience::Supervisor;
    /// let supervisor = Supervisor::new().stalled_after(None);
    /// # assert_ne!(supervisor, Supervisor::new());
    /// ```
    #[must_use]
    pub fn stalled_after(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.stalled_after = limit.into();
        self
    }

    /// Launches the kernel by `launch`, on the caller's thread, and watches it on a thread of its own. That thread calls
    /// `launch` again for each restart; a call that fails or panics counts as one.
    ///
    /// # Errors
    ///
    /// Those of the first launch, and if the system gives no thread.
    pub fn start<K: RingKernel>(
        self,
        mut launch: impl FnMut(Start<'_, K>) -> Result<KernelHandle<K>, Box<dyn Error + Send + Sync>>
        + Send
        + 'static,
    ) -> Result<Supervised<K>, NotStarted> {
        let kernel = launch(Start { number: 0, cause: None, undelivered: &[] }).map_err(NotStarted)?;
        Supervised::watch(self, kernel, launch).map_err(|error| NotStarted(error.into()))
    }

    /// How long to wait before a restart that follows so many others.
    fn pause(&self, before: u32) -> Duration {
        self.first.saturating_mul(1 << before.min(31)).min(self.longest)
    }
}

/// What a launch is for.
pub struct Start<'a, K: RingKernel> {
    /// 0 for the first launch, 1 for the first restart, and so on.
    pub number: u64,
    /// Why the kernel is launched again; `None` at the first launch.
    pub cause: Option<&'a Cause>,
    /// The messages that its predecessor had not handled, in the order of each shard: those of the host, from all its queues.
    /// Empty if it did not end. They are plain messages: nobody waits for the reply to one that was a call, and the new
    /// kernel's reply is an output. Timers are not among them, nor what other kernels sent over a device's memory. They are
    /// offered again if this launch fails.
    pub undelivered: &'a [K::Message],
}

/// The error of a supervised kernel's first launch, as it was returned; or the system gave no thread to watch it.
#[derive(thiserror::Error)]
#[error(transparent)]
pub struct NotStarted(Box<dyn Error + Send + Sync>);

crate::error::debug_in_words!(NotStarted);

impl NotStarted {
    /// The error itself.
    ///
    /// ```
    /// # use annulus_runtime::{Noop, Runtime, LaunchError, LaunchOptions, resilience::Supervisor, prelude::*};
    /// # extern crate annulus_runtime as annulus;
    /// # #[derive(RingMessage, Clone, Copy)]
    /// # #[repr(C)]
    /// # struct Number {
    /// #     value: u64,
    /// # }
    /// # #[ring_kernel]
    /// # fn swallow(_number: &Number) {}
    /// let runtime = Runtime::builder().backend(Noop).build()?;
    /// let options = LaunchOptions::production().capacity(5000);
    /// let error = Supervisor::new().start(move |_| Ok(swallow::launch(&runtime, options.clone())?)).unwrap_err();
    /// assert!(error.into_inner().is::<LaunchError>());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn into_inner(self) -> Box<dyn Error + Send + Sync> {
        self.0
    }
}

/// Why a kernel is launched again.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// It was [lost](crate::Ending::Lost), for this reason.
    Lost(String),
    /// A handler did not return.
    Stalled {
        /// The block's shard.
        shard: usize,
        /// The number of the message in its shard, from 0.
        message: u64,
        /// For how long, at least.
        time: Duration,
    },
    /// A launch failed, or panicked, with this error.
    NotLaunched(String),
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lost(why) => write!(f, "it was lost: {why}"),
            Self::Stalled { shard, message, time } => {
                write!(f, "shard {shard} was in the handler of message {message} for {}", for_people(*time))
            }
            Self::NotLaunched(error) => write!(f, "the launch failed: {error}"),
        }
    }
}

/// When the restarts were of which the limit speaks.
pub(super) struct Schedule {
    supervisor: Supervisor,
    at: VecDeque<Instant>,
}

impl Schedule {
    pub(super) fn new(supervisor: Supervisor) -> Self {
        Self { supervisor, at: VecDeque::new() }
    }

    /// How long to wait before the next restart; `None` if there were too many.
    pub(super) fn next(&mut self, now: Instant) -> Option<Duration> {
        while self.at.front().is_some_and(|at| now.saturating_duration_since(*at) >= self.supervisor.within) {
            self.at.pop_front();
        }
        let before = self.at.len() as u32;
        (before < self.supervisor.restarts).then(|| {
            self.at.push_back(now);
            self.supervisor.pause(before)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// E-05: the document's watchdog restarts three times, after 2, 4 and 8 seconds, never after more than 60, and looks
    /// for stalls of 30.
    #[test]
    fn e05_three_restarts_with_the_documents_pauses() {
        let supervisor = Supervisor::new();
        let start = Instant::now();
        let mut schedule = Schedule::new(supervisor);
        let pauses = [0, 100, 200, 300].map(|at| schedule.next(start + SECOND * at));
        assert_eq!(pauses, [Some(SECOND * 2), Some(SECOND * 4), Some(SECOND * 8), None]);
        let pauses = [4, 5, 40, u32::MAX].map(|before| supervisor.pause(before));
        assert_eq!(pauses, [32, 60, 60, 60].map(Duration::from_secs));
        assert_eq!(supervisor.stalled_after, Some(SECOND * 30));
    }

    /// E-05: what lies behind no longer counts, so one restart in a while goes on for ever, and waits as the first one did.
    #[test]
    fn e05_old_restarts_do_not_count() {
        let start = Instant::now();
        let mut schedule = Schedule::new(Supervisor::new().restarts(2, SECOND * 100));
        assert!((0..50).all(|n| schedule.next(start + SECOND * 100 * n) == Some(SECOND * 2)));
        let mut next = |at: u32| schedule.next(start + SECOND * at);
        assert_eq!(
            [next(4950), next(4999), next(5000), next(5001)],
            [Some(SECOND * 4), None, Some(SECOND * 4), None]
        );
        let mut never = Schedule::new(Supervisor::new().restarts(0, SECOND));
        assert_eq!(never.next(start), None);
    }
}
