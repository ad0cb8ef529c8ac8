//! Receivers as [`Stream`]s and senders as [`Sink`]s, both borrowed: between two polls they keep a place in
//! the list of waiters.
//!
//! They wait as `turn` describes. Dropping a stream takes no message. Dropping a sink loses at most one
//! message: the one that it was given and has not queued yet.

use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll},
};

use futures_core::Stream;
use futures_sink::Sink;

use crate::{
    Message, MessageQueue, Receiver, SendError, Sender,
    future::SharedEnd,
    message_future::{MessageSource, MessageTarget},
    turn::{Receiving, Sending, Source, Target},
};

/// The messages of a queue, until it is closed and empty: see [`Receiver::messages`].
///
/// Drop it, or poll it to its end: a stream that has waited and is then
/// [forgotten](crate#what-it-does-not-promise) may keep a wake-up that others need.
#[must_use = "a stream does nothing unless it is polled"]
pub struct Messages<'a, S>(Receiving<'a, S>);

impl<'a, S: Source<'a>> Messages<'a, S> {
    pub(crate) fn new(source: S) -> Self {
        Self(Receiving::new(source))
    }
}

impl<'a, S: Source<'a> + Unpin> Stream for Messages<'a, S> {
    type Item = S::Message;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<S::Message>> {
        self.0.poll(context).map(Result::ok)
    }
}

/// A sender as a sink: see [`Sender::sink`].
///
/// It keeps one message until the queue has space. Messages that the queue evicts or discards for it are
/// dropped, and counted by the queue. `poll_close` closes the queue for all its users.
#[must_use = "a sink does nothing unless it is polled"]
pub struct MessageSink<'a, S: Target<'a>>(Sending<'a, S, S::Message>);

impl<'a, S: Target<'a>> MessageSink<'a, S> {
    pub(crate) fn new(target: S) -> Self {
        Self(Sending::new(target, None))
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
    /// If `poll_ready` did not return ready before.
    fn start_send(mut self: Pin<&mut Self>, message: S::Message) -> Result<(), Self::Error> {
        assert!(self.0.message.is_none(), "a sink is given a message after it was ready");
        self.0.message = Some(message);
        Ok(())
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        if self.0.message.is_none() { Poll::Ready(Ok(())) } else { self.0.poll(context).map_ok(drop) }
    }

    fn poll_close(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        let flushed = self.as_mut().poll_flush(context);
        if flushed.is_ready() {
            self.0.target.close();
        }
        flushed
    }
}

impl<S> fmt::Debug for Messages<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Messages").field("waits", &self.0.waits()).finish_non_exhaustive()
    }
}

impl<'a, S: Target<'a>> fmt::Debug for MessageSink<'a, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MessageSink").field("keeps", &self.0.message.is_some()).finish_non_exhaustive()
    }
}

impl<T: Send> Receiver<T> {
    /// The messages as a stream that ends when the queue is closed and empty. Other receivers may take some
    /// in between.
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

impl<T: Message + Send> MessageQueue<T> {
    /// The messages as a stream that ends when the queue is closed and empty. Other receivers may take some
    /// in between.
    ///
    /// ```
    /// # use std::{future::poll_fn, pin::pin};
    /// use annulus_queue::{MessageQueue, QueueOptions, wait::block_on};
    /// use futures_core::Stream;
    ///
    /// let queue = MessageQueue::new(QueueOptions::new().priority(true))?;
    /// let _ = queue.try_send(1);
    /// queue.close();
    /// let mut messages = pin!(queue.messages());
    /// assert_eq!(block_on(poll_fn(|context| messages.as_mut().poll_next(context))), Some(1));
    /// assert_eq!(block_on(poll_fn(|context| messages.as_mut().poll_next(context))), None);
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn messages(&self) -> Messages<'_, MessageSource<'_, T>> {
        Messages::new(MessageSource(&self.inner))
    }

    /// The queue as a sink.
    ///
    /// ```
    /// # use std::{future::poll_fn, pin::pin};
    /// use annulus_queue::{MessageQueue, QueueOptions, wait::block_on};
    /// use futures_sink::Sink;
    ///
    /// let queue = MessageQueue::new(QueueOptions::new().priority(true))?;
    /// let mut sink = pin!(queue.sink());
    /// block_on(poll_fn(|context| sink.as_mut().poll_ready(context))).unwrap();
    /// sink.as_mut().start_send(1).unwrap();
    /// block_on(poll_fn(|context| sink.as_mut().poll_flush(context))).unwrap();
    /// assert_eq!(queue.try_recv(), Ok(1));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn sink(&self) -> MessageSink<'_, MessageTarget<'_, T>> {
        MessageSink::new(MessageTarget::new(&self.inner))
    }
}
