//! What a program holds of a launched kernel.

use std::{
    fmt,
    future::Future,
    marker::PhantomData,
    mem::MaybeUninit,
    ops::Deref,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use annulus_kernel::RingKernel;
use annulus_queue::{Admission, DeadLetters, RecvError, Redriven, SendError, TryRecvError, TrySendError};
use annulus_sync::wait::block_on;
use futures_core::Stream;

use crate::{
    bytes::{Bytes, blank, place},
    core::{ShutdownOutcome, Transition},
    error::{CallError, LifecycleError, TelemetryError},
    kernel::KernelShared,
    lifecycle::Compilation,
    receive::Outlet,
    runtime::RuntimeInner,
    send::{BatchError, Inlet},
    snapshot::{self, Snapshot, SnapshotError},
    status::KernelStatus,
    telemetry::{LatencyHistogram, Telemetry},
};

/// A launched kernel, by its name alone: its lifecycle, status and telemetry. Does not keep it running.
#[derive(Clone)]
pub struct KernelControl {
    kernel: Arc<KernelShared>,
    arena_lines: usize,
}

impl KernelControl {
    pub(crate) fn new(kernel: Arc<KernelShared>, arena_lines: usize) -> Self {
        Self { kernel, arena_lines }
    }

    /// The instance's name.
    pub fn name(&self) -> &str {
        &self.kernel.core().name
    }

    /// The backend that runs it.
    pub fn backend(&self) -> &'static str {
        self.kernel.core().backend_name
    }

    /// Shards, one for each block.
    pub fn grid(&self) -> u32 {
        self.kernel.core().shards.len() as u32
    }

    /// Its status now. The kernel goes on meanwhile; see [`KernelStatus`] for what adds up when.
    pub fn status(&self) -> KernelStatus {
        self.kernel.status()
    }

    /// How the launch came by the program that the device runs; `None` where none is needed, as on the CPU.
    pub fn compilation(&self) -> Option<Compilation> {
        self.kernel.core().compilation.get().copied()
    }

    /// Waits until every block of the kernel runs and has answered for the first time: it is active then, or inactive if it was launched so.
    ///
    /// A launch returns before that: a device may compile when a kernel starts, load it, or wait for a place. Messages can be sent meanwhile.
    /// Whoever measures, or says "up" to others, waits for this first.
    ///
    /// ```
    /// # extern crate annulus_runtime as annulus;
    /// # use annulus_runtime::{LaunchOptions, Noop, Runtime, prelude::*};
    /// # #[derive(RingMessage, Clone, Copy)]
    /// # #[repr(C)]
    /// # struct Number {
    /// #     value: u64,
    /// # }
    /// # #[ring_kernel]
    /// # fn swallow(number: &Number) {}
    /// # let runtime = Runtime::builder().backend(Noop).build()?;
    /// let kernel = swallow::launch(&runtime, LaunchOptions::production().grid(4))?;
    /// kernel.ready_blocking()?; // or `ready().await`
    /// assert!(kernel.status().is_active());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`LifecycleError::Terminated`] if it has terminated, or is about to.
    pub async fn ready(&self) -> Result<(), LifecycleError> {
        self.kernel.core().ready().await
    }

    /// [`ready`](Self::ready), blocking.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn ready_blocking(&self) -> Result<(), LifecycleError> {
        block_on(self.ready())
    }

    /// Lets the kernel consume messages. Done when every shard does.
    ///
    /// # Errors
    ///
    /// [`LifecycleError::Terminated`] if it has terminated.
    pub async fn activate(&self) -> Result<Transition, LifecycleError> {
        self.kernel.core().set_active(true).await
    }

    /// [`activate`](Self::activate), blocking.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn activate_blocking(&self) -> Result<Transition, LifecycleError> {
        block_on(self.activate())
    }

    /// Stops consuming; state and queues are kept, and messages can still be sent. Done when every shard has stopped: a
    /// handler that runs is finished first.
    ///
    /// # Errors
    ///
    /// [`LifecycleError::Terminated`] if it has terminated.
    pub async fn deactivate(&self) -> Result<Transition, LifecycleError> {
        self.kernel.core().set_active(false).await
    }

    /// [`deactivate`](Self::deactivate), blocking.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn deactivate_blocking(&self) -> Result<Transition, LifecycleError> {
        block_on(self.deactivate())
    }

    /// Closes the kernel to new messages: no send succeeds after this returns. What was sent before is handled. Kernels that are
    /// [connected](KernelHandle::connect) to it may still send.
    pub fn close(&self) -> Transition {
        self.kernel.close()
    }

    /// Waits until everything that was sent has been handled, or the kernel has terminated. Sends may go on meanwhile; close
    /// the kernel first for an end that is final.
    ///
    /// If kernels are [connected](KernelHandle::connect) to it, directly or through others, waits until they have handled everything as well, so that nothing
    /// is under way between them. One of them that is inactive, and has messages, keeps it waiting.
    pub async fn drained(&self) {
        self.kernel.drained().await;
    }

    /// Stops at the next message boundary, for good, and waits until every shard has. What was left can be taken from the
    /// typed handle; replies that were sent can still be received.
    pub async fn terminate(&self) -> Transition {
        let transition = self.kernel.request_termination();
        self.kernel.finished().await;
        transition
    }

    /// [`terminate`](Self::terminate), blocking.
    pub fn terminate_blocking(&self) -> Transition {
        block_on(self.terminate())
    }

    /// A copy of all that the kernel keeps between messages. The kernel must be inactive, or have terminated; nothing activates it
    /// meanwhile.
    ///
    /// # Errors
    ///
    /// [`SnapshotError::Active`], or what the device says.
    pub async fn snapshot(&self) -> Result<Snapshot, SnapshotError> {
        snapshot::take(&self.kernel).await
    }

    /// [`snapshot`](Self::snapshot), blocking.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn snapshot_blocking(&self) -> Result<Snapshot, SnapshotError> {
        block_on(self.snapshot())
    }

    /// Sets all that the kernel keeps between messages to what a snapshot says: one of this kernel, with as many actors and as much
    /// bound memory, on any backend and any grid. The kernel must be inactive; nothing activates it meanwhile.
    ///
    /// # Errors
    ///
    /// [`SnapshotError`] says what does not fit. If the device fails in the middle, the state is partly set.
    pub async fn restore(&self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        snapshot::restore(&self.kernel, snapshot).await
    }

    /// [`restore`](Self::restore), blocking.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn restore_blocking(&self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        block_on(self.restore(snapshot))
    }

    /// Starts to write telemetry and hands out the value that polls it.
    ///
    /// # Errors
    ///
    /// [`TelemetryError::NoLines`] if the runtime's arena was exhausted when the kernel was launched;
    /// [`TelemetryError::Terminated`] if the kernel has terminated.
    pub fn enable_telemetry(&self) -> Result<Telemetry, TelemetryError> {
        Telemetry::enable(Arc::clone(&self.kernel), self.arena_lines)
    }

    /// The latencies of every message so far, if the kernel was launched with `track_latency`.
    pub fn latencies(&self) -> Option<LatencyHistogram> {
        LatencyHistogram::read(self.kernel.core())
    }

    pub(crate) fn shut_down(&self, limit: Duration) -> ShutdownOutcome {
        self.kernel.shut_down(limit)
    }

    /// [`shut_down`](Self::shut_down) on a thread of its own.
    async fn shut_down_elsewhere(&self, limit: Duration) -> ShutdownOutcome {
        let control = self.clone();
        let done = Arc::new((annulus_sync::event::Event::new(), std::sync::OnceLock::new()));
        let signal = Arc::clone(&done);
        let worker = move || {
            // A second result cannot come: this is the only setter.
            let _ = signal.1.set(control.shut_down(limit));
            signal.0.notify_all();
        };
        if let Err(error) = std::thread::Builder::new().name("annulus-shutdown".into()).spawn(worker) {
            // No thread is to be had: wait here after all.
            drop(error);
            return self.shut_down(limit);
        }
        loop {
            if let Some(&outcome) = done.1.get() {
                return outcome;
            }
            let listener = done.0.listen();
            if done.1.get().is_none() {
                listener.await;
            }
        }
    }
}

impl fmt::Debug for KernelControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KernelControl").field("name", &self.name()).finish_non_exhaustive()
    }
}

/// A launched kernel with its types. Clones stand for the same kernel; when the last is dropped, the kernel is closed and
/// terminated, and what was left in its queues is lost.
pub struct KernelHandle<K: RingKernel> {
    any: AnyHandle,
    /// The kernel is `K`: a handle is made by [`AnyHandle::typed`] alone.
    _kernel: PhantomData<fn() -> K>,
}

/// A handle whose types are forgotten.
#[derive(Clone)]
pub(crate) struct AnyHandle {
    guard: Arc<Guard>,
    control: KernelControl,
}

/// Terminates the kernel with the last handle, and keeps the runtime until then.
pub(crate) struct Guard {
    shared: Arc<KernelShared>,
    runtime: Arc<RuntimeInner>,
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
    pub(crate) fn new(shared: Arc<KernelShared>, runtime: Arc<RuntimeInner>) -> Self {
        let control = KernelControl::new(Arc::clone(&shared), runtime.arena_lines());
        let guard = Arc::new(Guard { shared, runtime });
        // Only a launch makes a handle from nothing, and it does so once.
        let _ = guard.shared.guard.set(Arc::downgrade(&guard));
        Self { guard, control }
    }

    /// Another handle of a kernel that runs; `None` if its last handle is being dropped.
    pub(crate) fn again(control: KernelControl) -> Option<Self> {
        Some(Self { guard: control.kernel.guard.get()?.upgrade()?, control })
    }

    #[cfg(feature = "registry")]
    pub(crate) fn control(&self) -> &KernelControl {
        &self.control
    }

    #[cfg(feature = "registry")]
    pub(crate) fn shared(&self) -> &KernelShared {
        &self.guard.shared
    }

    /// With its types, if it is a handle of that kernel.
    pub(crate) fn typed<K: RingKernel>(self) -> Option<KernelHandle<K>> {
        self.guard.shared.is::<K>().then_some(KernelHandle { any: self, _kernel: PhantomData })
    }
}

impl<K: RingKernel> KernelHandle<K> {
    fn shared(&self) -> &KernelShared {
        &self.any.guard.shared
    }

    pub(crate) fn shared_arc(&self) -> &Arc<KernelShared> {
        &self.any.guard.shared
    }

    pub(crate) fn runtime(&self) -> &Arc<RuntimeInner> {
        &self.any.guard.runtime
    }

    #[inline]
    fn inlet(&self) -> Inlet<'_, K::Message> {
        // SAFETY: the kernel is `K`, by the field's invariant.
        unsafe { Inlet::new(self.shared()) }
    }

    #[inline]
    fn outlet(&self) -> Outlet<'_, K::Output> {
        // SAFETY: the kernel is `K`, by the field's invariant.
        unsafe { Outlet::new(self.shared()) }
    }

    /// Sends without waiting.
    ///
    /// In a child that was [forked](crate#what-it-does-not-do) after the launch, messages are taken and
    /// nobody handles them, by this as by all other sends.
    ///
    /// # Errors
    ///
    /// [`TrySendError::Full`] under Block and Reject, [`TrySendError::Closed`] for good; both hand the message back.
    #[inline]
    pub fn try_send(&self, message: K::Message) -> Result<Admission<K::Message>, TrySendError<K::Message>> {
        self.inlet().try_send(message)
    }

    /// Sends, waiting for space under Block for as long as it takes. Dropping the future before it is done
    /// sends nothing; one that has waited and is [forgotten](crate#what-it-does-not-do) may keep a wake-up
    /// that others need.
    ///
    /// A kernel takes a message only while its outbound ring has room for what the handler may send. So a program that sends more than both rings
    /// hold, and receives only then, waits for ever: receive concurrently, or raise
    /// [`output_capacity`](crate::LaunchOptions::output_capacity). A wait of a second in which the kernel takes nothing is told as a warning,
    /// with what is waited for ([`STALL_TARGET`](crate::STALL_TARGET)).
    ///
    /// # Errors
    ///
    /// [`SendError::Full`] under Reject, [`SendError::Closed`] for good; both hand the message back.
    pub async fn send(&self, message: K::Message) -> Result<Admission<K::Message>, SendError<K::Message>> {
        self.inlet().send(message).await
    }

    /// [`send`](Self::send), blocking. A thread that only sends needs another one that receives, once more is sent than the kernel's rings hold:
    ///
    /// ```no_run
    /// # extern crate annulus_runtime as annulus;
    /// # use annulus_runtime::{KernelHandle, prelude::*};
    /// # #[derive(RingMessage, Clone, Copy)]
    /// # #[repr(C)]
    /// # struct Number {
    /// #     value: u64,
    /// # }
    /// # #[ring_kernel]
    /// # fn double(number: &Number, out: &Outbox<Number>) {}
    /// # fn all(kernel: KernelHandle<double>) {
    /// std::thread::scope(|scope| {
    ///     scope.spawn(|| (0..10_000).for_each(|_| println!("{}", kernel.recv_blocking().unwrap().value)));
    ///     for value in 0..10_000 {
    ///         kernel.send_blocking(Number { value }).unwrap();
    ///     }
    /// });
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As there.
    pub fn send_blocking(&self, message: K::Message) -> Result<Admission<K::Message>, SendError<K::Message>> {
        self.inlet().send_blocking(message)
    }

    /// [`send_blocking`](Self::send_blocking) for at most `limit`.
    ///
    /// # Errors
    ///
    /// As there, and [`SendError::Timeout`], which counts as rejected.
    pub fn send_timeout(
        &self,
        message: K::Message,
        limit: Duration,
    ) -> Result<Admission<K::Message>, SendError<K::Message>> {
        self.inlet().send_timeout(message, deadline(limit))
    }

    /// Sends messages in order, several at a time, with one time stamp for each run; waits for space under Block.
    ///
    /// What is evicted, discarded or a duplicate is counted, not handed back; [`send_batch_returning`](Self::send_batch_returning) hands it back. Dropping the
    /// future before it is done leaves a prefix sent.
    ///
    /// # Errors
    ///
    /// [`BatchError`] says how many were sent, and why the next was not.
    pub async fn send_batch(&self, messages: &[K::Message]) -> Result<(), BatchError> {
        self.inlet().send_batch(messages, None).await
    }

    /// [`send_batch`](Self::send_batch) that appends what comes back to `back`, in the order in which it came about: messages of the batch that were discarded or are duplicates, and
    /// such as were evicted for it. It appends no [`Accepted`](Admission::Accepted).
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
    /// assert_eq!(back, [Admission::Duplicate(Order { number: 1 })]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As there. What came back until then is in `back`.
    pub async fn send_batch_returning(
        &self,
        messages: &[K::Message],
        back: &mut Vec<Admission<K::Message>>,
    ) -> Result<(), BatchError> {
        self.inlet().send_batch(messages, Some(back)).await
    }

    /// [`send_batch_returning`](Self::send_batch_returning), blocking.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn send_batch_returning_blocking(
        &self,
        messages: &[K::Message],
        back: &mut Vec<Admission<K::Message>>,
    ) -> Result<(), BatchError> {
        self.inlet().send_batch_blocking(messages, Some(back))
    }

    /// [`send_batch`](Self::send_batch), blocking.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn send_batch_blocking(&self, messages: &[K::Message]) -> Result<(), BatchError> {
        self.inlet().send_batch_blocking(messages, None)
    }

    /// Receives without waiting. Outputs of one shard come in the order in which it sent them; replies to calls go to their
    /// callers instead.
    ///
    /// # Errors
    ///
    /// [`TryRecvError::Empty`] now, [`TryRecvError::Closed`] when the kernel has terminated and everything was received.
    #[inline]
    pub fn try_recv(&self) -> Result<K::Output, TryRecvError> {
        self.outlet().try_recv()
    }

    /// Receives up to `max` outputs that are there now, appends them to `outputs` and says how many.
    ///
    /// # Errors
    ///
    /// As for [`try_recv`](Self::try_recv), if there was none.
    pub fn try_recv_batch(&self, outputs: &mut Vec<K::Output>, max: usize) -> Result<usize, TryRecvError> {
        self.outlet().try_recv_batch(outputs, max)
    }

    /// Receives, waiting for as long as it takes. Dropping the future before it is done loses nothing; one
    /// that has waited and is [forgotten](crate#what-it-does-not-do) may keep a wake-up that other receivers
    /// need.
    ///
    /// # Errors
    ///
    /// [`RecvError::Closed`] when the kernel has terminated and everything was received.
    pub async fn recv(&self) -> Result<K::Output, RecvError> {
        self.outlet().recv().await
    }

    /// [`recv`](Self::recv), blocking: looks busily for as long as the launch's `spin` says, then sleeps.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn recv_blocking(&self) -> Result<K::Output, RecvError> {
        self.outlet().recv_blocking(None)
    }

    /// [`recv_blocking`](Self::recv_blocking) for at most `limit`.
    ///
    /// # Errors
    ///
    /// As there, and [`RecvError::Timeout`].
    pub fn recv_timeout(&self, limit: Duration) -> Result<K::Output, RecvError> {
        self.outlet().recv_blocking(Some(deadline(limit)))
    }

    /// Sends a message and waits for the reply to it: the first output of its handler. Further outputs of that handler are
    /// received like all others.
    ///
    /// Dropping the future gives the call up; if its message was sent, the handler runs all the same. Outputs that nobody
    /// receives hold replies up once they fill the outbound ring twice.
    ///
    /// # Errors
    ///
    /// [`CallError`] says why there is no reply.
    pub async fn call(&self, mut message: K::Message) -> Result<K::Output, CallError> {
        self.outlet().call(self.inlet().raw(&mut message)).await
    }

    /// [`call`](Self::call), blocking: looks busily for as long as the launch's `spin` says, then sleeps.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn call_blocking(&self, mut message: K::Message) -> Result<K::Output, CallError> {
        self.outlet().call_blocking(self.inlet().raw(&mut message))
    }

    /// [`call_blocking`](Self::call_blocking) for at most `limit`.
    ///
    /// # Errors
    ///
    /// As there, and [`CallError::Timeout`].
    pub fn call_timeout(&self, mut message: K::Message, limit: Duration) -> Result<K::Output, CallError> {
        self.outlet().call_timeout(self.inlet().raw(&mut message), deadline(limit))
    }

    /// Closes the kernel, waits until everything that was sent has been handled, and terminates it; terminates it anyway
    /// when `limit` has passed. Somebody must receive meanwhile if the kernel sends more than its outbound rings hold.
    ///
    /// Of connected kernels shut down sources first, or all by [`Runtime::shutdown_blocking`](crate::Runtime::shutdown_blocking): this kernel waits for its sources
    /// to drain, but what they are sent after that is lost to it.
    ///
    /// The wait happens on a thread of its own, since a future has no clock. Dropping the future does not stop it; what is left
    /// can then be taken with [`take_undelivered`](Self::take_undelivered). A handler that runs is not interrupted: the end waits
    /// for it, past the limit.
    pub async fn shutdown(&self, limit: Duration) -> Shutdown<K::Message> {
        let outcome = self.any.control.shut_down_elsewhere(limit).await;
        Shutdown { outcome, undelivered: self.take_undelivered() }
    }

    /// [`shutdown`](Self::shutdown), blocking.
    pub fn shutdown_blocking(&self, limit: Duration) -> Shutdown<K::Message> {
        let outcome = self.any.control.shut_down(limit);
        Shutdown { outcome, undelivered: self.take_undelivered() }
    }

    /// The messages that were left in the queues when the kernel terminated: whoever asks first gets them. Empty before.
    pub fn take_undelivered(&self) -> Vec<K::Message> {
        let mut left = self.shared().take_undelivered();
        let next = || {
            let mut message = MaybeUninit::uninit();
            // SAFETY: it was popped, and is a message of the kernel's, which is `K` by the field's invariant.
            left.pop(place(&mut message)).then(|| unsafe { message.assume_init() })
        };
        std::iter::from_fn(next).collect()
    }

    /// The kernel's dead letters: messages whose handler failed, or that were for no actor, with the error code; `None` if it was
    /// launched without. A message that was handled before this call is in it, if it failed and the letter was not lost.
    ///
    /// The store can be drained, and lives on when the kernel has terminated; see [`redrive`](Self::redrive) for another try.
    pub fn dead_letters(&self) -> Option<&DeadLetters<K::Message>> {
        let letters = self.shared().letters.as_ref()?;
        // SAFETY: the kernel is `K`, by the field's invariant.
        unsafe { letters.collected() }
    }

    /// Sends the dead letters' messages to the kernel again, oldest first, without waiting, except those that had `max_attempts`; see
    /// [`DeadLetters::redrive`]. Messages are recognised when they come back if their type has an id. Does nothing for a kernel
    /// without dead letters.
    pub fn redrive(&self, max_attempts: u32) -> Redriven<K::Message> {
        match self.dead_letters() {
            Some(letters) => letters.redrive_by(max_attempts, |message| self.inlet().try_send_again(message)),
            None => DeadLetters::new().redrive_by(max_attempts, |message| self.try_send(message)),
        }
    }

    /// The outputs as a stream, which ends when the kernel has terminated and everything was received. It does not keep the
    /// kernel running.
    pub fn outputs(&self) -> Outputs<K> {
        let output = blank(size_of::<K::Output>());
        Outputs { next: Some(next_output(Arc::clone(self.shared_arc()), output)), _kernel: PhantomData }
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

type Next = (Result<(), RecvError>, Arc<KernelShared>, Box<Bytes>);
type NextOutput = Pin<Box<dyn Future<Output = Next> + Send>>;

fn next_output(shared: Arc<KernelShared>, mut output: Box<Bytes>) -> NextOutput {
    Box::pin(async move { (shared.recv(&mut output).await, shared, output) })
}

/// A kernel's outputs as a [`Stream`]. One that has waited and is [forgotten](crate#what-it-does-not-do) may
/// keep a wake-up that other receivers need.
pub struct Outputs<K: RingKernel> {
    /// Of a kernel that is `K`.
    next: Option<NextOutput>,
    _kernel: PhantomData<fn() -> K>,
}

impl<K: RingKernel> Stream for Outputs<K> {
    type Item = K::Output;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<K::Output>> {
        let Some(next) = self.next.as_mut() else { return Poll::Ready(None) };
        match next.as_mut().poll(context) {
            Poll::Pending => Poll::Pending,
            Poll::Ready((Err(_), ..)) => {
                self.next = None;
                Poll::Ready(None)
            }
            Poll::Ready((Ok(()), shared, bytes)) => {
                // SAFETY: an output of the kernel's was received into the bytes, which need not be aligned.
                let output = unsafe { bytes.as_ptr().cast::<K::Output>().read_unaligned() };
                self.next = Some(next_output(shared, bytes));
                Poll::Ready(Some(output))
            }
        }
    }
}

impl<K: RingKernel> fmt::Debug for Outputs<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outputs").field("ended", &self.next.is_none()).finish_non_exhaustive()
    }
}

/// The moment `limit` from now; a limit that no clock can hold becomes thirty years.
pub(crate) fn deadline(limit: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(limit).unwrap_or_else(|| now + Duration::from_secs(30 * 365 * 86_400))
}
