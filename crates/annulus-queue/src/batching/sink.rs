//! The targets of batches.

use std::{fmt, mem, sync::Arc};

use crate::{
    SendError, SendOutcome, Sender, TrySendError,
    pool::{Pool, Pooled},
};

/// Takes batches. A closure `FnMut(&mut Vec<T>) -> Result<(), E>` is one.
///
/// It is called by one thread at a time: one that pushes, flushes, closes or drops, or the timer. Other
/// threads that need a delivery wait meanwhile. The sink may push to, flush, close or drop its own batcher:
/// such calls do not wait, and take effect after this delivery. A push that finds both batches full then
/// returns [`Busy`](super::PushError::Busy).
///
/// ```
/// use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
/// use annulus_queue::batching::{BatchOptions, BatchSink, Batcher};
///
/// /// Unpacks the batches into a channel.
/// struct Unpack(SyncSender<u32>);
///
/// impl BatchSink<u32> for Unpack {
///     type Error = TrySendError<u32>;
///
///     fn deliver(&mut self, batch: &mut Vec<u32>) -> Result<(), Self::Error> {
///         while let Some(&first) = batch.first() {
///             self.0.send(first).map_err(|error| TrySendError::Disconnected(error.0))?;
///             batch.remove(0);
///         }
///         Ok(())
///     }
///
///     fn try_deliver(&mut self, batch: &mut Vec<u32>) -> Result<(), Self::Error> {
///         while let Some(&first) = batch.first() {
///             self.0.try_send(first)?; // what is still there is offered again
///             batch.remove(0);
///         }
///         Ok(())
///     }
///
///     fn abandon(&mut self, undelivered: Vec<u32>) {
///         eprintln!("nobody wanted {undelivered:?}");
///     }
/// }
///
/// let (tx, rx) = sync_channel(1);
/// let batcher = Batcher::new(BatchOptions::new(), Unpack(tx))?;
/// (0..3).try_for_each(|i| batcher.push(i))?;
/// assert_eq!(rx.iter().take(3).collect::<Vec<_>>(), [0, 1, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait BatchSink<T>: Send {
    /// Why a batch was not taken.
    type Error;

    /// Takes the messages out of `batch`, first to last, and may wait for space.
    ///
    /// `Ok` means that all are taken: messages still in `batch` are dropped. After `Err`, the messages still
    /// in `batch` are kept, and offered again before anything newer. The vector's memory is used again if it
    /// is left there.
    fn deliver(&mut self, batch: &mut Vec<T>) -> Result<(), Self::Error>;

    /// [`deliver`](Self::deliver) that does not wait: for the timer, whose thread serves all batchers, and
    /// for `try_push`.
    ///
    /// The default calls `deliver`, which is right for a sink that never waits long.
    fn try_deliver(&mut self, batch: &mut Vec<T>) -> Result<(), Self::Error> {
        self.deliver(batch)
    }

    /// Gets the messages that could not be delivered when the batcher was dropped without being closed. The
    /// default drops them.
    fn abandon(&mut self, undelivered: Vec<T>) {
        drop(undelivered);
    }
}

impl<T, E, F: FnMut(&mut Vec<T>) -> Result<(), E> + Send> BatchSink<T> for F {
    type Error = E;

    fn deliver(&mut self, batch: &mut Vec<T>) -> Result<(), E> {
        self(batch)
    }
}

/// Each batch as one message. The receiver keeps the vector, so every batch allocates one; [`Recycled`] does
/// not.
///
/// Under `DropNew`, a batch that does not fit stays with the batcher, as under `Reject`. Under `DropOldest`,
/// evicted batches are dropped, and the queue counts them; to get them, use a closure.
///
/// A refused batch stays with the batcher even if the queue is closed, until the batcher is closed too and
/// returns it.
impl<T: Send> BatchSink<T> for Sender<Vec<T>> {
    type Error = TrySendError<()>;

    fn deliver(&mut self, batch: &mut Vec<T>) -> Result<(), TrySendError<()>> {
        let sent = self.send_blocking(mem::take(batch));
        settle(sent).map_err(|(refused, message)| give_back(batch, message, refused))
    }

    fn try_deliver(&mut self, batch: &mut Vec<T>) -> Result<(), TrySendError<()>> {
        let sent = self.try_send(mem::take(batch));
        settle(sent.map_err(SendError::from)).map_err(|(refused, message)| give_back(batch, message, refused))
    }
}

fn give_back<T>(batch: &mut Vec<T>, message: Vec<T>, refused: TrySendError<()>) -> TrySendError<()> {
    *batch = message;
    refused
}

/// What happened to a batch that was sent as one message. It comes back if it was not queued.
fn settle<M>(sent: Result<SendOutcome<M>, SendError<M>>) -> Result<(), (TrySendError<()>, M)> {
    match sent {
        Ok(SendOutcome::Accepted | SendOutcome::Evicted(_) | SendOutcome::Duplicate(_)) => Ok(()),
        Ok(SendOutcome::Discarded(message)) => Err((TrySendError::Full(()), message)),
        Err(SendError::Closed(message)) => Err((TrySendError::Closed(()), message)),
        // A plain queue does not limit a message's size, so `TooLarge` and `Oversize` do not occur. A message
        // that a full queue refuses is kept.
        Err(
            SendError::Full(message)
            | SendError::Timeout(message)
            | SendError::TooLarge(message)
            | SendError::Oversize { message, .. },
        ) => Err((TrySendError::Full(()), message)),
    }
}

/// A batch in a vector that returns to its pool when it is dropped.
pub type Batch<T> = Pooled<Vec<T>, Arc<Pool<Vec<T>>>>;

/// Sends each batch as one message, in a vector that the receiver returns by dropping it: nothing is
/// allocated while no more batches are in use than the pool holds.
///
/// It handles full and closed queues like a plain `Sender<Vec<T>>`.
///
/// ```
/// use annulus_queue::{QueueOptions, batching::{Batch, BatchOptions, Batcher, Recycled}, queue};
///
/// let (tx, rx) = queue::<Batch<u32>>(QueueOptions::new().capacity(16))?;
/// let options = BatchOptions::new().messages(4).delay(std::time::Duration::MAX);
/// let batcher = Batcher::new(options, Recycled::new(tx, options, 20))?;
/// (0..8).try_for_each(|i| batcher.push(i)).expect("there is space for two batches");
/// assert_eq!(*rx.recv_blocking()?, [0, 1, 2, 3]); // and its vector goes back
/// assert_eq!(*rx.recv_blocking()?, [4, 5, 6, 7]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Recycled<T> {
    tx: Sender<Batch<T>>,
    pool: Arc<Pool<Vec<T>>>,
}

impl<T: Send + 'static> Recycled<T> {
    /// Sends to `tx` in one of `buffers` vectors, which are made now. They include those queued, those that
    /// receivers hold, and one that is being filled.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, batching::{BatchOptions, Recycled}, queue};
    /// let (tx, _rx) = queue(QueueOptions::new().capacity(16))?;
    /// let sink = Recycled::<u32>::new(tx, BatchOptions::new(), 20);
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn new(tx: Sender<Batch<T>>, options: super::BatchOptions, buffers: u32) -> Self {
        let size = options.messages;
        let pool = Pool::with_capacity(buffers, move || Vec::with_capacity(size)).on_return(Vec::clear);
        Self { tx, pool: Arc::new(pool) }
    }

    /// Swaps `batch` with a vector of the pool: returns the messages, and leaves the pool's vector in
    /// `batch`.
    fn wrap(&self, batch: &mut Vec<T>) -> Batch<T> {
        let mut wrapped = Pool::get_owned(&self.pool);
        mem::swap(&mut *wrapped, batch);
        wrapped
    }
}

fn unwrap<T>(batch: &mut Vec<T>, mut message: Batch<T>, refused: TrySendError<()>) -> TrySendError<()> {
    mem::swap(&mut *message, batch);
    refused
}

impl<T: Send + 'static> BatchSink<T> for Recycled<T> {
    type Error = TrySendError<()>;

    fn deliver(&mut self, batch: &mut Vec<T>) -> Result<(), TrySendError<()>> {
        let sent = self.tx.send_blocking(self.wrap(batch));
        settle(sent).map_err(|(refused, message)| unwrap(batch, message, refused))
    }

    fn try_deliver(&mut self, batch: &mut Vec<T>) -> Result<(), TrySendError<()>> {
        let sent = self.tx.try_send(self.wrap(batch));
        settle(sent.map_err(SendError::from)).map_err(|(refused, message)| unwrap(batch, message, refused))
    }
}

impl<T> fmt::Debug for Recycled<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recycled").field("tx", &self.tx).field("pool", &self.pool).finish()
    }
}
