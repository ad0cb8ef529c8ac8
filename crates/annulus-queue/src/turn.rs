//! Waiting for a message or for space. All futures, streams and sinks share this code.
//!
//! All wait in the same way: try; if that fails, register; try again, since something may have changed before
//! the registration; and only then be pending. A pending future has taken or queued nothing, so dropping it
//! loses only its own message.
//!
//! # Nobody sleeps beside a message
//!
//! A notification says *look*. A look may find nothing although there is something: a message may lie behind
//! one that is still being written, or the queue may be closed except for such a message. The waiter that
//! looked goes to sleep again, and the notification is used up. Once the message in front is written, there
//! are two things to take, but only one notification.
//!
//! So a waiter that was notified and finds something **looks whether there is more**, and if so notifies the
//! next. Then this holds: while there is something to take and somebody sleeps, either a notified waiter is
//! awake and has not looked yet, or the thread that made it available has not notified yet. The reason: a
//! message comes to the front in one of two ways. Either it is published there, and its publisher notifies;
//! or the message in front of it was taken. That one had been published too, and its publisher notified a
//! waiter, which looks after that.
//!
//! A waiter that was notified and leaves without looking passes the notification on.
#![cfg_attr(not(feature = "futures"), allow(unreachable_pub, reason = "only streams and sinks show them"))]

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use crate::{RecvError, SendError, SendOutcome, TryRecvError, TrySendError};
use annulus_sync::{
    Ordering,
    event::{Event, Listener},
    fence,
};

/// The source of messages. Not to be implemented outside this crate.
pub trait Source<'a> {
    /// The type of its messages.
    type Message;
    #[doc(hidden)]
    fn try_take(&mut self) -> Result<Self::Message, TryRecvError>;
    #[doc(hidden)]
    fn not_empty(&self) -> &'a Event;
    /// Whether other waiters would find a message now, or the end.
    #[doc(hidden)]
    fn is_more(&self) -> bool;
}

/// The target of messages. Not to be implemented outside this crate.
pub trait Target<'a> {
    /// The type of its messages.
    type Message;
    #[doc(hidden)]
    fn offer(
        &mut self,
        message: Self::Message,
    ) -> Result<SendOutcome<Self::Message>, TrySendError<Self::Message>>;
    /// Whether a sender waits if there is no space.
    #[doc(hidden)]
    fn blocks(&self) -> bool;
    #[doc(hidden)]
    fn not_full(&self) -> &'a Event;
    /// Whether other waiters would find space now, or the end.
    #[doc(hidden)]
    fn is_more(&self) -> bool;
    #[cfg(feature = "futures")]
    #[doc(hidden)]
    fn close(&mut self);
}

/// A receive in progress, or several receives one after the other.
pub(crate) struct Receiving<'a, S> {
    source: S,
    turn: Turn<'a>,
}

impl<'a, S: Source<'a>> Receiving<'a, S> {
    pub(crate) fn new(source: S) -> Self {
        Self { source, turn: Turn(None) }
    }

    #[inline]
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<S::Message, RecvError>> {
        loop {
            let outcome = match self.source.try_take() {
                Ok(message) => Ok(message),
                Err(TryRecvError::Closed) => Err(RecvError::Closed),
                Err(_) => {
                    if self.turn.go_on(self.source.not_empty(), context) {
                        continue;
                    }
                    return Poll::Pending;
                }
            };
            self.turn.end(|| self.source.is_more());
            return Poll::Ready(outcome);
        }
    }
}

impl<S> Receiving<'_, S> {
    pub(crate) fn waits(&self) -> bool {
        self.turn.0.is_some()
    }
}

/// How a send ends.
type Sent<T> = Result<SendOutcome<T>, SendError<T>>;

/// A send in progress, or several sends one after the other.
pub(crate) struct Sending<'a, S, T> {
    pub(crate) target: S,
    /// The message that was given and is not sent yet.
    pub(crate) message: Option<T>,
    turn: Turn<'a>,
}

impl<'a, S: Target<'a>> Sending<'a, S, S::Message> {
    pub(crate) fn new(target: S, message: Option<S::Message>) -> Self {
        Self { target, message, turn: Turn(None) }
    }

    /// # Panics
    /// If there is no message.
    #[inline]
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Sent<S::Message>> {
        let mut message = self.message.take().expect("a future is not polled after it was ready");
        loop {
            message = match self.target.offer(message) {
                Err(TrySendError::Full(message)) if self.target.blocks() => message,
                outcome => {
                    self.turn.end(|| self.target.is_more());
                    return Poll::Ready(outcome.map_err(SendError::from));
                }
            };
            if !self.turn.go_on(self.target.not_full(), context) {
                self.message = Some(message);
                return Poll::Pending;
            }
        }
    }
}

impl<S, T> Sending<'_, S, T> {
    /// The message of a send that is not ready.
    pub(crate) fn into_message(self) -> T {
        self.message.expect("only a ready future has no message, and its output was returned instead")
    }
}

/// A place in an event's list of waiters. It lasts from a try that found nothing to one that finds something.
struct Turn<'a>(Option<Listener<'a>>);

impl<'a> Turn<'a> {
    /// Called after a try that found nothing. Returns whether to try again now. If not, the task will be
    /// woken.
    #[inline(never)]
    fn go_on(&mut self, event: &'a Event, context: &mut Context<'_>) -> bool {
        let mut notified = false;
        if let Some(listener) = &mut self.0 {
            listener.owes_a_look = false;
            if Pin::new(listener).poll(context).is_pending() {
                return false;
            }
            notified = true;
        }
        self.0.insert(event.listen()).owes_a_look = notified;
        true
    }

    /// Called after a try that found something. Leaves the list; if it was notified and there `is_more`,
    /// notifies the next.
    #[inline(always)]
    fn end(&mut self, is_more: impl FnOnce() -> bool) {
        if let Some(listener) = self.0.take() {
            leave(listener, is_more);
        }
    }
}

#[cold]
fn leave(listener: Listener<'_>, is_more: impl FnOnce() -> bool) {
    if let Some(event) = listener.leave() {
        // SYNC: event-registered. What is made available after this look is so by one who sees all that was
        // registered before it.
        fence(Ordering::SeqCst);
        if is_more() {
            event.notify(1);
        }
    }
}
