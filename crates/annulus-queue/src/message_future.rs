//! Sending to and receiving from a [`MessageQueue`](crate::MessageQueue) as futures.
//!
//! They wait as those of the two ends do: try, register, try again, and only then be pending.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use crate::{
    Admission, Message, RecvError, SendError, TryRecvError, TrySendError, event::Listener, future::listen,
    message_inner::Inner, policed::Facts,
};

/// A [`send`](crate::MessageQueue::send) under way.
#[must_use = "nothing is sent unless the future is awaited"]
pub struct MessageSend<'a, T> {
    queue: &'a Inner<T>,
    /// There until the future is ready.
    message: Option<T>,
    facts: Facts,
    listener: Option<Listener<'a>>,
}

/// A [`recv`](crate::MessageQueue::recv) under way.
#[must_use = "nothing is received unless the future is awaited"]
pub struct MessageRecv<'a, T> {
    queue: &'a Inner<T>,
    listener: Option<Listener<'a>>,
}

impl<'a, T> MessageSend<'a, T> {
    pub(crate) fn new(queue: &'a Inner<T>, message: T, facts: Facts) -> Self {
        Self { queue, message: Some(message), facts, listener: None }
    }

    /// The message of a future that is not ready.
    pub(crate) fn into_message(self) -> T {
        self.message.expect("only a ready future has no message, and its output was returned instead")
    }
}

impl<'a, T> MessageRecv<'a, T> {
    pub(crate) fn new(queue: &'a Inner<T>) -> Self {
        Self { queue, listener: None }
    }
}

// The message is moved, never pinned.
impl<T> Unpin for MessageSend<'_, T> {}

impl<T: Message + Send> Future for MessageSend<'_, T> {
    type Output = Result<Admission<T>, SendError<T>>;

    /// # Panics
    /// If it was ready before.
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let mut message = this.message.take().expect("a future is not polled after it was ready");
        loop {
            message = match this.queue.offer(message, this.facts) {
                Err(TrySendError::Full(message)) if this.queue.blocks() => message,
                outcome => {
                    this.listener = None;
                    return Poll::Ready(outcome.map_err(SendError::from));
                }
            };
            if !listen(this.queue.not_full(), &mut this.listener, context) {
                this.message = Some(message);
                return Poll::Pending;
            }
        }
    }
}

impl<T: Message + Send> Future for MessageRecv<'_, T> {
    type Output = Result<T, RecvError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        loop {
            let outcome = match this.queue.take() {
                Ok(message) => Ok(message),
                Err(TryRecvError::Closed) => Err(RecvError::Closed),
                Err(TryRecvError::Empty) => {
                    if listen(this.queue.not_empty(), &mut this.listener, context) {
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

impl<T> fmt::Debug for MessageSend<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MessageSend").field("ready", &self.message.is_none()).finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for MessageRecv<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MessageRecv").field("waits", &self.listener.is_some()).finish_non_exhaustive()
    }
}
