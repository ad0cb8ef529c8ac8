//! What is tested.

use annulus_runtime::Runtime;

/// A backend under test, and what it cannot do.
pub trait Subject: Send + Sync {
    /// Its name, for messages.
    fn name(&self) -> &str;

    /// A fresh runtime on it. Each case has its own.
    fn runtime(&self) -> Runtime;

    /// Why there is no runtime to be had on this machine, if so: every case is then skipped.
    fn unavailable(&self) -> Option<String> {
        None
    }

    /// Whether kernels handle messages at all.
    fn runs_handlers(&self) -> bool {
        true
    }

    /// Whether a panic in a handler can be contained.
    fn contains_panics(&self) -> bool {
        self.runs_handlers()
    }

    /// Whether its kernels read a clock that is finer than a message takes. Else their stamps are as old as the host's last heartbeat.
    fn has_fine_clock(&self) -> bool {
        true
    }

    /// How far their clock may be from the host's, in nanoseconds.
    fn clock_error(&self) -> u64 {
        0
    }

    /// How many blocks can run at the same time.
    fn most_blocks(&self) -> u32 {
        u32::MAX
    }
}
