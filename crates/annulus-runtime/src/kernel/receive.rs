//! Receiving from a kernel without its types: outputs are bytes.

use std::{
    future::poll_fn,
    time::{Duration, Instant},
};

use annulus_queue::{RecvError, SendError, SendOutcome, TryRecvError};
use annulus_sync::{
    Ordering, spin_loop,
    wait::{block_on, block_on_deadline},
};

use crate::{
    error::CallError,
    kernel::{
        bytes::{Bytes, RawMessage},
        calls::PendingCall,
        outbound::Destination,
        shared::KernelShared,
    },
};

/// Number of outputs that are received before the search begins at the next shard. It is large enough that
/// cache lines stay in this core's cache, and small enough that no shard waits for long.
const STAY: usize = 32;

/// # Receiving
///
/// By an outbox, if it has several and a number is given, or else by all.
impl KernelShared {
    pub(crate) fn try_recv(&self, port: Option<usize>, output: &mut Bytes) -> Result<(), TryRecvError> {
        if self.ports.are_several() {
            return match port {
                Some(port) => self.try_recv_by(port, output),
                None => self.try_recv_by_any(output),
            };
        }
        // Read before the look: then the look sees everything that was published before the kernel finished.
        let finished = self.core.is_finished();
        let shards = self.outbound.len();
        if shards == 1 {
            return if self.may_have(0) && self.take_from(0, output) { Ok(()) } else { Err(empty(finished)) };
        }
        match self.take_next(|shard| self.take_from(shard, output)) {
            true => Ok(()),
            false => Err(empty(finished)),
        }
    }

    /// Searches the shards for one that may have an output, and of which `take` takes it. Returns whether there was one.
    pub(crate) fn take_next(&self, mut take: impl FnMut(usize) -> bool) -> bool {
        let shards = self.outbound.len();
        let start = self.received.load(Ordering::Relaxed) / STAY;
        let taken = (0..shards)
            .map(|i| start.wrapping_add(i) % shards)
            .any(|shard| self.may_have(shard) && take(shard));
        if taken {
            self.received.fetch_add(1, Ordering::Relaxed);
        }
        taken
    }

    /// Up to `max` outputs that are there now, appended to `outputs`.
    ///
    /// # Safety
    ///
    /// `outputs` takes outputs of this outbox's type, or of this kernel's.
    pub(crate) unsafe fn try_recv_batch(
        &self,
        port: Option<usize>,
        outputs: &mut dyn Destination,
        max: usize,
    ) -> Result<usize, TryRecvError> {
        if self.ports.are_several() {
            return match port {
                // SAFETY: by the caller's word.
                Some(port) => unsafe { self.try_recv_batch_by(port, outputs, max) },
                // SAFETY: by the caller's word.
                None => unsafe { self.try_recv_batch_by_any(outputs, max) },
            };
        }
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

    /// Whether it is worth taking the lock for a shard's outputs. If there is no output, this touches only
    /// the cache line in which the next output will come. After `false`, there was a moment without an
    /// output.
    #[inline]
    pub(crate) fn may_have(&self, shard: usize) -> bool {
        self.core.shards[shard].outbound.may_be_ready()
    }

    /// Whether the kernel has sent nothing by this outbox, or at all if it has one, that nobody has received. Its blocks rest, or
    /// may send something at any time.
    pub(crate) fn has_no_output(&self, port: Option<usize>) -> bool {
        // Slots are given back with release (`SYNC: slots-returned`): what whoever took them did before is seen after this. A
        // sole producer moves the gauge late.
        let is_empty = |shard: usize| self.core.shards[shard].outbound.depth() == 0 && !self.may_have(shard);
        let has_none_of = |shard: usize| {
            let Some(port) = port.filter(|_| self.ports.are_several()) else { return false };
            let mut none = true;
            // SAFETY: outputs of several outboxes begin with the number of their own.
            unsafe { self.outbound[shard].look(|word| none &= word as usize != port) };
            none
        };
        (0..self.core.shards.len()).all(|shard| is_empty(shard) || has_none_of(shard))
            && port.is_none_or(|port| !self.ports.are_several() || self.ports.is_none_aside(port))
    }

    /// One attempt of a receive that may wait: `None` if waiting helps.
    #[inline]
    pub(crate) fn receive(&self, port: Option<usize>, output: &mut Bytes) -> Option<Result<(), RecvError>> {
        match self.try_recv(port, output) {
            Ok(()) => Some(Ok(())),
            Err(TryRecvError::Closed) => Some(Err(RecvError::Closed)),
            Err(_) => None,
        }
    }

    pub(crate) async fn recv(&self, port: Option<usize>, output: &mut Bytes) -> Result<(), RecvError> {
        loop {
            if let Some(received) = self.receive(port, output) {
                return received;
            }
            let listener = self.core.ready.listen();
            if let Some(received) = self.receive(port, output) {
                return received;
            }
            self.core.expect();
            listener.await;
        }
    }

    pub(crate) fn recv_blocking(
        &self,
        port: Option<usize>,
        deadline: Option<Instant>,
        output: &mut Bytes,
    ) -> Result<(), RecvError> {
        if let Some(received) = self.spin_until(deadline, || self.receive(port, output)) {
            return received;
        }
        let receiving = self.recv(port, output);
        match deadline {
            None => block_on(receiving),
            Some(deadline) => block_on_deadline(receiving, deadline).unwrap_or(Err(RecvError::Timeout)),
        }
    }

    /// Tries for as long as the kernel's own blocks poll for work, but not past the deadline: waking up costs
    /// microseconds.
    pub(crate) fn spin_until<R>(
        &self,
        deadline: Option<Instant>,
        mut attempt: impl FnMut() -> Option<R>,
    ) -> Option<R> {
        let start = Instant::now();
        let left = deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(start));
        let limit = self.core.options.shape.spin.min(left);
        loop {
            // Several looks for each clock read, which costs as much as several looks.
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

    pub(crate) async fn call(&self, message: RawMessage<'_>, reply: &mut Bytes) -> Result<(), CallError> {
        if !self.core.options.outbound.calls {
            return Err(CallError::Disabled);
        }
        let mut call = self.calls.begin();
        accepted(self.send(message, Some(&mut call)).await)?;
        self.answer(&mut call, reply).await
    }

    /// Waits for the reply to a call whose message was sent.
    async fn answer(&self, call: &mut PendingCall<'_>, reply: &mut Bytes) -> Result<(), CallError> {
        poll_fn(|context| {
            let answer = call.poll(context, reply);
            if answer.is_pending() {
                self.core.expect();
            }
            answer
        })
        .await
    }

    /// [`call`](Self::call), blocking: polls for as long as the kernel's own blocks do, then sleeps.
    pub(crate) fn call_blocking(&self, message: RawMessage<'_>, reply: &mut Bytes) -> Result<(), CallError> {
        if !self.core.options.outbound.calls {
            return Err(CallError::Disabled);
        }
        let mut call = self.calls.begin();
        accepted(self.send_blocking(message, Some(&mut call)))?;
        self.spin_until(None, || call.try_take(reply))
            .unwrap_or_else(|| block_on(self.answer(&mut call, reply)))
    }

    pub(crate) fn call_timeout(
        &self,
        message: RawMessage<'_>,
        deadline: Instant,
        reply: &mut Bytes,
    ) -> Result<(), CallError> {
        block_on_deadline(self.call(message, reply), deadline).unwrap_or(Err(CallError::Timeout))
    }
}

/// The error of a call whose message was not accepted, and so will not be answered.
pub(crate) fn accepted(sent: Result<SendOutcome<()>, SendError<()>>) -> Result<(), CallError> {
    match sent {
        Ok(SendOutcome::Accepted | SendOutcome::Evicted(_)) => Ok(()),
        Ok(SendOutcome::Discarded(_)) => Err(CallError::Dropped),
        Ok(SendOutcome::Duplicate(_)) => Err(CallError::Duplicate),
        Err(SendError::Full(_)) => Err(CallError::Full),
        Err(SendError::Closed(_)) => Err(CallError::Closed),
        Err(SendError::Timeout(_)) => Err(CallError::Timeout),
        Err(SendError::Oversize { size, limit, .. }) => Err(CallError::Oversize { size, limit }),
        // The other errors cannot occur: all messages of a kernel have the same size, and its queue takes
        // that size.
        Err(_) => Err(CallError::Dropped),
    }
}

pub(crate) fn empty(finished: bool) -> TryRecvError {
    if finished { TryRecvError::Closed } else { TryRecvError::Empty }
}
