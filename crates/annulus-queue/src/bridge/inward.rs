//! From bytes to a queue.

use std::{fmt, io::Read};

use annulus_message::{FrameReader, Message, Payload, ReadError};

use super::BridgeStatistics;
use crate::{DeadLetters, MessageQueue, Reason, SendError, SendOutcome};

/// Reads frames, and sends their messages to a queue; see the [module](super).
pub struct BridgeIn<M> {
    queue: MessageQueue<M>,
    dead_letters: Option<DeadLetters<Vec<u8>>>,
    statistics: BridgeStatistics,
}

/// Why a [`BridgeIn`] ended before its stream did.
#[derive(Debug)]
#[non_exhaustive]
pub enum BridgeInError<M> {
    /// Nothing more can be read from the stream.
    Read(ReadError),
    /// The queue is closed. These messages of the last frame were not queued, oldest first.
    Closed(Vec<M>),
}

impl<M: Message + Payload + Send + 'static> BridgeIn<M> {
    /// A bridge that sends messages to this queue. Under `Block` it waits for room; under `Reject` a message
    /// that finds none is dropped.
    pub fn new(queue: &MessageQueue<M>) -> Self {
        Self { queue: queue.clone(), dead_letters: None, statistics: BridgeStatistics::default() }
    }

    /// Puts frames that are bad, or hold a bad message, into this store, as they came. A frame may have up to
    /// 1 MiB, so the store should not have room for many.
    #[must_use]
    pub fn dead_letters(mut self, store: &DeadLetters<Vec<u8>>) -> Self {
        self.dead_letters = Some(store.clone());
        self
    }

    /// The counts, for other threads.
    pub fn statistics(&self) -> BridgeStatistics {
        self.statistics.clone()
    }

    /// Moves messages until the stream ends. Waits for bytes, and for room in the queue.
    ///
    /// Bad frames and bad messages are counted, become dead letters, and are passed over.
    ///
    /// # Errors
    ///
    /// [`BridgeInError`] if nothing more can be read, or the queue is closed.
    pub fn run<R: Read>(&mut self, frames: &mut FrameReader<R>) -> Result<(), BridgeInError<M>> {
        let mut before = frames.counters();
        loop {
            let read = match frames.read() {
                Ok(None) => return Ok(()),
                Ok(Some(frame)) => frame.messages::<M>().map(|messages| {
                    let mut bad = None;
                    let mut messages =
                        messages.inspect(|_| self.statistics.count(|counters| counters.taken += 1));
                    while let Some(message) = messages.next() {
                        match message {
                            Ok(message) => {
                                if let Some(message) = self.send(message) {
                                    let rest = messages.filter_map(Result::ok);
                                    return Err([message].into_iter().chain(rest).collect());
                                }
                            }
                            Err(error) => {
                                self.statistics.count(|counters| counters.drops.decode += 1);
                                bad.get_or_insert(error);
                            }
                        }
                    }
                    Ok(bad)
                }),
                Err(error) => Err(error),
            };
            let bad = match read {
                Ok(Ok(bad)) => bad,
                Ok(Err(undelivered)) => return Err(BridgeInError::Closed(undelivered)),
                Err(error) => {
                    self.statistics.count(|counters| counters.refused_frames += 1);
                    Some(error)
                }
            };
            let now = frames.counters();
            self.statistics.count(|counters| {
                counters.by_count += now.frames - before.frames;
                counters.plain_bytes += now.plain_bytes - before.plain_bytes;
                counters.bytes += now.bytes - before.bytes;
            });
            before = now;
            let Some(error) = bad else { continue };
            if let (Some(store), false) = (&self.dead_letters, matches!(error, ReadError::Io(_))) {
                let reason = Reason::Invalid(error.to_string().into());
                store.bury_with_id(frames.received().to_vec(), None, reason);
            }
            if !error.is_passed_over() {
                return Err(BridgeInError::Read(error));
            }
        }
    }

    /// Sends a message, and counts what became of it. It comes back if the queue is closed.
    fn send(&self, message: M) -> Option<M> {
        let sent = self.queue.send_blocking(message);
        if let Err(SendError::Closed(message)) = sent {
            return Some(message);
        }
        self.statistics.count(|counters| {
            *match sent {
                // An older message left instead of it, which the queue counts.
                Ok(SendOutcome::Accepted | SendOutcome::Evicted(_)) => &mut counters.moved,
                Ok(SendOutcome::Duplicate(_)) => &mut counters.drops.duplicate,
                Err(SendError::TooLarge(_)) => &mut counters.drops.too_large,
                Ok(SendOutcome::Discarded(_)) | Err(_) => &mut counters.drops.full,
            } += 1;
        });
        None
    }
}

impl<M> fmt::Debug for BridgeIn<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BridgeIn").field("counters", &self.statistics.counters()).finish_non_exhaustive()
    }
}

impl<M> fmt::Display for BridgeInError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => error.fmt(f),
            Self::Closed(messages) => {
                write!(
                    f,
                    "the queue is closed; {} messages of the last frame were not queued",
                    messages.len()
                )
            }
        }
    }
}

impl<M: fmt::Debug> std::error::Error for BridgeInError<M> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read(error) => Some(error),
            Self::Closed(_) => None,
        }
    }
}
