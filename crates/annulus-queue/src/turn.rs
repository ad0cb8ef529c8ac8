//! Waiting for a message or for space, once for all futures, streams and sinks.
//!
//! All wait alike: try; if that fails, register; try again, since something may have changed before the registration; and only
//! then be pending. Nothing is taken or queued by one that is pending, so dropping it loses nothing but its own message.
//!
//! # Nobody sleeps beside a message
//!
//! A notification says *look*, and a look may find nothing although there is something: a message that lies behind one which is still
//! being written, or a queue that is closed but for such a one. Whoever looked goes to sleep again, and the notification is spent. Once
//! the message in front is written, there are two things to be had, and one notification.
//!
//! So whoever was notified and finds something **looks whether there is more**, and if so notifies the next. Then this holds: while
//! there is something to be had and somebody sleeps, somebody is awake who was notified and has yet to look, or somebody has made it
//! available and has yet to notify. For what comes to the front is published, by one who notifies; or what was in front of it was
//! taken, and that had been published, by one who notified somebody, whose look comes after.
//!
//! One that was notified and leaves without a look hands the notification on as it is.
#![cfg_attr(not(feature = "futures"), allow(unreachable_pub, reason = "only streams and sinks show them"))]

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use crate::{
    Admission, RecvError, SendError, TryRecvError, TrySendError,
    event::{Event, Listener},
    sync::{Ordering, fence},
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
    ) -> Result<Admission<Self::Message>, TrySendError<Self::Message>>;
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
        let turn = Turn::at(source.not_empty());
        Self { source, turn }
    }

    #[inline]
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<S::Message, RecvError>> {
        let Self { source, turn } = self;
        let outcome = ready!(turn.poll(context, || match source.try_take() {
            Ok(message) => Poll::Ready(Ok(message)),
            Err(TryRecvError::Closed) => Poll::Ready(Err(RecvError::Closed)),
            Err(TryRecvError::Empty) => Poll::Pending,
        }));
        turn.end(|| source.is_more());
        Poll::Ready(outcome)
    }
}

impl<S> Receiving<'_, S> {
    pub(crate) fn waits(&self) -> bool {
        self.turn.listener.is_some()
    }
}

/// How a send ends.
type Sent<T> = Result<Admission<T>, SendError<T>>;

/// A send under way, or one after the other.
pub(crate) struct Sending<'a, S, T> {
    pub(crate) target: S,
    /// Given, and not sent yet.
    pub(crate) message: Option<T>,
    turn: Turn<'a>,
}

impl<'a, S: Target<'a>> Sending<'a, S, S::Message> {
    pub(crate) fn new(target: S, message: Option<S::Message>) -> Self {
        let turn = Turn::at(target.not_full());
        Self { target, message, turn }
    }

    /// # Panics
    /// If there is no message.
    #[inline]
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Sent<S::Message>> {
        let Self { target, message, turn } = self;
        let outcome = ready!(turn.poll(context, || {
            let given = message.take().expect("a future is not polled after it was ready");
            match target.offer(given) {
                Err(TrySendError::Full(given)) if target.blocks() => {
                    *message = Some(given);
                    Poll::Pending
                }
                outcome => Poll::Ready(outcome.map_err(SendError::from)),
            }
        }));
        turn.end(|| target.is_more());
        Poll::Ready(outcome)
    }
}

impl<S, T> Sending<'_, S, T> {
    /// The message of a send that is not ready.
    pub(crate) fn into_message(self) -> T {
        self.message.expect("only a ready future has no message, and its output was returned instead")
    }
}

/// A place among those who wait at an event, taken when a try fails.
struct Turn<'a> {
    event: &'a Event,
    listener: Option<Listener<'a>>,
    /// Whether a notification was seen and no try has been made since.
    owes_a_look: bool,
}

impl<'a> Turn<'a> {
    fn at(event: &'a Event) -> Self {
        Self { event, listener: None, owes_a_look: false }
    }

    /// Tries until that succeeds, or until there is nothing to do but wait for a notification. When it has succeeded, the turn is to
    /// be [ended](Self::end).
    #[inline]
    fn poll<R>(&mut self, context: &mut Context<'_>, mut attempt: impl FnMut() -> Poll<R>) -> Poll<R> {
        loop {
            let outcome = attempt();
            if outcome.is_ready() {
                return outcome;
            }
            self.owes_a_look = false;
            if let Some(listener) = &mut self.listener {
                if Pin::new(listener).poll(context).is_pending() {
                    return Poll::Pending;
                }
                self.owes_a_look = true;
            }
            self.listener = Some(self.event.listen());
        }
    }

    /// Leaves after a try that succeeded. Whoever was notified notifies the next if there `is_more`.
    #[inline]
    fn end(&mut self, is_more: impl FnOnce() -> bool) {
        let notified = self.listener.take().is_some_and(Listener::leave);
        if notified | std::mem::take(&mut self.owes_a_look) {
            self.hand_on(is_more);
        }
    }

    #[cold]
    fn hand_on(&self, is_more: impl FnOnce() -> bool) {
        // SYNC: event-registered. What is made available after this look is so by one who sees all that was registered before it.
        fence(Ordering::SeqCst);
        if is_more() {
            self.event.notify(1);
        }
    }
}

impl Drop for Turn<'_> {
    /// Only a try that panicked leaves a look owing. What its listener was not told, that hands on itself.
    fn drop(&mut self) {
        if self.owes_a_look {
            self.event.notify(1);
        }
    }
}
