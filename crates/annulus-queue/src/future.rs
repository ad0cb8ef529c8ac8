//! Sending and receiving as futures.
//!
//! Both wait alike: try; if that fails, register; try again, since something may have changed before the registration; and only
//! then be pending. Nothing is taken or queued by a future that is pending, so dropping it loses nothing but its own message, and
//! its listener hands on a notification that it leaves unused.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use crate::{
    Admission, Backpressure, RecvError, SendError, TryRecvError, TrySendError,
    event::{Event, Listener},
    queue::Shared,
};

/// A [`send`](crate::Sender::send) under way.
#[must_use = "nothing is sent unless the future is awaited"]
pub struct SendFuture<'a, T> {
    shared: &'a Shared<T>,
    /// There until the future is ready.
    message: Option<T>,
    listener: Option<Listener<'a>>,
}

/// A [`recv`](crate::Receiver::recv) under way.
#[must_use = "nothing is received unless the future is awaited"]
pub struct RecvFuture<'a, T> {
    shared: &'a Shared<T>,
    listener: Option<Listener<'a>>,
}

impl<'a, T> SendFuture<'a, T> {
    pub(crate) fn new(shared: &'a Shared<T>, message: T) -> Self {
        Self { shared, message: Some(message), listener: None }
    }

    /// The message of a future that is not ready.
    pub(crate) fn into_message(self) -> T {
        self.message.expect("only a ready future has no message, and its output was returned instead")
    }
}

impl<'a, T> RecvFuture<'a, T> {
    pub(crate) fn new(shared: &'a Shared<T>) -> Self {
        Self { shared, listener: None }
    }
}

// The message is moved, never pinned.
impl<T> Unpin for SendFuture<'_, T> {}

impl<T> Future for SendFuture<'_, T> {
    type Output = Result<Admission<T>, SendError<T>>;

    /// # Panics
    /// If it was ready before.
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let mut message = this.message.take().expect("a future is not polled after it was ready");
        loop {
            message = match this.shared.offer_noticing(message) {
                Err(TrySendError::Full(message)) if this.shared.backpressure() == Backpressure::Block => {
                    message
                }
                outcome => {
                    this.listener = None;
                    return Poll::Ready(outcome.map_err(SendError::from));
                }
            };
            if !listen(&this.shared.not_full, &mut this.listener, context) {
                this.message = Some(message);
                return Poll::Pending;
            }
        }
    }
}

impl<T> Future for RecvFuture<'_, T> {
    type Output = Result<T, RecvError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        loop {
            let outcome = match this.shared.take() {
                Ok(message) => Ok(message),
                Err(TryRecvError::Closed) => Err(RecvError::Closed),
                Err(TryRecvError::Empty) => {
                    if listen(&this.shared.not_empty, &mut this.listener, context) {
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

/// One step of waiting, after a try that failed: whether to try again now. If not, the task will be woken.
pub(crate) fn listen<'a>(
    event: &'a Event,
    listener: &mut Option<Listener<'a>>,
    context: &mut Context<'_>,
) -> bool {
    match listener {
        None => {
            *listener = Some(event.listen());
            true
        }
        Some(registered) => {
            let notified = Pin::new(registered).poll(context).is_ready();
            if notified {
                *listener = None;
            }
            notified
        }
    }
}

impl<T> fmt::Debug for SendFuture<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SendFuture").field("ready", &self.message.is_none()).finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for RecvFuture<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecvFuture").field("waits", &self.listener.is_some()).finish_non_exhaustive()
    }
}
