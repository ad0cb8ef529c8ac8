//! What a program holds of a launched kernel.

use std::{
    any::Any,
    fmt,
    marker::PhantomData,
    mem::MaybeUninit,
    ops::Deref,
    sync::{Arc, Weak},
    time::{Duration, Instant},
};

use annulus_kernel::RingKernel;
use annulus_queue::{DeadLetters, RecvError, Redriven, SendError, SendOutcome, TryRecvError, TrySendError};

use crate::{
    error::CallError,
    handle::{
        control::KernelControl,
        outputs::{Outputs, next_output},
        receive::Outlet,
        send::{BatchError, Inlet},
    },
    kernel::{
        bytes::{blank, place},
        lifecycle::ShutdownOutcome,
        shared::KernelShared,
    },
};

pub(crate) mod control;
pub(crate) mod outputs;
pub(crate) mod receive;
pub(crate) mod send;

/// A launched kernel with its types. Clones stand for the same kernel; when the last is dropped, the kernel
/// is closed and terminated, and what was left in its queues is lost.
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
        // Only a launch makes a handle from nothing, and it does so once.
        let all: Weak<Guard> = Arc::downgrade(&guard);
        let _ = guard.shared.guard.set(all);
        Self { guard, control }
    }

    /// Another handle of a kernel that runs; `None` if its last handle is being dropped.
    pub(crate) fn again(control: KernelControl) -> Option<Self> {
        let guard = control.kernel.guard.get()?.upgrade()?;
        Some(Self { guard: guard.downcast().ok()?, control })
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

    pub(crate) fn runtime(&self) -> &Arc<dyn Any + Send + Sync> {
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
    /// [`TrySendError::Full`] under Block and Reject, [`TrySendError::Closed`] for good; both hand the
    /// message back.
    #[inline]
    pub fn try_send(&self, message: K::Message) -> Result<SendOutcome<K::Message>, TrySendError<K::Message>> {
        self.inlet().try_send(message)
    }

    /// Sends, waiting for space under Block for as long as it takes. Dropping the future before it is done
    /// sends nothing; one that has waited and is [forgotten](crate#what-it-does-not-do) may keep a wake-up
    /// that others need.
    ///
    /// A kernel takes a message only while its outbound ring has room for what the handler may send. So a
    /// program that sends more than both rings hold, and receives only then, waits for ever: receive
    /// concurrently, or raise [`output_capacity`](crate::LaunchOptions::output_capacity). A wait of a second
    /// in which the kernel takes nothing is told as a warning, with what is waited for
    /// ([`STALL_TARGET`](crate::STALL_TARGET)).
    ///
    /// # Errors
    ///
    /// [`SendError::Full`] under Reject, [`SendError::Closed`] for good; both hand the message back.
    pub async fn send(&self, message: K::Message) -> Result<SendOutcome<K::Message>, SendError<K::Message>> {
        self.inlet().send(message).await
    }

    /// [`send`](Self::send), blocking. A thread that only sends needs another one that receives, once more is
    /// sent than the kernel's rings hold:
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
    pub fn send_blocking(
        &self,
        message: K::Message,
    ) -> Result<SendOutcome<K::Message>, SendError<K::Message>> {
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
    ) -> Result<SendOutcome<K::Message>, SendError<K::Message>> {
        self.inlet().send_timeout(message, deadline(limit))
    }

    /// Sends messages in order, several at a time, with one time stamp for each run; waits for space under
    /// Block.
    ///
    /// What is evicted, discarded or a duplicate is counted, not handed back;
    /// [`send_batch_returning`](Self::send_batch_returning) hands it back. Dropping the future before it is
    /// done leaves a prefix sent.
    ///
    /// # Errors
    ///
    /// [`BatchError`] says how many were sent, and why the next was not.
    pub async fn send_batch(&self, messages: &[K::Message]) -> Result<(), BatchError> {
        self.inlet().send_batch(messages, None).await
    }

    /// [`send_batch`](Self::send_batch) that appends what comes back to `back`, in the order in which it came
    /// about: messages of the batch that were discarded or are duplicates, and such as were evicted for it.
    /// It appends no [`Accepted`](SendOutcome::Accepted).
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
    /// As there. What came back until then is in `back`.
    pub async fn send_batch_returning(
        &self,
        messages: &[K::Message],
        back: &mut Vec<SendOutcome<K::Message>>,
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
        back: &mut Vec<SendOutcome<K::Message>>,
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

    /// Receives without waiting. Outputs of one shard come in the order in which it sent them; replies to
    /// calls go to their callers instead.
    ///
    /// # Errors
    ///
    /// [`TryRecvError::Empty`] now, [`TryRecvError::Closed`] when the kernel has terminated and everything
    /// was received.
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

    /// Sends a message and waits for the reply to it: the first output of its handler. Further outputs of
    /// that handler are received like all others.
    ///
    /// Dropping the future gives the call up; if its message was sent, the handler runs all the same.
    ///
    /// A reply has room of its own, whatever else waits. A call whose handler may send more than that still
    /// needs room for its further outputs; and a call waits its turn behind messages that were sent before,
    /// which the kernel does not take as long as its outbound ring is full.
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

    /// Closes the kernel, waits until everything that was sent has been handled, and terminates it;
    /// terminates it anyway when `limit` has passed. Somebody must receive meanwhile if the kernel sends more
    /// than its outbound rings hold.
    ///
    /// Of connected kernels shut down sources first, or all by
    /// [`Runtime::shutdown_blocking`](crate::Runtime::shutdown_blocking): this kernel waits for its sources
    /// to drain, but what they are sent after that is lost to it.
    ///
    /// The wait happens on a thread of its own, since a future has no clock. Dropping the future does not
    /// stop it; what is left can then be taken with [`take_undelivered`](Self::take_undelivered). A handler
    /// that runs is not interrupted: the end waits for it, past the limit.
    pub async fn shutdown(&self, limit: Duration) -> Shutdown<K::Message> {
        let outcome = self.any.control.shut_down_elsewhere(limit).await;
        Shutdown { outcome, undelivered: self.take_undelivered() }
    }

    /// [`shutdown`](Self::shutdown), blocking.
    pub fn shutdown_blocking(&self, limit: Duration) -> Shutdown<K::Message> {
        let outcome = self.any.control.shut_down(limit);
        Shutdown { outcome, undelivered: self.take_undelivered() }
    }

    /// The messages that were left in the queues when the kernel terminated: whoever asks first gets them.
    /// Empty before.
    pub fn take_undelivered(&self) -> Vec<K::Message> {
        let mut left = self.shared().take_undelivered();
        let next = || {
            let mut message = MaybeUninit::uninit();
            // SAFETY: it was popped, and is a message of the kernel's, which is `K` by the field's invariant.
            left.pop(place(&mut message)).then(|| unsafe { message.assume_init() })
        };
        std::iter::from_fn(next).collect()
    }

    /// The kernel's dead letters: messages whose handler failed, or that were for no actor, with the error
    /// code; `None` if it was launched without. A message that was handled before this call is in it, if it
    /// failed and the dead letter was not lost.
    ///
    /// The store can be drained, and lives on when the kernel has terminated; see [`redrive`](Self::redrive)
    /// for another try.
    pub fn dead_letters(&self) -> Option<&DeadLetters<K::Message>> {
        let dead_letters = self.shared().dead_letters.as_ref()?;
        // SAFETY: the kernel is `K`, by the field's invariant.
        unsafe { dead_letters.collected() }
    }

    /// Sends the dead letters' messages to the kernel again, oldest first, without waiting, except those that
    /// had `max_attempts`; see [`DeadLetters::redrive`]. Messages are recognised when they come back if their
    /// type has an id. Does nothing for a kernel without dead letters.
    pub fn redrive(&self, max_attempts: u32) -> Redriven<K::Message> {
        match self.dead_letters() {
            Some(dead_letters) => {
                dead_letters.redrive_by(max_attempts, |message| self.inlet().try_send_again(message))
            }
            None => DeadLetters::new().redrive_by(max_attempts, |message| self.try_send(message)),
        }
    }

    /// The outputs as a stream, which ends when the kernel has terminated and everything was received. It
    /// does not keep the kernel running.
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

/// The moment `limit` from now; a limit that no clock can hold becomes thirty years.
pub(crate) fn deadline(limit: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(limit).unwrap_or_else(|| now + Duration::from_secs(30 * 365 * 86_400))
}
