//! Waiting for a message or for space, once for all futures, streams and sinks.
//!
//! All wait alike: try; if that fails, register; try again, since something may have changed before the
//! registration; and only then be pending. Nothing is taken or queued by one that is pending, so dropping it
//! loses nothing but its own message.
//!
//! # Nobody sleeps beside a message
//!
//! A notification says *look*, and a look may find nothing although there is something: a message that lies
//! behind one which is still being written, or a queue that is closed but for such a one. Whoever looked goes
//! to sleep again, and the notification is spent. Once the message in front is written, there are two things
//! to be had, and one notification.
//!
//! So whoever was notified and finds something **looks whether there is more**, and if so notifies the next.
//! Then this holds: while there is something to be had and somebody sleeps, somebody is awake who was
//! notified and has yet to look, or somebody has made it available and has yet to notify. For what comes to
//! the front is published, by one who notifies; or what was in front of it was taken, and that had been
//! published, by one who notified somebody, whose look comes after.
//!
//! One that was notified and leaves without a look hands the notification on as it is.
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

/// Where messages come from. Sealed by being nameless.
pub trait Source<'a> {
    /// What comes.
    type Message;
    #[doc(hidden)]
    fn try_take(&mut self) -> Result<Self::Message, TryRecvError>;
    #[doc(hidden)]
    fn not_empty(&self) -> &'a Event;
    /// Whether others who wait would find a message now, or the end.
    #[doc(hidden)]
    fn is_more(&self) -> bool;
}

/// Where messages go. Sealed by being nameless.
pub trait Target<'a> {
    /// What goes.
    type Message;
    #[doc(hidden)]
    fn offer(
        &mut self,
        message: Self::Message,
    ) -> Result<SendOutcome<Self::Message>, TrySendError<Self::Message>>;
    /// Whether a sender waits where there is no space.
    #[doc(hidden)]
    fn blocks(&self) -> bool;
    #[doc(hidden)]
    fn not_full(&self) -> &'a Event;
    /// Whether others who wait would find space now, or the end.
    #[doc(hidden)]
    fn is_more(&self) -> bool;
    #[cfg(feature = "futures")]
    #[doc(hidden)]
    fn close(&mut self);
}

/// A receive under way, or one after the other.
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

/// A send under way, or one after the other.
pub(crate) struct Sending<'a, S, T> {
    pub(crate) target: S,
    /// Given, and not sent yet.
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

/// A place among those who wait at an event, from a try that found nothing to one that finds something.
struct Turn<'a>(Option<Listener<'a>>);

impl<'a> Turn<'a> {
    /// After a try that found nothing: whether to try again now. If not, the task will be woken.
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

    /// After a try that found something: leaves, and if it was notified, notifies the next if there
    /// `is_more`.
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
