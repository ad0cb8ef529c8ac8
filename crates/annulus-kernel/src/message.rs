//! Messages that may travel through a ring.

use std::cell::RefCell;

use annulus_message::{Encoding, Field, Message, Number, Schema, Shape, Variant, hash_bytes};

use crate::{DeviceType, FieldDescriptor, Meaning, Primitive, TypeDescriptor, TypeKind, VariantDescriptor};

/// A direct message: plain old data that kernels take and send. Its bytes in memory are its payload.
///
/// `#[derive(RingMessage)]` implements it, together with [`Message`], its
/// [`Payload`](annulus_message::Payload) and [`DeviceType`]. Fields are marked `#[ring(key)]`, `#[ring(id)]`,
/// `#[ring(priority)]` and `#[ring(timestamp)]`. A type that computes one of these implements [`Message`] by
/// hand, and this trait as well.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a message",
    label = "a ring cannot carry a `{Self}`",
    note = "write `#[derive(RingMessage, Clone, Copy)]` and `#[repr(C)]` above its definition (`#[repr(u32)]` for an enum)",
    note = "a kernel takes a bridged message, with text or collections, as `&Archived<{Self}>`; what kernels send is direct"
)]
pub trait RingMessage: Message + DeviceType {
    /// Where the key lies, for devices. A type that computes its key has none, and its kernels stay on the
    /// CPU.
    const KEY_FIELD: Option<KeyDescriptor> = None;

    /// [`Message::KEYED`], for code that names this trait.
    #[doc(hidden)]
    const IS_KEYED: bool = Self::KEYED;
}

/// A hash of a message's bytes: equal messages have equal hashes. For derived messages it is
/// [`Message::PAYLOAD_HASH`].
pub fn payload_hash<T: DeviceType>(message: &T) -> u64 {
    if const { T::DESCRIPTOR.is_dense() } {
        // SAFETY: a message is as long as its type. By its descriptor every byte of it belongs to a number,
        // so all bytes are initialized.
        let bytes =
            unsafe { std::slice::from_raw_parts(std::ptr::from_ref(message).cast::<u8>(), size_of::<T>()) };
        return hash_bytes(bytes);
    }
    thread_local! {
        static BYTES: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    }
    BYTES.with_borrow_mut(|bytes| {
        bytes.clear();
        crate::encode(message, bytes);
        hash_bytes(bytes)
    })
}

/// The schema of a direct message's type.
pub fn schema_of(ty: &TypeDescriptor, version: u32) -> Schema {
    Schema { name: ty.name.into(), version, encoding: Encoding::Direct, shape: shape_of(ty) }
}

fn shape_of(ty: &TypeDescriptor) -> Shape {
    if let Some((_, _, element, room)) = ty.bounded() {
        let room = Some(room as u64);
        return match ty.meaning {
            Meaning::Text => Shape::Text { room },
            _ => Shape::List { of: Box::new(shape_of(element)), room },
        };
    }
    let fields = |fields: &[FieldDescriptor]| {
        fields.iter().map(|field| Field { name: field.name.into(), shape: shape_of(field.ty) }).collect()
    };
    match ty.kind {
        TypeKind::Primitive(number) => Shape::Number(number_of(number)),
        TypeKind::Array { element, len } => Shape::Array { of: Box::new(shape_of(element)), len: len as u64 },
        TypeKind::Struct(parts) => Shape::Struct { name: ty.name.into(), fields: fields(parts) },
        TypeKind::Enum { tag, variants } => {
            let variant = |variant: &VariantDescriptor| Variant {
                name: variant.name.into(),
                tag: variant.tag,
                fields: fields(variant.fields),
            };
            Shape::Enum {
                name: ty.name.into(),
                tag: number_of(tag),
                variants: variants.iter().map(variant).collect(),
            }
        }
    }
}

fn number_of(number: Primitive) -> Number {
    match number {
        Primitive::Bool => Number::Bool,
        Primitive::I8 => Number::I8,
        Primitive::I16 => Number::I16,
        Primitive::I32 => Number::I32,
        Primitive::I64 | Primitive::Isize => Number::I64,
        Primitive::U8 => Number::U8,
        Primitive::U16 => Number::U16,
        Primitive::U32 => Number::U32,
        Primitive::U64 | Primitive::Usize => Number::U64,
        Primitive::F32 => Number::F32,
        Primitive::F64 => Number::F64,
    }
}

/// Where a message's key lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyDescriptor {
    /// In the struct's field with this index, in order of declaration.
    Field(usize),
    /// In each variant's field with this index: variants and fields in order of declaration.
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
impl Message for NoOutput {}

#[diagnostic::do_not_recommend]
impl RingMessage for NoOutput {}
