//! Topics as data, and messages that are for all who take a topic.

use std::{fmt, mem::offset_of};

use annulus_message::{DecodeError, EncodeError, Encoding, Message, Payload, Schema};

use crate::{
    Bytes, Derived, DeviceType, FieldDescriptor, Meaning, OwnType, PeersDefinition, PlainMethods, Receiver,
    RingMessage, Type, TypeDescriptor, TypeKind, Typed, Value, device_value, fnv, payload_hash,
    peer::envelope, schema_of,
};

/// A topic: eight bytes, which messages, states, tables and constants may hold. A kernel that sends [`Published`]
/// messages sends each to all kernels that take its topic.
///
/// It is a hash of the topic's name: the upper 48 bits of its 64-bit FNV-1a hash, folded, above 16 bits that are 0. So a
/// program makes one without asking anybody, when it is built.
///
/// ```
/// # extern crate annulus_kernel as annulus;
/// use annulus::Topic;
///
/// const PRICES: Topic = Topic::of("prices.eu.power");
/// assert_ne!(PRICES, Topic::of("prices.eu.gas"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Topic {
    bits: u64,
}

impl Topic {
    /// Nobody takes it. What is published on it is lost, and counted.
    pub const NONE: Self = Self { bits: 0 };

    /// The bits of a topic that are no part of its hash. Blocks use them.
    #[doc(hidden)]
    pub const PLACES: u32 = 16;

    /// The topic with this name.
    #[must_use]
    pub const fn of(name: &str) -> Self {
        let hash = fnv::extend(fnv::START, name.as_bytes());
        let hash = hash ^ hash << 48;
        // That of no name is 0, nor all ones: blocks have their own use for both.
        let hash = match hash >> Self::PLACES {
            0 => 1 << Self::PLACES,
            0xffff_ffff_ffff => u64::MAX - (1 << Self::PLACES),
            _ => hash,
        };
        Self::from_bits(hash)
    }

    /// The topic with these bits, without the lowest 16. Any bits may be given: a topic that nobody takes reaches
    /// nobody.
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        Self { bits: bits >> Self::PLACES << Self::PLACES }
    }

    /// Its bits.
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.bits
    }
}

impl Default for Topic {
    fn default() -> Self {
        Self::NONE
    }
}

impl fmt::Debug for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Topic({:#x})", self.bits)
    }
}

// SAFETY: it has the layout of its one field, a number.
#[diagnostic::do_not_recommend]
unsafe impl DeviceType for Topic {
    const DESCRIPTOR: &'static TypeDescriptor = &TypeDescriptor {
        name: "Topic",
        size: size_of::<Self>(),
        align: align_of::<Self>(),
        kind: TypeKind::Struct(&[FieldDescriptor { name: "bits", offset: 0, ty: u64::DESCRIPTOR }]),
        meaning: Meaning::Derived(Derived {
            eq: true,
            partial_ord: false,
            ord: false,
            methods: PlainMethods(|| true),
        }),
    };
}

#[diagnostic::do_not_recommend]
impl Typed for Topic {
    fn ty() -> Type {
        Self::DESCRIPTOR.into()
    }

    fn value(&self) -> Value {
        device_value(self)
    }
}

#[diagnostic::do_not_recommend]
impl Receiver for Topic {
    type Target = Self;
    type Side = Self;
}

#[diagnostic::do_not_recommend]
impl OwnType for Topic {}

/// A message, and the topic that it is published on. A kernel whose outbox sends these may be connected to several
/// kernels, and a copy of each message goes to every one that takes its topic. Not connected, they go to the host as
/// they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Published<M> {
    /// What it is about.
    pub topic: Topic,
    /// What goes to those that take this.
    pub message: M,
}

envelope!(Published<M>, topic: Topic, by_topic: true);
