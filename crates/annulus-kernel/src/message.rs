//! What may travel through a ring.

use crate::{DeviceType, Meaning, Primitive, TypeDescriptor, TypeKind};

/// A message: plain old data with, if its type declares them, a key, an id and a priority.
///
/// Derived by `#[derive(RingMessage)]`, which also derives [`DeviceType`]. Fields are marked `#[ring(key)]`, `#[ring(id)]`
/// and `#[ring(priority)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a message",
    label = "a ring cannot carry a `{Self}`",
    note = "write `#[derive(RingMessage, Clone, Copy)]` and `#[repr(C)]` above its definition (`#[repr(u32)]` for an enum)"
)]
pub trait RingMessage: DeviceType {
    /// Whether the type has a key, and so addresses an actor.
    const KEYED: bool;
    /// Where the key stands, for devices. A type that computes its key has none, and stays on the CPU.
    const KEY_FIELD: Option<KeyDescriptor> = None;

    /// Whether the type declares an id, by which duplicates are recognised. A type that computes its [`id`](Self::id) says so here.
    const IDENTIFIED: bool = false;

    /// The actor that the message is for. Meaningless unless [`KEYED`](Self::KEYED).
    #[inline]
    fn key(&self) -> u64 {
        0
    }

    /// The identity by which duplicates are recognised, if the type declares one.
    #[inline]
    fn id(&self) -> Option<u64> {
        None
    }

    /// 255 leaves first; 128 unless the type declares one.
    #[inline]
    fn priority(&self) -> u8 {
        128
    }

    /// How many bytes an encoded message has.
    const ENCODED_SIZE: usize = Self::DESCRIPTOR.size;

    /// Appends the message as bytes, [`ENCODED_SIZE`](Self::ENCODED_SIZE) of them: see [`encode`](crate::encode()). Equal messages have equal bytes.
    fn encode(&self, to: &mut Vec<u8>) {
        crate::encode(self, to);
    }

    /// The message that was encoded as these bytes, which may come from anywhere.
    ///
    /// # Errors
    ///
    /// What is no message of the type, and where in it.
    fn decode(bytes: &[u8]) -> Result<Self, crate::DecodeError> {
        crate::decode(bytes)
    }
}

/// Where a message's key stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyDescriptor {
    /// In the struct's field of this number, in order of declaration.
    Field(usize),
    /// In each variant's field of this number: variants and fields in order of declaration.
    Variants(&'static [usize]),
}

/// The types that a `#[ring(key)]` or `#[ring(id)]` field may have: unsigned integers.
#[diagnostic::on_unimplemented(
    message = "a key or an id is `u8`, `u16`, `u32` or `u64`, not `{Self}`",
    label = "not an unsigned integer"
)]
pub trait ActorKey: Copy {
    /// The key, zero-extended.
    fn to_u64(self) -> u64;
}

macro_rules! keys {
    ($($ty:ty),+) => {$(
        impl ActorKey for $ty {
            #[inline]
            fn to_u64(self) -> u64 {
                u64::from(self)
            }
        }
    )+};
}

keys!(u8, u16, u32, u64);

/// The output type of a kernel that has no outbox. It has no values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoOutput {}

// SAFETY: no value exists, so nothing is ever laid out.
#[diagnostic::do_not_recommend]
unsafe impl DeviceType for NoOutput {
    const DESCRIPTOR: &'static TypeDescriptor = &TypeDescriptor {
        name: "NoOutput",
        size: 0,
        align: 1,
        kind: TypeKind::Enum { tag: Primitive::U8, variants: &[] },
        meaning: Meaning::Parts,
    };
}

#[diagnostic::do_not_recommend]
impl RingMessage for NoOutput {
    const KEYED: bool = false;
}
