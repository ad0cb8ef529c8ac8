//! Receiving from a kernel: outputs, and replies to calls.

use std::{sync::Arc, time::Duration};

use annulus_kernel::RingKernel;
use annulus_queue::{RecvError, TryRecvError};

use crate::{
    error::CallError,
    handle::{KernelHandle, outputs::Outputs, receive::Outlet},
    time::deadline,
    within::within,
};

/// # Receiving
///
/// Each verb has up to five forms: `try_…` never waits; the plain name is a future, and `…_within` one for a limited
/// time; `…_blocking` blocks the thread; `…_timeout` blocks it for a limited time.
impl<K: RingKernel> KernelHandle<K> {
    #[inline]
    fn outlet(&self) -> Outlet<'_, K::Output> {
        // SAFETY: the kernel is `K`, by the field's invariant.
        unsafe { Outlet::new(self.shared()) }
    }

    /// Receives without waiting. Outputs of one shard come in the order in which it sent them; replies to
    /// calls go to their callers instead.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::TryRecvError;
    /// let kernel = launched();
    /// assert_eq!(kernel.try_recv(), Err(TryRecvError::Empty));
    /// let _ = kernel.try_send(Number { value: 21 })?;
    /// kernel.drained_blocking();
    /// assert_eq!(kernel.try_recv(), Ok(Number { value: 42 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`TryRecvError::Empty`] if there is no output now, [`TryRecvError::Closed`] when the kernel has
    /// terminated and everything was received.
    #[inline]
    pub fn try_recv(&self) -> Result<K::Output, TryRecvError> {
        self.outlet().try_recv()
    }

    /// Receives, waiting for as long as it takes. Dropping the future before it is done loses nothing. A
    /// future that has waited and is [forgotten](crate#what-it-does-not-do) may keep a wake-up that other
    /// receivers need.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # annulus::block_on(async {
    /// let kernel = launched();
    /// let _ = kernel.send(Number { value: 21 }).await?;
    /// assert_eq!(kernel.recv().await?, Number { value: 42 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`RecvError::Closed`] when the kernel has terminated and everything was received.
    pub async fn recv(&self) -> Result<K::Output, RecvError> {
        self.outlet().recv().await
    }

    /// [`recv`](Self::recv), blocking: polls for as long as the launch's `spin` says, then sleeps.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched();
    /// let _ = kernel.try_send(Number { value: 21 })?;
    /// assert_eq!(kernel.recv_blocking(), Ok(Number { value: 42 }));
    /// kernel.terminate_blocking();
    /// assert_eq!(kernel.recv_blocking(), Err(RecvError::Closed));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method.
    pub fn recv_blocking(&self) -> Result<K::Output, RecvError> {
        self.outlet().recv_blocking(None)
    }

    /// [`recv_blocking`](Self::recv_blocking) for at most `limit`.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// use std::time::Duration;
    /// let kernel = launched();
    /// assert_eq!(kernel.recv_timeout(Duration::from_millis(1)), Err(RecvError::Timeout));
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method, and [`RecvError::Timeout`].
    pub fn recv_timeout(&self, limit: Duration) -> Result<K::Output, RecvError> {
        self.outlet().recv_blocking(Some(deadline(limit)))
    }

    /// Receives up to `max` outputs that are there now, appends them to `outputs` and says how many.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched();
    /// kernel.try_send_batch(&numbers(0..10))?;
    /// kernel.drained_blocking();
    /// let mut outputs = Vec::new();
    /// assert_eq!(kernel.try_recv_batch(&mut outputs, 8), Ok(8));
    /// assert_eq!(outputs[7], Number { value: 14 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`try_recv`](Self::try_recv), if there was no output.
    pub fn try_recv_batch(&self, outputs: &mut Vec<K::Output>, max: usize) -> Result<usize, TryRecvError> {
        self.outlet().try_recv_batch(outputs, max)
    }

    /// Waits until there is an output, then receives up to `max` that are there, appends them to `outputs`
    /// and says how many. Dropping the future before it is done loses nothing.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # annulus::block_on(async {
    /// let kernel = launched();
    /// kernel.send_batch(&numbers(0..10)).await?;
    /// let mut outputs = Vec::new();
    /// while outputs.len() < 10 {
    ///     kernel.recv_batch(&mut outputs, 100).await?;
    /// }
    /// assert_eq!(outputs[9], Number { value: 18 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`recv`](Self::recv).
    pub async fn recv_batch(&self, outputs: &mut Vec<K::Output>, max: usize) -> Result<usize, RecvError> {
        self.outlet().recv_batch(outputs, max).await
    }

    /// [`recv_batch`](Self::recv_batch), blocking: polls for as long as the launch's `spin` says, then
    /// sleeps.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched();
    /// kernel.try_send_batch(&numbers(0..10))?;
    /// kernel.drained_blocking();
    /// let mut outputs = Vec::new();
    /// assert_eq!(kernel.recv_batch_blocking(&mut outputs, 100), Ok(10));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method.
    pub fn recv_batch_blocking(&self, outputs: &mut Vec<K::Output>, max: usize) -> Result<usize, RecvError> {
        self.outlet().recv_batch_blocking(outputs, max, None)
    }

    /// [`recv_batch_blocking`](Self::recv_batch_blocking) for at most `limit`.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// use std::time::Duration;
    /// let kernel = launched();
    /// let mut outputs = Vec::new();
    /// let received = kernel.recv_batch_timeout(&mut outputs, 100, Duration::from_millis(1));
    /// assert_eq!(received, Err(RecvError::Timeout));
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method, and [`RecvError::Timeout`].
    pub fn recv_batch_timeout(
        &self,
        outputs: &mut Vec<K::Output>,
        max: usize,
        limit: Duration,
    ) -> Result<usize, RecvError> {
        self.outlet().recv_batch_blocking(outputs, max, Some(deadline(limit)))
    }

    /// [`recv`](Self::recv) for at most `limit`. Needs no executor's clock: a thread of the library wakes the task.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # annulus::block_on(async {
    /// use std::time::Duration;
    /// let kernel = launched();
    /// assert_eq!(kernel.recv_within(Duration::from_millis(1)).await, Err(RecvError::Timeout));
    /// # });
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method, and [`RecvError::Timeout`].
    pub async fn recv_within(&self, limit: Duration) -> Result<K::Output, RecvError> {
        within(&self.shared().core.clock, limit, self.recv()).await.unwrap_or(Err(RecvError::Timeout))
    }

    /// The outputs as a stream. It ends when the kernel has terminated and everything was received. It does
    /// not keep the kernel running.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use std::{future::poll_fn, pin::pin};
    /// use futures_core::Stream;
    ///
    /// let kernel = launched();
    /// let _ = kernel.try_send(Number { value: 21 })?;
    /// kernel.drained_blocking();
    /// kernel.terminate_blocking();
    /// let mut outputs = pin!(kernel.outputs());
    /// let mut next = || annulus::block_on(poll_fn(|context| outputs.as_mut().poll_next(context)));
    /// assert_eq!((next(), next()), (Some(Number { value: 42 }), None));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn outputs(&self) -> Outputs<K> {
        // SAFETY: the kernel is `K`, by the field's invariant.
        unsafe { Outputs::new(Arc::clone(self.shared_arc()), None) }
    }
}

/// # Calling
impl<K: RingKernel> KernelHandle<K> {
    /// Sends a message and waits for the reply to it: the first output of its handler. Further outputs of
    /// that handler are received like any other output.
    ///
    /// Dropping the future gives the call up. If its message was already sent, the handler still runs.
    ///
    /// Each reply has room of its own, however many outputs wait. But if the call's handler may send more
    /// than the reply, its further outputs need room. A call also waits behind messages that were sent before
    /// it, and the kernel takes none of them while its outbound ring is full.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # annulus::block_on(async {
    /// let kernel = launched();
    /// assert_eq!(kernel.call(Number { value: 21 }).await?, Number { value: 42 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`CallError`] says why there is no reply.
    pub async fn call(&self, mut message: K::Message) -> Result<K::Output, CallError> {
        let mut message = self.inlet().raw(&mut message)?;
        self.outlet().call(message.get()).await
    }

    /// [`call`](Self::call), blocking: polls for as long as the launch's `spin` says, then sleeps.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// assert_eq!(launched().call_blocking(Number { value: 21 })?, Number { value: 42 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method.
    pub fn call_blocking(&self, mut message: K::Message) -> Result<K::Output, CallError> {
        self.outlet().call_blocking(self.inlet().raw(&mut message)?.get())
    }

    /// [`call_blocking`](Self::call_blocking) for at most `limit`.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// use std::time::Duration;
    /// let kernel = launched_with(LaunchOptions::production().active(false));
    /// let reply = kernel.call_timeout(Number { value: 21 }, Duration::from_millis(1));
    /// assert_eq!(reply, Err(CallError::Timeout));
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method, and [`CallError::Timeout`].
    pub fn call_timeout(&self, mut message: K::Message, limit: Duration) -> Result<K::Output, CallError> {
        self.outlet().call_timeout(self.inlet().raw(&mut message)?.get(), deadline(limit))
    }

    /// [`call`](Self::call) for at most `limit`; then the call is given up. Needs no executor's clock: a thread of
    /// the library wakes the task.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # annulus::block_on(async {
    /// use std::time::Duration;
    /// let kernel = launched_with(LaunchOptions::production().active(false));
    /// let reply = kernel.call_within(Number { value: 21 }, Duration::from_millis(1)).await;
    /// assert_eq!(reply, Err(CallError::Timeout));
    /// kernel.activate().await?;
    /// let reply = kernel.call_within(Number { value: 21 }, Duration::from_secs(60)).await;
    /// assert_eq!(reply, Ok(Number { value: 42 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method, and [`CallError::Timeout`].
    pub async fn call_within(&self, message: K::Message, limit: Duration) -> Result<K::Output, CallError> {
        within(&self.shared().core.clock, limit, self.call(message)).await.unwrap_or(Err(CallError::Timeout))
    }
}
