//! Addresses of kernels as data, and messages that say whom they are for.

use std::{fmt, hash, marker::PhantomData, mem::offset_of};

use annulus_message::{DecodeError, EncodeError, Encoding, Message, Payload, Schema};

use crate::{
    Bytes, Derived, DeviceType, FieldDescriptor, KeyDescriptor, Meaning, OwnType, PlainMethods, Receiver,
    RingMessage, Type, TypeDescriptor, TypeKind, Typed, Value, device_value, fnv, payload_hash, schema_of,
};

/// The address of a kernel that takes messages of type `M`: eight bytes, which messages, states and tables may
/// hold. A kernel that sends [`Addressed`] messages reaches it, if it was connected to it.
///
/// It names one launch of one kernel, of this process. What is sent by it never reaches another kernel, nor the same
/// kernel when it is launched again. In another process, where a snapshot may bring it, it means nothing, or another
/// kernel that takes the same type.
#[repr(transparent)]
pub struct Peer<M> {
    bits: u64,
    _message: PhantomData<fn() -> M>,
}

impl<M> Peer<M> {
    /// Addresses nobody. What is sent to it is lost, and counted.
    pub const NOBODY: Self = Self::from_bits(0);

    /// Addresses any of the kernels that the sender is connected to. Each such output goes to one of them: to the one whose
    /// turn it is, or to the next one that has room. If none has room, it waits until one has, whichever that is, or is
    /// lost under Reject. If all have terminated, it is lost, and counted as what is for nobody. In which order such
    /// outputs and others reach one kernel is not said.
    ///
    /// ```
    /// # extern crate annulus_runtime as annulus;
    /// use annulus::prelude::*;
    ///
    /// #[derive(RingMessage, Clone, Copy)]
    /// #[repr(C)]
    /// struct Job {
    ///     number: u32,
    /// }
    ///
    /// /// Each job is for whoever has room.
    /// #[ring_kernel]
    /// fn deal(job: &Job, jobs: &Outbox<Addressed<Job>>) {
    ///     jobs.send(Addressed { to: Peer::<Job>::ANY, message: *job });
    /// }
    /// ```
    pub const ANY: Self = Self::from_bits(1 << 63);

    /// The address with these bits. Any bits may be given: an address that no kernel has reaches nobody.
    pub const fn from_bits(bits: u64) -> Self {
        Self { bits, _message: PhantomData }
    }

    /// Its bits.
    pub const fn bits(self) -> u64 {
        self.bits
    }
}

impl<M> Clone for Peer<M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Peer<M> {}

impl<M> Default for Peer<M> {
    fn default() -> Self {
        Self::NOBODY
    }
}

impl<M> PartialEq for Peer<M> {
    fn eq(&self, other: &Self) -> bool {
        self.bits == other.bits
    }
}

impl<M> Eq for Peer<M> {}

impl<M> hash::Hash for Peer<M> {
    fn hash<H: hash::Hasher>(&self, state: &mut H) {
        self.bits.hash(state);
    }
}

impl<M> fmt::Debug for Peer<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Peer({:#x})", self.bits)
    }
}

// SAFETY: it has the layout of its one field that has bytes, a number.
#[diagnostic::do_not_recommend]
unsafe impl<M: 'static> DeviceType for Peer<M> {
    const DESCRIPTOR: &'static TypeDescriptor = &TypeDescriptor {
        name: "Peer",
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
impl<M: 'static> Typed for Peer<M> {
    fn ty() -> Type {
        Self::DESCRIPTOR.into()
    }

    fn value(&self) -> Value {
        device_value(self)
    }
}

#[diagnostic::do_not_recommend]
impl<M: 'static> Receiver for Peer<M> {
    type Target = Self;
    type Side = Self;
}

#[diagnostic::do_not_recommend]
impl<M: 'static> OwnType for Peer<M> {}

/// A message, and whom it is for. A kernel whose outbox sends these may be connected to several kernels, and each
/// message goes to the one that it names, or to [any](Peer::ANY) of them. Not connected, they go to the host as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Addressed<M> {
    /// Whom it is for.
    pub to: Peer<M>,
    /// What goes there.
    pub message: M,
}

/// Where the parts of an [`Addressed`] message lie, or of a [`Published`](crate::Published) one.
#[derive(Clone, Copy, Debug)]
pub struct PeersDefinition {
    /// Whether it begins with a topic, and not with an address.
    pub by_topic: bool,
    /// What goes to peers.
    pub message: &'static TypeDescriptor,
    /// Where the key lies in that.
    pub key_field: Option<KeyDescriptor>,
    /// Where that lies in the kernel's output, which begins with the address or the topic.
    pub offset: usize,
}

/// What makes a message of a struct of two fields: what its place is found by, and what goes there.
macro_rules! envelope {
    ($envelope:ident<$m:ident>, $front:ident: $front_type:ty, by_topic: $by_topic:literal) => {
        // SAFETY: `repr(C)` fixes the layout; the compiler gives size, alignment and offsets; both fields are device types.
        #[diagnostic::do_not_recommend]
        unsafe impl<$m: DeviceType> DeviceType for $envelope<$m> {
            const DESCRIPTOR: &'static TypeDescriptor = &TypeDescriptor {
                name: stringify!($envelope),
                size: size_of::<Self>(),
                align: align_of::<Self>(),
                kind: TypeKind::Struct(&[
                    FieldDescriptor {
                        name: stringify!($front),
                        offset: offset_of!(Self, $front),
                        ty: <$front_type>::DESCRIPTOR,
                    },
                    FieldDescriptor {
                        name: "message",
                        offset: offset_of!(Self, message),
                        ty: $m::DESCRIPTOR,
                    },
                ]),
                meaning: Meaning::Parts,
            };
        }

        #[diagnostic::do_not_recommend]
        impl<$m: DeviceType> Typed for $envelope<$m> {
            fn ty() -> Type {
                Self::DESCRIPTOR.into()
            }

            fn value(&self) -> Value {
                device_value(self)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<$m: DeviceType> Receiver for $envelope<$m> {
            type Target = Self;
            type Side = Self;
        }

        #[diagnostic::do_not_recommend]
        impl<$m: DeviceType> OwnType for $envelope<$m> {}

        #[diagnostic::do_not_recommend]
        impl<$m: RingMessage> Message for $envelope<$m> {
            const PAYLOAD_HASH: Option<fn(&Self) -> u64> = Some(payload_hash::<Self>);
        }

        #[diagnostic::do_not_recommend]
        impl<$m: RingMessage> Payload for $envelope<$m> {
            const ENCODING: Encoding = Encoding::Direct;
            const VERSION: u32 = 0;
            const ROOT_SIZE: usize = size_of::<Self>();

            fn schema() -> Schema {
                schema_of(Self::DESCRIPTOR, 0)
            }

            fn write(&self, to: &mut Bytes) -> Result<(), EncodeError> {
                crate::write_message(self, to)
            }

            fn read(bytes: &[u8]) -> Result<Self, DecodeError> {
                crate::decode(bytes)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<$m: RingMessage> RingMessage for $envelope<$m> {
            const PEERS: Option<PeersDefinition> = Some(PeersDefinition {
                by_topic: $by_topic,
                message: $m::DESCRIPTOR,
                key_field: $m::KEY_FIELD,
                offset: offset_of!(Self, message),
            });
        }
    };
}

pub(crate) use envelope;

envelope!(Addressed<M>, to: Peer<M>, by_topic: false);

/// The most kernels that one kernel sends to by their addresses. With the one that stands for nobody, a block has as
/// many places as for [outboxes](crate::MOST_PORTS).
pub const MOST_PEERS: usize = crate::MOST_PORTS - 1;

/// What of an address says which type it is for.
pub fn peer_tag(ty: &TypeDescriptor) -> u16 {
    let numbers = [ty.size, ty.align].map(|number| (number as u64).to_le_bytes());
    let hash = fnv::extend(fnv::extend(fnv::START, ty.name.as_bytes()), numbers.as_flattened());
    (hash >> 48 ^ hash >> 32 ^ hash >> 16 ^ hash) as u16
}
