//! Receivers as [`Stream`]s and senders as [`Sink`]s, both borrowed: they keep a place among those who wait between two polls.
//!
//! What is written about futures in `future` holds here: dropping a stream takes nothing, and dropping a sink loses nothing but
//! the one message that it was given and has not queued yet.

use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll},
};

use futures_core::Stream;
use futures_sink::Sink;

use crate::{
    Admission, Backpressure, Receiver, SendError, Sender, TryRecvError, TrySendError,
    event::{Event, Listener},
    future::listen,
    queue::Shared,
};

/// Where messages come from or go to. Sealed by being nameless.
pub trait Source<'a> {
    /// What comes.
    type Message;
    #[doc(hidden)]
    fn try_take(&mut self) -> Result<Self::Message, TryRecvError>;
    #[doc(hidden)]
    fn not_empty(&self) -> &'a Event;
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
    #[doc(hidden)]
    fn backpressure(&self) -> Backpressure;
    #[doc(hidden)]
    fn not_full(&self) -> &'a Event;
    #[doc(hidden)]
    fn close(&mut self);
}

/// The messages of a queue, until it is closed and empty: see [`Receiver::messages`].
#[must_use = "a stream does nothing unless it is polled"]
pub struct Messages<'a, S> {
    source: S,
    listener: Option<Listener<'a>>,
}

impl<'a, S: Source<'a>> Messages<'a, S> {
    pub(crate) fn new(source: S) -> Self {
        Self { source, listener: None }
    }
}

impl<'a, S: Source<'a> + Unpin> Stream for Messages<'a, S> {
    type Item = S::Message;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<S::Message>> {
        let this = &mut *self;
        loop {
            let outcome = match this.source.try_take() {
                Ok(message) => Some(message),
                Err(TryRecvError::Closed) => None,
                Err(TryRecvError::Empty) => {
                    if listen(this.source.not_empty(), &mut this.listener, context) {
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

/// A sender as a sink: see [`Sender::sink`].
///
/// It keeps one message until the queue has space. What a queue evicts or discards on its behalf is dropped, and counted by the queue.
/// `poll_close` closes the queue, for all.
#[must_use = "a sink does nothing unless it is polled"]
pub struct MessageSink<'a, S: Target<'a>> {
    target: S,
    /// Given, and not queued yet.
    message: Option<S::Message>,
    listener: Option<Listener<'a>>,
}

impl<'a, S: Target<'a>> MessageSink<'a, S> {
    pub(crate) fn new(target: S) -> Self {
        Self { target, message: None, listener: None }
    }
}

impl<'a, S: Target<'a> + Unpin> Sink<S::Message> for MessageSink<'a, S>
where
    S::Message: Unpin,
{
    type Error = SendError<S::Message>;

    fn poll_ready(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.poll_flush(context)
    }

    /// # Panics
    /// If `poll_ready` did not say that it was ready.
    fn start_send(mut self: Pin<&mut Self>, message: S::Message) -> Result<(), Self::Error> {
        assert!(self.message.is_none(), "a sink is given a message after it was ready");
        self.message = Some(message);
        Ok(())
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        let this = &mut *self;
        while let Some(message) = this.message.take() {
            let message = match this.target.offer(message) {
                Err(TrySendError::Full(message)) if this.target.backpressure() == Backpressure::Block => {
                    message
                }
                outcome => {
                    this.listener = None;
                    return Poll::Ready(outcome.map(drop).map_err(SendError::from));
                }
            };
            this.message = Some(message);
            if !listen(this.target.not_full(), &mut this.listener, context) {
                return Poll::Pending;
            }
        }
        Poll::Ready(Ok(()))
    }

    fn poll_close(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        let flushed = self.as_mut().poll_flush(context);
        if flushed.is_ready() {
            self.target.close();
        }
        flushed
    }
}

impl<S> fmt::Debug for Messages<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Messages").field("waits", &self.listener.is_some()).finish_non_exhaustive()
    }
}

impl<'a, S: Target<'a>> fmt::Debug for MessageSink<'a, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MessageSink").field("keeps", &self.message.is_some()).finish_non_exhaustive()
    }
}

/// A queue that all may share, as source and target.
pub struct SharedEnd<'a, T>(&'a Shared<T>);

impl<'a, T> Source<'a> for SharedEnd<'a, T> {
    type Message = T;

    fn try_take(&mut self) -> Result<T, TryRecvError> {
        self.0.take()
    }

    fn not_empty(&self) -> &'a Event {
        &self.0.not_empty
    }
}

impl<'a, T> Target<'a> for SharedEnd<'a, T> {
    type Message = T;

    fn offer(&mut self, message: T) -> Result<Admission<T>, TrySendError<T>> {
        self.0.offer_noticing(message)
    }

    fn backpressure(&self) -> Backpressure {
        self.0.backpressure()
    }

    fn not_full(&self) -> &'a Event {
        &self.0.not_full
    }

    fn close(&mut self) {
        self.0.close();
    }
}

impl<T: Send> Receiver<T> {
    /// The messages as a stream that ends when the queue is closed and empty. Other receivers may take some in between.
    ///
    /// ```
    /// # use std::{future::poll_fn, pin::pin};
    /// use annulus_queue::{QueueOptions, queue, wait::block_on};
    /// use futures_core::Stream;
    ///
    /// let (tx, rx) = queue(QueueOptions::new())?;
    /// let _ = tx.try_send(1);
    /// drop(tx);
    /// let mut messages = pin!(rx.messages());
    /// assert_eq!(block_on(poll_fn(|context| messages.as_mut().poll_next(context))), Some(1));
    /// assert_eq!(block_on(poll_fn(|context| messages.as_mut().poll_next(context))), None);
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn messages(&self) -> Messages<'_, SharedEnd<'_, T>> {
        Messages::new(SharedEnd(&self.shared))
    }
}

impl<T: Send> Sender<T> {
    /// This sender as a sink.
    ///
    /// ```
    /// # use std::{future::poll_fn, pin::pin};
    /// use annulus_queue::{QueueOptions, queue, wait::block_on};
    /// use futures_sink::Sink;
    ///
    /// let (tx, rx) = queue(QueueOptions::new())?;
    /// let mut sink = pin!(tx.sink());
    /// block_on(poll_fn(|context| sink.as_mut().poll_ready(context))).unwrap();
    /// sink.as_mut().start_send(1).unwrap();
    /// block_on(poll_fn(|context| sink.as_mut().poll_flush(context))).unwrap();
    /// assert_eq!(rx.try_recv(), Ok(1));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn sink(&self) -> MessageSink<'_, SharedEnd<'_, T>> {
        MessageSink::new(SharedEnd(&self.shared))
    }
}
