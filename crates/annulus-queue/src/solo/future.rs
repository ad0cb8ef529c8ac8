//! Sending and receiving as futures, as `crate::future` has them for shared queues.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use crate::{
    Admission, Backpressure, RecvError, SendError, TryRecvError, TrySendError, event::Listener,
    future::listen,
};

use super::{Core, Producers, receiver::Place, sender::Local};

/// A [`send`](super::Sender::send) under way.
#[must_use = "nothing is sent unless the future is awaited"]
pub struct SendFuture<'a, T, P: Producers> {
    core: &'a Core<T, P>,
    local: &'a mut Local<T>,
    /// There until the future is ready.
    message: Option<T>,
    listener: Option<Listener<'a>>,
}

/// A [`recv`](super::Receiver::recv) under way.
#[must_use = "nothing is received unless the future is awaited"]
pub struct RecvFuture<'a, T, P: Producers> {
    core: &'a Core<T, P>,
    place: &'a mut Place<T>,
    listener: Option<Listener<'a>>,
}

impl<'a, T, P: Producers> SendFuture<'a, T, P> {
    pub(super) fn new(core: &'a Core<T, P>, local: &'a mut Local<T>, message: T) -> Self {
        Self { core, local, message: Some(message), listener: None }
    }

    /// The message of a future that is not ready.
    pub(super) fn into_message(self) -> T {
        self.message.expect("only a ready future has no message, and its output was returned instead")
    }
}

impl<'a, T, P: Producers> RecvFuture<'a, T, P> {
    pub(super) fn new(core: &'a Core<T, P>, place: &'a mut Place<T>) -> Self {
        Self { core, place, listener: None }
    }
}

// The message is moved, never pinned.
impl<T, P: Producers> Unpin for SendFuture<'_, T, P> {}

impl<T, P: Producers> Future for SendFuture<'_, T, P> {
    type Output = Result<Admission<T>, SendError<T>>;

    /// # Panics
    /// If it was ready before.
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let mut message = this.message.take().expect("a future is not polled after it was ready");
        loop {
            message = match this.core.offer(this.local, message) {
                Err(TrySendError::Full(message)) if this.core.backpressure == Backpressure::Block => message,
                outcome => {
                    this.listener = None;
                    return Poll::Ready(outcome.map_err(SendError::from));
                }
            };
            if !listen(&this.core.not_full, &mut this.listener, context) {
                this.message = Some(message);
                return Poll::Pending;
            }
        }
    }
}

impl<T, P: Producers> Future for RecvFuture<'_, T, P> {
    type Output = Result<T, RecvError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        loop {
            let outcome = match this.core.take(this.place) {
                Ok(message) => Ok(message),
                Err(TryRecvError::Closed) => Err(RecvError::Closed),
                Err(TryRecvError::Empty) => {
                    if listen(&this.core.not_empty, &mut this.listener, context) {
                        continue;
                    }
                    return Poll::Pending;
                }
            };
            this.listener = None;
            return Poll::Ready(outcome);
        }
    }
}

impl<T, P: Producers> fmt::Debug for SendFuture<'_, T, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SendFuture").field("ready", &self.message.is_none()).finish_non_exhaustive()
    }
}

impl<T, P: Producers> fmt::Debug for RecvFuture<'_, T, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecvFuture").field("waits", &self.listener.is_some()).finish_non_exhaustive()
    }
}
