//! The types and constant values of the kernel language, and their Rust types.

use std::{cmp, sync::atomic::Ordering};

use crate::{DeviceType, Failure, Primitive, TypeDescriptor, TypeKind};

/// A number or a boolean.
///
/// `usize` and `isize` have 64 bits on every device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Each is the Rust type of the same name.
pub enum Scalar {
    Bool,
    I8,
    I16,
    I32,
    I64,
    Isize,
    U8,
    U16,
    U32,
    U64,
    Usize,
    F32,
    F64,
}

impl Scalar {
    /// The type's name in Rust.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::Isize => "isize",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::Usize => "usize",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// Bits of a value; 1 for `bool`.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Bool => 1,
            Self::I8 | Self::U8 => 8,
            Self::I16 | Self::U16 => 16,
            Self::I32 | Self::U32 | Self::F32 => 32,
            Self::I64 | Self::U64 | Self::Isize | Self::Usize | Self::F64 => 64,
        }
    }

    /// Whether it is an integer with a sign.
    pub const fn is_signed(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64 | Self::Isize)
    }

    /// Whether it is an integer.
    pub const fn is_integer(self) -> bool {
        !matches!(self, Self::Bool | Self::F32 | Self::F64)
    }

    /// Whether it is `f32` or `f64`.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }
}

impl From<Primitive> for Scalar {
    fn from(primitive: Primitive) -> Self {
        match primitive {
            Primitive::Bool => Self::Bool,
            Primitive::I8 => Self::I8,
            Primitive::I16 => Self::I16,
            Primitive::I32 => Self::I32,
            Primitive::I64 => Self::I64,
            Primitive::U8 => Self::U8,
            Primitive::U16 => Self::U16,
            Primitive::U32 => Self::U32,
            Primitive::U64 => Self::U64,
            Primitive::F32 => Self::F32,
            Primitive::F64 => Self::F64,
            Primitive::Usize => Self::Usize,
            Primitive::Isize => Self::Isize,
        }
    }
}

/// The type of a value in the kernel language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// `()`.
    Unit,
    /// A number or a boolean.
    Scalar(Scalar),
    /// A struct that derives `DeviceType`.
    Struct(&'static TypeDescriptor),
    /// An enum that derives `DeviceType`.
    Enum(&'static TypeDescriptor),
    /// `[T; N]`.
    Array {
        /// `T`.
        element: Box<Self>,
        /// `N`.
        len: usize,
    },
    /// `(A, B)` and longer; there is no tuple without parts.
    Tuple(Vec<Self>),
    /// `Option<T>`.
    Option(Box<Self>),
    /// `Result<T, E>`, except the one that is a [`Verdict`](Self::Verdict).
    Result(Box<Self>, Box<Self>),
    /// [`Failure`].
    Failure,
    /// `Result<(), Failure>`: what a handler may return.
    Verdict,
    /// The order of an atomic operation.
    Ordering,
}

impl From<&'static TypeDescriptor> for Type {
    fn from(descriptor: &'static TypeDescriptor) -> Self {
        match descriptor.kind {
            TypeKind::Primitive(primitive) => Self::Scalar(primitive.into()),
            TypeKind::Struct(_) => Self::Struct(descriptor),
            TypeKind::Enum { .. } => Self::Enum(descriptor),
            TypeKind::Array { element, len } => Self::Array { element: Box::new(element.into()), len },
        }
    }
}

/// The value of a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// `()`.
    Unit,
    /// The bits of a number, zero-extended; 0 or 1 for a boolean.
    Scalar(u64),
    /// A struct's fields in order of declaration, or a tuple's parts.
    Struct(Vec<Self>),
    /// An enum's variant by its index in the declaration, and its fields. `None` and `Ok` come first in their
    /// enums.
    Enum {
        /// Which variant.
        variant: usize,
        /// Its fields.
        fields: Vec<Self>,
    },
    /// The elements of an array.
    Array(Vec<Self>),
    /// A failure's code.
    Failure(u16),
    /// `Ok(())`, or the code of the failure.
    Verdict(u16),
    /// The order of an atomic operation.
    Ordering(Ordering),
}

/// A type that a handler on a device can compute with.
///
/// `#[derive(DeviceType)]` and `#[derive(RingMessage)]` implement it. An error would list only some of the
/// implementations, with the macros that they come from. Its notes say everything, so no implementation is
/// recommended.
#[diagnostic::on_unimplemented(
    message = "a device does not compute with `{Self}`",
    label = "a value of type `{Self}`",
    note = "numbers, booleans, types that derive `DeviceType`, and arrays, tuples, `Option` and `Result` of these, of values \
            and not of references, are what devices know",
    note = "to keep the handler on the host, write `#[ring_kernel(cpu_only)]`"
)]
pub trait Typed {
    /// The type in the kernel language.
    fn ty() -> Type;

    /// The value, for constants.
    fn value(&self) -> Value;
}

macro_rules! scalars {
    ($($ty:ty: $scalar:ident, $value:ident => $bits:expr;)+) => {$(
        #[diagnostic::do_not_recommend]
        impl Typed for $ty {
            fn ty() -> Type {
                Type::Scalar(Scalar::$scalar)
            }

            fn value(&self) -> Value {
                let $value = *self;
                Value::Scalar($bits)
            }
        }
    )+};
}

scalars! {
    bool: Bool, value => value.into();
    i8: I8, value => value.cast_unsigned().into();
    i16: I16, value => value.cast_unsigned().into();
    i32: I32, value => value.cast_unsigned().into();
    i64: I64, value => value.cast_unsigned();
    isize: Isize, value => (value as i64).cast_unsigned();
    u8: U8, value => value.into();
    u16: U16, value => value.into();
    u32: U32, value => value.into();
    u64: U64, value => value;
    usize: Usize, value => value as u64;
    f32: F32, value => value.to_bits().into();
    f64: F64, value => value.to_bits();
}

#[diagnostic::do_not_recommend]
impl Typed for () {
    fn ty() -> Type {
        Type::Unit
    }

    fn value(&self) -> Value {
        Value::Unit
    }
}

#[diagnostic::do_not_recommend]
impl Typed for Failure {
    fn ty() -> Type {
        Type::Failure
    }

    fn value(&self) -> Value {
        Value::Failure(self.code())
    }
}

#[diagnostic::do_not_recommend]
impl<T: Typed> Typed for Option<T> {
    fn ty() -> Type {
        Type::Option(Box::new(T::ty()))
    }

    fn value(&self) -> Value {
        match self {
            None => Value::Enum { variant: 0, fields: Vec::new() },
            Some(value) => Value::Enum { variant: 1, fields: vec![value.value()] },
        }
    }
}

#[diagnostic::do_not_recommend]
impl<T: Typed, E: Typed> Typed for Result<T, E> {
    fn ty() -> Type {
        match (T::ty(), E::ty()) {
            (Type::Unit, Type::Failure) => Type::Verdict,
            (value, error) => Type::Result(Box::new(value), Box::new(error)),
        }
    }

    fn value(&self) -> Value {
        match (self.as_ref().map(Typed::value), Self::ty()) {
            (Ok(_), Type::Verdict) => Value::Verdict(0),
            (Err(error), Type::Verdict) => match error.value() {
                Value::Failure(code) => Value::Verdict(code),
                other => other,
            },
            (Ok(value), _) => Value::Enum { variant: 0, fields: vec![value] },
            (Err(error), _) => Value::Enum { variant: 1, fields: vec![error.value()] },
        }
    }
}

macro_rules! tuples {
    ($($($part:ident $index:tt),+;)+) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($part: Typed),+> Typed for ($($part,)+) {
            fn ty() -> Type {
                Type::Tuple(vec![$($part::ty()),+])
            }

            fn value(&self) -> Value {
                Value::Struct(vec![$(self.$index.value()),+])
            }
        }
    )+};
}

tuples! {
    A 0;
    A 0, B 1;
    A 0, B 1, C 2;
    A 0, B 1, C 2, D 3;
    A 0, B 1, C 2, D 3, E 4;
    A 0, B 1, C 2, D 3, E 4, F 5;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11;
}

#[diagnostic::do_not_recommend]
impl Typed for cmp::Ordering {
    fn ty() -> Type {
        Self::DESCRIPTOR.into()
    }

    fn value(&self) -> Value {
        device_value(self)
    }
}

#[diagnostic::do_not_recommend]
impl Typed for Ordering {
    fn ty() -> Type {
        Type::Ordering
    }

    fn value(&self) -> Value {
        Value::Ordering(*self)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Typed, const N: usize> Typed for [T; N] {
    fn ty() -> Type {
        Type::Array { element: Box::new(T::ty()), len: N }
    }

    fn value(&self) -> Value {
        Value::Array(self.iter().map(Typed::value).collect())
    }
}

/// The type that a descriptor describes. If the type is no device type because it lacks a derive, this
/// function does not report it a second time.
pub fn type_of<T: DeviceType>() -> Type {
    T::DESCRIPTOR.into()
}

/// The value of a struct or enum. It is read field by field through its descriptor, so padding is never read.
pub fn device_value<T: DeviceType>(value: &T) -> Value {
    // SAFETY: the descriptor of a `DeviceType` describes it, and the reference is to an initialised value.
    unsafe { read(T::DESCRIPTOR, std::ptr::from_ref(value).cast()) }
}

/// # Safety
///
/// `at` points to an initialised value of the type that `descriptor` describes.
pub(crate) unsafe fn read(descriptor: &'static TypeDescriptor, at: *const u8) -> Value {
    let fields = |fields: &'static [crate::FieldDescriptor]| {
        fields
            .iter()
            .map(|field| {
                // SAFETY: a field lies within its struct, at the offset that the descriptor says.
                let at = unsafe { at.add(field.offset) };
                // SAFETY: the field has the type that the descriptor says, and is initialised because its
                // struct is.
                unsafe { read(field.ty, at) }
            })
            .collect()
    };
    match descriptor.kind {
        // SAFETY: by the caller's promise, a primitive of this kind lies there.
        TypeKind::Primitive(primitive) => Value::Scalar(unsafe { read_bits(primitive, at) }),
        TypeKind::Struct(members) => Value::Struct(fields(members)),
        TypeKind::Array { element, len } => Value::Array(
            (0..len)
                .map(|index| {
                    // SAFETY: `index` is below the array's length.
                    let at = unsafe { at.add(index * element.size) };
                    // SAFETY: each element is an initialised value of the element's type.
                    unsafe { read(element, at) }
                })
                .collect(),
        ),
        TypeKind::Enum { tag, variants } => {
            // SAFETY: an enum with a primitive representation begins with its tag.
            let bits = unsafe { read_bits(tag, at) };
            let variant = variants.iter().position(|variant| variant.tag == bits);
            let variant = variant.expect("an initialised enum has the tag of one of its variants");
            Value::Enum { variant, fields: fields(variants[variant].fields) }
        }
    }
}

/// # Safety
///
/// `at` points to an initialised value of this type.
unsafe fn read_bits(primitive: Primitive, at: *const u8) -> u64 {
    let size = Scalar::from(primitive).bits().div_ceil(8) as usize;
    let mut bytes = [0; 8];
    // SAFETY: a primitive has `size` bytes, at most 8, all of them initialised.
    unsafe { at.copy_to_nonoverlapping(bytes.as_mut_ptr(), size) };
    // The bytes belong at the least significant end, whatever the host's order.
    if cfg!(target_endian = "big") {
        u64::from_be_bytes(bytes) >> (64 - 8 * size)
    } else {
        u64::from_le_bytes(bytes)
    }
}
