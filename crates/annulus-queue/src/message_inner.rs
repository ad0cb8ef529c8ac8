//! The part that all handles of a [`MessageQueue`](crate::MessageQueue) share: one of two kinds of queue, and
//! what both kinds have.

use std::time::Duration;

use crate::{
    Backpressure, Counters, DeadLetters, Message, Reason, Receiver, SendError, SendOutcome, Sender,
    TryRecvError, TrySendError,
    counters::Count,
    policed::{Facts, Policed},
};
use annulus_sync::{AtomicUsize, Ordering, event::Event, wait::WaitStrategy};

pub(crate) struct Inner<T> {
    pub(crate) kind: Kind<T>,
    pub(crate) capacity: usize,
    pub(crate) backpressure: Backpressure,
    pub(crate) name: Option<String>,
    pub(crate) wait: WaitStrategy,
    pub(crate) block_timeout: Option<Duration>,
    pub(crate) max_message_bytes: Option<usize>,
    pub(crate) dead_letters: Option<DeadLetters<T>>,
    pub(crate) too_large: Count,
    /// The greatest depth that was seen of a plain queue: such a queue does not record it itself. Only grows.
    pub(crate) seen: AtomicUsize,
    /// The memory that was allocated when the queue was made, in bytes.
    pub(crate) memory: usize,
}

#[expect(clippy::large_enum_variant, reason = "there is one per queue, in an allocation that is never moved")]
pub(crate) enum Kind<T> {
    /// No policy: lock-free.
    Plain(Sender<T>, Receiver<T>),
    Policed(Policed<T>),
}

impl<T: Message + Send> Inner<T> {
    /// Gets from a message what the queue must know. `again`: it was accepted before, so it is not a
    /// duplicate of itself.
    #[inline]
    pub(crate) fn facts(&self, message: &T, again: bool) -> Facts {
        match &self.kind {
            Kind::Plain(..) => Facts::default(),
            Kind::Policed(queue) => queue.facts(message, again),
        }
    }

    /// Sends without waiting for space, and counts the outcome in every case.
    #[inline]
    pub(crate) fn try_send(&self, message: T, again: bool) -> Result<SendOutcome<T>, TrySendError<T>> {
        match &self.kind {
            // The short paths.
            Kind::Plain(tx, _) if self.max_message_bytes.is_none() => match tx.try_send(message) {
                Ok(SendOutcome::Accepted) => Ok(SendOutcome::Accepted),
                other => self.not_simply_accepted(other),
            },
            Kind::Policed(queue) if self.max_message_bytes.is_none() => {
                let facts = queue.facts(&message, again);
                match queue.offer(message, facts) {
                    Ok(outcome) => Ok(outcome),
                    Err(refusal) => Err(self.refused(refusal)),
                }
            }
            _ => {
                let facts = self.facts(&message, again);
                self.offer(message, facts).map_err(|refusal| self.refused(refusal))
            }
        }
    }

    #[cold]
    fn refused(&self, refusal: TrySendError<T>) -> TrySendError<T> {
        if matches!(refusal, TrySendError::Full(_)) && self.blocks() {
            self.count_rejected();
        }
        refusal
    }

    /// Sends without waiting for space. Counts every outcome except `Full` of a queue that blocks: that one
    /// is an outcome only if the caller does not try again.
    #[inline]
    pub(crate) fn offer(&self, message: T, facts: Facts) -> Result<SendOutcome<T>, TrySendError<T>> {
        if self.max_message_bytes.is_some_and(|most| message.payload_size() > most) {
            self.too_large.add_one();
            return Err(TrySendError::TooLarge(message));
        }
        match &self.kind {
            Kind::Plain(tx, _) => match tx.shared.offer(message) {
                Ok(SendOutcome::Accepted) => Ok(SendOutcome::Accepted),
                other => self.not_simply_accepted(other),
            },
            Kind::Policed(queue) => queue.offer(message, facts),
        }
    }

    /// One attempt of a send that may wait. Returns the message if waiting for space helps.
    #[inline]
    pub(crate) fn attempt(
        &self,
        message: T,
        facts: Facts,
    ) -> Result<Result<SendOutcome<T>, SendError<T>>, T> {
        match self.offer(message, facts) {
            Err(TrySendError::Full(message)) if self.blocks() => Err(message),
            outcome => Ok(outcome.map_err(SendError::from)),
        }
    }

    #[inline]
    pub(crate) fn take(&self) -> Result<T, TryRecvError> {
        match &self.kind {
            Kind::Plain(_, rx) => rx.try_recv(),
            Kind::Policed(queue) => queue.take(|message| self.expire(message)),
        }
    }

    pub(crate) fn take_all(&self) -> Vec<T> {
        match &self.kind {
            Kind::Plain(_, rx) => (0..rx.len()).map_while(|_| rx.try_recv().ok()).collect(),
            Kind::Policed(queue) => queue.take_all(|message| self.expire(message)),
        }
    }

    pub(crate) fn clear(&self) -> usize {
        match &self.kind {
            Kind::Plain(_, rx) => rx.clear(),
            Kind::Policed(_) => self.take_all().len(),
        }
    }

    pub(crate) fn close(&self) -> bool {
        match &self.kind {
            Kind::Plain(tx, _) => tx.close(),
            Kind::Policed(queue) => queue.close(),
        }
    }

    pub(crate) fn expire(&self, message: T) {
        if let Some(dead_letters) = &self.dead_letters {
            // The store counts the dead letter that it evicts.
            drop(dead_letters.bury(message, Reason::Expired));
        }
    }
}

impl<T> Inner<T> {
    pub(crate) fn blocks(&self) -> bool {
        self.backpressure == Backpressure::Block
    }

    pub(crate) fn count_rejected(&self) {
        match &self.kind {
            Kind::Plain(tx, _) => tx.shared.count_rejected(),
            Kind::Policed(queue) => queue.count_rejected(),
        }
    }

    pub(crate) fn not_full(&self) -> &Event {
        match &self.kind {
            Kind::Plain(tx, _) => &tx.shared.not_full,
            Kind::Policed(queue) => &queue.not_full,
        }
    }

    pub(crate) fn not_empty(&self) -> &Event {
        match &self.kind {
            Kind::Plain(tx, _) => &tx.shared.not_empty,
            Kind::Policed(queue) => &queue.not_empty,
        }
    }

    /// Whether a receive would return something other than `Empty`, or would find only expired messages.
    pub(crate) fn has_next(&self) -> bool {
        match &self.kind {
            Kind::Plain(_, rx) => rx.shared.has_next(),
            Kind::Policed(queue) => queue.has_next(),
        }
    }

    /// Whether a send would return something other than `Full`.
    pub(crate) fn has_space(&self) -> bool {
        match &self.kind {
            Kind::Plain(tx, _) => tx.shared.has_space(),
            Kind::Policed(queue) => queue.has_space(),
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        match &self.kind {
            Kind::Plain(tx, _) => tx.is_closed(),
            Kind::Policed(queue) => queue.is_closed(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match &self.kind {
            Kind::Plain(tx, _) => {
                let len = tx.len();
                self.see(len);
                len
            }
            Kind::Policed(queue) => queue.len(),
        }
    }

    /// The greatest depth so far, and whether no greater one was missed.
    pub(crate) fn high_water(&self) -> (usize, bool) {
        match &self.kind {
            Kind::Plain(..) => {
                self.len();
                let seen = self.seen.load(Ordering::Relaxed);
                (seen, seen == self.capacity)
            }
            Kind::Policed(queue) => (queue.high_water(), true),
        }
    }

    pub(crate) fn counters(&self) -> Counters {
        let counters = match &self.kind {
            Kind::Plain(tx, _) => tx.counters(),
            Kind::Policed(queue) => queue.counters(),
        };
        Counters { too_large: self.too_large.get(), ..counters }
    }

    /// The outcome of a plain queue that was full or closed. Records that it was full.
    #[cold]
    fn not_simply_accepted(
        &self,
        outcome: Result<SendOutcome<T>, TrySendError<T>>,
    ) -> Result<SendOutcome<T>, TrySendError<T>> {
        if !matches!(outcome, Err(TrySendError::Closed(_))) {
            self.see(self.capacity);
        }
        outcome
    }

    fn see(&self, depth: usize) {
        // Relaxed: a statistic publishes no other data. It loads first, so that the producers of a queue that
        // stays full do not all write it.
        if self.seen.load(Ordering::Relaxed) < depth {
            self.seen.fetch_max(depth, Ordering::Relaxed);
        }
    }
}
