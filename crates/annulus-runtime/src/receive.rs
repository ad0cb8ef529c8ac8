//! Receiving from a kernel.

use std::{
    future::poll_fn,
    time::{Duration, Instant},
};

use annulus_kernel::RingKernel;
use annulus_queue::{
    Admission, RecvError, SendError, TryRecvError,
    sync::{Ordering, spin_loop},
    wait::{block_on, block_on_deadline},
};

use crate::{error::CallError, kernel::KernelShared};

impl<K: RingKernel> KernelShared<K> {
    #[inline]
    pub(crate) fn try_recv(&self) -> Result<K::Output, TryRecvError> {
        // Before the look: what was published before the kernel finished is then seen.
        let finished = self.core.is_finished();
        let shards = self.outbound.len();
        if shards == 1 {
            return self.take_from(0).ok_or(empty(finished));
        }
        let start = self.cursor.load(Ordering::Relaxed);
        for i in 0..shards {
            let shard = (start.wrapping_add(i)) % shards;
            if !finished && !self.may_have(shard) {
                continue;
            }
            if let Some(output) = self.take_from(shard) {
                // Stay with it while it has more, so that its lines stay in this core's cache.
                self.cursor.store(shard, Ordering::Relaxed);
                return Ok(output);
            }
        }
        Err(empty(finished))
    }

    /// Up to `max` outputs that are there now, appended to `outputs`.
    pub(crate) fn try_recv_batch(
        &self,
        outputs: &mut Vec<K::Output>,
        max: usize,
    ) -> Result<usize, TryRecvError> {
        let finished = self.core.is_finished();
        let shards = self.outbound.len();
        let start = self.cursor.fetch_add(1, Ordering::Relaxed);
        let mut taken = 0;
        for i in 0..shards {
            let shard = (start.wrapping_add(i)) % shards;
            if taken < max && (finished || shards == 1 || self.may_have(shard)) {
                taken += self.take_many(shard, max - taken, outputs);
            }
        }
        if taken == 0 && max != 0 { Err(empty(finished)) } else { Ok(taken) }
    }

    /// Whether a shard's outputs are worth the lock.
    fn may_have(&self, shard: usize) -> bool {
        self.core.shards[shard].outbound.depth() != 0
            || self.outbound[shard].parked.load(Ordering::Relaxed) != 0
    }

    pub(crate) async fn recv(&self) -> Result<K::Output, RecvError> {
        loop {
            match self.try_recv() {
                Ok(output) => return Ok(output),
                Err(TryRecvError::Closed) => return Err(RecvError::Closed),
                Err(TryRecvError::Empty) => {}
            }
            let listener = self.core.ready.listen();
            match self.try_recv() {
                Ok(output) => return Ok(output),
                Err(TryRecvError::Closed) => return Err(RecvError::Closed),
                Err(TryRecvError::Empty) => listener.await,
            }
        }
    }

    pub(crate) fn recv_blocking(&self, deadline: Option<Instant>) -> Result<K::Output, RecvError> {
        if let Some(result) = self.spin_for(|| match self.try_recv() {
            Ok(output) => Some(Ok(output)),
            Err(TryRecvError::Closed) => Some(Err(RecvError::Closed)),
            Err(TryRecvError::Empty) => None,
        }) {
            return result;
        }
        match deadline {
            None => block_on(self.recv()),
            Some(deadline) => block_on_deadline(self.recv(), deadline).unwrap_or(Err(RecvError::Timeout)),
        }
    }

    /// Tries for as long as the kernel's own blocks look for work: waking up costs microseconds.
    fn spin_for<R>(&self, mut attempt: impl FnMut() -> Option<R>) -> Option<R> {
        let limit: Duration = self.core.options.spin;
        let start = Instant::now();
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

    pub(crate) async fn call(&self, message: K::Message) -> Result<K::Output, CallError> {
        if !self.core.options.calls {
            return Err(CallError::Disabled);
        }
        let call = self.calls.begin();
        match self.send(message, call.correlation()).await {
            Ok(Admission::Accepted | Admission::Evicted(_)) => {}
            Ok(Admission::Discarded(_) | Admission::Duplicate(_)) => return Err(CallError::Dropped),
            Err(SendError::Full(_)) => return Err(CallError::Full),
            Err(SendError::Closed(_)) => return Err(CallError::Closed),
            Err(SendError::Timeout(_)) => return Err(CallError::Timeout),
            // Messages of a kernel have one size, and its queue takes that.
            Err(SendError::TooLarge(_)) => return Err(CallError::Dropped),
        }
        poll_fn(|context| call.poll(context)).await
    }

    pub(crate) fn call_timeout(
        &self,
        message: K::Message,
        deadline: Instant,
    ) -> Result<K::Output, CallError> {
        block_on_deadline(self.call(message), deadline).unwrap_or(Err(CallError::Timeout))
    }
}

fn empty(finished: bool) -> TryRecvError {
    if finished { TryRecvError::Closed } else { TryRecvError::Empty }
}
