//! The ends as streams and sinks, as `crate::stream` has them for shared queues.

use crate::{
    Admission, Backpressure, TryRecvError, TrySendError,
    event::Event,
    stream::{MessageSink, Messages, Source, Target},
};

use super::{Core, Producers, Receiver, Sender, receiver::Place, sender::Local};

/// The only receiver, as a source.
pub struct SoloSource<'a, T, P: Producers> {
    core: &'a Core<T, P>,
    place: &'a mut Place<T>,
}

impl<'a, T, P: Producers> Source<'a> for SoloSource<'a, T, P> {
    type Message = T;

    fn try_take(&mut self) -> Result<T, TryRecvError> {
        self.core.take(self.place)
    }

    fn not_empty(&self) -> &'a Event {
        &self.core.not_empty
    }
}

/// A sender, as a target.
pub struct SoloTarget<'a, T, P: Producers> {
    core: &'a Core<T, P>,
    local: &'a mut Local<T>,
}

impl<'a, T, P: Producers> Target<'a> for SoloTarget<'a, T, P> {
    type Message = T;

    fn offer(&mut self, message: T) -> Result<Admission<T>, TrySendError<T>> {
        self.core.offer(self.local, message)
    }

    fn backpressure(&self) -> Backpressure {
        self.core.backpressure
    }

    fn not_full(&self) -> &'a Event {
        &self.core.not_full
    }

    fn close(&mut self) {
        self.core.close_sending(&mut self.local.position);
    }
}

impl<T: Send, P: Producers> Receiver<T, P> {
    /// The messages as a stream that ends when the queue is closed and empty.
    ///
    /// ```
    /// # use std::{future::poll_fn, pin::pin};
    /// use annulus_queue::{QueueOptions, solo::spsc, wait::block_on};
    /// use futures_core::Stream;
    ///
    /// let (mut tx, mut rx) = spsc(QueueOptions::new())?;
    /// let _ = tx.try_send(1);
    /// drop(tx);
    /// let mut messages = pin!(rx.messages());
    /// assert_eq!(block_on(poll_fn(|context| messages.as_mut().poll_next(context))), Some(1));
    /// assert_eq!(block_on(poll_fn(|context| messages.as_mut().poll_next(context))), None);
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn messages(&mut self) -> Messages<'_, SoloSource<'_, T, P>> {
        Messages::new(SoloSource { core: &self.core, place: &mut self.place })
    }
}

impl<T: Send, P: Producers> Sender<T, P> {
    /// This sender as a sink.
    ///
    /// ```
    /// # use std::{future::poll_fn, pin::pin};
    /// use annulus_queue::{QueueOptions, solo::spsc, wait::block_on};
    /// use futures_sink::Sink;
    ///
    /// let (mut tx, mut rx) = spsc(QueueOptions::new())?;
    /// let mut sink = pin!(tx.sink());
    /// block_on(poll_fn(|context| sink.as_mut().poll_ready(context))).unwrap();
    /// sink.as_mut().start_send(1).unwrap();
    /// block_on(poll_fn(|context| sink.as_mut().poll_flush(context))).unwrap();
    /// assert_eq!(rx.try_recv(), Ok(1));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn sink(&mut self) -> MessageSink<'_, SoloTarget<'_, T, P>> {
        MessageSink::new(SoloTarget { core: &self.core, local: &mut self.local })
    }
}
