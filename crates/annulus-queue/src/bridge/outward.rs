//! From a queue to bytes.

use std::{
    fmt,
    io::{self, Write},
    time::{Duration, Instant},
};

use annulus_message::{Encoding, FrameWriter, Message, Payload, WriteError};

use super::BridgeStatistics;
use crate::{
    DeadLetters, MessageQueue, Reason, RecvError,
    batching::{BatchOptions, StartError},
};

/// Takes messages from a queue and writes them as frames; see the [module](super).
pub struct BridgeOut<M> {
    queue: MessageQueue<M>,
    options: BatchOptions,
    dead_letters: Option<DeadLetters<M>>,
    statistics: BridgeStatistics,
    /// Taken, and not yet written.
    batch: Vec<M>,
}

/// Why a [`BridgeOut`] ended, and the messages that may not have arrived, oldest first.
pub struct BridgeOutError<M> {
    /// The stream's error.
    pub error: io::Error,
    /// The last batch.
    pub undelivered: Vec<M>,
}

/// Why a batch is written now.
#[derive(Clone, Copy)]
enum Cause {
    Count,
    Timer,
    Close,
}

impl<M: Message + Payload + Send + 'static> BridgeOut<M> {
    /// A bridge that takes messages from this queue, and writes a batch when it is full or its first message
    /// has waited.
    ///
    /// # Errors
    ///
    /// [`StartError::Messages`] if a batch cannot have as many messages as the options say.
    pub fn new(queue: &MessageQueue<M>, options: BatchOptions) -> Result<Self, StartError> {
        options.validate()?;
        Ok(Self {
            queue: queue.clone(),
            options,
            dead_letters: None,
            statistics: BridgeStatistics::default(),
            batch: Vec::new(),
        })
    }

    /// Puts messages that have no payload, since they are too large, into this store.
    #[must_use]
    pub fn dead_letters(mut self, store: &DeadLetters<M>) -> Self {
        self.dead_letters = Some(store.clone());
        self
    }

    /// The counts, for other threads.
    pub fn statistics(&self) -> BridgeStatistics {
        self.statistics.clone()
    }

    /// Moves messages until the queue is closed and empty. Waits for messages, and as long as the stream
    /// does.
    ///
    /// # Errors
    ///
    /// [`BridgeOutError`] if the stream fails. The messages that are still in the queue stay there; another
    /// `run` goes on with them.
    pub fn run<W: Write>(&mut self, frames: &mut FrameWriter<W>) -> Result<(), BridgeOutError<M>> {
        loop {
            let Some(cause) = self.collect() else { return Ok(()) };
            self.write(frames, cause)
                .map_err(|error| BridgeOutError { error, undelivered: std::mem::take(&mut self.batch) })?;
            if matches!(cause, Cause::Close) {
                return Ok(());
            }
        }
    }

    /// Waits for a batch. `None` if no more messages come.
    fn collect(&mut self) -> Option<Cause> {
        // Nothing is on the way, so there is nothing to wake up for.
        self.batch.push(self.queue.recv_blocking().ok()?);
        let due = Instant::now().checked_add(self.options.delay);
        loop {
            let room = self.options.messages - self.batch.len();
            let batch = &mut self.batch;
            self.queue.try_recv_batch(room, |message| batch.push(message));
            if self.batch.len() == self.options.messages {
                return Some(Cause::Count);
            }
            let left = due.map_or(Duration::MAX, |due| due.saturating_duration_since(Instant::now()));
            match self.queue.recv_timeout(left) {
                Ok(message) => self.batch.push(message),
                Err(RecvError::Timeout) => return Some(Cause::Timer),
                Err(RecvError::Closed) => return Some(Cause::Close),
            }
        }
    }

    /// Writes the batch, and empties it.
    fn write<W: Write>(&mut self, frames: &mut FrameWriter<W>, cause: Cause) -> io::Result<()> {
        let before = frames.counters();
        let taken = self.batch.len() as u64;
        self.statistics.count(|counters| counters.taken += taken);
        let whole = match M::ENCODING {
            Encoding::Direct => frames.write_batch(&self.batch),
            Encoding::Bridged => self.batch.iter().try_for_each(|message| frames.write(message)),
        };
        match whole {
            Ok(()) => {}
            Err(WriteError::Io(error)) => return Err(error),
            Err(_) => self.write_the_rest(frames, frames.counters().messages - before.messages)?,
        }
        frames.flush()?;
        let after = frames.counters();
        self.statistics.count(|counters| {
            counters.moved += after.messages - before.messages;
            counters.plain_bytes += after.plain_bytes - before.plain_bytes;
            counters.bytes += after.bytes - before.bytes;
            *match cause {
                Cause::Count => &mut counters.by_count,
                Cause::Timer => &mut counters.by_timer,
                Cause::Close => &mut counters.by_close,
            } += 1;
        });
        self.batch.clear();
        Ok(())
    }

    /// Writes what follows the first `written` messages, one by one, and drops what has no payload.
    #[cold]
    fn write_the_rest<W: Write>(&mut self, frames: &mut FrameWriter<W>, written: u64) -> io::Result<()> {
        // What has no payload leaves the batch, so that it does not come back with the others.
        let mut at = written as usize;
        while let Some(message) = self.batch.get(at) {
            match frames.write(message) {
                Ok(()) => at += 1,
                Err(WriteError::Io(error)) => return Err(error),
                Err(error) => {
                    let message = self.batch.remove(at);
                    self.statistics.count(|counters| counters.drops.encode += 1);
                    if let Some(store) = &self.dead_letters {
                        store.bury(message, Reason::Invalid(error.to_string().into()));
                    }
                }
            }
        }
        Ok(())
    }
}

impl<M> fmt::Debug for BridgeOut<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BridgeOut").field("counters", &self.statistics.counters()).finish_non_exhaustive()
    }
}

impl<M> fmt::Debug for BridgeOutError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let undelivered = self.undelivered.len();
        f.debug_struct("BridgeOutError")
            .field("error", &self.error)
            .field("undelivered", &undelivered)
            .finish()
    }
}

impl<M> fmt::Display for BridgeOutError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {} messages may not have arrived", self.error, self.undelivered.len())
    }
}

impl<M> std::error::Error for BridgeOutError<M> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}
