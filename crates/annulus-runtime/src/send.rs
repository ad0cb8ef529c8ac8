//! Sending to a kernel.

use std::{
    fmt,
    ops::{Deref, DerefMut},
    time::Instant,
};

use annulus_kernel::{RingKernel, RingMessage};
use annulus_queue::{
    Admission, Backpressure, SendError, TrySendError,
    event::Event,
    intake::Entered,
    ring::{Header, Refused, Reservation},
    sync::Ordering,
    wait::{block_on, block_on_deadline},
};

use crate::{
    error::CallError,
    kernel::{KernelShared, Parcel},
};

/// A batch that was sent in part. The messages from `sent` on were not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchError {
    /// How many messages of the batch were sent.
    pub sent: usize,
    /// Why the next one was not.
    pub cause: SendError<()>,
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} messages of the batch were sent; then {}", self.sent, self.cause)
    }
}

impl std::error::Error for BatchError {}

/// How a send that may wait ended.
type Sent<K> = Result<Admission<<K as RingKernel>::Message>, SendError<<K as RingKernel>::Message>>;

/// Beyond this many shards, a message without a key looks at two of them instead of all.
const SCAN: usize = 8;

impl<K: RingKernel> KernelShared<K> {
    /// The shard that takes a message: its key's, else the least loaded.
    #[inline]
    pub(crate) fn shard_of(&self, message: &K::Message) -> usize {
        let shards = self.core.shards.len();
        if shards == 1 {
            return 0;
        }
        if K::Message::KEYED {
            return (message.key() % shards as u64) as usize;
        }
        let depth = |shard: usize| self.core.shards[shard].inbound.ring().depth() + self.staged_in(shard);
        let first = self.dealt.fetch_add(1, Ordering::Relaxed);
        let candidates = if shards <= SCAN { shards } else { 2 };
        // With many shards: two that lie far apart, by a multiplicative hash of a counter.
        let candidate = |i: usize| {
            if shards <= SCAN { (first + i) % shards } else { (first + i).wrapping_mul(0x9E37_79B1) % shards }
        };
        (0..candidates).map(candidate).min_by_key(|&shard| depth(shard)).unwrap_or(0)
    }

    fn staged_in(&self, shard: usize) -> u64 {
        self.stages.get(shard).map_or(0, |stage| stage.sender.len() as u64)
    }

    #[inline]
    pub(crate) fn header(&self, correlation: u64) -> Header {
        let enqueue_time = if self.core.options.timestamps { self.core.clock.now() } else { 0 };
        // All shards have the same command, or are about to: of a message that is sent while they change it either is right.
        let command = self.core.shards[0].memory.command().load(Ordering::Relaxed);
        Header { enqueue_time, correlation, command }
    }

    /// Slots for the host in a shard's ring.
    #[inline]
    fn reserve(&self, shard: usize, want: u32) -> Result<HostSlots<'_>, Refused> {
        let entered = if self.core.options.linked {
            Some(self.core.intake.enter().ok_or(Refused::Closed)?)
        } else {
            None
        };
        let slots = self.core.shards[shard].inbound.reserve(want)?;
        Ok(HostSlots { slots, _entered: entered })
    }

    /// Puts a message into its shard's queue, without waiting. Counts what is dropped, but not what is refused.
    #[inline]
    pub(crate) fn offer(
        &self,
        shard: usize,
        message: K::Message,
        header: Header,
    ) -> Result<Admission<K::Message>, TrySendError<K::Message>> {
        if !self.stages.is_empty() {
            return self.offer_staged(shard, message, header);
        }
        match self.reserve(shard, 1) {
            Ok(mut slot) => {
                slot.write(message, header);
                drop(slot);
                self.core.wake(shard);
                Ok(Admission::Accepted)
            }
            Err(Refused::Closed) => Err(TrySendError::Closed(message)),
            Err(Refused::Full) if self.core.options.backpressure == Backpressure::DropNew => {
                self.core.drops.discarded.fetch_add(1, Ordering::Relaxed);
                Ok(Admission::Discarded(message))
            }
            Err(Refused::Full) => Err(TrySendError::Full(message)),
        }
    }

    fn offer_staged(
        &self,
        shard: usize,
        message: K::Message,
        header: Header,
    ) -> Result<Admission<K::Message>, TrySendError<K::Message>> {
        let admission = match self.stages[shard].sender.try_send(Parcel { message, header }) {
            Ok(Admission::Accepted) => Admission::Accepted,
            Ok(Admission::Evicted(old)) => {
                self.core.drops.evicted.fetch_add(1, Ordering::Relaxed);
                if old.header.correlation != 0 {
                    self.calls.complete(old.header.correlation, Err(CallError::Dropped));
                    self.calls.wake_ready();
                }
                Admission::Evicted(old.message)
            }
            Ok(Admission::Discarded(new)) => {
                self.core.drops.discarded.fetch_add(1, Ordering::Relaxed);
                return Ok(Admission::Discarded(new.message));
            }
            Ok(Admission::Duplicate(new)) => return Ok(Admission::Duplicate(new.message)),
            Err(refusal) => return Err(refusal.map(|parcel| parcel.message)),
        };
        self.refill(shard);
        if self.staged_in(shard) != 0 {
            self.core.expect();
        }
        Ok(admission)
    }

    fn refused(&self) {
        self.core.drops.rejected.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn try_send(
        &self,
        message: K::Message,
    ) -> Result<Admission<K::Message>, TrySendError<K::Message>> {
        let result = self.offer(self.shard_of(&message), message, self.header(0));
        if matches!(result, Err(TrySendError::Full(_))) {
            self.refused();
        }
        result
    }

    /// One attempt of a send that may wait: `None` if waiting for space helps.
    #[inline]
    fn attempt(&self, shard: usize, message: K::Message, correlation: u64) -> Option<Sent<K>> {
        match self.offer(shard, message, self.header(correlation)) {
            Ok(admission) => Some(Ok(admission)),
            Err(TrySendError::Full(message)) if self.core.options.backpressure == Backpressure::Reject => {
                self.refused();
                Some(Err(SendError::Full(message)))
            }
            Err(TrySendError::Full(_)) => None,
            Err(refusal) => Some(Err(refusal.into())),
        }
    }

    /// What is notified when a shard's queue has space. A message without key may go to any shard, so whoever waits to send one
    /// waits for the first space there is.
    #[inline]
    pub(crate) fn space(&self, shard: usize) -> &Event {
        if K::Message::KEYED { &self.core.shards[shard].space } else { &self.core.space }
    }

    pub(crate) async fn send(&self, message: K::Message, correlation: u64) -> Sent<K> {
        loop {
            let shard = self.shard_of(&message);
            if let Some(result) = self.attempt(shard, message, correlation) {
                return result;
            }
            let listener = self.space(shard).listen();
            if let Some(result) = self.attempt(self.shard_of(&message), message, correlation) {
                return result;
            }
            self.core.expect();
            listener.await;
        }
    }

    /// [`send`](Self::send), blocking: without a future, a waker and a parker as long as there is space.
    #[inline]
    pub(crate) fn send_blocking(&self, message: K::Message, correlation: u64) -> Sent<K> {
        match self.attempt(self.shard_of(&message), message, correlation) {
            Some(result) => result,
            None => block_on(self.send(message, correlation)),
        }
    }

    /// [`send_batch`](Self::send_batch), blocking; the same.
    pub(crate) fn send_batch_blocking(&self, messages: &[K::Message]) -> Result<(), BatchError> {
        match self.attempt_batch(messages) {
            (sent, None) if sent == messages.len() => Ok(()),
            (sent, None) => block_on(self.send_batch(&messages[sent..]))
                .map_err(|error| BatchError { sent: sent + error.sent, ..error }),
            (sent, Some(cause)) => Err(BatchError { sent, cause }),
        }
    }

    pub(crate) fn send_timeout(
        &self,
        message: K::Message,
        deadline: Instant,
    ) -> Result<Admission<K::Message>, SendError<K::Message>> {
        block_on_deadline(self.send(message, 0), deadline).unwrap_or_else(|| {
            self.refused();
            Err(SendError::Timeout(message))
        })
    }

    /// Sends as many messages from the front as go without waiting; says how many, and whether it ended with an error.
    fn attempt_batch(&self, messages: &[K::Message]) -> (usize, Option<SendError<()>>) {
        if !self.stages.is_empty() || self.core.options.backpressure == Backpressure::DropNew {
            return self.attempt_each(messages);
        }
        let header = self.header(0);
        if self.core.shards.len() == 1 {
            return self.attempt_run(messages, header);
        }
        let mut touched = Touched::new(self.core.shards.len());
        let mut sent = 0;
        let mut error = None;
        for message in messages {
            let shard = self.shard_of(message);
            match self.reserve(shard, 1) {
                Ok(mut slot) => slot.write(*message, header),
                Err(refused) => {
                    error = self.batch_error(refused);
                    break;
                }
            }
            touched.insert(shard);
            sent += 1;
        }
        touched.for_each(|shard| self.core.wake(shard));
        (sent, error)
    }

    /// A batch for one shard, several slots at a time.
    fn attempt_run(&self, messages: &[K::Message], header: Header) -> (usize, Option<SendError<()>>) {
        let mut sent = 0;
        let mut error = None;
        while sent < messages.len() {
            match self.reserve(0, (messages.len() - sent) as u32) {
                Ok(mut slots) => {
                    let run = slots.remaining() as usize;
                    for message in &messages[sent..sent + run] {
                        slots.write(*message, header);
                    }
                    sent += run;
                }
                Err(refused) => {
                    error = self.batch_error(refused);
                    break;
                }
            }
        }
        if sent != 0 {
            self.core.wake(0);
        }
        (sent, error)
    }

    /// A batch under a policy that decides message by message.
    fn attempt_each(&self, messages: &[K::Message]) -> (usize, Option<SendError<()>>) {
        for (sent, message) in messages.iter().enumerate() {
            match self.attempt(self.shard_of(message), *message, 0) {
                Some(Ok(_)) => {}
                Some(Err(SendError::Closed(_))) => return (sent, Some(SendError::Closed(()))),
                Some(Err(_)) => return (sent, Some(SendError::Full(()))),
                None => return (sent, None),
            }
        }
        (messages.len(), None)
    }

    /// What a refusal means for a batch: `None` if waiting helps.
    fn batch_error(&self, refused: Refused) -> Option<SendError<()>> {
        match refused {
            Refused::Closed => Some(SendError::Closed(())),
            Refused::Full if self.core.options.backpressure == Backpressure::Reject => {
                self.refused();
                Some(SendError::Full(()))
            }
            Refused::Full => None,
        }
    }

    pub(crate) async fn send_batch(&self, messages: &[K::Message]) -> Result<(), BatchError> {
        let mut sent = 0;
        loop {
            let (more, error) = self.attempt_batch(&messages[sent..]);
            sent += more;
            if let Some(cause) = error {
                return Err(BatchError { sent, cause });
            }
            if sent == messages.len() {
                return Ok(());
            }
            let shard = self.shard_of(&messages[sent]);
            let listener = self.space(shard).listen();
            let (more, error) = self.attempt_batch(&messages[sent..]);
            sent += more;
            match error {
                Some(cause) => return Err(BatchError { sent, cause }),
                None if more != 0 || sent == messages.len() => {}
                None => {
                    self.core.expect();
                    listener.await;
                }
            }
        }
    }
}

/// A reservation of the host's.
struct HostSlots<'a> {
    slots: Reservation<'a>,
    _entered: Option<Entered<'a>>,
}

impl<'a> Deref for HostSlots<'a> {
    type Target = Reservation<'a>;

    fn deref(&self) -> &Reservation<'a> {
        &self.slots
    }
}

impl DerefMut for HostSlots<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.slots
    }
}

/// The shards that a batch went to, each once.
struct Touched {
    shards: Vec<bool>,
}

impl Touched {
    fn new(shards: usize) -> Self {
        Self { shards: vec![false; shards] }
    }

    fn insert(&mut self, shard: usize) {
        self.shards[shard] = true;
    }

    fn for_each(&self, f: impl Fn(usize)) {
        self.shards.iter().enumerate().filter(|&(_, &touched)| touched).for_each(|(shard, _)| f(shard));
    }
}
