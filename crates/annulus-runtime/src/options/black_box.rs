//! The record of a kernel's messages.

use super::{LaunchOptions, said::Word};

/// What of a message's type a reader of black boxes takes only so much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TypeLimit {
    /// Values of which a message consists, itself included.
    Values,
    /// How deep they lie within each other.
    Depth,
    /// Bytes that describe the type.
    Bytes,
}

impl TypeLimit {
    /// How a type has a number of it, and what to do.
    pub(super) fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Values => ("has values in this number:", "shorten its arrays"),
            Self::Depth => ("has values within values, so many deep:", "nest fewer types"),
            Self::Bytes => {
                ("needs this many bytes to be described:", "shorten its names, or have fewer variants")
            }
        }
    }
}

impl LaunchOptions {
    /// Keeps the kernel's rings in a file, its *black box*: after a crash, `annulus autopsy --messages` shows the messages
    /// that waited, those that were being handled, and the last ones before, as lines of JSON that `annulus send` takes. Off
    /// by default.
    ///
    /// The file lies beside the runtime's [vitals file](crate::Vitals), and is removed with the kernel. Nothing is added to
    /// a message's way: the rings only lie elsewhere. The file's memory, which
    /// [`shards`](crate::KernelMemory::shards) of [`KernelStatus::memory`](crate::KernelStatus::memory) tells, is claimed at the launch.
    ///
    /// On a device, kernels use the file's memory: a buffer around it on OpenCL, after a trial; registered memory on CUDA.
    /// What other kernels of the device send lies in the device's own memory, and is in no black
    /// box.
    ///
    /// A launch that cannot have it fails: without a vitals file; on a device that cannot use the file's memory; with bridged
    /// messages; with messages of [more parts](TypeLimit) than a reader takes; or without room for the
    /// file. Messages in queues in front of the rings
    /// (of [policies](Self::backpressure) or named queues) are in no black box.
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// assert!(LaunchOptions::production().black_box(true).observe.black_box);
    /// ```
    pub fn black_box(mut self, on: bool) -> Self {
        self.said.add(Word::BlackBox);
        self.observe.black_box = on;
        self
    }
}
