//! What a backend's user decides, and the faults that tests put in.

use std::borrow::Cow;

use annulus_kernel::KernelDefinition;

/// What gives the text of a kernel's handler, for tests.
#[doc(hidden)]
pub type HandlerText = fn(&'static KernelDefinition) -> Option<Cow<'static, str>>;

/// Faults that tests put in.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Faults {
    /// A kernel that should stay leaves the device after this many messages, without a report; 0 for never.
    pub ends_after: u32,
    /// The host renews no heartbeat.
    pub no_heartbeat: bool,
    /// Whole naps without a heartbeat after which a block ends itself; `None` for the default.
    pub patience: Option<u32>,
    /// The first ticket of rings between kernels, so that a test sees tickets wrap.
    pub device_local_first: u32,
}

/// What a backend's user decides, for any device.
#[derive(Clone, Debug)]
pub struct HostOptions {
    /// Threads of a block, for launches that leave `LaunchOptions::block` at 1.
    pub threads: u32,
    /// Kernels run in epochs even where they could stay.
    pub epochs: bool,
    /// Small messages come to a device that is far from its host in sealed slots, if blocks have several
    /// threads.
    pub sealed: bool,
    /// Where the handlers' texts come from, if not from their definitions.
    #[doc(hidden)]
    pub handler: Option<HandlerText>,
    #[doc(hidden)]
    pub faults: Faults,
}

impl Default for HostOptions {
    /// One thread, kernels that stay, open slots.
    fn default() -> Self {
        Self { threads: 1, epochs: false, sealed: false, handler: None, faults: Faults::default() }
    }
}
