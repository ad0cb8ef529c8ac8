//! What is tested.

use annulus_runtime::Runtime;

/// A backend under test, and what it cannot do.
pub trait Subject: Send + Sync {
    /// Its name, for messages.
    fn name(&self) -> &str;

    /// A fresh runtime on it. Each case has its own.
    fn runtime(&self) -> Runtime;

    /// Whether kernels handle messages at all.
    fn runs_handlers(&self) -> bool {
        true
    }

    /// Whether a panic in a handler can be contained.
    fn contains_panics(&self) -> bool {
        self.runs_handlers()
    }
}
