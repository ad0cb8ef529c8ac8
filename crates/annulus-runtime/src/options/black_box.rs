//! The record of a kernel's messages.

use super::LaunchOptions;

impl LaunchOptions {
    /// Keeps the kernel's rings in a file, its *black box*: after a crash, `annulus autopsy --messages` shows the messages
    /// that waited, those that were being handled, and the last ones before, as lines of JSON that `annulus send` takes. Off
    /// by default.
    ///
    /// The file lies beside the runtime's [vitals file](crate::Vitals), and is removed with the kernel. Nothing is added to
    /// a message's way: the rings only lie elsewhere. The file's memory, which
    /// [`KernelStatus::memory`](crate::KernelStatus::memory) tells, is claimed at the launch.
    ///
    /// A launch that cannot have it fails: on a device, since its rings lie in memory of the device's driver; without a
    /// vitals file; with bridged messages; or without room for the file. Messages in queues in front of the rings
    /// (of [policies](Self::backpressure) or named queues) are in no black box.
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// assert!(LaunchOptions::production().black_box(true).observe.black_box);
    /// ```
    pub fn black_box(mut self, on: bool) -> Self {
        self.observe.black_box = on;
        self
    }
}
