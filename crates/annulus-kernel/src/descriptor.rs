//! The memory layout of a type, as data: the descriptors that host, device and tools share.

use std::{any::TypeId, cmp, mem::MaybeUninit};

/// A plain-old-data type that means the same on host and device.
///
/// Derive it with `#[derive(DeviceType)]` on a `#[repr(C)]` struct of such types, or on an enum with a
/// primitive representation such as `#[repr(u32)]`.
///
/// # Safety
///
/// * `DESCRIPTOR` has the size, alignment, field offsets and field types that the compiler really uses.
/// * The layout is fixed by the language (`repr(C)`, a primitive representation, or a primitive type).
/// * The type holds no pointer and no reference. (Padding is allowed: values are copied as possibly
///   uninitialised bytes.)
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no layout that host and device share",
    label = "a device cannot hold a `{Self}`",
    note = "write `#[derive(DeviceType, Clone, Copy)]` and `#[repr(C)]` above its definition (`#[repr(u32)]` for an enum)"
)]
pub unsafe trait DeviceType: Copy + Send + Sync + 'static {
    /// The layout.
    const DESCRIPTOR: &'static TypeDescriptor;
}

/// Name, size and shape of a [`DeviceType`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeDescriptor {
    /// The name as the program wrote it, without its path.
    pub name: &'static str,
    /// Size in bytes, a multiple of `align`.
    pub size: usize,
    /// Alignment in bytes, a power of two.
    pub align: usize,
    /// What the type consists of.
    pub kind: TypeKind,
    /// What its values mean, in addition to what they consist of.
    pub meaning: Meaning,
}

/// What the values of a [`DeviceType`] mean: something that the layout does not show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Nothing more than its parts.
    Parts,
    /// They are compared by their fields, as far as this says: `#[device_type]` has seen the derives.
    Derived(Derived),
    /// A [`List`](crate::List): only as many items count as its length says.
    List,
    /// A [`Text`](crate::Text): only as many bytes count as its length says.
    Text,
    /// A [`Wrapping`](std::num::Wrapping): a number whose operators never overflow.
    Wrapping,
    /// A part of an archive, as bridged messages are: `&Archived<T>`.
    Archived(ArchivedPart),
}

/// What a part of an archive is. The structs and enums of an archive are [`Meaning::Parts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArchivedPart {
    /// A number in little-endian order: the only field.
    Number,
    /// Text: up to 8 bytes in its own place, or a length and the offset of the bytes.
    Text,
    /// Text by its offset and length.
    SharedText,
    /// Elements of this type, by an offset and a length.
    List(&'static TypeDescriptor),
    /// An `Option`: the variants `None` and `Some`.
    Option,
    /// What devices cannot read. It takes up space.
    Opaque,
}

/// Which comparison traits a type derives. A derived trait compares variant and fields in order of
/// declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Derived {
    /// `PartialEq`.
    pub eq: bool,
    /// `PartialOrd`.
    pub partial_ord: bool,
    /// `Ord`.
    pub ord: bool,
    /// Whether `cmp`, `max` and similar names call the traits' own methods.
    pub methods: PlainMethods,
}

/// Tests whether a type's methods `cmp`, `partial_cmp`, `max`, `min` and `clamp` are those of `Ord` and
/// `PartialOrd`: a function of the type's own `impl` block takes precedence over a trait's. It does not say
/// which of them differ.
#[derive(Clone, Copy, Debug)]
pub struct PlainMethods(pub fn() -> bool);

impl PartialEq for PlainMethods {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for PlainMethods {}

/// Whether both are the same function: each function has a type of its own.
pub fn same_function<A: 'static, B: 'static>(_: A, _: B) -> bool {
    TypeId::of::<A>() == TypeId::of::<B>()
}

/// What a [`DeviceType`] consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeKind {
    /// A number or a boolean.
    Primitive(Primitive),
    /// A `repr(C)` struct, its fields in order of declaration.
    Struct(&'static [FieldDescriptor]),
    /// A fixed array.
    Array {
        /// The type of each element.
        element: &'static TypeDescriptor,
        /// How many there are.
        len: usize,
    },
    /// An enum with a primitive representation: a tag at offset 0, then the fields of the variant that the
    /// tag names.
    Enum {
        /// The type of the tag.
        tag: Primitive,
        /// The variants in order of declaration.
        variants: &'static [VariantDescriptor],
    },
}

/// The scalar types of the kernel language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Each is the Rust type of the same name.
pub enum Primitive {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F32,
    F64,
    /// 64 bits, as on every device: on hosts of other widths it is no `DeviceType`.
    Usize,
    /// Likewise 64 bits.
    Isize,
}

impl TypeDescriptor {
    /// The bytes of an enum's value of which a variant without fields is, by its number: the tag, and zeros. `None` if
    /// it has no such variant.
    pub fn bare(&self, variant: usize) -> Option<Box<[u8]>> {
        let TypeKind::Enum { tag, variants } = self.kind else { return None };
        let VariantDescriptor { tag: value, fields: [], .. } = variants.get(variant)? else { return None };
        let mut bytes = vec![0; self.size];
        let width = tag.size();
        // The tag begins the value, on machines with the low byte in front.
        bytes[..width].copy_from_slice(&value.to_le_bytes()[..width]);
        Some(bytes.into())
    }
}

impl Primitive {
    /// Its size in bytes.
    pub(crate) const fn size(self) -> usize {
        match self {
            Self::Bool | Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 | Self::Usize | Self::Isize => 8,
        }
    }

    /// Writes a number's bits to memory.
    pub(crate) fn put(self, to: &mut [u8], bits: u64) {
        put_bits(&mut to[..self.size()], bits);
    }

    /// A number's bits from memory, zero-extended.
    ///
    /// # Safety
    ///
    /// The memory must contain an initialised number.
    pub(crate) unsafe fn bits(self, from: &[MaybeUninit<u8>]) -> u64 {
        let mut bits = [0; 8];
        for (bit, byte) in bits.iter_mut().zip(&from[..self.size()]) {
            // SAFETY: the caller's promise.
            *bit = unsafe { byte.assume_init() };
        }
        u64::from_ne_bytes(bits) >> if cfg!(target_endian = "big") { 64 - 8 * self.size() } else { 0 }
    }
}

/// Writes the bits of a number that is as long as `to`.
pub(crate) fn put_bits(to: &mut [u8], bits: u64) {
    let (size, bytes) = (to.len(), bits.to_ne_bytes());
    let begin = if cfg!(target_endian = "big") { 8 - size } else { 0 };
    to.copy_from_slice(&bytes[begin..begin + size]);
}

impl TypeDescriptor {
    /// Whether every byte of the type belongs to a number that counts.
    pub(crate) const fn is_dense(&self) -> bool {
        if matches!(self.meaning, Meaning::List | Meaning::Text) {
            return false;
        }
        match self.kind {
            TypeKind::Primitive(_) => true,
            TypeKind::Array { element, .. } => element.is_dense(),
            TypeKind::Struct(fields) => {
                let mut bytes = 0;
                let mut i = 0;
                while i < fields.len() {
                    if !fields[i].ty.is_dense() {
                        return false;
                    }
                    bytes += fields[i].ty.size;
                    i += 1;
                }
                bytes == self.size
            }
            TypeKind::Enum { .. } => false,
        }
    }

    /// Writes a valid value to memory that is all zero; false if the type has no values.
    pub(crate) fn fill(&self, to: &mut [u8]) -> bool {
        let mut part = |offset: usize, ty: &Self| ty.fill(&mut to[offset..offset + ty.size]);
        match self.kind {
            TypeKind::Primitive(_) => true,
            TypeKind::Struct(fields) => fields.iter().all(|field| part(field.offset, field.ty)),
            TypeKind::Array { element, len } => (0..len).all(|i| part(i * element.size, element)),
            TypeKind::Enum { tag, variants } => {
                let mut valid = variants
                    .iter()
                    .filter(|variant| variant.fields.iter().all(|field| part(field.offset, field.ty)));
                let Some(variant) = valid.next() else { return false };
                tag.put(to, variant.tag);
                true
            }
        }
    }

    /// Writes valid values after the first `count` items of a list. They have no meaning, but must be valid.
    /// False if the items' type has no values.
    pub(crate) fn fill_behind(&self, count: usize, to: &mut [u8]) -> bool {
        self.bounded().is_none_or(|(_, items, element, room)| {
            (count..room).all(|i| element.fill(&mut to[items.offset + i * element.size..][..element.size]))
        })
    }

    /// For a [`List`](crate::List) or [`Text`](crate::Text): the fields of its length and its items, the
    /// items' type, and the room for them.
    ///
    /// ```
    /// use annulus_kernel::{DeviceType, List};
    ///
    /// let (_, _, item, room) = List::<u16, 8>::DESCRIPTOR.bounded().unwrap();
    /// assert_eq!((item.name, room), ("u16", 8));
    /// assert!(<[u16; 8]>::DESCRIPTOR.bounded().is_none());
    /// ```
    pub const fn bounded(&self) -> Option<(&FieldDescriptor, &FieldDescriptor, &'static Self, usize)> {
        let (Meaning::List | Meaning::Text, TypeKind::Struct([len, items])) = (self.meaning, &self.kind)
        else {
            return None;
        };
        match items.ty.kind {
            TypeKind::Array { element, len: room } => Some((len, items, element, room)),
            _ => None,
        }
    }
}

/// One field of a struct or of an enum's variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldDescriptor {
    /// The field's name, or its index for a tuple field.
    pub name: &'static str,
    /// Bytes from the start of the struct or enum.
    pub offset: usize,
    /// The field's type.
    pub ty: &'static TypeDescriptor,
}

/// One variant of an enum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VariantDescriptor {
    /// The variant's name.
    pub name: &'static str,
    /// The tag's value, as the tag's bits zero-extended to 64.
    pub tag: u64,
    /// The variant's fields; offsets count from the start of the enum.
    pub fields: &'static [FieldDescriptor],
}

macro_rules! primitives {
    ($($ty:ty: $primitive:ident),+ $(,)?) => {$(
        // SAFETY: size and alignment come from the compiler; a primitive holds no pointer.
        unsafe impl DeviceType for $ty {
            const DESCRIPTOR: &'static TypeDescriptor = &TypeDescriptor {
                name: stringify!($ty),
                size: size_of::<$ty>(),
                align: align_of::<$ty>(),
                kind: TypeKind::Primitive(Primitive::$primitive),
                meaning: Meaning::Parts,
            };
        }
    )+};
}

primitives! {
    bool: Bool, i8: I8, i16: I16, i32: I32, i64: I64, u8: U8, u16: U16, u32: U32, u64: U64, f32: F32, f64: F64,
}

#[cfg(target_pointer_width = "64")]
primitives! { usize: Usize, isize: Isize }

// SAFETY: an array is its elements at multiples of their size, without gaps, by the language's definition.
unsafe impl<T: DeviceType, const N: usize> DeviceType for [T; N] {
    const DESCRIPTOR: &'static TypeDescriptor = &TypeDescriptor {
        name: "array",
        size: size_of::<[T; N]>(),
        align: align_of::<[T; N]>(),
        kind: TypeKind::Array { element: T::DESCRIPTOR, len: N },
        meaning: Meaning::Parts,
    };
}

// SAFETY: `Ordering` is `repr(i8)` by its documentation, and its variants are these; size and alignment come
// from the compiler.
unsafe impl DeviceType for cmp::Ordering {
    const DESCRIPTOR: &'static TypeDescriptor = &TypeDescriptor {
        name: "Ordering",
        size: size_of::<Self>(),
        align: align_of::<Self>(),
        kind: TypeKind::Enum {
            tag: Primitive::I8,
            variants: &[
                VariantDescriptor { name: "Less", tag: 0xFF, fields: &[] },
                VariantDescriptor { name: "Equal", tag: 0, fields: &[] },
                VariantDescriptor { name: "Greater", tag: 1, fields: &[] },
            ],
        },
        meaning: Meaning::Derived(Derived {
            eq: true,
            partial_ord: true,
            ord: true,
            methods: PlainMethods(|| true),
        }),
    };
}
