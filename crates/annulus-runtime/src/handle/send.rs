//! Sending to a kernel.

use std::{
    marker::PhantomData,
    ops::Deref,
    time::{Duration, Instant},
};

use annulus_kernel::{BridgedMessage, KernelMessage, RingMessage, Visitor};
use annulus_queue::{
    Backpressure, Oversize, SendError, SendOutcome, TrySendError,
    front::{Fate, RUN},
};
use annulus_ring::ring::{Header, Refused};
use annulus_sync::{
    event::Event,
    wait::{Backoff, block_on, block_on_deadline},
};

use crate::kernel::{
    bytes::{Bytes, RawMessage},
    carried::Carried,
    front::{Fronts, identity_of},
    image::Image,
    notes::Back,
    send::{HostSlots, Sent},
    shared::KernelShared,
};

/// A batch of which only the first part was sent. The messages from index `sent` on were not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{sent} messages of the batch were sent; then {cause}")]
pub struct BatchError {
    /// How many messages of the batch were sent.
    pub sent: usize,
    /// Why the next one was not.
    #[source]
    pub cause: SendError<()>,
}

/// A kernel, with the type of the messages that it takes. Only code that gains from being compiled for each
/// type is here; the rest of the runtime handles messages as bytes.
pub(crate) struct Inlet<'a, M> {
    pub(super) kernel: &'a KernelShared,
    /// The queue that messages are for: 0 for the kernel's own.
    pub(super) lane: usize,
    /// Whether batches wait for space under Reject as well.
    pub(super) patient: bool,
    _message: PhantomData<fn(M)>,
}

/// A message in the form that untyped code takes: its own bytes, or a bridged one's image.
pub(crate) enum Raw<'a> {
    InPlace(RawMessage<'a>),
    /// And the queue that it is for.
    Image(Image, usize),
}

impl Raw<'_> {
    #[inline]
    pub(crate) fn get(&mut self) -> RawMessage<'_> {
        match self {
            Self::InPlace(message) => message.reborrow(),
            // SAFETY: it is given to the kernel that it was made for.
            Self::Image(image, lane) => unsafe { RawMessage::of_bytes(image.bytes_mut()) }.for_lane(*lane),
        }
    }
}

impl<M> Clone for Inlet<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Inlet<'_, M> {}

impl<M> Deref for Inlet<'_, M> {
    type Target = KernelShared;

    #[inline]
    fn deref(&self) -> &KernelShared {
        self.kernel
    }
}

impl<'a, M: KernelMessage> Inlet<'a, M> {
    /// Of a kernel.
    ///
    /// # Safety
    ///
    /// `M` is the kernel's message type.
    #[inline]
    pub(crate) unsafe fn new(kernel: &'a KernelShared) -> Self {
        Self { kernel, lane: 0, patient: false, _message: PhantomData }
    }

    /// The same kernel, for messages to this queue.
    #[inline]
    pub(crate) fn for_lane(self, lane: usize) -> Self {
        Self { lane, ..self }
    }

    /// The same, for batches that wait for space under Reject as well.
    pub(crate) fn patient(self) -> Self {
        Self { patient: true, ..self }
    }

    /// The error that a refusal means for a batch: `None` if waiting helps.
    #[inline]
    pub(super) fn refusal(self, refused: Refused) -> Option<SendError<()>> {
        if self.patient && refused == Refused::Full { None } else { self.batch_error(self.lane, refused) }
    }

    /// The message in the form that this kernel's untyped code takes.
    #[inline]
    pub(crate) fn raw<'m>(&self, message: &'m mut M) -> Result<Raw<'m>, Oversize> {
        struct MakeRaw<'i, 'm, M>(Inlet<'i, M>, &'m mut M);
        impl<'m, M: KernelMessage> Visitor<M> for MakeRaw<'_, 'm, M> {
            type Result = Result<Raw<'m>, Oversize>;

            #[inline(always)]
            fn direct(self) -> Self::Result
            where
                M: RingMessage,
            {
                // SAFETY: it is given to `self.0.kernel`, whose messages are of this type.
                Ok(Raw::InPlace(unsafe { RawMessage::new(self.1) }.for_lane(self.0.lane)))
            }

            fn bridged(self) -> Self::Result
            where
                M: BridgedMessage,
            {
                self.0.image_of(self.1).map(|image| Raw::Image(image, self.0.lane))
            }
        }
        M::visit(MakeRaw(*self, message))
    }

    /// Writes a message into the next reserved slot. If it is too large, the slots that are left are void.
    #[inline(always)]
    pub(super) fn put(
        self,
        message: &M,
        slots: &mut HostSlots<'_>,
        header: Header,
    ) -> Result<(), TrySendError<()>> {
        message.put(slots, header).map_err(|_| {
            self.core.drops.void(slots.remaining());
            self.oversize(message).into()
        })
    }

    /// Describes a message that is too large, and counts it.
    #[cold]
    pub(super) fn oversize(self, message: &M) -> Oversize {
        self.refused(self.lane);
        Oversize { size: message.payload_size(), limit: self.core.max_payload() }
    }

    /// The shard that takes a message: the one of its key, or without a key the least loaded one.
    #[inline]
    pub(crate) fn shard_of(self, message: &M) -> usize {
        if self.core.shards.len() == 1 {
            return 0;
        }
        if M::KEYED {
            return self.shard_of_key(message.key());
        }
        if self.core.deduplicates(self.lane) {
            return Fronts::shard_of_identity(identity_of(message), self.core.shards.len());
        }
        self.kernel.least_loaded()
    }

    /// Puts a message into its shard's queue, without waiting. Counts what is dropped, but not what is
    /// refused. If an older message is evicted, it replaces the given one.
    #[inline]
    fn offer(self, message: &mut M) -> Result<SendOutcome<()>, TrySendError<()>> {
        if !self.fronts.is_empty() {
            return self.offer_in_front(message, false);
        }
        let (shard, header) = (self.shard_of(message), self.batch_header());
        self.kernel.offer_open(shard, |slot| self.put(message, slot, self.core.followed(header)))
    }

    /// [`offer`](Self::offer) to the queue in front of the message's shard. `again`: the message was accepted
    /// before, and must not count as a duplicate of itself.
    #[inline]
    fn offer_in_front(self, message: &mut M, again: bool) -> Result<SendOutcome<()>, TrySendError<()>> {
        struct Offer<'i, 'm, M>(Inlet<'i, M>, &'m mut M, bool);
        impl<M: KernelMessage> Visitor<M> for Offer<'_, '_, M> {
            type Result = Result<SendOutcome<()>, TrySendError<()>>;

            #[inline(always)]
            fn direct(self) -> Self::Result
            where
                M: RingMessage,
            {
                let Self(inlet, message, again) = self;
                let (shard, header) = (inlet.shard_of(message), inlet.header());
                // SAFETY: the kernel's messages are of this type.
                let message = unsafe { RawMessage::new(message) }.for_lane(inlet.lane);
                inlet.core.unless_refused(header, inlet.front_end().offer(shard, message, header, again))
            }

            fn bridged(self) -> Self::Result
            where
                M: BridgedMessage,
            {
                let Self(inlet, message, again) = self;
                let outcome = inlet.offer_image(message, again)?;
                Ok(match outcome {
                    SendOutcome::Evicted(Some(evicted)) => {
                        *message = evicted;
                        SendOutcome::Evicted(())
                    }
                    other => other.map(drop),
                })
            }
        }
        M::visit(Offer(self, message, again))
    }

    #[inline]
    pub(crate) fn try_send(self, mut message: M) -> Result<SendOutcome<M>, TrySendError<M>> {
        let result = self.offer(&mut message);
        if matches!(result, Err(TrySendError::Full(()))) {
            self.refused(self.lane);
        }
        match result {
            Ok(outcome) => Ok(outcome.map(|()| message)),
            Err(error) => Err(error.map(|()| message)),
        }
    }

    /// [`try_send`](Self::try_send) for a message that was accepted before, and must not count as a duplicate
    /// of itself.
    pub(crate) fn try_send_again(self, mut message: M) -> Result<SendOutcome<M>, TrySendError<M>> {
        if self.fronts.is_empty() {
            return self.try_send(message);
        }
        let result = self.offer_in_front(&mut message, true);
        if matches!(result, Err(TrySendError::Full(()))) {
            self.refused(self.lane);
        }
        match result {
            Ok(outcome) => Ok(outcome.map(|()| message)),
            Err(error) => Err(error.map(|()| message)),
        }
    }

    /// One attempt of a send that may wait: `None` if waiting for space helps.
    #[inline]
    pub(crate) fn attempt(self, message: &mut M) -> Option<Sent<()>> {
        let offered = self.offer(message);
        self.kernel.attempted(self.lane, offered)
    }

    pub(crate) async fn send(self, mut message: M) -> Sent<M> {
        let sent = match self.attempt(&mut message) {
            Some(sent) => sent,
            None => match self.raw(&mut message) {
                Ok(mut raw) => self.kernel.send_when_free(raw.get(), None).await,
                Err(oversize) => Err(SendError::from(TrySendError::from(oversize))),
            },
        };
        hand_back(sent, message)
    }

    pub(crate) async fn send_within(self, mut message: M, limit: Duration) -> Sent<M> {
        let sent = match self.attempt(&mut message) {
            Some(sent) => sent,
            None => match self.raw(&mut message) {
                Ok(mut raw) => self.kernel.send_when_free_within(raw.get(), limit).await,
                Err(oversize) => Err(SendError::from(TrySendError::from(oversize))),
            },
        };
        hand_back(sent, message)
    }

    /// [`send`](Self::send), blocking. Makes no future, waker or parker while there is space.
    #[inline]
    pub(crate) fn send_blocking(self, mut message: M) -> Sent<M> {
        let sent = self.attempt(&mut message).unwrap_or_else(|| self.send_when_free(&mut message, None));
        hand_back(sent, message)
    }

    pub(crate) fn send_timeout(self, mut message: M, deadline: Instant) -> Sent<M> {
        let sent =
            self.attempt(&mut message).unwrap_or_else(|| self.send_when_free(&mut message, Some(deadline)));
        hand_back(sent, message)
    }

    /// Sends a message for which there was no space, blocking.
    #[cold]
    fn send_when_free(self, message: &mut M, deadline: Option<Instant>) -> Sent<()> {
        match self.raw(message) {
            Ok(mut raw) => self.kernel.send_when_free_blocking(raw.get(), None, deadline),
            Err(oversize) => Err(SendError::from(TrySendError::from(oversize))),
        }
    }

    /// Sends as many messages from the front as it can without waiting. Returns how many, and whether it
    /// ended with an error.
    pub(crate) fn attempt_batch(
        self,
        messages: &[M],
        back: Option<&mut Vec<SendOutcome<M>>>,
    ) -> (usize, Option<SendError<()>>) {
        if !self.fronts.is_empty() {
            return self.attempt_behind_fronts(messages, back);
        }
        if self.core.options.inbound.backpressure == Backpressure::DropNew {
            return self.attempt_each(messages, back);
        }
        let header = self.batch_header();
        if self.core.shards.len() == 1 {
            return self.attempt_run(messages, header);
        }
        self.attempt_spread(messages, header)
    }

    /// Sends a batch through the queues in front.
    fn attempt_behind_fronts(
        self,
        messages: &[M],
        back: Option<&mut Vec<SendOutcome<M>>>,
    ) -> (usize, Option<SendError<()>>) {
        struct Attempt<'i, 'm, 'b, M>(Inlet<'i, M>, &'m [M], Option<&'b mut Vec<SendOutcome<M>>>);
        impl<M: KernelMessage> Visitor<M> for Attempt<'_, '_, '_, M> {
            type Result = (usize, Option<SendError<()>>);

            fn direct(self) -> Self::Result
            where
                M: RingMessage,
            {
                self.0.attempt_runs(self.1, self.2)
            }

            fn bridged(self) -> Self::Result
            where
                M: BridgedMessage,
            {
                self.0.attempt_images(self.1, self.2)
            }
        }
        M::visit(Attempt(self, messages, back))
    }

    /// [`attempt_behind_fronts`](Self::attempt_behind_fronts), in runs of messages for the same shard.
    fn attempt_runs(
        self,
        messages: &[M],
        mut back: Option<&mut Vec<SendOutcome<M>>>,
    ) -> (usize, Option<SendError<()>>)
    where
        M: RingMessage,
    {
        let header = self.batch_header();
        let mut sampler = self.core.sampler();
        let mut sent = 0;
        while sent < messages.len() {
            let shard = self.shard_of(&messages[sent]);
            // A message that is followed goes by itself.
            let most = RUN.min(messages.len() - sent).min(sampler.left().max(1));
            let others = &messages[sent + 1..sent + most];
            let run = if self.core.shards.len() == 1 {
                most
            } else {
                1 + others.iter().take_while(|message| self.shard_of(message) == shard).count()
            };
            let mut unqueued = false;
            let mut each = |fate, message: &Bytes| {
                unqueued |= matches!(fate, Fate::Discarded | Fate::Duplicate);
                // SAFETY: what comes back was sent to this kernel, whose messages are of this type; it may
                // lie anywhere.
                let message = unsafe { message.as_ptr().cast::<M>().read_unaligned() };
                back.iter_mut().for_each(|back| back.push(returned(fate, message)));
            };
            let header = Header { trace: sampler.next_of(run), ..header };
            let run = &messages[sent..sent + run];
            // SAFETY: as long as the run, and borrowed like it.
            let bytes = unsafe { std::slice::from_raw_parts(run.as_ptr().cast(), size_of_val(run)) };
            let back = Back::Each(&mut each);
            // SAFETY: messages of this kernel's type, in a row.
            let (taken, refused) =
                unsafe { self.front_end().offer_all(shard, self.lane, bytes, run.len(), header, back) };
            sent += taken;
            // One that is followed was the whole run.
            if taken == 0 || unqueued {
                self.core.unfollow(header);
            }
            if let Some(refused) = refused {
                return (sent, self.refusal(refused));
            }
        }
        (sent, None)
    }

    /// Sends a batch to one shard, several slots at a time.
    fn attempt_run(self, messages: &[M], header: Header) -> (usize, Option<SendError<()>>) {
        let mut sampler = self.core.sampler();
        let mut sent = 0;
        let mut error = None;
        while sent < messages.len() {
            match self.reserve(0, (messages.len() - sent) as u32) {
                Ok(mut slots) => {
                    let run = slots.remaining() as usize;
                    for message in &messages[sent..sent + run] {
                        let header = Header { trace: sampler.next(), ..header };
                        if let Err(oversize) = self.put(message, &mut slots, header) {
                            drop(slots);
                            self.core.wake(0);
                            return (sent, Some(oversize.into()));
                        }
                        sent += 1;
                    }
                }
                Err(refused) => {
                    error = self.refusal(refused);
                    break;
                }
            }
        }
        if sent != 0 {
            self.core.wake(0);
        }
        (sent, error)
    }

    /// Sends a batch under a policy that decides message by message.
    fn attempt_each(
        self,
        messages: &[M],
        mut back: Option<&mut Vec<SendOutcome<M>>>,
    ) -> (usize, Option<SendError<()>>) {
        for (sent, message) in messages.iter().enumerate() {
            let (shard, header) = (self.shard_of(message), self.batch_header());
            let put = |slot: &mut HostSlots<'_>| self.put(message, slot, self.core.followed(header));
            let offered = self.kernel.offer_open(shard, put);
            match self.kernel.attempted(self.lane, offered) {
                Some(Ok(SendOutcome::Accepted)) => {}
                Some(Ok(other)) => {
                    back.iter_mut().for_each(|back| back.push(other.map(|()| message.again())));
                }
                Some(Err(error)) => return (sent, Some(error)),
                None => return (sent, None),
            }
        }
        (messages.len(), None)
    }

    /// The event that is notified when the queue of a message's shard has space.
    fn space_for(self, message: &M) -> &'a Event {
        self.kernel.space(self.lane, self.shard_of(message))
    }

    /// Sends the messages from index `sent` on, waiting for space. `sent` says how many were sent, even if
    /// this future is dropped.
    async fn send_rest(
        self,
        messages: &[M],
        sent: &mut usize,
        mut back: Option<&mut Vec<SendOutcome<M>>>,
    ) -> Result<(), SendError<()>> {
        let mut attempt = |sent: &mut usize| {
            let (more, error) = self.attempt_batch(&messages[*sent..], back.as_deref_mut());
            *sent += more;
            error.map_or(Ok(more), Err)
        };
        loop {
            attempt(sent)?;
            if *sent == messages.len() {
                return Ok(());
            }
            let listener = self.space_for(&messages[*sent]).listen();
            if attempt(sent)? == 0 && *sent != messages.len() {
                self.wait_for(listener).await;
            }
        }
    }

    pub(crate) async fn send_batch(
        self,
        messages: &[M],
        back: Option<&mut Vec<SendOutcome<M>>>,
    ) -> Result<(), BatchError> {
        let mut sent = 0;
        let ended = self.send_rest(messages, &mut sent, back).await;
        ended.map_err(|cause| BatchError { sent, cause })
    }

    /// [`send_batch`](Self::send_batch), blocking. Makes no future while there is space. Stops at the
    /// deadline, if there is one.
    pub(crate) fn send_batch_blocking(
        self,
        messages: &[M],
        mut back: Option<&mut Vec<SendOutcome<M>>>,
        deadline: Option<Instant>,
    ) -> Result<(), BatchError> {
        let mut sent = 0;
        // Where queues stand in front, who sends hands messages over that wait, and so makes room itself.
        let mut backoff = if self.fronts.is_empty() { Backoff::spent() } else { Backoff::new() };
        loop {
            let (more, error) = self.attempt_batch(&messages[sent..], back.as_deref_mut());
            sent += more;
            if let Some(cause) = error {
                return Err(BatchError { sent, cause });
            }
            if sent == messages.len() {
                return Ok(());
            }
            if backoff.is_spent() {
                break;
            }
            backoff.snooze();
        }
        let rest = self.send_rest(messages, &mut sent, back);
        let ended = match deadline {
            None => block_on(rest),
            Some(deadline) => block_on_deadline(rest, deadline).unwrap_or_else(|| {
                self.refused(self.lane);
                Err(SendError::Timeout(()))
            }),
        };
        ended.map_err(|cause| BatchError { sent, cause })
    }

    /// Sends as many messages as it can without waiting.
    pub(crate) fn try_send_batch(self, messages: &[M]) -> Result<(), BatchError> {
        match self.attempt_batch(messages, None) {
            (sent, None) if sent == messages.len() => Ok(()),
            (sent, None) => {
                self.refused(self.lane);
                Err(BatchError { sent, cause: SendError::Full(()) })
            }
            (sent, Some(cause)) => Err(BatchError { sent, cause }),
        }
    }
}

/// The send outcome for a message that comes back.
fn returned<M>(fate: Fate, message: M) -> SendOutcome<M> {
    match fate {
        Fate::Evicted => SendOutcome::Evicted(message),
        Fate::Duplicate => SendOutcome::Duplicate(message),
        // What has expired does not come back.
        Fate::Discarded | Fate::Expired => SendOutcome::Discarded(message),
    }
}

/// The outcome with a message in it: the one that was sent, or the evicted one that replaced it.
#[inline]
pub(crate) fn hand_back<M>(sent: Sent<()>, message: M) -> Sent<M> {
    match sent {
        Ok(outcome) => Ok(outcome.map(|()| message)),
        Err(error) => Err(error.map(|()| message)),
    }
}
