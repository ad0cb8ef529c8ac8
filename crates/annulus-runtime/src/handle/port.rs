//! One of several outboxes of a launched kernel.

use std::{fmt, marker::PhantomData, sync::Arc, time::Duration};

use annulus_kernel::{Accepts, RingKernel, RingMessage};
use annulus_queue::{Backpressure, RecvError, TryRecvError};

use crate::{
    error::ConnectError,
    handle::{KernelHandle, outputs::Outputs, receive::Outlet},
    kernel::{shared::KernelShared, status::PortStatus},
    links::connect::Way,
    time::deadline,
    within::within,
};

/// The name of one of several outboxes of the kernel `K`, which sends messages of type `T`.
///
/// `#[ring_kernel]` makes one for each outbox, if there are several: an associated constant of the kernel, with
/// the parameter's name in capitals. [`KernelHandle::port`] takes it.
pub struct PortName<K, T> {
    number: usize,
    _kernel: PhantomData<fn(K) -> T>,
}

impl<K, T> PortName<K, T> {
    /// The name of the outbox with this number.
    ///
    /// # Safety
    ///
    /// The definition of `K` has a port with this number, whose output is `T`.
    #[doc(hidden)]
    pub const unsafe fn new(number: usize) -> Self {
        Self { number, _kernel: PhantomData }
    }

    pub(crate) const fn number(self) -> usize {
        self.number
    }
}

impl<K, T> Clone for PortName<K, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, T> Copy for PortName<K, T> {}

impl<K: RingKernel, T> fmt::Debug for PortName<K, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", K::DEFINITION.name, K::DEFINITION.ports[self.number].name)
    }
}

/// One of several outboxes of a launched kernel: [`KernelHandle::port`].
///
/// What a handler sends by it waits until it is received here, or from the kernel, unless it is
/// [connected](Self::connect) to another kernel. Outputs of one shard come in the order in which
/// the shard sent them by this outbox. If nobody receives by one outbox, the kernel goes on until as many of its
/// outputs wait as fit into the outbound rings of all shards, and then once more into these rings; then the
/// kernel's shards stall, as those of a kernel with one outbox do, and the other outboxes get nothing more,
/// either. So receive by all of them.
pub struct Port<'a, K: RingKernel, T> {
    kernel: &'a KernelHandle<K>,
    name: PortName<K, T>,
}

impl<K: RingKernel, T> Clone for Port<'_, K, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: RingKernel, T> Copy for Port<'_, K, T> {}

impl<K: RingKernel, T> fmt::Debug for Port<'_, K, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.name, f)
    }
}

/// # Several outboxes
impl<K: RingKernel> KernelHandle<K> {
    /// One of several outboxes of the handler, by the constant that has the parameter's name in capitals.
    ///
    /// A kernel whose handler has one outbox has no such constants: what it sends is received from the handle
    /// itself. The handle of a kernel with several gives outputs of all of them, each with the number of its
    /// outbox: of one shard in the order in which they were sent. Who receives by an outbox takes what comes next by that one,
    /// and leaves what lies in front of it to others.
    ///
    /// ```
    /// use annulus::prelude::*;
    ///
    /// #[derive(RingMessage, Clone, Copy)]
    /// #[repr(C)]
    /// struct Raw { id: u32, value: f32 }
    ///
    /// #[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
    /// #[repr(C)]
    /// struct Reading { value: f32 }
    ///
    /// #[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
    /// #[repr(C)]
    /// struct Rejected { id: u32 }
    ///
    /// /// The good go on, the bad are told.
    /// #[ring_kernel]
    /// fn validate(raw: &Raw, good: &Outbox<Reading>, bad: &Outbox<Rejected>) {
    ///     if raw.value.is_finite() {
    ///         good.send(Reading { value: raw.value });
    ///     } else {
    ///         bad.send(Rejected { id: raw.id });
    ///     }
    /// }
    ///
    /// let kernel = validate::launch(&Runtime::builder().build()?, validate::options())?;
    /// kernel.send_blocking(Raw { id: 1, value: f32::NAN })?;
    /// kernel.send_blocking(Raw { id: 2, value: 2.5 })?;
    /// assert_eq!(kernel.port(validate::GOOD).recv_blocking()?, Reading { value: 2.5 });
    /// assert_eq!(kernel.port(validate::BAD).recv_blocking()?, Rejected { id: 1 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn port<T: RingMessage>(&self, name: PortName<K, T>) -> Port<'_, K, T> {
        Port { kernel: self, name }
    }
}

impl<K: RingKernel, T: RingMessage> Port<'_, K, T> {
    fn shared(&self) -> &KernelShared {
        self.kernel.shared()
    }

    /// The kernel, and the outbox's number.
    pub(crate) fn of(&self) -> (&KernelHandle<K>, Option<usize>) {
        (self.kernel, Some(self.name.number))
    }

    #[inline]
    fn outlet(&self) -> Outlet<'_, T> {
        // SAFETY: the kernel is `K`, whose outbox of this number sends this type, by `PortName::new`; nobody calls by this.
        unsafe { Outlet::by(self.shared(), Some(self.name.number)) }
    }

    /// Receives without waiting.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::TryRecvError;
    /// let kernel = sorting();
    /// kernel.send_blocking(Number { value: 3 })?;
    /// kernel.drained_blocking();
    /// assert_eq!(kernel.port(sort::EVEN).try_recv(), Err(TryRecvError::Empty));
    /// assert_eq!(kernel.port(sort::ODD).try_recv(), Ok(Number { value: 3 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`TryRecvError::Empty`] if there is no output of this outbox now, [`TryRecvError::Closed`] when the
    /// kernel has terminated and everything was received by this outbox.
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        self.outlet().try_recv()
    }

    /// Receives, waiting for as long as it takes. Dropping the future before it is done loses nothing.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # annulus::block_on(async {
    /// let kernel = sorting();
    /// kernel.send(Number { value: 4 }).await?;
    /// assert_eq!(kernel.port(sort::EVEN).recv().await?, Number { value: 4 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`RecvError::Closed`] when the kernel has terminated and everything was received by this outbox.
    pub async fn recv(&self) -> Result<T, RecvError> {
        self.outlet().recv().await
    }

    /// [`recv`](Self::recv), blocking: polls for as long as the launch's `spin` says, then sleeps.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = sorting();
    /// kernel.send_blocking(Number { value: 4 })?;
    /// assert_eq!(kernel.port(sort::EVEN).recv_blocking(), Ok(Number { value: 4 }));
    /// kernel.terminate_blocking();
    /// assert_eq!(kernel.port(sort::EVEN).recv_blocking(), Err(RecvError::Closed));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method.
    pub fn recv_blocking(&self) -> Result<T, RecvError> {
        self.outlet().recv_blocking(None)
    }

    /// [`recv_blocking`](Self::recv_blocking) for at most `limit`.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// use std::time::Duration;
    /// let kernel = sorting();
    /// let received = kernel.port(sort::ODD).recv_timeout(Duration::from_millis(1));
    /// assert_eq!(received, Err(RecvError::Timeout));
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method, and [`RecvError::Timeout`].
    pub fn recv_timeout(&self, limit: Duration) -> Result<T, RecvError> {
        self.outlet().recv_blocking(Some(deadline(limit)))
    }

    /// [`recv`](Self::recv) for at most `limit`. Needs no executor's clock: a thread of the library wakes the task.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # annulus::block_on(async {
    /// use std::time::Duration;
    /// let kernel = sorting();
    /// let received = kernel.port(sort::ODD).recv_within(Duration::from_millis(1)).await;
    /// assert_eq!(received, Err(RecvError::Timeout));
    /// # });
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method, and [`RecvError::Timeout`].
    pub async fn recv_within(&self, limit: Duration) -> Result<T, RecvError> {
        within(&self.shared().core.clock, limit, self.recv()).await.unwrap_or(Err(RecvError::Timeout))
    }

    /// Receives up to `max` outputs that are there now, appends them to `outputs` and says how many. What lies among them
    /// and is of other outboxes is left to others.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = sorting();
    /// kernel.send_batch_blocking(&numbers(0..10))?;
    /// kernel.drained_blocking();
    /// let mut odd = Vec::new();
    /// assert_eq!(kernel.port(sort::ODD).try_recv_batch(&mut odd, 3), Ok(3));
    /// assert_eq!(odd, [1, 3, 5].map(|value| Number { value }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`try_recv`](Self::try_recv), if there was no output.
    pub fn try_recv_batch(&self, outputs: &mut Vec<T>, max: usize) -> Result<usize, TryRecvError> {
        self.outlet().try_recv_batch(outputs, max)
    }

    /// Waits until there is an output, then receives up to `max` that are there, appends them to `outputs`
    /// and says how many. Dropping the future before it is done loses nothing.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # annulus::block_on(async {
    /// let kernel = sorting();
    /// kernel.send_batch(&numbers(0..10)).await?;
    /// let (even, mut outputs) = (kernel.port(sort::EVEN), Vec::new());
    /// while outputs.len() < 5 {
    ///     even.recv_batch(&mut outputs, 100).await?;
    /// }
    /// assert_eq!(outputs[4], Number { value: 8 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`recv`](Self::recv).
    pub async fn recv_batch(&self, outputs: &mut Vec<T>, max: usize) -> Result<usize, RecvError> {
        self.outlet().recv_batch(outputs, max).await
    }

    /// [`recv_batch`](Self::recv_batch), blocking: polls for as long as the launch's `spin` says, then
    /// sleeps.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = sorting();
    /// kernel.send_batch_blocking(&numbers(0..10))?;
    /// kernel.drained_blocking();
    /// let mut outputs = Vec::new();
    /// assert_eq!(kernel.port(sort::EVEN).recv_batch_blocking(&mut outputs, 100), Ok(5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method.
    pub fn recv_batch_blocking(&self, outputs: &mut Vec<T>, max: usize) -> Result<usize, RecvError> {
        self.outlet().recv_batch_blocking(outputs, max, None)
    }

    /// [`recv_batch_blocking`](Self::recv_batch_blocking) for at most `limit`.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// use std::time::Duration;
    /// let kernel = sorting();
    /// let mut outputs = Vec::new();
    /// let received =
    ///     kernel.port(sort::EVEN).recv_batch_timeout(&mut outputs, 100, Duration::from_millis(1));
    /// assert_eq!(received, Err(RecvError::Timeout));
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method, and [`RecvError::Timeout`].
    pub fn recv_batch_timeout(
        &self,
        outputs: &mut Vec<T>,
        max: usize,
        limit: Duration,
    ) -> Result<usize, RecvError> {
        self.outlet().recv_batch_blocking(outputs, max, Some(deadline(limit)))
    }

    /// The outputs of this outbox as a stream. It ends when the kernel has terminated and everything was received by this
    /// outbox. It does not keep the kernel running.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use std::{future::poll_fn, pin::pin};
    /// use futures_core::Stream;
    ///
    /// let kernel = sorting();
    /// kernel.send_batch_blocking(&numbers(0..2))?;
    /// kernel.drained_blocking();
    /// kernel.terminate_blocking();
    /// let mut odd = pin!(kernel.port(sort::ODD).outputs());
    /// let mut next = || annulus::block_on(poll_fn(|context| odd.as_mut().poll_next(context)));
    /// assert_eq!((next(), next()), (Some(Number { value: 1 }), None));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn outputs(&self) -> Outputs<K, T> {
        // SAFETY: as in `outlet`.
        unsafe { Outputs::new(Arc::clone(self.kernel.shared_arc()), Some(self.name.number)) }
    }

    /// From now on, what the kernel sends by this outbox goes to `target` instead of to the host; the
    /// backpressure is Block. See [`connect_with`](Self::connect_with). It is for a kernel that was launched, and is
    /// inactive. One that is launched after its target is connected before that, by
    /// [`Bound::connect_port`](crate::Bound::connect_port).
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let runtime = Runtime::builder().build()?;
    /// let options = LaunchOptions::production().connectable(true);
    /// let double = double::launch(&runtime, options.clone())?;
    /// let sort = sort::launch(&runtime, options.active(false))?;
    /// sort.port(sort::EVEN).connect(&double)?;
    /// sort.activate_blocking()?;
    ///
    /// sort.send_batch_blocking(&numbers(3..5))?;
    /// assert_eq!(sort.port(sort::ODD).recv_blocking()?, Number { value: 3 });
    /// assert_eq!(double.recv_blocking()?, Number { value: 8 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`connect_with`](Self::connect_with).
    pub fn connect<K2: RingKernel<Message: Accepts<T>>>(
        &self,
        target: &KernelHandle<K2>,
    ) -> Result<(), ConnectError> {
        self.connect_with(target, Backpressure::Block)
    }

    /// From now on, what the kernel sends by this outbox goes to `target` instead of to the host. Its other
    /// outboxes lead where they led before: to the host, or to kernels of their own, or to this one. Everything
    /// that [`KernelHandle::connect_with`] says of a kernel with one outbox holds for this one.
    ///
    /// An output that waits for room in `target` holds back none by another outbox: whatever the shard's last
    /// turn has sent by these leaves. But while an output waits, its shard takes no message, so a target that
    /// stays full stops all outboxes in the end. Under Reject it stops none. The order of what one outbox sends
    /// is that of any link; between outboxes there is no order.
    ///
    /// # Errors
    ///
    /// As for that method.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus_runtime::ConnectError;
    /// let runtime = Runtime::builder().build()?;
    /// let options = LaunchOptions::production().connectable(true);
    /// let double = double::launch(&runtime, options.clone())?;
    /// let sort = sort::launch(&runtime, options.active(false))?;
    /// sort.port(sort::EVEN).connect_with(&double, Backpressure::Reject)?;
    /// sort.port(sort::ODD).connect(&double)?;
    /// assert_eq!(sort.port(sort::ODD).status().connected_to, Some("double".into()));
    /// sort.activate_blocking()?;
    /// let error = sort.port(sort::ODD).connect(&double).unwrap_err();
    /// assert_eq!(error, ConnectError::Active { kernel: "sort".into() });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn connect_with<K2: RingKernel<Message: Accepts<T>>>(
        &self,
        target: &KernelHandle<K2>,
        backpressure: Backpressure,
    ) -> Result<(), ConnectError> {
        let kernel = self.kernel;
        let way = Way { port: Some(self.name.number), variant: K2::Message::VARIANT, backpressure };
        // SAFETY: by the types of the outbox and of the target's handle.
        unsafe { kernel.shared_arc().connect(kernel.runtime(), target.shared_arc(), target.runtime(), way) }
    }

    /// From now on, what the kernel sends by this outbox goes to the host again; also what waited for room in the
    /// other kernel. Harmless if the outbox was not connected.
    ///
    /// # Errors
    ///
    /// [`ConnectError`], as for [`KernelHandle::disconnect`].
    pub fn disconnect(&self) -> Result<(), ConnectError> {
        let kernel = self.kernel.shared_arc();
        // A link is there also if its kernel is gone.
        if !kernel.links.known().targets.iter().any(|target| target.outbox == self.name.number) {
            return Ok(());
        }
        kernel.disconnect(Some(self.name.number))
    }

    /// What this outbox has sent to the host, and to kernels; also a part of the kernel's
    /// [status](crate::KernelStatus::ports).
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = sorting();
    /// kernel.send_batch_blocking(&numbers(0..5))?;
    /// kernel.drained_blocking();
    /// let even = kernel.port(sort::EVEN);
    /// even.recv_blocking()?;
    /// let status = even.status();
    /// assert_eq!((status.name, status.received, status.waiting), ("even", 1, 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn status(&self) -> PortStatus {
        self.shared().port_statuses().swap_remove(self.name.number)
    }
}
