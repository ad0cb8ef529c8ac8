//! A launched kernel with its types: queues in front, rings, replies.

use std::{
    any::Any,
    collections::VecDeque,
    sync::{Arc, Mutex, OnceLock, PoisonError, Weak},
};

use annulus_abi::{control::state, ring::kind};
use annulus_kernel::{RingKernel, RingMessage};
use annulus_queue::{
    Receiver, Sender, TryRecvError,
    relay::Relay,
    ring::{Consumer, Header, Refused},
    sync::{AtomicU64, AtomicUsize, Ordering, fence},
};

use crate::{
    backend::{Delivery, DeviceKernel, HostSignals, LinkTarget, Progress},
    calls::CallTable,
    core::{AnyKernel, KernelCore},
    error::CallError,
    handle::Guard,
    letters::Letters,
    print::Prints,
};

/// A message with its envelope, in a queue in front of the ring.
pub(crate) struct Parcel<M> {
    pub(crate) message: M,
    pub(crate) header: Header,
}

/// The queue in front of a shard's ring, for policies that must touch both ends.
pub(crate) struct Stage<M> {
    pub(crate) sender: Sender<Parcel<M>>,
    pub(crate) receiver: Receiver<Parcel<M>>,
    /// Who moves messages into the ring.
    pub(crate) relay: Relay<()>,
}

/// The host's end of a shard's outbound ring.
pub(crate) struct Outbound<O> {
    pub(crate) end: Relay<OutboundEnd<O>>,
    /// How many outputs are parked in the end, or one more. Written under its lock; before an output leaves the ring to be parked,
    /// it is counted here, so that a look without the lock finds it in one of the two (`SYNC: parked`).
    pub(crate) parked: AtomicUsize,
}

pub(crate) struct OutboundEnd<O> {
    consumer: Consumer,
    /// Outputs that stood before replies that somebody waits for: at most twice as many as the ring has slots, and what the ring
    /// holds in the end.
    parked: VecDeque<O>,
}

/// A launched kernel.
pub(crate) struct KernelShared<K: RingKernel> {
    pub(crate) core: KernelCore,
    /// One for each shard, or none.
    pub(crate) stages: Box<[Stage<K::Message>]>,
    pub(crate) outbound: Box<[Outbound<K::Output>]>,
    /// Outputs received so far: where the next receive begins to look.
    pub(crate) received: AtomicUsize,
    /// Messages without key sent so far: where the next one begins to look for a shard.
    pub(crate) dealt: AtomicUsize,
    /// Messages of other kernels that went past the queues in front of the rings.
    passed: AtomicU64,
    pub(crate) calls: CallTable<K::Output>,
    pub(crate) letters: Option<Letters<K::Message>>,
    prints: Option<Prints>,
    /// What all handles hold; set by the first.
    pub(crate) guard: OnceLock<Weak<Guard<K>>>,
    /// What was left when the kernel terminated, until somebody takes it.
    undelivered: Mutex<Vec<K::Message>>,
}

impl<O> Outbound<O> {
    pub(crate) fn new(consumer: Consumer) -> Self {
        Self {
            end: Relay::new(OutboundEnd { consumer, parked: VecDeque::new() }),
            parked: AtomicUsize::new(0),
        }
    }
}

impl<O: RingMessage> OutboundEnd<O> {
    /// The next output that is no reply; completes the calls whose replies stand before it.
    fn take(&mut self, calls: &CallTable<O>) -> Option<O> {
        if let Some(parked) = self.parked.pop_front() {
            return Some(parked);
        }
        loop {
            let output = self.step(calls)?;
            if output.is_some() {
                return output;
            }
        }
    }

    /// Completes every call whose reply is there, as far as there is room to park what stands in between. What stands in front
    /// is parked only while somebody waits for a reply; replies that nobody waits for any more always go.
    fn demultiplex(&mut self, calls: &CallTable<O>, room: usize) {
        while let Some(slot) = self.consumer.peek() {
            let reply = slot.header.correlation != 0;
            if !reply && (calls.pending() == 0 || self.parked.len() >= room) {
                return;
            }
            if let Some(Some(output)) = self.step(calls) {
                self.parked.push_back(output);
            }
        }
    }

    /// Takes one slot out of the ring: `None` if there is none, `Some(None)` if it was a reply.
    fn step(&mut self, calls: &CallTable<O>) -> Option<Option<O>> {
        let slot = self.consumer.peek()?;
        let result = match slot.kind {
            // SAFETY: the slot was just peeked, and blocks write outputs of the kernel's output type.
            kind::MESSAGE => Ok(unsafe { self.consumer.read::<O>(&slot) }),
            kind::FAILED => Err(CallError::Failed { code: slot.length as u16 }),
            _ => Err(CallError::NoReply),
        };
        self.consumer.advance(&slot);
        self.consumer.give_back();
        if slot.header.correlation == 0 {
            return Some(result.ok());
        }
        calls.complete(slot.header.correlation, result);
        Some(None)
    }
}

impl<K: RingKernel> KernelShared<K> {
    pub(crate) fn new(
        core: KernelCore,
        stages: Box<[Stage<K::Message>]>,
        outbound: Box<[Outbound<K::Output>]>,
        letters: Option<Letters<K::Message>>,
        prints: Option<Prints>,
    ) -> Self {
        Self {
            core,
            stages,
            outbound,
            received: AtomicUsize::new(0),
            dealt: AtomicUsize::new(0),
            passed: AtomicU64::new(0),
            calls: CallTable::new(),
            letters,
            prints,
            guard: OnceLock::new(),
            undelivered: Mutex::new(Vec::new()),
        }
    }

    /// The next output of a shard, if there is one now.
    pub(crate) fn take_from(&self, shard: usize) -> Option<K::Output> {
        let output = self.outbound[shard].end.with(
            |end| {
                let output = end.take(&self.calls);
                self.demultiplex_end(shard, end);
                output
            },
            |end| self.demultiplex_end(shard, end),
        );
        self.after_taking(shard);
        output
    }

    /// Takes up to `max` outputs of a shard.
    pub(crate) fn take_many(&self, shard: usize, max: usize, outputs: &mut Vec<K::Output>) -> usize {
        let taken = self.outbound[shard].end.with(
            |end| {
                let before = outputs.len();
                outputs.extend(std::iter::from_fn(|| end.take(&self.calls)).take(max));
                self.demultiplex_end(shard, end);
                outputs.len() - before
            },
            |end| self.demultiplex_end(shard, end),
        );
        self.after_taking(shard);
        taken
    }

    fn demultiplex_end(&self, shard: usize, end: &mut OutboundEnd<K::Output>) {
        let capacity = end.consumer.ring().layout().capacity as usize;
        // A terminated shard sends no more, so what its ring holds still is all that there will be to park.
        let room = if self.core.finishing.load(Ordering::Acquire) { usize::MAX } else { 2 * capacity };
        let parked = &self.outbound[shard].parked;
        // Before anything leaves the ring: a receiver that sees the ring empty (acquiring `consumed`) sees this, and takes the
        // lock instead of going to sleep beside an output that is just being put aside (SYNC: parked).
        parked.store(end.parked.len() + 1, Ordering::Relaxed);
        end.demultiplex(&self.calls, room);
        parked.store(end.parked.len(), Ordering::Relaxed);
    }

    /// Completes the calls whose replies a shard has published.
    pub(crate) fn demultiplex(&self, shard: usize) {
        self.outbound[shard].end.run(|end| self.demultiplex_end(shard, end));
        self.after_taking(shard);
    }

    /// After slots of an outbound ring were given back: wakes the callers whose replies were in them, and the shard if it
    /// waits for space.
    ///
    /// The relay's fence stands between giving slots back and this load; the shard stores `stalled`, fences, and looks for
    /// space once more. So one of the two sees the other (SYNC: stalled).
    #[inline]
    fn after_taking(&self, shard: usize) {
        self.calls.wake_ready();
        if self.core.shards[shard].memory.stalled().load(Ordering::Relaxed) != 0 {
            self.core.wake(shard);
        }
    }

    /// Moves messages from the queue in front into the ring, which keeps at most two batches.
    pub(crate) fn refill(&self, shard: usize) {
        let Some(stage) = self.stages.get(shard) else { return };
        let producers = &self.core.shards[shard].inbound;
        let most = 2 * u64::from(self.core.max_batch());
        let mut moved = false;
        stage.relay.run(|()| {
            while producers.ring().depth() < most && !stage.receiver.is_empty() {
                // The ticket first, so that the message is always seen to be in one of the two.
                let Ok(mut slot) = producers.reserve(1) else { return };
                moved = true;
                match stage.receiver.try_recv() {
                    Ok(parcel) => slot.write(parcel.message, parcel.header),
                    // Its sender is still writing it, and comes here after that. The slot becomes a tombstone, which the block
                    // must take out like a message: a ring full of them would let nothing in.
                    Err(_) => return,
                }
            }
        });
        if moved {
            self.core.wake(shard);
        }
    }

    /// Makes events of what a shard has printed.
    fn show_prints(&self, shard: usize) {
        if let Some(prints) = &self.prints {
            prints.collect(shard, &self.core.shards[shard].memory);
        }
    }

    /// After the last shard has terminated: takes out what is left, ends every call, frees the name.
    fn finish(&self) {
        (0..self.outbound.len()).for_each(|shard| self.show_prints(shard));
        let mut left = Vec::new();
        for (index, shard) in self.core.shards.iter().enumerate() {
            // SAFETY: the host made this ring's producers; the block, its consumer, has terminated, so this is the only one.
            let ring = unsafe { shard.memory.inbound() };
            // SAFETY: as above.
            let mut consumer = unsafe { Consumer::new(ring) };
            while !consumer.is_finished() {
                let Some(slot) = consumer.peek() else {
                    // A producer has its ticket and is about to write: it waits for nobody.
                    std::thread::yield_now();
                    continue;
                };
                if slot.kind == kind::MESSAGE {
                    // SAFETY: the slot was just peeked, and the host writes messages of the kernel's type.
                    left.push((unsafe { consumer.read::<K::Message>(&slot) }, slot.header.correlation));
                }
                consumer.advance(&slot);
                consumer.give_back();
            }
            if let Some(stage) = self.stages.get(index) {
                stage.relay.with(
                    |()| {
                        loop {
                            match stage.receiver.try_recv() {
                                Ok(parcel) => left.push((parcel.message, parcel.header.correlation)),
                                // Accepted before the queue was closed, and still being written.
                                Err(TryRecvError::Empty) => std::thread::yield_now(),
                                Err(TryRecvError::Closed) => break,
                            }
                        }
                    },
                    |()| {},
                );
            }
        }
        self.core.drops.undelivered.fetch_add(left.len() as u64, Ordering::Relaxed);
        for &(_, correlation) in &left {
            if correlation != 0 {
                self.calls.complete(correlation, Err(CallError::Terminated));
            }
        }
        self.undelivered
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend(left.into_iter().map(|(message, _)| message));
        (0..self.outbound.len()).for_each(|shard| self.demultiplex(shard));
        if self.core.options.linked {
            self.core.end_links();
        }
        if let Some(registry) = self.core.registry.upgrade() {
            registry.remove(&self.core.name);
        }
        // SYNC: finished (release)
        self.core.finished.store(true, Ordering::Release);
        self.core.ready.notify_all();
    }

    /// The messages that were left when the kernel terminated; whoever asks first gets them.
    pub(crate) fn take_undelivered(&self) -> Vec<K::Message> {
        std::mem::take(&mut *self.undelivered.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl KernelCore {
    /// At most this many messages in one iteration of a block.
    pub(crate) fn max_batch(&self) -> u32 {
        match self.mode() {
            annulus_kernel::ProcessingMode::Continuous => 1,
            _ => self
                .options
                .max_messages_per_iteration
                .unwrap_or(self.definition.max_messages_per_iteration)
                .min(self.options.capacity),
        }
    }

    /// How its blocks take messages.
    pub(crate) fn mode(&self) -> annulus_kernel::ProcessingMode {
        self.options.mode.unwrap_or(self.definition.mode)
    }
}

impl<K: RingKernel> HostSignals for KernelShared<K> {
    fn progressed(&self, shard: u32, progress: Progress) {
        let shard = shard as usize;
        if progress.prints {
            self.show_prints(shard);
        }
        if progress.letters != 0
            && let Some(letters) = &self.letters
        {
            letters.collect(shard);
        }
        if progress.produced != 0 {
            // Its fence stands between publishing outputs and this look at the calls, so that either this sees a call that
            // begins, or the call sees the outputs (SYNC: call-begun).
            self.core.ready.notify(progress.produced as usize);
            if self.calls.used() {
                self.demultiplex(shard);
            }
        }
        if progress.consumed != 0 {
            self.space(shard).notify(progress.consumed as usize);
            self.refill(shard);
        }
        if progress.traffic {
            self.core.wake_target();
        }
        if progress.consumed != 0 || progress.traffic {
            if self.core.options.linked {
                self.core.wake_sources();
            }
            // A fence stands between giving slots back and this load, that of `notify` or of `wake_sources` (SYNC: watched).
            if self.core.watched.load(Ordering::Relaxed) {
                self.core.tell();
            }
        }
        if progress.state_changed {
            // Two shards that end at the same time must not each miss the other's word (SYNC: last-shard).
            fence(Ordering::SeqCst);
            let terminated =
                |s: &crate::core::Shard| s.memory.state().load(Ordering::Acquire) == state::TERMINATED;
            if self.core.shards.iter().all(terminated) && !self.core.finishing.swap(true, Ordering::AcqRel) {
                self.finish();
            }
            self.core.tell();
        }
    }

    fn is_awaited(&self) -> bool {
        let core = &self.core;
        // SYNC: expected
        core.ready.has_waiters()
            || core.changed.has_waiters()
            || core.options.linked && core.flow.has_waiters()
            || core.space.has_waiters()
            || self.calls.pending() != 0
            || core.shards.iter().any(|shard| shard.space.has_waiters())
            || (0..self.stages.len()).any(|shard| self.staged(shard) != 0)
    }

    fn lost(&self) {
        let kernel: &dyn AnyKernel = self;
        kernel.request_termination();
        let progress = Progress { state_changed: true, ..Progress::default() };
        self.progressed(0, progress);
    }

    fn is_fed(&self) -> bool {
        self.core.options.linked && self.core.is_fed()
    }
}

impl<K: RingKernel> LinkTarget for KernelShared<K> {
    fn device(&self) -> Option<&dyn DeviceKernel> {
        self.core.device.get().map(|device| &**device)
    }

    unsafe fn deliver(&self, message: *const u8) -> Delivery {
        // SAFETY: the caller says that it is a message of this kernel's; it may lie anywhere.
        let message = unsafe { message.cast::<K::Message>().read_unaligned() };
        let shard = self.shard_of(&message);
        match self.core.shards[shard].inbound.reserve(1) {
            Ok(mut slot) => {
                if !self.stages.is_empty() {
                    self.passed.fetch_add(1, Ordering::Relaxed);
                }
                slot.write(message, self.header(0));
                self.core.wake(shard);
                Delivery::Done
            }
            Err(Refused::Full) => Delivery::Full,
            Err(Refused::Closed) => Delivery::Closed,
        }
    }
}

impl<K: RingKernel> AnyKernel for KernelShared<K> {
    fn core(&self) -> &KernelCore {
        &self.core
    }

    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }

    fn close_intake(&self) {
        if self.stages.is_empty() && self.core.options.linked {
            self.core.intake.close();
        } else if self.stages.is_empty() {
            self.core.shards.iter().for_each(|shard| shard.inbound.ring().close());
        } else {
            self.stages.iter().for_each(|stage| {
                stage.sender.close();
            });
        }
    }

    fn staged(&self, shard: usize) -> u64 {
        self.stages.get(shard).map_or(0, |stage| stage.receiver.len() as u64)
    }

    fn admitted(&self) -> Option<u64> {
        if self.stages.is_empty() {
            return None;
        }
        let staged: u64 = self.stages.iter().map(|stage| stage.sender.counters().enqueued).sum();
        Some(staged + self.passed.load(Ordering::Relaxed))
    }
}
