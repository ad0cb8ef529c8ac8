//! Receiving from a kernel.

use std::{
    future::poll_fn,
    iter,
    marker::PhantomData,
    mem::MaybeUninit,
    time::{Duration, Instant},
};

use annulus_abi::ring::kind;
use annulus_kernel::RingMessage;
use annulus_queue::{Admission, RecvError, SendError, TryRecvError};
use annulus_ring::ring::Consumer;
use annulus_sync::{
    Ordering, spin_loop,
    wait::{block_on, block_on_deadline},
};

use crate::{
    bytes::{Bytes, RawMessage, place},
    calls::PendingCall,
    error::CallError,
    kernel::KernelShared,
};

/// Outputs that are received before the look begins at the next shard: so many that lines stay in this core's cache, so few that
/// no shard waits for long.
const STAY: usize = 32;

/// A kernel, by the type of the outputs that it sends. The rest of the runtime knows outputs as bytes.
pub(crate) struct Outlet<'a, O> {
    kernel: &'a KernelShared,
    _output: PhantomData<fn() -> O>,
}

/// Room for outputs.
pub(crate) trait Places {
    /// A place for one output.
    fn place(&mut self) -> &mut Bytes;
    /// Takes outputs out of the ring, up to `most` and up to the first slot that has something else; how many.
    ///
    /// # Safety
    ///
    /// Blocks write outputs of this type into the ring.
    unsafe fn take_run(&mut self, ring: &mut Consumer, most: usize) -> usize;
    /// Keeps what was written to the [`place`](Self::place).
    ///
    /// # Safety
    ///
    /// It was asked for just now, and an output of the type was written there.
    unsafe fn keep_one(&mut self);
}

impl<O: RingMessage> Places for Vec<O> {
    fn place(&mut self) -> &mut Bytes {
        self.reserve(1);
        place(&mut self.spare_capacity_mut()[0])
    }

    unsafe fn take_run(&mut self, ring: &mut Consumer, most: usize) -> usize {
        let before = self.len();
        let next = || {
            let slot = ring.peek()?;
            if slot.kind != kind::MESSAGE || slot.header.correlation != 0 {
                return None;
            }
            // SAFETY: the slot was just peeked, and is an output of this type by the caller's word.
            let output = unsafe { ring.read::<O>(&slot) };
            ring.advance(&slot);
            ring.give_back();
            Some(output)
        };
        self.extend(iter::from_fn(next).take(most));
        self.len() - before
    }

    unsafe fn keep_one(&mut self) {
        let length = self.len() + 1;
        // SAFETY: there was room for it, and it was written, by the caller's word.
        unsafe { self.set_len(length) };
    }
}

impl<'a, O: RingMessage> Outlet<'a, O> {
    /// Of a kernel.
    ///
    /// # Safety
    ///
    /// `O` is the kernel's output type.
    #[inline]
    pub(crate) unsafe fn new(kernel: &'a KernelShared) -> Self {
        Self { kernel, _output: PhantomData }
    }

    /// The output that `receive` writes to its place, if it succeeds.
    ///
    /// # Safety
    ///
    /// If it succeeds, an output of the kernel's is there.
    #[inline]
    unsafe fn output<E>(
        self,
        receive: impl FnOnce(&KernelShared, &mut Bytes) -> Result<(), E>,
    ) -> Result<O, E> {
        let mut output = MaybeUninit::uninit();
        receive(self.kernel, place(&mut output))?;
        // SAFETY: by the caller's word; and of this type, by `new`.
        Ok(unsafe { output.assume_init() })
    }

    #[inline]
    pub(crate) fn try_recv(self) -> Result<O, TryRecvError> {
        // SAFETY: that is what the function does.
        unsafe { self.output(KernelShared::try_recv) }
    }

    /// Up to `max` outputs that are there now, appended to `outputs`.
    pub(crate) fn try_recv_batch(self, outputs: &mut Vec<O>, max: usize) -> Result<usize, TryRecvError> {
        // SAFETY: the kernel's outputs are of this type.
        unsafe { self.kernel.try_recv_batch(outputs, max) }
    }

    pub(crate) async fn recv(self) -> Result<O, RecvError> {
        let mut output = MaybeUninit::uninit();
        self.kernel.recv(place(&mut output)).await?;
        // SAFETY: it was received; and is of this type, by `new`.
        Ok(unsafe { output.assume_init() })
    }

    pub(crate) fn recv_blocking(self, deadline: Option<Instant>) -> Result<O, RecvError> {
        // SAFETY: that is what the function does.
        unsafe { self.output(|kernel, output| kernel.recv_blocking(deadline, output)) }
    }

    pub(crate) async fn call(self, message: RawMessage<'_>) -> Result<O, CallError> {
        let mut output = MaybeUninit::uninit();
        self.kernel.call(message, place(&mut output)).await?;
        // SAFETY: a reply is an output; and of this type, by `new`.
        Ok(unsafe { output.assume_init() })
    }

    pub(crate) fn call_blocking(self, message: RawMessage<'_>) -> Result<O, CallError> {
        // SAFETY: a reply is an output.
        unsafe { self.output(|kernel, output| kernel.call_blocking(message, output)) }
    }

    pub(crate) fn call_timeout(self, message: RawMessage<'_>, deadline: Instant) -> Result<O, CallError> {
        // SAFETY: a reply is an output.
        unsafe { self.output(|kernel, output| kernel.call_timeout(message, deadline, output)) }
    }
}

// What is received is written to `output`, if it succeeds.
impl KernelShared {
    pub(crate) fn try_recv(&self, output: &mut Bytes) -> Result<(), TryRecvError> {
        // Before the look: what was published before the kernel finished is then seen.
        let finished = self.core.is_finished();
        let shards = self.outbound.len();
        if shards == 1 {
            return if self.may_have(0) && self.take_from(0, output) { Ok(()) } else { Err(empty(finished)) };
        }
        let start = self.received.load(Ordering::Relaxed) / STAY;
        for i in 0..shards {
            let shard = (start.wrapping_add(i)) % shards;
            if self.may_have(shard) && self.take_from(shard, output) {
                self.received.fetch_add(1, Ordering::Relaxed);
                return Ok(());
            }
        }
        Err(empty(finished))
    }

    /// Up to `max` outputs that are there now, appended to `outputs`.
    ///
    /// # Safety
    ///
    /// `outputs` takes outputs of this kernel's type.
    unsafe fn try_recv_batch(&self, outputs: &mut dyn Places, max: usize) -> Result<usize, TryRecvError> {
        let finished = self.core.is_finished();
        let shards = self.outbound.len();
        let start = self.received.fetch_add(STAY, Ordering::Relaxed) / STAY;
        let mut taken = 0;
        for i in 0..shards {
            let shard = (start.wrapping_add(i)) % shards;
            if taken < max && self.may_have(shard) {
                // SAFETY: by the caller's word.
                taken += unsafe { self.take_many(shard, max - taken, outputs) };
            }
        }
        if taken == 0 && max != 0 { Err(empty(finished)) } else { Ok(taken) }
    }

    /// Whether a shard's outputs are worth the lock: an empty look then touches only the line that an output will come in.
    ///
    /// After `false` there was a moment without an output: one that left the ring to be parked before that moment is counted in
    /// `parked`, which the acquire load of the ring's position makes visible (SYNC: parked).
    #[inline]
    fn may_have(&self, shard: usize) -> bool {
        self.core.shards[shard].outbound.may_be_ready()
            || self.outbound[shard].parked.load(Ordering::Relaxed) != 0
    }

    /// An attempt of a receive that may wait: `None` if waiting helps.
    #[inline]
    fn receive(&self, output: &mut Bytes) -> Option<Result<(), RecvError>> {
        match self.try_recv(output) {
            Ok(()) => Some(Ok(())),
            Err(TryRecvError::Closed) => Some(Err(RecvError::Closed)),
            Err(TryRecvError::Empty) => None,
        }
    }

    pub(crate) async fn recv(&self, output: &mut Bytes) -> Result<(), RecvError> {
        loop {
            if let Some(received) = self.receive(output) {
                return received;
            }
            let listener = self.core.ready.listen();
            if let Some(received) = self.receive(output) {
                return received;
            }
            self.core.expect();
            listener.await;
        }
    }

    pub(crate) fn recv_blocking(
        &self,
        deadline: Option<Instant>,
        output: &mut Bytes,
    ) -> Result<(), RecvError> {
        if let Some(received) = self.spin_until(deadline, || self.receive(output)) {
            return received;
        }
        match deadline {
            None => block_on(self.recv(output)),
            Some(deadline) => {
                block_on_deadline(self.recv(output), deadline).unwrap_or(Err(RecvError::Timeout))
            }
        }
    }

    /// Tries for as long as the kernel's own blocks look for work, and not past the deadline: waking up costs microseconds.
    fn spin_until<R>(&self, deadline: Option<Instant>, mut attempt: impl FnMut() -> Option<R>) -> Option<R> {
        let start = Instant::now();
        let left = deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(start));
        let limit = self.core.options.spin.min(left);
        loop {
            // A clock read costs as much as several looks.
            for _ in 0..32 {
                if let Some(result) = attempt() {
                    return Some(result);
                }
                spin_loop();
            }
            if start.elapsed() >= limit {
                return None;
            }
        }
    }

    /// Begins a call.
    ///
    /// What a shard sent before stands in front of its reply, and may be what it waits for to go on: it is put aside here, and
    /// from now on by whoever reports progress (SYNC: call-begun).
    fn begin_call(&self, message: &RawMessage<'_>) -> PendingCall<'_> {
        let call = self.calls.begin();
        let keyed = self.core.definition.key.map(|_| self.shard_of(message));
        let shards = keyed.map_or(0..self.outbound.len(), |shard| shard..shard + 1);
        for shard in shards.filter(|&shard| self.core.shards[shard].outbound.may_be_ready()) {
            self.demultiplex(shard);
        }
        call
    }

    async fn call(&self, message: RawMessage<'_>, reply: &mut Bytes) -> Result<(), CallError> {
        if !self.core.options.calls {
            return Err(CallError::Disabled);
        }
        let call = self.begin_call(&message);
        accepted(self.send(message, call.correlation()).await)?;
        self.core.expect();
        poll_fn(|context| call.poll(context, reply)).await
    }

    /// [`call`](Self::call), blocking: looks busily for as long as the kernel's own blocks do, then sleeps.
    pub(crate) fn call_blocking(&self, message: RawMessage<'_>, reply: &mut Bytes) -> Result<(), CallError> {
        if !self.core.options.calls {
            return Err(CallError::Disabled);
        }
        let call = self.begin_call(&message);
        let mut completed = self.calls.completed();
        accepted(self.send_blocking(message, call.correlation()))?;
        let result = self.spin_until(None, || {
            // The reply is completed by whoever sees it first, here or on the kernel's side.
            for shard in
                (0..self.outbound.len()).filter(|&shard| self.core.shards[shard].outbound.may_be_ready())
            {
                self.demultiplex(shard);
            }
            let now = self.calls.completed();
            if now == completed {
                return None;
            }
            completed = now;
            call.try_take(reply)
        });
        result.unwrap_or_else(|| {
            self.core.expect();
            block_on(poll_fn(|context| call.poll(context, reply)))
        })
    }

    fn call_timeout(
        &self,
        message: RawMessage<'_>,
        deadline: Instant,
        reply: &mut Bytes,
    ) -> Result<(), CallError> {
        block_on_deadline(self.call(message, reply), deadline).unwrap_or(Err(CallError::Timeout))
    }
}

/// What became of a call's message, if it will not be answered.
fn accepted(sent: Result<Admission<()>, SendError<()>>) -> Result<(), CallError> {
    match sent {
        Ok(Admission::Accepted | Admission::Evicted(_)) => Ok(()),
        Ok(Admission::Discarded(_)) => Err(CallError::Dropped),
        Ok(Admission::Duplicate(_)) => Err(CallError::Duplicate),
        Err(SendError::Full(_)) => Err(CallError::Full),
        Err(SendError::Closed(_)) => Err(CallError::Closed),
        Err(SendError::Timeout(_)) => Err(CallError::Timeout),
        // Messages of a kernel have one size, and its queue takes that; there is no other way of not being sent.
        Err(_) => Err(CallError::Dropped),
    }
}

fn empty(finished: bool) -> TryRecvError {
    if finished { TryRecvError::Closed } else { TryRecvError::Empty }
}
