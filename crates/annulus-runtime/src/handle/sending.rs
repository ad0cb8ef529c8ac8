//! Sending to a kernel.

use std::{sync::Arc, time::Duration};

use annulus_kernel::RingKernel;
use annulus_queue::{SendError, SendOutcome, TrySendError};

use crate::{
    handle::{
        KernelHandle,
        send::{BatchError, Inlet},
        sink::KernelSink,
    },
    time::deadline,
};

/// # Sending
///
/// Each verb has up to four forms: `try_…` never waits; the plain name is a future; `…_blocking` blocks the
/// thread; `…_timeout` blocks it for a limited time.
impl<K: RingKernel> KernelHandle<K> {
    #[inline]
    pub(crate) fn inlet(&self) -> Inlet<'_, K::Message> {
        // SAFETY: the kernel is `K`, by the field's invariant.
        unsafe { Inlet::new(self.shared()) }
    }

    /// Sends without waiting.
    ///
    /// In a child process that was [forked](crate#what-it-does-not-do) after the launch, this and all other
    /// sends accept messages, but nobody handles them.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched();
    /// assert_eq!(kernel.try_send(Number { value: 21 })?, SendOutcome::Accepted);
    /// assert_eq!(kernel.recv_blocking()?, Number { value: 42 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`TrySendError::Full`] under Block and Reject; [`TrySendError::Closed`] if the kernel is closed, which
    /// is final. Both hand the message back.
    #[inline]
    pub fn try_send(&self, message: K::Message) -> Result<SendOutcome<K::Message>, TrySendError<K::Message>> {
        self.inlet().try_send(message)
    }

    /// Sends, waiting for space under Block for as long as it takes. Dropping the future before it is done
    /// sends nothing. A future that has waited and is [forgotten](crate#what-it-does-not-do) may keep a
    /// wake-up that others need.
    ///
    /// A kernel takes a message only while its outbound ring has room for what the handler may send. So a
    /// program that first sends more than both rings hold, and only then receives, waits for ever: receive
    /// concurrently, or raise [`output_capacity`](crate::LaunchOptions::output_capacity). If a send waits for
    /// a second in which the kernel takes nothing, a warning says what it waits for
    /// ([`STALL_TARGET`](crate::STALL_TARGET)).
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
    /// [`SendError::Full`] under Reject; [`SendError::Closed`] if the kernel is closed, which is final. Both
    /// hand the message back.
    pub async fn send(&self, message: K::Message) -> Result<SendOutcome<K::Message>, SendError<K::Message>> {
        self.inlet().send(message).await
    }

    /// [`send`](Self::send), blocking. If a thread only sends, and sends more than the kernel's rings hold,
    /// another thread must receive:
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched();
    /// std::thread::scope(|scope| {
    ///     scope.spawn(|| (0..10_000).for_each(|_| assert_eq!(kernel.recv_blocking().unwrap().value % 2, 0)));
    ///     for value in 0..10_000 {
    ///         let _ = kernel.send_blocking(Number { value }).unwrap();
    ///     }
    /// });
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method.
    pub fn send_blocking(
        &self,
        message: K::Message,
    ) -> Result<SendOutcome<K::Message>, SendError<K::Message>> {
        self.inlet().send_blocking(message)
    }

    /// [`send_blocking`](Self::send_blocking) for at most `limit`.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// use std::time::Duration;
    /// let kernel = launched_with(LaunchOptions::production().capacity(16).active(false));
    /// kernel.try_send_batch(&numbers(0..16))?;
    /// let refused = kernel.send_timeout(Number { value: 16 }, Duration::from_millis(1));
    /// assert_eq!(refused, Err(SendError::Timeout(Number { value: 16 })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method, and [`SendError::Timeout`], which counts as rejected.
    pub fn send_timeout(
        &self,
        message: K::Message,
        limit: Duration,
    ) -> Result<SendOutcome<K::Message>, SendError<K::Message>> {
        self.inlet().send_timeout(message, deadline(limit))
    }

    /// [`send`](Self::send) for at most `limit`. Needs no executor's clock: a thread of the library wakes the
    /// task.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # annulus::block_on(async {
    /// use std::time::Duration;
    /// let kernel = launched_with(LaunchOptions::production().capacity(16).active(false));
    /// kernel.try_send_batch(&numbers(0..16))?;
    /// let refused = kernel.send_within(Number { value: 16 }, Duration::from_millis(1)).await;
    /// assert_eq!(refused, Err(SendError::Timeout(Number { value: 16 })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method, and [`SendError::Timeout`], which counts as rejected.
    pub async fn send_within(
        &self,
        message: K::Message,
        limit: Duration,
    ) -> Result<SendOutcome<K::Message>, SendError<K::Message>> {
        self.inlet().send_within(message, limit).await
    }

    /// Sends messages in order, without waiting: as many as there is space for, from the front.
    ///
    /// Messages that are evicted, discarded or duplicates are counted, not handed back.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::BatchError;
    /// let kernel = launched_with(LaunchOptions::production().capacity(16).active(false));
    /// let refused = kernel.try_send_batch(&numbers(0..20));
    /// assert_eq!(refused, Err(BatchError { sent: 16, cause: SendError::Full(()) }));
    /// ```
    ///
    /// # Errors
    ///
    /// [`BatchError`] says how many were sent, and why the next was not: `Full` under Block and Reject, which
    /// counts as one rejected, or `Closed`.
    pub fn try_send_batch(&self, messages: &[K::Message]) -> Result<(), BatchError> {
        self.inlet().try_send_batch(messages)
    }

    /// Sends messages in order, several at a time, with one time stamp for each group. Waits for space under
    /// Block.
    ///
    /// Messages that are evicted, discarded or duplicates are counted, not handed back;
    /// [`send_batch_returning`](Self::send_batch_returning) hands them back. If the future is dropped before
    /// it is done, the first part of the batch is sent.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # annulus::block_on(async {
    /// let kernel = launched();
    /// kernel.send_batch(&numbers(0..1000)).await?;
    /// kernel.drained().await;
    /// assert_eq!(kernel.status().processed, 1000);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`BatchError`] says how many were sent, and why the next was not.
    pub async fn send_batch(&self, messages: &[K::Message]) -> Result<(), BatchError> {
        self.inlet().send_batch(messages, None).await
    }

    /// [`send_batch`](Self::send_batch), blocking.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched();
    /// kernel.send_batch_blocking(&numbers(0..1000))?;
    /// kernel.drained_blocking();
    /// assert_eq!(kernel.status().processed, 1000);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method.
    pub fn send_batch_blocking(&self, messages: &[K::Message]) -> Result<(), BatchError> {
        self.inlet().send_batch_blocking(messages, None, None)
    }

    /// [`send_batch_blocking`](Self::send_batch_blocking) for at most `limit`. Messages that were sent until
    /// then stay sent.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::BatchError;
    /// use std::time::Duration;
    /// let kernel = launched_with(LaunchOptions::production().capacity(16).active(false));
    /// let refused = kernel.send_batch_timeout(&numbers(0..20), Duration::from_millis(1));
    /// assert_eq!(refused, Err(BatchError { sent: 16, cause: SendError::Timeout(()) }));
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method, and [`SendError::Timeout`] as the cause, which counts as one rejected.
    pub fn send_batch_timeout(&self, messages: &[K::Message], limit: Duration) -> Result<(), BatchError> {
        self.inlet().send_batch_blocking(messages, None, Some(deadline(limit)))
    }

    /// [`send_batch`](Self::send_batch) that also appends the messages that come back to `back`, in the order
    /// in which they come back: messages of the batch that were discarded or are duplicates, and messages
    /// that were evicted for it. It appends no [`Accepted`](SendOutcome::Accepted).
    ///
    /// ```
    /// # extern crate annulus_runtime as annulus;
    /// use annulus_runtime::{Deduplication, LaunchOptions, Noop, Runtime, prelude::*};
    ///
    /// #[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
    /// #[repr(C)]
    /// struct Order {
    ///     #[ring(id)]
    ///     number: u64,
    /// }
    ///
    /// #[ring_kernel]
    /// fn take(order: &Order) {}
    ///
    /// let runtime = Runtime::builder().backend(Noop).build()?;
    /// let kernel = take::launch(&runtime, LaunchOptions::production().deduplication(Deduplication::ById))?;
    /// let mut back = Vec::new();
    /// kernel.send_batch_returning_blocking(&[1, 2, 1].map(|number| Order { number }), &mut back)?;
    /// assert_eq!(back, [SendOutcome::Duplicate(Order { number: 1 })]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method. `back` then has the messages that came back before the error.
    pub async fn send_batch_returning(
        &self,
        messages: &[K::Message],
        back: &mut Vec<SendOutcome<K::Message>>,
    ) -> Result<(), BatchError> {
        self.inlet().send_batch(messages, Some(back)).await
    }

    /// [`send_batch_returning`](Self::send_batch_returning), blocking.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// use annulus::Backpressure;
    /// let options = LaunchOptions::production().capacity(16).backpressure(Backpressure::DropNew);
    /// let kernel = launched_with(options.active(false));
    /// let mut back = Vec::new();
    /// kernel.send_batch_returning_blocking(&numbers(0..17), &mut back)?;
    /// assert_eq!(back, [SendOutcome::Discarded(Number { value: 16 })]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method.
    pub fn send_batch_returning_blocking(
        &self,
        messages: &[K::Message],
        back: &mut Vec<SendOutcome<K::Message>>,
    ) -> Result<(), BatchError> {
        self.inlet().send_batch_blocking(messages, Some(back), None)
    }

    /// The kernel as a [`Sink`](https://docs.rs/futures-sink) for its messages. It does not keep the kernel
    /// running.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use std::{future::poll_fn, pin::pin};
    /// use futures_sink::Sink;
    ///
    /// let kernel = launched();
    /// let mut sink = pin!(kernel.sink());
    /// annulus::block_on(poll_fn(|context| sink.as_mut().poll_ready(context)))?;
    /// sink.as_mut().start_send(Number { value: 21 })?;
    /// annulus::block_on(poll_fn(|context| sink.as_mut().poll_flush(context)))?;
    /// assert_eq!(kernel.recv_blocking()?, Number { value: 42 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sink(&self) -> KernelSink<K> {
        // SAFETY: the kernel is `K`, by the field's invariant.
        unsafe { KernelSink::new(Arc::clone(self.shared_arc())) }
    }
}
