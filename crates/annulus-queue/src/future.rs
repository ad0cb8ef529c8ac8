//! Sending to and receiving from a shared queue, as futures: see `turn`.
#![cfg_attr(not(feature = "futures"), allow(unreachable_pub, reason = "only streams and sinks show them"))]

use std::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use crate::{
    Backpressure, RecvError, SendError, SendOutcome, TryRecvError, TrySendError,
    queue::Shared,
    turn::{Receiving, Sending, Source, Target},
};
use annulus_sync::event::Event;

/// A [`send`](crate::Sender::send) in progress.
///
/// Drop it, or poll it until it is ready: a future that has waited and is then
/// [forgotten](crate#what-it-does-not-promise) may keep a wake-up that others need.
#[must_use = "nothing is sent unless the future is awaited"]
pub struct SendFuture<'a, T>(Sending<'a, SharedEnd<'a, T>, T>);

/// A [`recv`](crate::Receiver::recv) in progress.
///
/// Drop it, or poll it until it is ready: a future that has waited and is then
/// [forgotten](crate#what-it-does-not-promise) may keep a wake-up that others need.
#[must_use = "nothing is received unless the future is awaited"]
pub struct RecvFuture<'a, T>(Receiving<'a, SharedEnd<'a, T>>);

impl<'a, T> SendFuture<'a, T> {
    pub(crate) fn new(shared: &'a Shared<T>, message: T) -> Self {
        Self(Sending::new(SharedEnd(shared), Some(message)))
    }

    /// The message of a future that is not ready.
    pub(crate) fn into_message(self) -> T {
        self.0.into_message()
    }
}

impl<'a, T> RecvFuture<'a, T> {
    pub(crate) fn new(shared: &'a Shared<T>) -> Self {
        Self(Receiving::new(SharedEnd(shared)))
    }
}

// The message is moved, never pinned.
impl<T> Unpin for SendFuture<'_, T> {}

impl<T> Future for SendFuture<'_, T> {
    type Output = Result<SendOutcome<T>, SendError<T>>;

    /// # Panics
    /// If it was ready before.
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.poll(context)
    }
}

impl<T> Future for RecvFuture<'_, T> {
    type Output = Result<T, RecvError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.poll(context)
    }
}

impl<T> fmt::Debug for SendFuture<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SendFuture").field("ready", &self.0.message.is_none()).finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for RecvFuture<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecvFuture").field("waits", &self.0.waits()).finish_non_exhaustive()
    }
}

/// A shared queue, as source and target.
pub struct SharedEnd<'a, T>(pub(crate) &'a Shared<T>);

impl<'a, T> Source<'a> for SharedEnd<'a, T> {
    type Message = T;

    fn try_take(&mut self) -> Result<T, TryRecvError> {
        self.0.take()
    }

    fn not_empty(&self) -> &'a Event {
        &self.0.not_empty
    }

    fn is_more(&self) -> bool {
        self.0.has_next()
    }
}

impl<'a, T> Target<'a> for SharedEnd<'a, T> {
    type Message = T;

    fn offer(&mut self, message: T) -> Result<SendOutcome<T>, TrySendError<T>> {
        self.0.offer_noticing(message)
    }

    fn blocks(&self) -> bool {
        self.0.backpressure() == Backpressure::Block
    }

    fn not_full(&self) -> &'a Event {
        &self.0.not_full
    }

    fn is_more(&self) -> bool {
        self.0.has_space()
    }

    #[cfg(feature = "futures")]
    fn close(&mut self) {
        self.0.close();
    }
}
