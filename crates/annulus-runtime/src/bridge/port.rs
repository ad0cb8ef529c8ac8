//! Bridges from one of several outboxes.

use annulus_kernel::{Accepts, RingKernel, RingMessage};
use annulus_queue::{Backpressure, MessageQueue};

use crate::{
    bridge::{
        BridgeOptions, KernelBridge,
        carry::{Spread, bridge},
        publish::publish_outputs,
    },
    error::ConnectError,
    group::KernelGroup,
    handle::{KernelHandle, port::Port},
};

/// # Bridges
impl<K: RingKernel, T: RingMessage> Port<'_, K, T> {
    /// From now on, what the kernel sends by this outbox is messages of `target`, which may run on another device;
    /// under Block. See [`KernelHandle::bridge_to_with`].
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # let (here, there) = (Runtime::builder().build()?, Runtime::builder().build()?);
    /// let sort = sort::launch(&here, sort::options())?;
    /// let double = double::launch(&there, double::options())?;
    /// sort.port(sort::EVEN).bridge_to(&double)?;
    /// sort.send_batch_blocking(&numbers(3..5))?;
    /// assert_eq!(sort.port(sort::ODD).recv_blocking()?, Number { value: 3 });
    /// assert_eq!(double.recv_blocking()?, Number { value: 8 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for that method.
    pub fn bridge_to<K2: RingKernel<Message: Accepts<T>>>(
        &self,
        target: &KernelHandle<K2>,
    ) -> Result<KernelBridge<T>, ConnectError> {
        self.bridge_to_with(target, BridgeOptions::default(), Backpressure::Block)
    }

    /// The same with options, under Block or Reject. See [`KernelHandle::bridge_to_with`].
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::{Backpressure, BridgeOptions};
    /// # let (here, there) = (Runtime::builder().build()?, Runtime::builder().build()?);
    /// let sort = sort::launch(&here, sort::options())?;
    /// let double = double::launch(&there, double::options())?;
    /// let options = BridgeOptions::new().messages(8);
    /// let bridge = sort.port(sort::EVEN).bridge_to_with(&double, options, Backpressure::Reject)?;
    /// sort.send_blocking(Number { value: 4 })?;
    /// assert_eq!(double.recv_blocking()?, Number { value: 8 });
    /// assert_eq!(bridge.status().discarded, 0); // there was room
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for that method.
    pub fn bridge_to_with<K2: RingKernel<Message: Accepts<T>>>(
        &self,
        target: &KernelHandle<K2>,
        options: BridgeOptions,
        backpressure: Backpressure,
    ) -> Result<KernelBridge<T>, ConnectError> {
        bridge(self.of(), &[target], Spread::All, options, backpressure)
    }

    /// The same to all of these kernels, each of which gets each output. See [`KernelHandle::bridge_to_all`].
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::{Backpressure, BridgeOptions};
    /// # let (here, there) = (Runtime::builder().build()?, Runtime::builder().build()?);
    /// let sort = sort::launch(&here, sort::options())?;
    /// let targets = [double::launch(&here, double::options())?, double::launch(&there, double::options())?];
    /// sort.port(sort::ODD).bridge_to_all(&targets, BridgeOptions::new().messages(8), Backpressure::Block)?;
    /// sort.send_blocking(Number { value: 3 })?;
    /// for target in &targets {
    ///     assert_eq!(target.recv_blocking()?, Number { value: 6 });
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for that method.
    pub fn bridge_to_all<'t, K2: RingKernel<Message: Accepts<T>>>(
        &self,
        targets: impl IntoIterator<Item = &'t KernelHandle<K2>>,
        options: BridgeOptions,
        backpressure: Backpressure,
    ) -> Result<KernelBridge<T>, ConnectError> {
        bridge(self.of(), &Vec::from_iter(targets), Spread::All, options, backpressure)
    }

    /// The same to any of these kernels, without keys. See [`KernelHandle::bridge_to_any`].
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::{Backpressure, BridgeOptions};
    /// # let (here, there) = (Runtime::builder().build()?, Runtime::builder().build()?);
    /// let sort = sort::launch(&here, sort::options())?;
    /// let targets = [double::launch(&here, double::options())?, double::launch(&there, double::options())?];
    /// sort.port(sort::ODD).bridge_to_any(&targets, BridgeOptions::new(), Backpressure::Block)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for that method.
    pub fn bridge_to_any<'t, K2: RingKernel<Message: Accepts<T>>>(
        &self,
        targets: impl IntoIterator<Item = &'t KernelHandle<K2>>,
        options: BridgeOptions,
        backpressure: Backpressure,
    ) -> Result<KernelBridge<T>, ConnectError> {
        bridge(self.of(), &Vec::from_iter(targets), Spread::Any, options, backpressure)
    }

    /// The same to the members of a group, each output to the one that has its actor. See
    /// [`KernelHandle::bridge_to_group`].
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::{Backpressure, BridgeOptions, KernelGroup};
    /// # let (here, there) = (Runtime::builder().build()?, Runtime::builder().build()?);
    /// let sort = sort::launch(&here, sort::options())?;
    /// let group = KernelGroup::new([
    ///     double::launch(&here, double::options().name("here"))?,
    ///     double::launch(&there, double::options().name("there"))?,
    /// ])?;
    /// sort.port(sort::ODD).bridge_to_group(&group, BridgeOptions::new(), Backpressure::Block)?;
    /// sort.send_blocking(Number { value: 3 })?;
    /// let (_member, doubled) = group.recv_blocking()?;
    /// assert_eq!(doubled, Number { value: 6 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for that method.
    pub fn bridge_to_group<K2: RingKernel<Message: Accepts<T>>>(
        &self,
        group: &KernelGroup<K2>,
        options: BridgeOptions,
        backpressure: Backpressure,
    ) -> Result<KernelBridge<T>, ConnectError> {
        let members: Vec<_> = group.members().iter().collect();
        bridge(self.of(), &members, group.spread(), options, backpressure)
    }

    /// Moves what the kernel sends by this outbox into a queue. [`publish_to_with`](Self::publish_to_with) with the
    /// default options.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # let queue = annulus::queue::MessageQueue::<Number>::with_defaults();
    /// let kernel = sorting();
    /// kernel.port(sort::EVEN).publish_to(&queue);
    /// kernel.send_blocking(Number { value: 4 })?;
    /// assert_eq!(queue.recv_blocking()?, Number { value: 4 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn publish_to(&self, queue: &MessageQueue<T>) -> KernelBridge<T>
    where
        T: Send,
    {
        self.publish_to_with(queue, BridgeOptions::default())
    }

    /// The same with options. See [`KernelHandle::publish_to_with`].
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::BridgeOptions;
    /// # let queue = annulus::queue::MessageQueue::<Number>::with_defaults();
    /// let kernel = sorting();
    /// kernel.port(sort::ODD).publish_to_with(&queue, BridgeOptions::new());
    /// kernel.send_blocking(Number { value: 3 })?;
    /// assert_eq!(queue.recv_blocking()?, Number { value: 3 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn publish_to_with(&self, queue: &MessageQueue<T>, options: BridgeOptions) -> KernelBridge<T>
    where
        T: Send,
    {
        let (kernel, outbox) = self.of();
        // SAFETY: by the outbox's type.
        unsafe { publish_outputs(kernel.shared_arc(), outbox, queue, options) }
    }
}
