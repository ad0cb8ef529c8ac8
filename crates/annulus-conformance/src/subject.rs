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

    /// Whether each case runs in a process of its own, since the implementation may end the process by
    /// itself: what it then does is no case's failure, and told as skipped.
    fn crashes(&self) -> bool {
        false
    }

    /// Whether kernels handle messages at all.
    fn runs_handlers(&self) -> bool {
        true
    }

    /// Whether a panic in a handler can be contained.
    fn contains_panics(&self) -> bool {
        self.runs_handlers()
    }

    /// Whether its handlers read bridged messages.
    fn reads_bridged(&self) -> bool {
        self.runs_handlers()
    }

    /// Whether its kernels read a clock that is finer than a message takes. Else their stamps are as old as
    /// the host's last heartbeat.
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

    /// By how much cases of 200 messages or rounds and more are smaller than elsewhere, unless long ones are
    /// asked for: an emulator does much work for a message, and a kernel that runs in epochs waits for each.
    fn shrinks(&self) -> u64 {
        1
    }

    /// What else shows the cases of this module of the suite, if something does as well: they are skipped
    /// unless long ones are asked for.
    fn repeats(&self, module: &str) -> Option<&str> {
        let _ = module;
        None
    }

    /// Whether the device may refuse a case's kernel for this, which is wrong with the device or missing there; the case
    /// is then skipped. Elsewhere a refusal is a failure.
    fn may_refuse(&self, why: &str) -> bool {
        let _ = why;
        false
    }
}
