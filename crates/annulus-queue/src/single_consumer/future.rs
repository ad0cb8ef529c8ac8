//! Sending and receiving as futures: see `turn`.
#![cfg_attr(not(feature = "futures"), allow(unreachable_pub, reason = "only streams and sinks show them"))]

use std::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use crate::{
    Backpressure, RecvError, SendError, SendOutcome, TryRecvError, TrySendError,
    turn::{Receiving, Sending, Source, Target},
};
use annulus_sync::event::Event;

use super::{Core, ProducerMode, receiver::Place, sender::Local};

/// A [`send`](super::Sender::send) in progress.
///
/// Drop it, or poll it until it is ready: a future that has waited and is then
/// [forgotten](crate#what-it-does-not-promise) may keep a wake-up that others need.
#[must_use = "nothing is sent unless the future is awaited"]
pub struct SendFuture<'a, T, P: ProducerMode>(Sending<'a, SingleConsumerTarget<'a, T, P>, T>);

/// A [`recv`](super::Receiver::recv) in progress.
#[must_use = "nothing is received unless the future is awaited"]
pub struct RecvFuture<'a, T, P: ProducerMode>(Receiving<'a, SingleConsumerSource<'a, T, P>>);

impl<'a, T, P: ProducerMode> SendFuture<'a, T, P> {
    pub(super) fn new(core: &'a Core<T, P>, local: &'a mut Local<T, P>, message: T) -> Self {
        Self(Sending::new(SingleConsumerTarget { core, local }, Some(message)))
    }

    /// The message of a future that is not ready.
    pub(super) fn into_message(self) -> T {
        self.0.into_message()
    }
}

impl<'a, T, P: ProducerMode> RecvFuture<'a, T, P> {
    pub(super) fn new(core: &'a Core<T, P>, place: &'a mut Place<T, P>) -> Self {
        Self(Receiving::new(SingleConsumerSource { core, place }))
    }
}

// The message is moved, never pinned.
impl<T, P: ProducerMode> Unpin for SendFuture<'_, T, P> {}

impl<T, P: ProducerMode> Future for SendFuture<'_, T, P> {
    type Output = Result<SendOutcome<T>, SendError<T>>;

    /// # Panics
    /// If it was ready before.
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.poll(context)
    }
}

impl<T, P: ProducerMode> Future for RecvFuture<'_, T, P> {
    type Output = Result<T, RecvError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.poll(context)
    }
}

impl<T, P: ProducerMode> fmt::Debug for SendFuture<'_, T, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SendFuture").field("ready", &self.0.message.is_none()).finish_non_exhaustive()
    }
}

impl<T, P: ProducerMode> fmt::Debug for RecvFuture<'_, T, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecvFuture").field("waits", &self.0.waits()).finish_non_exhaustive()
    }
}

/// The only receiver, as a source.
pub struct SingleConsumerSource<'a, T, P: ProducerMode> {
    pub(super) core: &'a Core<T, P>,
    pub(super) place: &'a mut Place<T, P>,
}

impl<'a, T, P: ProducerMode> Source<'a> for SingleConsumerSource<'a, T, P> {
    type Message = T;

    fn try_take(&mut self) -> Result<T, TryRecvError> {
        self.core.take(self.place)
    }

    fn not_empty(&self) -> &'a Event {
        &self.core.not_empty
    }

    /// No others wait.
    fn is_more(&self) -> bool {
        false
    }
}

/// A sender, as a target.
pub struct SingleConsumerTarget<'a, T, P: ProducerMode> {
    pub(super) core: &'a Core<T, P>,
    pub(super) local: &'a mut Local<T, P>,
}

impl<'a, T, P: ProducerMode> Target<'a> for SingleConsumerTarget<'a, T, P> {
    type Message = T;

    fn offer(&mut self, message: T) -> Result<SendOutcome<T>, TrySendError<T>> {
        self.core.offer(self.local, message)
    }

    fn blocks(&self) -> bool {
        self.core.backpressure == Backpressure::Block
    }

    fn not_full(&self) -> &'a Event {
        &self.core.not_full
    }

    fn is_more(&self) -> bool {
        self.core.has_space(&self.local.position)
    }

    #[cfg(feature = "futures")]
    fn close(&mut self) {
        self.core.close_sending(&mut self.local.position);
    }
}
