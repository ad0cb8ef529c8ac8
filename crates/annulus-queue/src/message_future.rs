//! Sending to and receiving from a [`MessageQueue`](crate::MessageQueue) as futures: see `turn`.
#![cfg_attr(not(feature = "futures"), allow(unreachable_pub, reason = "only streams and sinks show them"))]

use std::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use crate::{
    Message, RecvError, SendError, SendOutcome, TryRecvError, TrySendError,
    message_inner::Inner,
    policed::Facts,
    turn::{Receiving, Sending, Source, Target},
};
use annulus_sync::event::Event;

/// A [`send`](crate::MessageQueue::send) in progress.
///
/// Drop it, or poll it until it is ready: a future that has waited and is then
/// [forgotten](crate#what-it-does-not-promise) may keep a wake-up that others need.
#[must_use = "nothing is sent unless the future is awaited"]
pub struct MessageSend<'a, T>(Sending<'a, MessageTarget<'a, T>, T>);

/// A [`recv`](crate::MessageQueue::recv) in progress.
///
/// Drop it, or poll it until it is ready: a future that has waited and is then
/// [forgotten](crate#what-it-does-not-promise) may keep a wake-up that others need.
#[must_use = "nothing is received unless the future is awaited"]
pub struct MessageRecv<'a, T>(Receiving<'a, MessageSource<'a, T>>);

impl<'a, T: Message + Send> MessageSend<'a, T> {
    pub(crate) fn new(queue: &'a Inner<T>, message: T, facts: Facts) -> Self {
        Self(Sending::new(MessageTarget { queue, facts: Some(facts), waits: queue.blocks() }, Some(message)))
    }

    /// Waits for space under Reject as well. (The others drop something, and have no need to wait.)
    pub(crate) fn waiting(queue: &'a Inner<T>, message: T, facts: Facts) -> Self {
        Self(Sending::new(MessageTarget { queue, facts: Some(facts), waits: true }, Some(message)))
    }

    /// The message of a future that is not ready.
    pub(crate) fn into_message(self) -> T {
        self.0.into_message()
    }
}

impl<'a, T: Message + Send> MessageRecv<'a, T> {
    pub(crate) fn new(queue: &'a Inner<T>) -> Self {
        Self(Receiving::new(MessageSource(queue)))
    }
}

// The message is moved, never pinned.
impl<T: Message + Send> Unpin for MessageSend<'_, T> {}

impl<T: Message + Send> Future for MessageSend<'_, T> {
    type Output = Result<SendOutcome<T>, SendError<T>>;

    /// # Panics
    /// If it was ready before.
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.poll(context)
    }
}

impl<T: Message + Send> Future for MessageRecv<'_, T> {
    type Output = Result<T, RecvError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.poll(context)
    }
}

impl<T: Message + Send> fmt::Debug for MessageSend<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MessageSend").field("ready", &self.0.message.is_none()).finish_non_exhaustive()
    }
}

impl<T: Message + Send> fmt::Debug for MessageRecv<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MessageRecv").field("waits", &self.0.waits()).finish_non_exhaustive()
    }
}

/// A queue as the source of a stream, too.
pub struct MessageSource<'a, T>(pub(crate) &'a Inner<T>);

impl<'a, T: Message + Send> Source<'a> for MessageSource<'a, T> {
    type Message = T;

    fn try_take(&mut self) -> Result<T, TryRecvError> {
        self.0.take()
    }

    fn not_empty(&self) -> &'a Event {
        self.0.not_empty()
    }

    fn is_more(&self) -> bool {
        self.0.has_next()
    }
}

/// A queue as the target of one message, or of a sink's messages, one after the other.
pub struct MessageTarget<'a, T> {
    queue: &'a Inner<T>,
    /// The facts of the message to be offered, where they are known already.
    facts: Option<Facts>,
    waits: bool,
}

#[cfg(feature = "futures")]
impl<'a, T: Message + Send> MessageTarget<'a, T> {
    pub(crate) fn new(queue: &'a Inner<T>) -> Self {
        Self { queue, facts: None, waits: queue.blocks() }
    }
}

impl<'a, T: Message + Send> Target<'a> for MessageTarget<'a, T> {
    type Message = T;

    fn offer(&mut self, message: T) -> Result<SendOutcome<T>, TrySendError<T>> {
        let facts = self.facts.take().unwrap_or_else(|| self.queue.facts(&message, false));
        let outcome = self.queue.offer(message, facts);
        if matches!(outcome, Err(TrySendError::Full(_))) {
            self.facts = Some(facts);
        }
        outcome
    }

    fn blocks(&self) -> bool {
        self.waits
    }

    fn not_full(&self) -> &'a Event {
        self.queue.not_full()
    }

    fn is_more(&self) -> bool {
        self.queue.has_space()
    }

    #[cfg(feature = "futures")]
    fn close(&mut self) {
        self.queue.close();
    }
}
