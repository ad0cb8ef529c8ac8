//! Messages that may travel through a ring.

use std::cell::RefCell;

use annulus_message::{Encoding, Field, Message, Number, Schema, Shape, Variant, hash_bytes};

use crate::{
    DeviceType, FieldDescriptor, Meaning, PeersDefinition, Primitive, RowsDefinition, TypeDescriptor,
    TypeKind, VariantDescriptor,
};

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

    /// The variants that are marked `#[ring(from)]`, by their numbers in order of declaration.
    #[doc(hidden)]
    const FROM: &'static [usize] = &[];

    /// The variant that is marked `#[ring(tick)]`, by its number.
    #[doc(hidden)]
    const TICK: Option<usize> = None;

    /// The variant that is marked `#[ring(start)]`, by its number.
    #[doc(hidden)]
    const START: Option<usize> = None;

    /// The variant that is marked `#[ring(stop)]`, by its number.
    #[doc(hidden)]
    const STOP: Option<usize> = None;

    /// The messages that nobody sends. The device writes them by their tags; this one is for rustc, which so sees
    /// that there are such values.
    #[doc(hidden)]
    fn events() -> [Option<Self>; 3] {
        [None, None, None]
    }

    /// What lies where in it, if it says whom it is for.
    #[doc(hidden)]
    const PEERS: Option<PeersDefinition> = None;

    /// What lies where in it, if it goes along a row of a graph.
    #[doc(hidden)]
    const ROWS: Option<RowsDefinition> = None;

    /// The field that is marked `#[ring(edge)]`, by its number in order of declaration.
    #[doc(hidden)]
    const EDGE_FIELD: Option<usize> = None;
}

/// Says that a kernel with messages of this type takes what another kernel sends, of type `M`: messages of the
/// type itself, and what a variant takes that is marked `#[ring(from)]`.
///
/// ```
/// use annulus_kernel::Accepts;
/// # extern crate annulus_runtime as annulus;
/// use annulus::prelude::*;
///
/// #[derive(RingMessage, Clone, Copy)]
/// #[repr(C)]
/// struct Done {
///     #[ring(key)]
///     job: u32,
/// }
///
/// #[derive(RingMessage, Clone, Copy)]
/// #[repr(u32)]
/// enum Event {
///     #[ring(from)]
///     Done(Done),
///     Tick { #[ring(key)] job: u32 },
/// }
///
/// assert_eq!(<Event as Accepts<Done>>::VARIANT, Some(0));
/// assert_eq!(<Event as Accepts<Event>>::VARIANT, None);
/// assert!(matches!(Event::accept(Done { job: 7 }), Event::Done(Done { job: 7 })));
/// ```
///
/// # Safety
///
/// If `VARIANT` is a number, the type is an enum with that many variants before this one, in order of
/// declaration, and with a tag of at most four bytes. This one has one field, of type `M`, and its key is that of
/// the field. If it is none, `M` is the type itself.
#[diagnostic::on_unimplemented(
    message = "a kernel that takes `{Self}` does not take `{M}`",
    label = "what one kernel sends must be what the other takes",
    note = "connect kernels of one message type, or make `{Self}` an enum with a variant that is marked `#[ring(from)]` and holds `{M}`",
    note = "a kernel with several outboxes is connected by each of them: `kernel.port(..).connect(..)`",
    note = "one that sends `Addressed<M>`, `Published<M>` or `Along<M>` is connected by `connect_peers`, `connect_topics` or \
            `connect_along`"
)]
pub unsafe trait Accepts<M>: RingMessage {
    /// The number of the variant that holds an `M`; `None` where `M` is the type itself.
    const VARIANT: Option<usize>;

    /// The message that another one becomes.
    fn accept(message: M) -> Self;
}

// SAFETY: it is the type itself.
#[diagnostic::do_not_recommend]
unsafe impl<M: RingMessage> Accepts<M> for M {
    const VARIANT: Option<usize> = None;

    fn accept(message: M) -> Self {
        message
    }
}

/// Where in an enum's value that lies which a variant holds, and what says that it is this variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inside {
    /// The tag, which stands at the beginning.
    pub tag: u32,
    /// How many bytes the tag has: 1, 2 or 4.
    pub tag_bytes: u32,
    /// Where the variant's only field begins.
    pub offset: usize,
    /// How many bytes that has.
    pub size: usize,
    /// How many the enum has.
    pub whole: usize,
}

impl Inside {
    /// The place of what a variant with one field holds, by the variant's number; `None` if there is no such
    /// variant, or if the tag has more than four bytes.
    pub fn of(ty: &TypeDescriptor, variant: usize) -> Option<Self> {
        let TypeKind::Enum { tag, variants } = ty.kind else { return None };
        let VariantDescriptor { tag: value, fields, .. } = variants.get(variant)?;
        let [field] = fields else { return None };
        let tag_bytes = tag.size();
        (tag_bytes <= 4).then_some(Self {
            tag: *value as u32,
            tag_bytes: tag_bytes as u32,
            offset: field.offset,
            size: field.ty.size,
            whole: ty.size,
        })
    }

    /// Writes a value that holds what is at `held`, except for bytes that mean nothing.
    ///
    /// # Safety
    ///
    /// `held` is valid for reads of `size` bytes, and `to` for writes of a value of the enum. They do not
    /// overlap.
    pub unsafe fn write(&self, held: *const u8, to: *mut u8) {
        // SAFETY: the tag begins the value, and has no more bytes than this on any machine with the low byte in
        // front.
        unsafe { to.copy_from_nonoverlapping(self.tag.to_le_bytes().as_ptr(), self.tag_bytes as usize) };
        // SAFETY: the field lies there, inside of the value.
        let place = unsafe { to.add(self.offset) };
        // SAFETY: by the caller's word, and as above.
        unsafe { place.copy_from_nonoverlapping(held, self.size) };
    }
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
    /// Likewise, where a field may hold a message that has a key of its own (`#[ring(from)]`).
    Held(&'static [HeldKey]),
}

/// Where the key of a variant lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HeldKey {
    /// The field with this index.
    pub field: usize,
    /// Where in that field's message the key lies; `None` if the field is the key.
    pub of: Option<KeyDescriptor>,
    /// Code computes it.
    is_computed: bool,
}

impl HeldKey {
    /// The key is the field itself.
    pub const fn field(field: usize) -> Self {
        Self { field, of: None, is_computed: false }
    }

    /// The key is that of the message that the first field holds.
    pub const fn of<M: RingMessage>() -> Self {
        Self { field: 0, of: M::KEY_FIELD, is_computed: M::KEY_FIELD.is_none() }
    }
}

impl KeyDescriptor {
    /// Where the key lies in an enum with these variants; `None` if code computes that of one.
    pub const fn held(keys: &'static [HeldKey]) -> Option<Self> {
        let mut i = 0;
        while i < keys.len() {
            if keys[i].is_computed {
                return None;
            }
            i += 1;
        }
        Some(Self::Held(keys))
    }
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
