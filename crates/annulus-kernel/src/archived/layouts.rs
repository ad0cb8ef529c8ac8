//! The layouts of rkyv's own types.

use annulus_message::rkyv::{
    boxed::ArchivedBox,
    collections::btree_map::ArchivedBTreeMap,
    collections::btree_set::ArchivedBTreeSet,
    option::ArchivedOption,
    primitive::{
        ArchivedChar, ArchivedF32, ArchivedF64, ArchivedI16, ArchivedI32, ArchivedI64, ArchivedI128,
        ArchivedU16, ArchivedU32, ArchivedU64, ArchivedU128, ArchivedUsize,
    },
    rc::ArchivedRc,
    string::ArchivedString,
    traits::ArchivePointee,
    tuple::{ArchivedTuple1, ArchivedTuple2, ArchivedTuple3, ArchivedTuple4, ArchivedTuple5, ArchivedTuple6},
    vec::ArchivedVec,
};

use super::{ArchivedType, Devices, Reads, archived_value};
use crate::{
    ArchivedPart, DeviceType, FieldDescriptor, Meaning, Primitive, Receiver, Type, TypeDescriptor, TypeKind,
    Typed, Value, VariantDescriptor,
};

/// Whether archives are little-endian, aligned, and have offsets of 32 bits. rkyv has features that change
/// each of these for a whole program; then devices read none of its archives.
const IS_KNOWN: bool = {
    let one = ArchivedU32::from_native(1);
    // SAFETY: the number has the size of a `u32`, and all its bytes are initialized.
    let bytes = unsafe { std::mem::transmute::<ArchivedU32, [u8; 4]>(one) };
    bytes[0] == 1
        && cfg!(target_endian = "little")
        && align_of::<ArchivedU32>() == 4
        && align_of::<ArchivedU64>() == 8
        && size_of::<ArchivedUsize>() == 4
};

/// A part whose layout is known, if archives are as devices read them. Otherwise bytes that they do not read.
const fn part<T>(name: &'static str, kind: TypeKind, part: ArchivedPart) -> TypeDescriptor {
    let (size, align) = (size_of::<T>(), align_of::<T>());
    if IS_KNOWN && !matches!(part, ArchivedPart::Opaque) {
        TypeDescriptor { name, size, align, kind, meaning: Meaning::Archived(part) }
    } else {
        let meaning = Meaning::Archived(ArchivedPart::Opaque);
        TypeDescriptor { name, size, align, kind: TypeKind::Struct(&[]), meaning }
    }
}

/// How a part is told to the witnesses of a handler's body.
macro_rules! told {
    (impl [$($generics:tt)*] $ty:ty) => {
        told!(@ [#[diagnostic::do_not_recommend]] [$($generics)*] [$ty] []);
    };
    // Of what no device reads, rustc names the bound that does not hold, with what to write instead.
    (impl [$($generics:tt)*] $ty:ty, where $($bounds:tt)+) => {
        told!(@ [] [$($generics)*] [$ty] [where $($bounds)+]);
    };
    (@ [$($attribute:tt)*] [$($generics:tt)*] [$ty:ty] [$($bounds:tt)*]) => {
        $($attribute)*
        impl<$($generics)*> Receiver for $ty $($bounds)* {
            type Target = Self;
            type Side = Self;
        }

        $($attribute)*
        impl<$($generics)*> Typed for $ty $($bounds)* {
            fn ty() -> Type {
                Self::DESCRIPTOR.into()
            }

            fn value(&self) -> Value {
                archived_value(self)
            }
        }
    };
}

macro_rules! numbers {
    ($($archived:ident: $ty:ty, $name:literal);+ $(;)?) => {$(
        // SAFETY: rend's numbers are a number of the same size and nothing else, and `part` has seen that
        // their order is the host's.
        unsafe impl ArchivedType for $archived {
            const DESCRIPTOR: &'static TypeDescriptor = &part::<Self>(
                $name,
                TypeKind::Struct(&[FieldDescriptor { name: "0", offset: 0, ty: <$ty>::DESCRIPTOR }]),
                ArchivedPart::Number,
            );
        }

        told!(impl [] $archived);
    )+};
}

numbers! {
    ArchivedU16: u16, "u16_le";
    ArchivedU32: u32, "u32_le";
    ArchivedU64: u64, "u64_le";
    ArchivedI16: i16, "i16_le";
    ArchivedI32: i32, "i32_le";
    ArchivedI64: i64, "i64_le";
    ArchivedF32: f32, "f32_le";
    ArchivedF64: f64, "f64_le";
}

/// A relative pointer to something of any length: the distance in bytes from this place, then the length.
const POINTER: TypeKind = TypeKind::Struct(&[
    FieldDescriptor { name: "offset", offset: 0, ty: <i32 as DeviceType>::DESCRIPTOR },
    FieldDescriptor { name: "len", offset: 4, ty: <u32 as DeviceType>::DESCRIPTOR },
]);

/// [`POINTER`]; opaque if the type has another size.
const fn pointer<T>(name: &'static str, of: ArchivedPart) -> TypeDescriptor {
    let is_pointer = size_of::<T>() == 8 && align_of::<T>() == 4;
    part::<T>(name, POINTER, if is_pointer { of } else { ArchivedPart::Opaque })
}

// SAFETY: `ArchivedVec` is `repr(C)`, a `RelPtr` and a length; that of a sized type is an offset of 32 bits
// (`part` has seen it) and nothing else.
unsafe impl<T: ArchivedType> ArchivedType for ArchivedVec<T> {
    const DESCRIPTOR: &'static TypeDescriptor =
        &pointer::<Self>("ArchivedVec", ArchivedPart::List(T::DESCRIPTOR));
}

told!(impl [T: ArchivedType] ArchivedVec<T>);

// SAFETY: a string is `repr(C)`: its length and its offset, or its bytes. The tests compare both with rkyv.
unsafe impl ArchivedType for ArchivedString {
    const DESCRIPTOR: &'static TypeDescriptor = &part::<Self>(
        "ArchivedString",
        TypeKind::Struct(&[
            FieldDescriptor { name: "len", offset: 0, ty: <u32 as DeviceType>::DESCRIPTOR },
            FieldDescriptor { name: "offset", offset: 4, ty: <i32 as DeviceType>::DESCRIPTOR },
        ]),
        if size_of::<Self>() == 8 && align_of::<Self>() == 4 {
            ArchivedPart::Text
        } else {
            ArchivedPart::Opaque
        },
    );
}

told!(impl [] ArchivedString);

macro_rules! pointers {
    ($($pointer:ident [$($flavor:ident)?]);+ $(;)?) => {$(
        // SAFETY: it is a `RelPtr`, which is `repr(C)`: an offset, and the length of what it points to.
        unsafe impl<$($flavor: 'static)?> ArchivedType for $pointer<str $(, $flavor)?> {
            const DESCRIPTOR: &'static TypeDescriptor =
                &pointer::<Self>(concat!(stringify!($pointer), "_str"), ArchivedPart::SharedText);
        }

        told!(impl [$($flavor: 'static)?] $pointer<str $(, $flavor)?>);

        // SAFETY: likewise.
        unsafe impl<T: ArchivedType $(, $flavor: 'static)?> ArchivedType for $pointer<[T] $(, $flavor)?> {
            const DESCRIPTOR: &'static TypeDescriptor =
                &pointer::<Self>(concat!(stringify!($pointer), "_slice"), ArchivedPart::List(T::DESCRIPTOR));
        }

        told!(impl [T: ArchivedType $(, $flavor: 'static)?] $pointer<[T] $(, $flavor)?>);

        // SAFETY: devices do not read it.
        unsafe impl<T: ArchivedType + ArchivePointee $(, $flavor: 'static)?> ArchivedType
            for $pointer<T $(, $flavor)?>
        {
            const DESCRIPTOR: &'static TypeDescriptor =
                &part::<Self>(stringify!($pointer), TypeKind::Struct(&[]), ArchivedPart::Opaque);
        }

        told!(
            impl [T: ArchivedType + ArchivePointee $(, $flavor: 'static)?] $pointer<T $(, $flavor)?>,
            where Devices: Reads<Self>
        );
    )+};
}

pointers! {
    ArchivedBox [];
    ArchivedRc [F];
}

// SAFETY: `ArchivedOption` is an enum of `repr(u8)`, which RFC 2195 lays out as a union of `repr(C)` structs
// that begin with the tag; the offset of the value is asked of such a struct.
unsafe impl<T: ArchivedType> ArchivedType for ArchivedOption<T> {
    const DESCRIPTOR: &'static TypeDescriptor = &part::<Self>(
        "ArchivedOption",
        TypeKind::Enum {
            tag: Primitive::U8,
            variants: &[
                VariantDescriptor { name: "None", tag: 0, fields: &[] },
                VariantDescriptor {
                    name: "Some",
                    tag: 1,
                    fields: &[FieldDescriptor {
                        name: "0",
                        offset: std::mem::offset_of!(Behind<T>, value),
                        ty: T::DESCRIPTOR,
                    }],
                },
            ],
        },
        ArchivedPart::Option,
    );
}

/// A value behind a tag.
#[repr(C)]
struct Behind<T> {
    tag: u8,
    value: T,
}

told!(impl [T: ArchivedType] ArchivedOption<T>);

// SAFETY: an array is its elements at multiples of their size, without gaps, by the language's definition.
unsafe impl<T: ArchivedType, const N: usize> ArchivedType for [T; N] {
    const DESCRIPTOR: &'static TypeDescriptor = &TypeDescriptor {
        name: "array",
        size: size_of::<Self>(),
        align: align_of::<Self>(),
        kind: TypeKind::Array { element: T::DESCRIPTOR, len: N },
        meaning: Meaning::Parts,
    };
}

macro_rules! tuples {
    ($($name:ident: $($part:ident $index:tt),+;)+) => {$(
        // SAFETY: it is `repr(C)`, and the offsets are asked of the compiler.
        unsafe impl<$($part: ArchivedType),+> ArchivedType for $name<$($part),+> {
            const DESCRIPTOR: &'static TypeDescriptor = &TypeDescriptor {
                name: stringify!($name),
                size: size_of::<Self>(),
                align: align_of::<Self>(),
                kind: TypeKind::Struct(&[$(FieldDescriptor {
                    name: stringify!($index),
                    offset: std::mem::offset_of!(Self, $index),
                    ty: $part::DESCRIPTOR,
                }),+]),
                meaning: Meaning::Parts,
            };
        }

        told!(impl [$($part: ArchivedType),+] $name<$($part),+>);
    )+};
}

tuples! {
    ArchivedTuple1: A 0;
    ArchivedTuple2: A 0, B 1;
    ArchivedTuple3: A 0, B 1, C 2;
    ArchivedTuple4: A 0, B 1, C 2, D 3;
    ArchivedTuple5: A 0, B 1, C 2, D 3, E 4;
    ArchivedTuple6: A 0, B 1, C 2, D 3, E 4, F 5;
}

macro_rules! opaque {
    ($(impl [$($generics:tt)*] $ty:ty, $name:literal;)+) => {$(
        // SAFETY: devices do not read it.
        unsafe impl<$($generics)*> ArchivedType for $ty {
            const DESCRIPTOR: &'static TypeDescriptor =
                &part::<Self>($name, TypeKind::Struct(&[]), ArchivedPart::Opaque);
        }
    )+};
}

opaque! {
    impl [] ArchivedChar, "char_le";
    impl [] ArchivedU128, "u128_le";
    impl [] ArchivedI128, "i128_le";
    impl [K: 'static, V: 'static, const E: usize] ArchivedBTreeMap<K, V, E>, "ArchivedBTreeMap";
    impl [K: 'static, const E: usize] ArchivedBTreeSet<K, E>, "ArchivedBTreeSet";
}

told!(impl [K: 'static, V: 'static, const E: usize] ArchivedBTreeMap<K, V, E>, where Devices: Reads<Self>);
told!(impl [K: 'static, const E: usize] ArchivedBTreeSet<K, E>, where Devices: Reads<Self>);
// `for` makes rustc wait with the question until somebody asks.
told!(impl [] ArchivedChar, where for<'a> Devices: Reads<ArchivedChar>);
told!(impl [] ArchivedU128, where for<'a> Devices: Reads<ArchivedU128>);
told!(impl [] ArchivedI128, where for<'a> Devices: Reads<ArchivedI128>);
