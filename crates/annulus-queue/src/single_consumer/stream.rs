//! The ends as streams and sinks, as `crate::stream` has them for shared queues.

use crate::stream::{MessageSink, Messages};

use super::{
    ProducerMode, Receiver, Sender,
    future::{SingleConsumerSource, SingleConsumerTarget},
};

impl<T: Send, P: ProducerMode> Receiver<T, P> {
    /// The messages as a stream that ends when the queue is closed and empty.
    ///
    /// ```
    /// # use std::{future::poll_fn, pin::pin};
    /// use annulus_queue::{QueueOptions, single_consumer::spsc, wait::block_on};
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
    pub fn messages(&mut self) -> Messages<'_, SingleConsumerSource<'_, T, P>> {
        Messages::new(SingleConsumerSource { core: &self.core, place: &mut self.place })
    }
}

impl<T: Send, P: ProducerMode> Sender<T, P> {
    /// This sender as a sink.
    ///
    /// ```
    /// # use std::{future::poll_fn, pin::pin};
    /// use annulus_queue::{QueueOptions, single_consumer::spsc, wait::block_on};
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
    pub fn sink(&mut self) -> MessageSink<'_, SingleConsumerTarget<'_, T, P>> {
        MessageSink::new(SingleConsumerTarget { core: &self.core, local: &mut self.local })
    }
}
