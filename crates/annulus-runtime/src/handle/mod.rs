//! Handles: what a program holds to use a launched kernel.

use std::{
    any::Any,
    fmt,
    marker::PhantomData,
    ops::Deref,
    sync::{Arc, Weak},
    time::Duration,
};

use annulus_kernel::RingKernel;
use annulus_queue::{DeadLetters, Redriven, TrySendError};

use crate::{
    handle::control::KernelControl,
    kernel::{carried::Carried, lifecycle::ShutdownOutcome, shared::KernelShared},
};

pub(crate) mod control;
pub(crate) mod look;
pub(crate) mod outputs;
pub(crate) mod pipeline;
pub(crate) mod port;
pub(crate) mod queue;
pub(crate) mod receive;
mod receiving;
pub(crate) mod send;
mod send_bridged;
mod sending;
pub(crate) mod sink;
mod spread;

/// A launched kernel with its types. Clones refer to the same kernel. When the last clone is dropped, the
/// kernel is closed and terminated, and the messages left in its queues are lost.
///
/// It derefs to [`KernelControl`], which has the lifecycle, the status and telemetry.
pub struct KernelHandle<K: RingKernel> {
    any: AnyHandle,
    /// The kernel is `K`: a handle is made by [`AnyHandle::typed`] alone.
    _kernel: PhantomData<fn() -> K>,
}

/// A handle without its types.
#[derive(Clone)]
pub(crate) struct AnyHandle {
    guard: Arc<Guard>,
    control: KernelControl,
}

/// Terminates the kernel when the last handle is dropped, and keeps the runtime until then.
pub(crate) struct Guard {
    shared: Arc<KernelShared>,
    runtime: Arc<dyn Any + Send + Sync>,
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.shared.request_termination();
    }
}

/// What a graceful shutdown did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shutdown<M> {
    /// How it ended.
    pub outcome: ShutdownOutcome,
    /// Messages that were sent and not handled, in the order of each shard.
    pub undelivered: Vec<M>,
}

impl AnyHandle {
    pub(crate) fn new(
        shared: Arc<KernelShared>,
        runtime: Arc<dyn Any + Send + Sync>,
        arena_lines: usize,
    ) -> Self {
        let control = KernelControl::new(Arc::clone(&shared), arena_lines);
        let guard = Arc::new(Guard { shared, runtime });
        // Only a launch makes the first handle, and it does so once.
        let all: Weak<Guard> = Arc::downgrade(&guard);
        let _ = guard.shared.guard.set(all);
        Self { guard, control }
    }

    /// Another handle of a running kernel; `None` if its last handle is being dropped.
    pub(crate) fn again(control: KernelControl) -> Option<Self> {
        let guard = control.kernel.guard.get()?.upgrade()?;
        Some(Self { guard: guard.downcast().ok()?, control })
    }

    pub(crate) fn control(&self) -> &KernelControl {
        &self.control
    }

    pub(crate) fn shared(&self) -> &KernelShared {
        &self.guard.shared
    }

    pub(crate) fn shared_arc(&self) -> &Arc<KernelShared> {
        &self.guard.shared
    }

    pub(crate) fn runtime(&self) -> &Arc<dyn Any + Send + Sync> {
        &self.guard.runtime
    }

    /// With its types, if it is a handle of that kernel.
    pub(crate) fn typed<K: RingKernel>(self) -> Option<KernelHandle<K>> {
        self.guard.shared.is::<K>().then_some(KernelHandle { any: self, _kernel: PhantomData })
    }
}

impl<K: RingKernel> KernelHandle<K> {
    pub(crate) fn shared(&self) -> &KernelShared {
        &self.any.guard.shared
    }

    pub(crate) fn shared_arc(&self) -> &Arc<KernelShared> {
        &self.any.guard.shared
    }

    pub(crate) fn runtime(&self) -> &Arc<dyn Any + Send + Sync> {
        self.any.runtime()
    }

    pub(crate) fn any(&self) -> &AnyHandle {
        &self.any
    }

    /// Closes the kernel, waits until everything that was sent has been handled, and terminates it. When
    /// `limit` has passed, terminates it anyway. If the kernel sends more than its outbound rings hold,
    /// somebody must receive meanwhile.
    ///
    /// If kernels are connected, shut down the sources first, or shut down all kernels with
    /// [`Runtime::shutdown_blocking`](crate::Runtime::shutdown_blocking). This kernel waits for its sources
    /// to drain, but it does not get what comes of messages that are sent to them after that.
    ///
    /// A separate thread waits, since a future has no clock. Dropping the future does not stop the shutdown;
    /// the messages that are left can then be taken with [`take_undelivered`](Self::take_undelivered). A
    /// handler that is running is not interrupted: the shutdown waits for it, even past the limit.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::ShutdownOutcome;
    /// # use std::time::Duration;
    /// let kernel = launched();
    /// kernel.try_send_batch(&numbers(0..100))?;
    /// let shutdown = annulus::block_on(kernel.shutdown(Duration::from_secs(60)));
    /// assert_eq!(shutdown.outcome, ShutdownOutcome::Drained);
    /// assert!(shutdown.undelivered.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn shutdown(&self, limit: Duration) -> Shutdown<K::Message> {
        let outcome = self.any.control.shut_down_elsewhere(limit).await;
        Shutdown { outcome, undelivered: self.take_undelivered() }
    }

    /// [`shutdown`](Self::shutdown), blocking.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::ShutdownOutcome;
    /// # use std::time::Duration;
    /// let kernel = launched_with(LaunchOptions::production().active(false));
    /// kernel.try_send_batch(&numbers(0..3))?;
    /// let shutdown = kernel.shutdown_blocking(Duration::ZERO);
    /// assert_eq!(shutdown.outcome, ShutdownOutcome::Inactive);
    /// assert_eq!(shutdown.undelivered, numbers(0..3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shutdown_blocking(&self, limit: Duration) -> Shutdown<K::Message> {
        let outcome = self.any.control.shut_down(limit);
        Shutdown { outcome, undelivered: self.take_undelivered() }
    }

    /// The messages that were left in the queues when the kernel terminated. The first call after that gets
    /// them; before that, the result is empty.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched_with(LaunchOptions::production().active(false));
    /// kernel.try_send_batch(&numbers(0..3))?;
    /// kernel.terminate_blocking();
    /// assert_eq!(kernel.take_undelivered(), numbers(0..3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn take_undelivered(&self) -> Vec<K::Message> {
        let mut left = self.shared().take_undelivered();
        // SAFETY: it was popped, and is a message of the kernel, which is `K` by the field's invariant.
        std::iter::from_fn(|| left.pop().map(|message| unsafe { K::Message::of_bytes(message) })).collect()
    }

    /// The kernel's dead letters: messages whose handler failed, or that were for no actor, with the error
    /// code. `None` if the kernel was launched without dead letters. A message whose handler failed before
    /// this call is in the store, unless its dead letter was lost.
    ///
    /// The store can be drained, and can still be used after the kernel has terminated. To try the messages
    /// again, see [`redrive`](Self::redrive).
    ///
    /// ```
    /// # use annulus::prelude::*;
    /// #[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
    /// #[repr(C)]
    /// struct Order {
    ///     price: u32,
    ///     pieces: u32,
    /// }
    ///
    /// #[ring_kernel]
    /// fn price(order: &Order, prices: &Outbox<Order>) {
    ///     prices.send(Order { price: order.price / order.pieces, ..*order });
    /// }
    ///
    /// let kernel = price::launch(&Runtime::builder().build()?, LaunchOptions::production())?;
    /// let _ = kernel.try_send(Order { price: 100, pieces: 0 })?;
    /// kernel.drained_blocking();
    /// let dead_letters = kernel.dead_letters().expect("it was launched with them");
    /// assert_eq!(dead_letters.len(), 1);
    /// assert_eq!(kernel.redrive(3).sent, 1); // fails again, and is a dead letter again
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn dead_letters(&self) -> Option<&DeadLetters<K::Message>> {
        let dead_letters = self.shared().dead_letters.as_ref()?;
        // SAFETY: the kernel is `K`, by the field's invariant.
        unsafe { dead_letters.collected() }
    }

    /// Sends the dead letters' messages to the kernel again, oldest first, without waiting. Dead letters that
    /// already had `max_attempts` attempts stay, and so do those of messages for no actor, which another try does not help; see
    /// [`DeadLetters::redrive`]. If the message type has an id, a message that fails again is recognised. Does nothing for a
    /// kernel without dead letters.
    ///
    /// It sends only as many as there is room for if all fail again at once: as many as were asked for with
    /// [`LaunchOptions::dead_letters`](crate::LaunchOptions::dead_letters), or fewer if these are very many or very large. Then
    /// [`refused`](Redriven::refused) is true, as it is if the kernel's queue is full. The others stay: wait until the
    /// kernel has [drained](KernelControl::drained), and call it again.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched_with(LaunchOptions::production().dead_letters(0));
    /// assert_eq!(kernel.redrive(3).sent, 0);
    /// ```
    pub fn redrive(&self, max_attempts: u32) -> Redriven<K::Message> {
        match self.dead_letters() {
            Some(dead_letters) => {
                let Some(backlog) = &self.shared().dead_letters else { unreachable!("it has a store") };
                dead_letters.redrive_by(max_attempts, |message| {
                    let send = |message| self.inlet().try_send_again(message);
                    backlog.send_again(message, || self.shared().pending(), send, TrySendError::Full)
                })
            }
            None => DeadLetters::new().redrive_by(max_attempts, |message| self.try_send(message)),
        }
    }
}

impl<K: RingKernel> Clone for KernelHandle<K> {
    fn clone(&self) -> Self {
        Self { any: self.any.clone(), _kernel: PhantomData }
    }
}

impl<K: RingKernel> Deref for KernelHandle<K> {
    type Target = KernelControl;

    fn deref(&self) -> &KernelControl {
        &self.any.control
    }
}

impl<K: RingKernel> fmt::Debug for KernelHandle<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KernelHandle").field("name", &self.name()).finish_non_exhaustive()
    }
}
