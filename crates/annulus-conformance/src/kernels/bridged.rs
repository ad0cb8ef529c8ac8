//! Kernels whose messages have text, lists and nesting.

use annulus_macros::{DeviceType, RingMessage, ring_kernel};
use annulus_message::Archived;
use annulus_runtime::prelude::{Failure, Outbox};

use super::TEAPOT;

/// A message of any length.
#[derive(RingMessage, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Log {
    #[ring(id)]
    pub number: u64,
    #[ring(priority)]
    pub urgency: u8,
    pub text: String,
    pub values: Vec<i32>,
    pub level: Level,
}

/// A part of a [`Log`].
#[derive(RingMessage, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[ring(bridged)]
pub enum Level {
    Fine,
    Wrong { code: u32, cause: Option<String> },
}

/// A message of any length, for an actor.
#[derive(RingMessage, Clone, Debug, PartialEq, Eq)]
pub struct Note {
    #[ring(key)]
    pub who: u32,
    pub text: String,
}

/// What a handler has read in a [`Log`].
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C)]
pub struct Digest {
    pub number: u64,
    /// The sum of the values.
    pub sum: i64,
    /// Bytes of the text.
    pub bytes: u32,
    /// FNV-1a of the text.
    pub hash: u32,
    /// The code and the length of the cause; 0 if all is fine.
    pub code: u32,
    pub cause: u32,
}

/// What an actor has read.
#[derive(DeviceType, Clone, Copy, Default, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Read {
    pub notes: u32,
    pub bytes: u32,
}

/// The [`Read`] of an actor, after a note.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C)]
pub struct ReadBy {
    pub who: u32,
    pub notes: u32,
    pub bytes: u32,
}

/// Answers each message with its digest.
#[ring_kernel]
pub fn digest(log: &Archived<Log>, digests: &Outbox<Digest>) {
    let mut hash = 0x811C_9DC5u32;
    let text = log.text.as_bytes();
    for i in 0..text.len() {
        hash = (hash ^ u32::from(text[i])).wrapping_mul(0x0100_0193);
    }
    let mut sum = 0i64;
    for i in 0..log.values.len() {
        sum += i64::from(log.values[i].to_native());
    }
    let (code, cause) = match &log.level {
        Archived::<Level>::Fine => (0, 0),
        Archived::<Level>::Wrong { code, cause } => {
            let cause = match cause.as_ref() {
                Some(cause) => cause.len() as u32,
                None => 0,
            };
            (code.to_native(), cause)
        }
    };
    digests.send(Digest { number: log.number.to_native(), sum, bytes: text.len() as u32, hash, code, cause });
}

/// [`digest`](struct@digest) in batches, of messages that say nothing of a level.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 8)]
pub fn batch_numbers(log: &Archived<Log>, digests: &Outbox<Digest>) {
    digests.send(Digest {
        number: log.number.to_native(),
        sum: 0,
        bytes: log.text.len() as u32,
        hash: 0,
        code: 0,
        cause: 0,
    });
}

/// Fails for a text that begins with an exclamation mark.
#[ring_kernel]
pub fn fragile_digest(log: &Archived<Log>, digests: &Outbox<Digest>) -> Result<(), Failure> {
    let text = log.text.as_bytes();
    if !text.is_empty() && text[0] == b'!' {
        return Err(Failure::of(TEAPOT));
    }
    digests.send(Digest {
        number: log.number.to_native(),
        sum: 0,
        bytes: text.len() as u32,
        hash: 0,
        code: 0,
        cause: 0,
    });
    Ok(())
}

/// Keeps books for each actor.
#[ring_kernel]
pub fn books(note: &Archived<Note>, read: &mut Read, replies: &Outbox<ReadBy>) {
    read.notes += 1;
    read.bytes += note.text.len() as u32;
    replies.send(ReadBy { who: note.who.to_native(), notes: read.notes, bytes: read.bytes });
}
