//! What a message tells of itself.

use std::{
    hash::{BuildHasher, Hasher},
    sync::{Arc, LazyLock},
};

use crate::{DecodeError, EncodeError, Payload};

/// What a message tells of itself: id, priority, timestamp, key, size. With a [`Payload`] it can be encoded
/// and decoded, too.
///
/// `#[derive(RingMessage)]` writes it for messages of kernels, and for messages with text and collections.
/// Everything has a default, so for what only travels inside a process `impl Message for X {}` will do.
///
/// A queue calls these outside its lock, and only what its options need; all but `payload_size` once per
/// send.
///
/// ```
/// use annulus_message::{Message, hash_bytes};
///
/// struct Order {
///     number: u64,
///     urgent: bool,
///     text: String,
/// }
///
/// impl Message for Order {
///     const PAYLOAD_HASH: Option<fn(&Self) -> u64> = Some(|order| hash_bytes(order.text.as_bytes()));
///
///     fn id(&self) -> Option<u64> {
///         Some(self.number)
///     }
///
///     fn priority(&self) -> u8 {
///         if self.urgent { 255 } else { 128 }
///     }
///
///     fn payload_size(&self) -> usize {
///         self.text.len()
///     }
/// }
/// ```
pub trait Message {
    /// Whether the type has a key, and so addresses an actor.
    const KEYED: bool = false;

    /// Whether the type declares an id, by which duplicates are recognised. A type that computes its
    /// [`id`](Self::id) says so here.
    const IDENTIFIED: bool = false;

    /// How to hash the payload, for queues that deduplicate by it. Without, such a queue refuses to be made
    /// for this type, rather than to find no duplicates. Equal payloads must have equal hashes within a
    /// process; see [`hash_bytes`].
    const PAYLOAD_HASH: Option<fn(&Self) -> u64> = None;

    /// The actor that the message is for. Meaningless unless [`KEYED`](Self::KEYED).
    #[inline]
    fn key(&self) -> u64 {
        0
    }

    /// What tells this message from all others: the same for a message that is sent again, and for no other
    /// one. None unless the type declares one.
    #[inline]
    fn id(&self) -> Option<u64> {
        None
    }

    /// How urgent it is: 255 leaves a queue with priorities first, 0 last. 128 unless the type declares one.
    #[inline]
    fn priority(&self) -> u8 {
        128
    }

    /// When what it tells of happened, in nanoseconds since 1970 UTC. None unless the type declares it.
    #[inline]
    fn timestamp(&self) -> Option<u64> {
        None
    }

    /// How many bytes its payload has. What the value itself takes in memory unless said otherwise; a type
    /// that keeps its payload on the heap says otherwise.
    fn payload_size(&self) -> usize {
        size_of_val(self)
    }

    /// Appends the payload as bytes. Equal messages have equal bytes, on every machine.
    ///
    /// # Errors
    ///
    /// If the payload has more than [`MAX_PAYLOAD`](crate::MAX_PAYLOAD) bytes. Then nothing was appended.
    fn encode(&self, to: &mut Vec<u8>) -> Result<(), EncodeError>
    where
        Self: Payload,
    {
        self.write(to)
    }

    /// The message that was encoded as these bytes, which may come from anywhere: what is no message is an
    /// error.
    ///
    /// # Errors
    ///
    /// What is no message of the type, and where in it.
    fn decode(bytes: &[u8]) -> Result<Self, DecodeError>
    where
        Self: Payload,
    {
        Self::read(bytes)
    }
}

/// A fast 64-bit hash of bytes, for [`Message::PAYLOAD_HASH`].
///
/// Equal within this process; seeded afresh in each, so do not store it. It withstands accident, not an
/// attacker who can observe which messages a queue takes for duplicates.
///
/// ```
/// use annulus_message::hash_bytes;
/// assert_eq!(hash_bytes(b"equal"), hash_bytes(b"equal"));
/// assert_ne!(hash_bytes(b"equal"), hash_bytes(b"other"));
/// ```
pub fn hash_bytes(bytes: &[u8]) -> u64 {
    static SEED: LazyLock<foldhash::quality::RandomState> = LazyLock::new(Default::default);
    let mut hasher = SEED.build_hasher();
    hasher.write(bytes);
    hasher.finish()
}

macro_rules! plain {
    ($($type:ty),+) => {$(
        impl Message for $type {
            const PAYLOAD_HASH: Option<fn(&Self) -> u64> = Some(|value| hash_bytes(&value.to_ne_bytes()));
        }
    )+};
}

plain!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32, f64);

impl Message for () {}

impl Message for String {
    const PAYLOAD_HASH: Option<fn(&Self) -> u64> = Some(|text| hash_bytes(text.as_bytes()));

    fn payload_size(&self) -> usize {
        self.len()
    }
}

impl Message for &str {
    const PAYLOAD_HASH: Option<fn(&Self) -> u64> = Some(|text| hash_bytes(text.as_bytes()));

    fn payload_size(&self) -> usize {
        self.len()
    }
}

impl Message for Vec<u8> {
    const PAYLOAD_HASH: Option<fn(&Self) -> u64> = Some(|bytes| hash_bytes(bytes));

    fn payload_size(&self) -> usize {
        self.len()
    }
}

impl<const N: usize> Message for [u8; N] {
    const PAYLOAD_HASH: Option<fn(&Self) -> u64> = Some(|bytes| hash_bytes(bytes));
}

macro_rules! pointers {
    ($($pointer:ident),+) => {$(
        impl<M: Message> Message for $pointer<M> {
            const KEYED: bool = M::KEYED;
            const IDENTIFIED: bool = M::IDENTIFIED;
            // Looked up again when it is called, since a function pointer captures nothing.
            const PAYLOAD_HASH: Option<fn(&Self) -> u64> = match M::PAYLOAD_HASH {
                Some(_) => Some(|message| M::PAYLOAD_HASH.map_or(0, |hash| hash(message))),
                None => None,
            };

            fn key(&self) -> u64 {
                M::key(self)
            }

            fn id(&self) -> Option<u64> {
                M::id(self)
            }

            fn priority(&self) -> u8 {
                M::priority(self)
            }

            fn timestamp(&self) -> Option<u64> {
                M::timestamp(self)
            }

            fn payload_size(&self) -> usize {
                M::payload_size(self)
            }
        }
    )+};
}

pointers!(Box, Arc);
