//! What a message tells about itself.

use std::{
    hash::{BuildHasher, Hasher},
    sync::{Arc, LazyLock},
};

use crate::{DecodeError, EncodeError, Payload};

/// What a message tells about itself: id, priority, timestamp, key, size. With a [`Payload`] it can be
/// encoded and decoded, too.
///
/// `#[derive(RingMessage)]` implements it for messages of kernels, and for messages with text and
/// collections. Everything has a default, so `impl Message for X {}` is enough for a type that only travels
/// inside a process.
///
/// A queue calls these outside its lock, and only those that its options need. It calls each at most once per
/// send, except `payload_size`.
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
    /// Whether the type has a key, which addresses an actor.
    const KEYED: bool = false;

    /// Whether the type declares an id, by which duplicates are recognised. A type that implements
    /// [`id`](Self::id) sets this to true.
    const IDENTIFIED: bool = false;

    /// How to hash the payload, for queues that deduplicate by it. Without a hash, such a queue cannot be
    /// made for this type; it would find no duplicates. Equal payloads must have equal hashes within a
    /// process; see [`hash_bytes`].
    const PAYLOAD_HASH: Option<fn(&Self) -> u64> = None;

    /// The actor that the message is for. Meaningless unless [`KEYED`](Self::KEYED).
    #[inline]
    fn key(&self) -> u64 {
        0
    }

    /// Identifies this message: a message that is sent again has the same id, and no other message has it.
    /// `None` unless the type declares one.
    #[inline]
    fn id(&self) -> Option<u64> {
        None
    }

    /// How urgent it is: a queue with priorities gives out 255 first and 0 last. 128 unless the type declares
    /// one.
    #[inline]
    fn priority(&self) -> u8 {
        128
    }

    /// The time of the event that it reports, in nanoseconds since 1970 UTC. `None` unless the type declares
    /// it.
    #[inline]
    fn timestamp(&self) -> Option<u64> {
        None
    }

    /// How many bytes its payload has. The default is the size of the value itself; a type that keeps its
    /// payload on the heap overrides it.
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

    /// The message that was encoded as these bytes. They may come from anywhere; bytes that are no message
    /// give an error.
    ///
    /// # Errors
    ///
    /// If the bytes are no message of the type; the error says where.
    fn decode(bytes: &[u8]) -> Result<Self, DecodeError>
    where
        Self: Payload,
    {
        Self::read(bytes)
    }
}

/// A fast 64-bit hash of bytes, for [`Message::PAYLOAD_HASH`].
///
/// Equal within this process. The seed differs in each process, so do not store the hash. It protects against
/// accidental collisions, but not against an attacker who can observe which messages a queue takes for
/// duplicates.
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
            // The hash is looked up again when it is called, since a function pointer captures nothing.
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
