//! Connecting a kernel to another one, so that what its handlers send goes there instead of to the host.

use std::{
    fmt,
    sync::{Arc, Weak},
};

use annulus_kernel::RingKernel;
use annulus_queue::{Backpressure, wait::block_on};

use crate::{
    backend::{BackendError, Link, LinkTarget},
    core::AnyKernel,
    handle::KernelHandle,
    links,
};

/// Why a kernel could not be connected, or disconnected.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConnectError {
    /// A kernel was launched without links.
    NotLinked {
        /// The instance's name.
        kernel: String,
    },
    /// The kernel whose outputs are to go elsewhere consumes messages.
    Active {
        /// The instance's name.
        kernel: String,
    },
    /// A kernel has terminated, or is about to.
    Terminated {
        /// The instance's name.
        kernel: String,
    },
    /// The two run on two runtimes.
    OtherRuntime {
        /// The name of the kernel that sends.
        source: String,
        /// The name of the kernel that is to take.
        target: String,
    },
    /// Kernels offer each other less than they offer the host.
    Backpressure {
        /// What was asked for.
        backpressure: Backpressure,
    },
    /// The backend could not.
    Backend {
        /// The backend.
        backend: &'static str,
        /// Why.
        error: BackendError,
    },
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotLinked { kernel } => {
                write!(f, "`{kernel}` was launched without links: launch it with LaunchOptions::linked(true)")
            }
            Self::Active { kernel } => {
                write!(
                    f,
                    "`{kernel}` is active, and sends at any time: deactivate it first, or launch it with active(false)"
                )
            }
            Self::Terminated { kernel } => write!(f, "`{kernel}` has terminated: launch it again"),
            Self::OtherRuntime { source, target } => {
                write!(f, "`{source}` and `{target}` run on two runtimes: launch both on one")
            }
            Self::Backpressure { backpressure } => write!(
                f,
                "backpressure is {backpressure:?}, and between kernels it is Block or Reject: use one of these"
            ),
            Self::Backend { backend, error } => {
                write!(f, "the {backend} backend cannot connect them: {error}")
            }
        }
    }
}

impl std::error::Error for ConnectError {}

impl<K: RingKernel> KernelHandle<K> {
    /// Sends what this kernel's handlers send to `target` from now on, instead of to the host; Block is the backpressure. See
    /// [`connect_with`](Self::connect_with).
    ///
    /// ```
    /// use annulus::prelude::*;
    /// use annulus_runtime::{ConnectError, Noop};
    /// # extern crate annulus_runtime as annulus;
    ///
    /// #[derive(RingMessage, Clone, Copy)]
    /// #[repr(C)]
    /// struct Celsius(f32);
    ///
    /// #[derive(RingMessage, Clone, Copy)]
    /// #[repr(C)]
    /// struct Kelvin(f32);
    ///
    /// #[ring_kernel]
    /// fn convert(reading: &Celsius, out: &Outbox<Kelvin>) {
    ///     out.send(Kelvin(reading.0 + 273.15));
    /// }
    ///
    /// #[ring_kernel]
    /// fn alert(reading: &Kelvin, out: &Outbox<Kelvin>) {
    ///     if reading.0 > 373.0 {
    ///         out.send(*reading);
    ///     }
    /// }
    ///
    /// let runtime = Runtime::builder().backend(Noop).build()?;
    /// let linked = LaunchOptions::default().linked(true);
    /// let convert = convert::launch(&runtime, linked.clone().active(false))?;
    /// let alert = alert::launch(&runtime, linked)?;
    /// convert.connect(&alert)?;
    /// convert.activate_blocking()?;
    ///
    /// let error = convert.connect(&alert).unwrap_err();
    /// assert_eq!(error, ConnectError::Active { kernel: "convert".into() });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`connect_with`](Self::connect_with).
    pub fn connect<T: RingKernel<Message = K::Output>>(
        &self,
        target: &KernelHandle<T>,
    ) -> Result<(), ConnectError> {
        self.connect_with(target, Backpressure::Block)
    }

    /// Sends what this kernel's handlers send to `target` from now on, instead of to the host, until it is connected elsewhere or
    /// [disconnected](Self::disconnect).
    ///
    /// The handlers' outputs become messages of `target`, each for the shard that its key names, in the order in which this kernel's shard sent
    /// them. What a handler sends for a [call](Self::call) goes to the host all the same, since it is the reply. What this kernel sent to
    /// the host before can still be received; it takes room in the outbound ring, which handlers need.
    ///
    /// When `target` has no room for an output, then under Block the output waits, and its shard takes no message meanwhile; the shard shows as
    /// [stalled](crate::KernelStatus::stalled_shards). Under Reject the output is lost, and [counted](crate::KernelStatus::outputs_lost). When `target` has
    /// terminated, outputs for it are lost and counted, too; when it is inactive they wait in its queue. It may be
    /// [closed](crate::KernelControl::close): that keeps out the host's messages only.
    ///
    /// A kernel may be connected to itself, and several kernels may form a cycle. A cycle in which every queue is full stands still, shows as stalled, and can be
    /// terminated. Several kernels may be connected to one.
    ///
    /// The two need not be active for it, but this kernel must be inactive, so that it is certain what goes where; a deactivation that is under way
    /// is waited for. The link does not keep `target` running. The backpressure that `target` was launched with is for the host's messages, and
    /// does not matter here.
    ///
    /// # Errors
    ///
    /// [`ConnectError`] says which condition does not hold, and the remedy; nothing has changed then.
    ///
    /// ```
    /// use annulus::prelude::*;
    /// use annulus_runtime::Noop;
    /// # extern crate annulus_runtime as annulus;
    /// # #[derive(RingMessage, Clone, Copy)]
    /// # #[repr(C)]
    /// # struct Number(u64);
    /// # #[ring_kernel]
    /// # fn step(number: &Number, out: &Outbox<Number>) {
    /// #     out.send(*number);
    /// # }
    /// # let runtime = Runtime::builder().backend(Noop).build()?;
    /// let step = step::launch(&runtime, LaunchOptions::default().linked(true).active(false))?;
    /// step.connect_with(&step, Backpressure::Reject)?;
    ///
    /// let error = step.connect_with(&step, Backpressure::DropOldest).unwrap_err();
    /// assert!(error.to_string().contains("Block or Reject"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn connect_with<T: RingKernel<Message = K::Output>>(
        &self,
        target: &KernelHandle<T>,
        backpressure: Backpressure,
    ) -> Result<(), ConnectError> {
        if !matches!(backpressure, Backpressure::Block | Backpressure::Reject) {
            return Err(ConnectError::Backpressure { backpressure });
        }
        if !Arc::ptr_eq(self.runtime(), target.runtime()) {
            return Err(ConnectError::OtherRuntime {
                source: self.name().into(),
                target: target.name().into(),
            });
        }
        let taker: Arc<dyn AnyKernel> = Arc::clone(target.shared_arc()) as _;
        if !taker.core().options.linked {
            return Err(ConnectError::NotLinked { kernel: target.name().into() });
        }
        if taker.is_ending() {
            return Err(ConnectError::Terminated { kernel: target.name().into() });
        }
        let target: Weak<dyn LinkTarget> = Arc::downgrade(target.shared_arc()) as _;
        self.change_link(Some((Link { target, waits: backpressure == Backpressure::Block }, taker)))
    }

    /// Sends what this kernel's handlers send to the host again. Outputs that waited for room in the other kernel go to the host as well. Harmless if the kernel
    /// was not connected.
    ///
    /// # Errors
    ///
    /// [`ConnectError`], as for [`connect`](Self::connect).
    ///
    /// ```
    /// use annulus::prelude::*;
    /// use annulus_runtime::Noop;
    /// # extern crate annulus_runtime as annulus;
    /// # #[derive(RingMessage, Clone, Copy)]
    /// # #[repr(C)]
    /// # struct Number(u64);
    /// # #[ring_kernel]
    /// # fn step(number: &Number, out: &Outbox<Number>) {
    /// #     out.send(*number);
    /// # }
    /// # let runtime = Runtime::builder().backend(Noop).build()?;
    /// let options = LaunchOptions::default().linked(true);
    /// let first = step::launch(&runtime, options.clone().name("first").active(false))?;
    /// let second = step::launch(&runtime, options.name("second"))?;
    /// first.connect(&second)?;
    /// first.activate_blocking()?;
    /// // …
    /// first.deactivate_blocking()?;
    /// first.disconnect()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn disconnect(&self) -> Result<(), ConnectError> {
        self.change_link(None)
    }

    fn change_link(&self, link: Option<(Link, Arc<dyn AnyKernel>)>) -> Result<(), ConnectError> {
        let core = &self.shared_arc().core;
        let kernel = || core.name.clone();
        if !core.options.linked {
            return Err(ConnectError::NotLinked { kernel: kernel() });
        }
        let changed = core.while_inactive(|device| {
            if core.is_finished() {
                return Err(ConnectError::Terminated { kernel: kernel() });
            }
            let (link, target) = link.unzip();
            // SAFETY: both were launched linked on this runtime, and so by its backend; every shard is inactive and stays so while
            // `while_inactive` calls this; by the types the target's messages are this kernel's outputs.
            let connected = unsafe { device.connect(link) };
            connected.map_err(|error| ConnectError::Backend { backend: core.backend_name, error })?;
            let this: Arc<dyn AnyKernel> = Arc::clone(self.shared_arc()) as _;
            links::link(&this, target.as_ref());
            Ok(())
        });
        let changed = block_on(changed).unwrap_or_else(|| Err(ConnectError::Active { kernel: kernel() }));
        // Not before: what it wakes may want the kernel's command.
        core.flow.notify_all();
        changed
    }
}
