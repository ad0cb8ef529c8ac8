//! Sending to a kernel without its types: messages are bytes.

use std::{
    ops::{Deref, DerefMut},
    time::{Duration, Instant},
};

use annulus_queue::{
    Backpressure, SendError, SendOutcome, TrySendError,
    front::{Fate, RUN},
};
use annulus_ring::ring::{Header, Refused, SlotReservation};
use annulus_sync::{
    Ordering,
    event::{Event, Listener},
    gate::Entered,
    wait::{block_on, block_on_deadline},
};

use crate::{
    kernel::{
        bytes::{Aligned, Bytes, RawMessage},
        calls::PendingCall,
        core::KernelCore,
        drops::Dropped,
        notes::Back,
        passage::OpenCall,
        shared::KernelShared,
    },
    within::within,
};

/// The result of a send that may wait.
pub(crate) type Sent<M> = Result<SendOutcome<M>, SendError<M>>;

/// If there are more shards than this, a message without a key chooses between two of them instead of all.
const SCAN: usize = 8;

impl KernelShared {
    #[inline]
    pub(crate) fn shard_of_key(&self, key: u64) -> usize {
        (key % self.core.shards.len() as u64) as usize
    }

    /// The shard with the fewest messages, of those that are compared.
    #[inline]
    pub(crate) fn least_loaded(&self) -> usize {
        let shards = self.core.shards.len();
        let depth = |shard: usize| self.core.shards[shard].inbound.ring().depth() + self.staged(shard);
        let first = self.dealt.fetch_add(1, Ordering::Relaxed);
        let candidates = if shards <= SCAN { shards } else { 2 };
        // With many shards, compare two that are far apart, by a multiplicative hash of a counter.
        let candidate = |i: usize| {
            if shards <= SCAN { (first + i) % shards } else { (first + i).wrapping_mul(0x9E37_79B1) % shards }
        };
        (0..candidates).map(candidate).min_by_key(|&shard| depth(shard)).unwrap_or(0)
    }

    /// The shard that takes a message: the one of its key, or without a key the least loaded one.
    pub(crate) fn shard_of(&self, message: &RawMessage<'_>) -> usize {
        // SAFETY: the bytes of a message of this kernel, as the type says; and aligned.
        unsafe { self.shard_of_aligned(message.lane(), message.bytes()) }
    }

    /// # Safety
    ///
    /// It is a message of this kernel, aligned as its type is.
    pub(crate) unsafe fn shard_of_aligned(&self, lane: usize, message: &Bytes) -> usize {
        if self.core.shards.len() == 1 {
            return 0;
        }
        let Some(key) = self.core.definition.key else {
            if self.core.deduplicates(lane) {
                // SAFETY: by the caller's word.
                return unsafe { self.shard_by_identity(message.as_ptr().cast()) };
            }
            return self.least_loaded();
        };
        // SAFETY: the definition's key takes a message of its type.
        self.shard_of_key(unsafe { key(message.as_ptr().cast()) })
    }

    /// # Safety
    ///
    /// It is a message of this kernel, aligned as its type is.
    pub(crate) unsafe fn shard_by_identity(&self, message: *const u8) -> usize {
        // SAFETY: by the caller's word.
        unsafe { self.fronts.shard_by_identity(message, self.core.shards.len()) }
    }

    /// [`shard_of`](Self::shard_of) of a message that need not be aligned.
    ///
    /// # Safety
    ///
    /// It is a message of this kernel.
    pub(crate) unsafe fn shard_of_anywhere(&self, message: &Bytes) -> usize {
        if self.core.definition.key.is_none() {
            // It does not go through a queue in front, so its duplicates may go to other shards.
            return if self.core.shards.len() == 1 { 0 } else { self.least_loaded() };
        }
        if message.as_ptr().addr().is_multiple_of(self.core.definition.message.align) {
            // SAFETY: aligned, or not looked at.
            return unsafe { self.shard_of_aligned(0, message) };
        }
        let mut copy = Aligned::new(self.core.definition.message);
        copy.bytes().copy_from_slice(message);
        // SAFETY: a copy of the message, and aligned.
        unsafe { self.shard_of_aligned(0, copy.bytes()) }
    }

    /// The shard of the first of so many messages that come from anywhere, and how many in a row are for it. Without
    /// keys that is a fair share of them.
    ///
    /// # Safety
    ///
    /// As for [`shard_of_anywhere`](Self::shard_of_anywhere), for each of them.
    #[inline]
    pub(crate) unsafe fn run_of<'m>(
        &self,
        count: usize,
        message: impl Fn(usize) -> &'m Bytes,
    ) -> (usize, u32) {
        let shards = self.core.shards.len();
        if shards == 1 {
            return (0, count as u32);
        }
        // SAFETY: by the caller's word.
        let shard_of = |index| unsafe { self.shard_of_anywhere(message(index)) };
        let first = shard_of(0);
        if self.core.definition.key.is_none() {
            return (first, count.div_ceil(shards) as u32);
        }
        let others = (1..count).take_while(|&index| shard_of(index) == first).count();
        (first, 1 + others as u32)
    }

    #[inline]
    pub(crate) fn header(&self) -> Header {
        self.core.header()
    }

    #[inline]
    pub(crate) fn batch_header(&self) -> Header {
        self.core.batch_header()
    }

    /// Reserves slots for the host in a shard's ring.
    #[inline]
    pub(crate) fn reserve(&self, shard: usize, want: u32) -> Result<HostSlots<'_>, Refused> {
        let entered = if self.core.options.shape.connectable {
            Some(self.core.gate.enter().ok_or(Refused::Closed)?)
        } else {
            None
        };
        let slots = self.core.shards[shard].inbound.reserve(want)?;
        Ok(HostSlots { slots, _entered: entered })
    }

    /// Writes a message into its shard's ring.
    #[inline]
    pub(crate) fn offer_open(
        &self,
        shard: usize,
        write: impl FnOnce(&mut HostSlots<'_>) -> Result<(), TrySendError<()>>,
    ) -> Result<SendOutcome<()>, TrySendError<()>> {
        match self.reserve(shard, 1) {
            Ok(mut slot) => {
                let written = write(&mut slot);
                drop(slot);
                self.core.wake(shard);
                written.map(|()| SendOutcome::Accepted)
            }
            Err(Refused::Closed) => Err(TrySendError::Closed(())),
            Err(Refused::Full) if self.core.options.inbound.backpressure == Backpressure::DropNew => {
                self.core.drops.discarded.fetch_add(1, Ordering::Relaxed);
                self.core.show_drops(Dropped::Discarded, 1);
                Ok(SendOutcome::Discarded(()))
            }
            Err(Refused::Full) => Err(TrySendError::Full(())),
        }
    }

    /// Offers messages of a bridge to the kernel's own queue, from the front until one is refused, whatever the
    /// backpressure. Returns how many were taken; and why, and in which shard, the next was refused. What becomes of
    /// messages that are not simply queued goes to `back`, which does nothing but count.
    ///
    /// # Safety
    ///
    /// They are so many messages of this kernel, one behind the other, aligned as their type is.
    pub(crate) unsafe fn offer_rows(
        &self,
        messages: &Bytes,
        count: usize,
        back: &mut dyn FnMut(Fate),
    ) -> (usize, Option<(Refused, usize)>) {
        let size = self.core.message_size();
        let row = |index: usize| &messages[index * size..][..size];
        // Of several shards, a message without a key goes to the one that may know it.
        let by_identity =
            self.core.shards.len() > 1 && self.core.definition.key.is_none() && self.core.deduplicates(0);
        let header = self.batch_header();
        let mut sampler = self.core.sampler();
        let mut taken = 0;
        while taken < count {
            // With a queue in front, a message that is followed goes by itself.
            let most = match self.fronts.is_empty() {
                true => count - taken,
                false => RUN.min(count - taken).min(sampler.left().max(1)),
            };
            let (shard, run) = if by_identity {
                // SAFETY: by the caller's word.
                (unsafe { self.shard_of_aligned(0, row(taken)) }, 1)
            } else {
                // SAFETY: by the caller's word.
                unsafe { self.run_of(most, |index| row(taken + index)) }
            };
            let run = run as usize;
            let refused = if self.fronts.is_empty() {
                let mut put = |slots: &mut HostSlots<'_>, run: usize| {
                    // SAFETY: messages of this kernel. Kernels send direct messages, so they are that.
                    unsafe {
                        slots.write_all_bytes_from(run, |index, _| {
                            (0, row(taken + index), Header { trace: sampler.next(), ..header })
                        });
                    }
                };
                match self.reserve(shard, run as u32) {
                    Ok(mut slots) => {
                        let run = slots.remaining() as usize;
                        put(&mut slots, run);
                        drop(slots);
                        self.core.wake(shard);
                        taken += run;
                        None
                    }
                    Err(Refused::Full) if self.core.options.inbound.backpressure == Backpressure::DropNew => {
                        self.core.drops.discarded.fetch_add(1, Ordering::Relaxed);
                        self.core.show_drops(Dropped::Discarded, 1);
                        back(Fate::Discarded);
                        taken += 1;
                        None
                    }
                    Err(refused) => Some(refused),
                }
            } else {
                let header = Header { trace: sampler.next_of(run), ..header };
                let mut unqueued = false;
                let mut each = |fate, _: &Bytes| {
                    unqueued |= matches!(fate, Fate::Discarded | Fate::Duplicate);
                    back(fate);
                };
                let rows = &messages[taken * size..][..run * size];
                let back = Back::Each(&mut each);
                // SAFETY: by the caller's word.
                let (more, refused) =
                    unsafe { self.front_end().offer_all(shard, 0, rows, run, header, back) };
                // One that is followed was the whole run.
                if more == 0 || unqueued {
                    self.core.unfollow(header);
                }
                taken += more;
                refused
            };
            if let Some(refused) = refused {
                return (taken, Some((refused, shard)));
            }
        }
        (taken, None)
    }

    /// Counts a message that a queue has refused.
    pub(crate) fn refused(&self, lane: usize) {
        self.fronts.count(lane, |drops| &drops.rejected, 1);
        self.core.drops.rejected.fetch_add(1, Ordering::Relaxed);
        self.core.show_drops(Dropped::Rejected, 1);
    }

    /// The result of an offer for a send that may wait: `None` if waiting for space helps.
    #[inline]
    pub(crate) fn attempted(
        &self,
        lane: usize,
        offered: Result<SendOutcome<()>, TrySendError<()>>,
    ) -> Option<Sent<()>> {
        match offered {
            Ok(outcome) => Some(Ok(outcome)),
            Err(TrySendError::Full(())) if self.core.inbound(lane).backpressure == Backpressure::Reject => {
                self.refused(lane);
                Some(Err(SendError::Full(())))
            }
            Err(TrySendError::Full(())) => None,
            Err(refusal) => Some(Err(refusal.into())),
        }
    }

    pub(crate) fn attempt(
        &self,
        message: &mut RawMessage<'_>,
        call: Option<&mut PendingCall<'_>>,
    ) -> Option<Sent<()>> {
        let (shard, mut header) = (self.shard_of(message), self.batch_header());
        let offered = if !self.fronts.is_empty() {
            header = self.core.followed(header);
            header.correlation = call.map_or(0, PendingCall::stage);
            let offered = self.front_end().offer(shard, message.reborrow(), header, false);
            self.core.unless_refused(header, offered)
        } else if let Some(call) = call {
            let offered = self.offer_open(shard, |slot| {
                header = self.core.followed(header);
                // SAFETY: the slot is this call's message's, which is published once, after this.
                header.correlation = unsafe { call.accept(shard, slot.ticket()) };
                // SAFETY: a message of this kernel, a bridged one as its image.
                unsafe { slot.write_bytes(message.bytes(), header) };
                Ok(())
            });
            call.wake_displaced();
            offered
        } else {
            self.offer_open(shard, |slot| {
                // SAFETY: as above.
                unsafe { slot.write_bytes(message.bytes(), self.core.followed(header)) };
                Ok(())
            })
        };
        self.attempted(message.lane(), offered)
    }

    /// [`attempt`](Self::attempt) of a call that goes through this kernel, which has no queue in front of its ring.
    fn attempt_through(&self, message: &mut RawMessage<'_>, call: &mut OpenCall<'_>) -> Option<Sent<()>> {
        let (shard, header) = (self.shard_of(message), self.batch_header());
        let offered = self.offer_open(shard, |slot| {
            let mut header = self.core.followed(header);
            header.correlation = call.send();
            // SAFETY: a message of this kernel, a bridged one as its image.
            unsafe { slot.write_bytes(message.bytes(), header) };
            Ok(())
        });
        self.attempted(message.lane(), offered)
    }

    /// Sends the message of a call that goes through this kernel, waiting for space.
    pub(crate) async fn send_through(
        &self,
        mut message: RawMessage<'_>,
        call: &mut OpenCall<'_>,
    ) -> Sent<()> {
        loop {
            if let Some(sent) = self.attempt_through(&mut message, call) {
                return sent;
            }
            let listener = self.space(message.lane(), self.shard_of(&message)).listen();
            if let Some(sent) = self.attempt_through(&mut message, call) {
                return sent;
            }
            self.wait_for(listener).await;
        }
    }

    /// The event that is notified when a shard's queue has space.
    #[inline]
    pub(crate) fn space(&self, lane: usize, shard: usize) -> &Event {
        self.fronts.space_of(&self.core, lane, shard)
    }

    /// Sends a message, which may be a call's, waiting for space.
    pub(crate) async fn send(
        &self,
        mut message: RawMessage<'_>,
        mut call: Option<&mut PendingCall<'_>>,
    ) -> Sent<()> {
        match self.attempt(&mut message, call.as_deref_mut()) {
            Some(sent) => sent,
            None => self.send_when_free(message, call).await,
        }
    }

    /// Sends a message for which there was no space.
    pub(crate) async fn send_when_free(
        &self,
        mut message: RawMessage<'_>,
        mut call: Option<&mut PendingCall<'_>>,
    ) -> Sent<()> {
        loop {
            let listener = self.space(message.lane(), self.shard_of(&message)).listen();
            if let Some(sent) = self.attempt(&mut message, call.as_deref_mut()) {
                return sent;
            }
            self.wait_for(listener).await;
            if let Some(sent) = self.attempt(&mut message, call.as_deref_mut()) {
                return sent;
            }
        }
    }

    /// [`send`](Self::send), blocking.
    pub(crate) fn send_blocking(
        &self,
        mut message: RawMessage<'_>,
        mut call: Option<&mut PendingCall<'_>>,
    ) -> Sent<()> {
        self.attempt(&mut message, call.as_deref_mut())
            .unwrap_or_else(|| self.send_when_free_blocking(message, call, None))
    }

    /// [`send_when_free`](Self::send_when_free), blocking; until the deadline, if there is one.
    #[cold]
    pub(crate) fn send_when_free_blocking(
        &self,
        message: RawMessage<'_>,
        call: Option<&mut PendingCall<'_>>,
        deadline: Option<Instant>,
    ) -> Sent<()> {
        let lane = message.lane();
        let sending = self.send_when_free(message, call);
        let Some(deadline) = deadline else { return block_on(sending) };
        block_on_deadline(sending, deadline).unwrap_or_else(|| {
            self.refused(lane);
            Err(SendError::Timeout(()))
        })
    }

    /// [`send_when_free`](Self::send_when_free), for at most so long.
    pub(crate) async fn send_when_free_within(&self, message: RawMessage<'_>, limit: Duration) -> Sent<()> {
        let lane = message.lane();
        within(&self.core.clock, limit, self.send_when_free(message, None)).await.unwrap_or_else(|| {
            self.refused(lane);
            Err(SendError::Timeout(()))
        })
    }

    /// The error that a refusal means for a batch: `None` if waiting helps.
    pub(crate) fn batch_error(&self, lane: usize, refused: Refused) -> Option<SendError<()>> {
        match refused {
            Refused::Closed => Some(SendError::Closed(())),
            Refused::Full if self.core.inbound(lane).backpressure == Backpressure::Reject => {
                self.refused(lane);
                Some(SendError::Full(()))
            }
            Refused::Full => None,
        }
    }

    /// Waits for space. The caller has found none after it began to listen.
    pub(crate) async fn wait_for(&self, listener: Listener<'_>) {
        self.core.expect();
        let _waiting = self.wait_for_space();
        listener.await;
    }
}

/// Slots that the host has reserved.
pub(crate) struct HostSlots<'a> {
    slots: SlotReservation<'a>,
    _entered: Option<Entered<'a>>,
}

impl<'a> Deref for HostSlots<'a> {
    type Target = SlotReservation<'a>;

    fn deref(&self) -> &SlotReservation<'a> {
        &self.slots
    }
}

impl DerefMut for HostSlots<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.slots
    }
}

/// The shards that a batch went to, each once.
pub(crate) struct Touched {
    shards: Vec<bool>,
}

impl Touched {
    pub(crate) fn new(shards: usize) -> Self {
        Self { shards: vec![false; shards] }
    }

    pub(crate) fn insert(&mut self, shard: usize) {
        self.shards[shard] = true;
    }

    pub(crate) fn wake(&self, core: &KernelCore) {
        let touched = self.shards.iter().enumerate().filter(|&(_, &touched)| touched);
        touched.for_each(|(shard, _)| core.wake(shard));
    }
}
