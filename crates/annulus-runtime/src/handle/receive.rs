//! Receiving from a kernel.

use std::{iter, marker::PhantomData, mem::MaybeUninit, time::Instant};

use annulus_abi::ring::kind;
use annulus_kernel::RingMessage;
use annulus_queue::{RecvError, TryRecvError};
use annulus_ring::ring::Consumer;
use annulus_sync::wait::{block_on, block_on_deadline};

use crate::{
    error::CallError,
    kernel::{
        bytes::{Bytes, RawMessage, place},
        outbound::{Destination, TakeRun},
        shared::KernelShared,
    },
    stamps::note_stamp,
    traces::note_received,
};

/// A kernel, or one of its outboxes, with the type of the outputs that it sends. The rest of the runtime handles outputs as
/// bytes.
pub(crate) struct Outlet<'a, O> {
    kernel: &'a KernelShared,
    /// The outbox's number.
    port: Option<usize>,
    _output: PhantomData<fn() -> O>,
}

impl<O> Clone for Outlet<'_, O> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<O> Copy for Outlet<'_, O> {}

impl<O: RingMessage> Destination for Vec<O> {
    unsafe fn append(&mut self, output: &Bytes) {
        // SAFETY: it holds an output of this type, by the caller's word; bytes need no alignment here.
        self.push(unsafe { output.as_ptr().cast::<O>().read_unaligned() });
    }
}

impl<O: RingMessage> TakeRun for Vec<O> {
    unsafe fn take_run(&mut self, ring: &mut Consumer, most: usize) -> usize {
        let before = self.len();
        let (mut last, mut stamp) = (0, 0);
        let next = || {
            let slot = ring.peek().filter(|slot| slot.kind == kind::MESSAGE)?;
            // SAFETY: the slot was just peeked, and is an output of this type by the caller's word.
            let output = unsafe { ring.read::<O>(&slot) };
            if slot.header.trace | last != 0 {
                last = slot.header.trace;
                note_received(last);
            }
            // Those of one block rise.
            stamp = slot.header.stamp;
            ring.advance(&slot);
            ring.give_back();
            Some(output)
        };
        self.extend(iter::from_fn(next).take(most));
        note_stamp(stamp);
        self.len() - before
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
        Self { kernel, port: None, _output: PhantomData }
    }

    /// Of an outbox of a kernel, if this is a number.
    ///
    /// # Safety
    ///
    /// The kernel has several outboxes if this is a number, this one among them, and `O` is what it sends; else `O` is the
    /// kernel's output type. An outbox is not used for calls.
    #[inline]
    pub(crate) unsafe fn by(kernel: &'a KernelShared, port: Option<usize>) -> Self {
        Self { kernel, port, _output: PhantomData }
    }

    /// The output that `receive` writes to its place, if it succeeds.
    ///
    /// # Safety
    ///
    /// If it succeeds, an output is there: of the outbox, or of the kernel if this is no outbox.
    #[inline]
    unsafe fn output<E>(
        self,
        receive: impl FnOnce(&KernelShared, &mut Bytes) -> Result<(), E>,
    ) -> Result<O, E> {
        let mut output = MaybeUninit::uninit();
        receive(self.kernel, place(&mut output))?;
        // SAFETY: by the caller's word; and of this type, by `new` or `by`.
        Ok(unsafe { output.assume_init() })
    }

    #[inline]
    pub(crate) fn try_recv(self) -> Result<O, TryRecvError> {
        // SAFETY: that is what the function does.
        unsafe { self.output(|kernel, output| kernel.try_recv(self.port, output)) }
    }

    /// Up to `max` outputs that are there now, appended to `outputs`.
    pub(crate) fn try_recv_batch(self, outputs: &mut Vec<O>, max: usize) -> Result<usize, TryRecvError> {
        // SAFETY: what the kernel sends, or the outbox, is of this type.
        unsafe { self.kernel.try_recv_batch(self.port, outputs, max) }
    }

    /// One attempt to receive a batch: `None` if waiting helps.
    fn receive_batch(self, outputs: &mut Vec<O>, max: usize) -> Option<Result<usize, RecvError>> {
        match self.try_recv_batch(outputs, max) {
            Ok(received) => Some(Ok(received)),
            Err(TryRecvError::Closed) => Some(Err(RecvError::Closed)),
            Err(_) => None,
        }
    }

    pub(crate) async fn recv_batch(self, outputs: &mut Vec<O>, max: usize) -> Result<usize, RecvError> {
        let core = &self.kernel.core;
        loop {
            if let Some(received) = self.receive_batch(outputs, max) {
                return received;
            }
            let listener = core.ready.listen();
            if let Some(received) = self.receive_batch(outputs, max) {
                return received;
            }
            core.expect();
            listener.await;
        }
    }

    pub(crate) fn recv_batch_blocking(
        self,
        outputs: &mut Vec<O>,
        max: usize,
        deadline: Option<Instant>,
    ) -> Result<usize, RecvError> {
        if let Some(received) = self.kernel.spin_until(deadline, || self.receive_batch(outputs, max)) {
            return received;
        }
        let receiving = self.recv_batch(outputs, max);
        match deadline {
            None => block_on(receiving),
            Some(deadline) => block_on_deadline(receiving, deadline).unwrap_or(Err(RecvError::Timeout)),
        }
    }

    pub(crate) async fn recv(self) -> Result<O, RecvError> {
        let mut output = MaybeUninit::uninit();
        self.kernel.recv(self.port, place(&mut output)).await?;
        // SAFETY: it was received; and is of this type, by `new` or `by`.
        Ok(unsafe { output.assume_init() })
    }

    pub(crate) fn recv_blocking(self, deadline: Option<Instant>) -> Result<O, RecvError> {
        // SAFETY: that is what the function does.
        unsafe { self.output(|kernel, output| kernel.recv_blocking(self.port, deadline, output)) }
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
