//! One of a kernel's queues.

use std::{
    fmt,
    marker::PhantomData,
    sync::Arc,
    time::{Duration, Instant},
};

use annulus_kernel::RingKernel;
use annulus_queue::{Backpressure, SendError, SendOutcome, TrySendError};

use crate::{
    error::{CallError, UnknownQueue},
    handle::{
        AnyHandle, KernelHandle,
        receive::Outlet,
        send::{BatchError, Inlet},
    },
    kernel::{carried::Carried, shared::KernelShared},
    options::Inbound,
    time::deadline,
    within::within,
};

/// A queue of a kernel, for senders: a named one, or the kernel's own. Like a clone of the kernel's handle,
/// it keeps the kernel running.
///
/// It has the verbs of [`KernelHandle`], in the same forms. All queues of a kernel feed the same handler.
///
/// # What is within reach
///
/// [`peek`](Self::peek), [`clear`](Self::clear) and [`flush_blocking`](Self::flush_blocking) concern the
/// messages that wait in the host's memory, in front of the ring. Messages that were *handed over* belong to
/// the kernel's blocks, which may be on a device. They can be counted, and neither looked at nor taken back.
/// There are at most two batches of them in each shard's ring. If a kernel has no named queues and no
/// policies, its messages go straight into the ring, and all are out of reach.
///
/// ```
/// # use annulus::prelude::*;
/// # use annulus::{NamedQueue, Share};
/// #[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
/// #[repr(C)]
/// struct Job {
///     number: u64,
/// }
///
/// /// Answers each job, and where it came from.
/// #[ring_kernel]
/// fn work(cx: &Cx, job: &Job, done: &Outbox<Job>) {
///     done.send(Job { number: job.number * 10 + u64::from(cx.queue()) });
/// }
///
/// let options = LaunchOptions::production().queue(NamedQueue::new("urgent").share(Share::Rank(1)));
/// let kernel = work::launch(&Runtime::builder().build()?, options)?;
/// let urgent = kernel.queue("urgent")?;
/// let _ = urgent.send_blocking(Job { number: 7 })?;
/// assert_eq!(kernel.recv_blocking()?, Job { number: 71 });
/// assert!(kernel.queue("bulk").unwrap_err().to_string().ends_with("it has: urgent"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct KernelQueue<K: RingKernel> {
    any: AnyHandle,
    /// A queue of the kernel.
    lane: usize,
    /// The kernel is `K`.
    _kernel: PhantomData<fn() -> K>,
}

/// What [`KernelQueue::peek`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Peeked<M> {
    /// A copy of the next message that waits within reach. If the kernel has several shards, of the first
    /// that has one.
    pub next: Option<M>,
    /// How many messages wait within reach, in this queue.
    pub waiting: u64,
    /// How many messages of all queues were handed over and are not handled yet. They come before.
    pub handed_over: u64,
}

/// What [`KernelQueue::clear`] took out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cleared<M> {
    /// The messages, in the order in which each shard would have got them.
    pub messages: Vec<M>,
    /// How many messages of all queues were handed over and are not handled yet. They were out of reach, and
    /// will be handled.
    pub handed_over: u64,
}

impl<K: RingKernel> KernelHandle<K> {
    /// The queue of this name, which the launch gave the kernel with
    /// [`LaunchOptions::queue`](crate::LaunchOptions::queue).
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::NamedQueue;
    /// let kernel = launched_with(LaunchOptions::production().queue(NamedQueue::new("urgent")));
    /// let _ = kernel.queue("urgent")?.send_blocking(Number { value: 21 })?;
    /// assert_eq!(kernel.recv_blocking()?, Number { value: 42 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`UnknownQueue`], which lists the kernel's queues.
    pub fn queue(&self, name: &str) -> Result<KernelQueue<K>, UnknownQueue> {
        let kernel = self.shared();
        let lane = kernel.lane(name).ok_or_else(|| UnknownQueue {
            kernel: self.name().to_owned(),
            name: name.to_owned(),
            queues: kernel.core.options.queues.iter().map(|queue| queue.name.clone()).collect(),
        })?;
        Ok(KernelQueue { any: self.any.clone(), lane, _kernel: PhantomData })
    }

    /// The kernel's own queue, to which the handle itself sends.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched_with(LaunchOptions::orleans().active(false));
    /// kernel.try_send_batch(&numbers(0..10))?;
    /// let cleared = kernel.own_queue().clear();
    /// assert_eq!(cleared.messages.len() as u64 + cleared.handed_over, 10);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn own_queue(&self) -> KernelQueue<K> {
        KernelQueue { any: self.any.clone(), lane: 0, _kernel: PhantomData }
    }
}

impl<K: RingKernel> KernelQueue<K> {
    fn kernel(&self) -> &KernelShared {
        self.any.shared()
    }

    pub(crate) fn kernel_arc(&self) -> &Arc<KernelShared> {
        self.any.shared_arc()
    }

    pub(crate) fn lane(&self) -> usize {
        self.lane
    }

    fn inlet(&self) -> Inlet<'_, K::Message> {
        // SAFETY: the kernel is `K`, by the field's invariant.
        unsafe { Inlet::new(self.kernel()) }.for_lane(self.lane)
    }

    fn outlet(&self) -> Outlet<'_, K::Output> {
        // SAFETY: the kernel is `K`, by the field's invariant.
        unsafe { Outlet::new(self.kernel()) }
    }

    /// Its name; the kernel's own queue has the kernel's name.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// assert_eq!(launched().own_queue().name(), "double");
    /// ```
    pub fn name(&self) -> &str {
        self.kernel().lane_name(self.lane)
    }

    /// What `cx.queue()` returns for its messages: 0 for the kernel's own queue.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::NamedQueue;
    /// let kernel = launched_with(LaunchOptions::production().queue(NamedQueue::new("urgent")));
    /// assert_eq!((kernel.own_queue().number(), kernel.queue("urgent")?.number()), (0, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn number(&self) -> u32 {
        self.lane as u32
    }

    /// Sends without waiting; see [`KernelHandle::try_send`].
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let queue = launched().own_queue();
    /// assert_eq!(queue.try_send(Number { value: 21 })?, SendOutcome::Accepted);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of that method. A queue is also closed by [`close`](Self::close).
    pub fn try_send(&self, message: K::Message) -> Result<SendOutcome<K::Message>, TrySendError<K::Message>> {
        self.inlet().try_send(message)
    }

    /// Sends, waiting for space in this queue under Block; see [`KernelHandle::send`].
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let queue = launched().own_queue();
    /// let _ = annulus::block_on(queue.send(Number { value: 21 }))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of that method.
    pub async fn send(&self, message: K::Message) -> Result<SendOutcome<K::Message>, SendError<K::Message>> {
        self.inlet().send(message).await
    }

    /// [`send`](Self::send), blocking.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let _ = launched().own_queue().send_blocking(Number { value: 21 })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
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
    /// let _ = launched().own_queue().send_timeout(Number { value: 21 }, Duration::from_secs(60))?;
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

    /// [`send`](Self::send) for at most `limit`; see [`KernelHandle::send_within`].
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # annulus::block_on(async {
    /// use std::time::Duration;
    /// let kernel = launched_with(LaunchOptions::production().capacity(16).active(false));
    /// let queue = kernel.own_queue();
    /// queue.try_send_batch(&numbers(0..16))?;
    /// let refused = queue.send_within(Number { value: 16 }, Duration::from_millis(1)).await;
    /// assert_eq!(refused, Err(SendError::Timeout(Number { value: 16 })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of that method.
    pub async fn send_within(
        &self,
        message: K::Message,
        limit: Duration,
    ) -> Result<SendOutcome<K::Message>, SendError<K::Message>> {
        self.inlet().send_within(message, limit).await
    }

    /// Sends messages in order, without waiting; see [`KernelHandle::try_send_batch`].
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// launched().own_queue().try_send_batch(&numbers(0..10))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`BatchError`], as of that method.
    pub fn try_send_batch(&self, messages: &[K::Message]) -> Result<(), BatchError> {
        self.inlet().try_send_batch(messages)
    }

    /// Sends messages in order; see [`KernelHandle::send_batch`].
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// annulus::block_on(launched().own_queue().send_batch(&numbers(0..10)))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`BatchError`], as of that method.
    pub async fn send_batch(&self, messages: &[K::Message]) -> Result<(), BatchError> {
        self.inlet().send_batch(messages, None).await
    }

    /// [`send_batch`](Self::send_batch), blocking.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// launched().own_queue().send_batch_blocking(&numbers(0..10))?;
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
    /// use std::time::Duration;
    /// launched().own_queue().send_batch_timeout(&numbers(0..10), Duration::from_secs(60))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method, and [`SendError::Timeout`] as the cause.
    pub fn send_batch_timeout(&self, messages: &[K::Message], limit: Duration) -> Result<(), BatchError> {
        self.inlet().send_batch_blocking(messages, None, Some(deadline(limit)))
    }

    /// [`send_batch`](Self::send_batch) that also appends the messages that come back to `back`; see
    /// [`KernelHandle::send_batch_returning`].
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let mut back = Vec::new();
    /// annulus::block_on(launched().own_queue().send_batch_returning(&numbers(0..10), &mut back))?;
    /// assert!(back.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method.
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
    /// let mut back = Vec::new();
    /// launched().own_queue().send_batch_returning_blocking(&numbers(0..10), &mut back)?;
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

    /// Sends a message and waits for the reply to it; see [`KernelHandle::call`].
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let reply = annulus::block_on(launched().own_queue().call(Number { value: 21 }))?;
    /// assert_eq!(reply, Number { value: 42 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of that method.
    pub async fn call(&self, mut message: K::Message) -> Result<K::Output, CallError> {
        let mut message = self.inlet().raw(&mut message)?;
        self.outlet().call(message.get()).await
    }

    /// [`call`](Self::call), blocking.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// assert_eq!(launched().own_queue().call_blocking(Number { value: 21 })?, Number { value: 42 });
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
    /// let reply = launched().own_queue().call_timeout(Number { value: 21 }, Duration::from_secs(60))?;
    /// assert_eq!(reply, Number { value: 42 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method, and [`CallError::Timeout`].
    pub fn call_timeout(&self, mut message: K::Message, limit: Duration) -> Result<K::Output, CallError> {
        self.outlet().call_timeout(self.inlet().raw(&mut message)?.get(), deadline(limit))
    }

    /// [`call`](Self::call) for at most `limit`; see [`KernelHandle::call_within`].
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # annulus::block_on(async {
    /// use std::time::Duration;
    /// let kernel = launched_with(LaunchOptions::production().active(false));
    /// let reply = kernel.own_queue().call_within(Number { value: 21 }, Duration::from_millis(1)).await;
    /// assert_eq!(reply, Err(CallError::Timeout));
    /// # });
    /// ```
    ///
    /// # Errors
    ///
    /// Those of that method.
    pub async fn call_within(&self, message: K::Message, limit: Duration) -> Result<K::Output, CallError> {
        let clock = &self.kernel().core.clock;
        within(clock, limit, self.call(message)).await.unwrap_or(Err(CallError::Timeout))
    }

    /// Closes this queue; the kernel's other queues stay open. Messages that were sent before are handled.
    /// Returns whether it was open. The kernel's own queue closes with the kernel, and messages of connected
    /// kernels are not stopped.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::NamedQueue;
    /// let kernel = launched_with(LaunchOptions::production().queue(NamedQueue::new("urgent")));
    /// let urgent = kernel.queue("urgent")?;
    /// assert!(urgent.close() && !urgent.close());
    /// assert!(urgent.try_send(Number { value: 1 }).is_err());
    /// assert_eq!(kernel.call_blocking(Number { value: 1 })?, Number { value: 2 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn close(&self) -> bool {
        match self.lane {
            0 => self.any.control().close() == crate::Transition::Done,
            lane => self.kernel().close_lane(lane),
        }
    }

    /// How many messages wait in it, of all shards; those that were handed over are not among them, unless the kernel has no
    /// queues in front of its rings: then all that wait are in its own.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched_with(LaunchOptions::production().capacity(16).active(false));
    /// kernel.deactivate_blocking()?;
    /// kernel.try_send_batch(&numbers(0..10))?;
    /// let queue = kernel.own_queue();
    /// assert_eq!((queue.len(), queue.capacity(), queue.is_empty()), (10, 16, false));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn len(&self) -> u64 {
        let kernel = self.kernel();
        match kernel.core.options.has_policies() {
            true => kernel.waiting_in(self.lane),
            false => kernel.core.handed_over(),
        }
    }

    /// Whether no message waits in it.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// assert!(launched().own_queue().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many messages may wait in it, of all shards.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched_with(LaunchOptions::production().capacity(64).grid(2));
    /// assert_eq!(kernel.own_queue().capacity(), 128);
    /// ```
    pub fn capacity(&self) -> u64 {
        let core = &self.kernel().core;
        u64::from(core.inbound(self.lane).capacity) * core.shards.len() as u64
    }

    /// What it does with a message for which there is no room.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// use annulus::Backpressure;
    /// let kernel = launched_with(LaunchOptions::low_latency());
    /// assert_eq!(kernel.own_queue().backpressure(), Backpressure::Reject);
    /// ```
    pub fn backpressure(&self) -> Backpressure {
        self.options().backpressure
    }

    /// All that the launch says of it: its share, priorities, duplicates, expiry.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched_with(LaunchOptions::production().priority(true));
    /// let options = kernel.own_queue().options().clone();
    /// assert!(options.priority && options.expiry.is_none());
    /// ```
    pub fn options(&self) -> &Inbound {
        self.kernel().core.inbound(self.lane)
    }

    /// Looks at the next message within [reach](#what-is-within-reach), which stays. By the time that this
    /// returns, it may have been handed over.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched_with(LaunchOptions::orleans().active(false));
    /// kernel.try_send_batch(&numbers(0..10))?;
    /// let peeked = kernel.own_queue().peek();
    /// assert_eq!(peeked.waiting + peeked.handed_over, 10);
    /// assert_eq!(peeked.next, Some(Number { value: peeked.handed_over }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn peek(&self) -> Peeked<K::Message> {
        let kernel = self.kernel();
        let mut found = kernel.peek(self.lane);
        Peeked {
            // SAFETY: it is a message of the kernel, which is `K` by the field's invariant.
            next: found.pop().map(|message| unsafe { K::Message::of_bytes(message) }),
            waiting: kernel.waiting_in(self.lane),
            handed_over: kernel.core.handed_over(),
        }
    }

    /// Takes out the messages within [reach](#what-is-within-reach), and returns them. They count as
    /// [`cleared`](crate::Drops::cleared); calls among them end with [`CallError::Dropped`]. Senders that
    /// wait for space go on.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched_with(LaunchOptions::orleans().active(false));
    /// kernel.try_send_batch(&numbers(0..10))?;
    /// let cleared = kernel.own_queue().clear();
    /// assert_eq!(cleared.messages, numbers(cleared.handed_over..10));
    /// assert_eq!(kernel.status().drops.cleared, cleared.messages.len() as u64);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn clear(&self) -> Cleared<K::Message> {
        let kernel = self.kernel();
        let mut taken = kernel.clear(self.lane);
        // SAFETY: it was popped, and is a message of the kernel, which is `K` by the field's invariant.
        let next = || taken.pop().map(|message| unsafe { K::Message::of_bytes(message) });
        Cleared { messages: std::iter::from_fn(next).collect(), handed_over: kernel.core.handed_over() }
    }

    /// Waits until every message that waits now has left the queue: it was handed over, or dropped. With
    /// priorities, until none waits. To wait until all messages are handled, use
    /// [`drained`](crate::KernelControl::drained). Looks from time to time, as the `flush` of a queue does.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched_with(LaunchOptions::orleans());
    /// kernel.try_send_batch(&numbers(0..10))?;
    /// kernel.own_queue().flush_blocking();
    /// assert_eq!(kernel.own_queue().peek().waiting, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn flush_blocking(&self) {
        self.flush(None);
    }

    /// [`flush_blocking`](Self::flush_blocking) for at most `limit`. Returns whether they have left.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// use std::time::Duration;
    /// let kernel = launched_with(LaunchOptions::orleans().active(false));
    /// kernel.try_send_batch(&numbers(0..10))?;
    /// assert!(!kernel.own_queue().flush_timeout(Duration::from_millis(1)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn flush_timeout(&self, limit: Duration) -> bool {
        self.flush(Some(deadline(limit)))
    }

    fn flush(&self, deadline: Option<Instant>) -> bool {
        const SHORT: Duration = Duration::from_micros(50);
        const LONG: Duration = Duration::from_millis(1);
        let kernel = self.kernel();
        let (_, end) = kernel.passed_of(self.lane);
        let by_priority = kernel.core.inbound(self.lane).priority;
        let mut nap = SHORT;
        loop {
            let (left, accepted) = kernel.passed_of(self.lane);
            if left >= if by_priority { accepted } else { end } || kernel.core.is_finished() {
                return true;
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return false;
            }
            std::thread::sleep(left.map_or(nap, |left| left.min(nap)));
            nap = (nap * 2).min(LONG);
        }
    }
}

impl<K: RingKernel> Clone for KernelQueue<K> {
    fn clone(&self) -> Self {
        Self { any: self.any.clone(), lane: self.lane, _kernel: PhantomData }
    }
}

impl<K: RingKernel> fmt::Debug for KernelQueue<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KernelQueue").field("name", &self.name()).finish_non_exhaustive()
    }
}
