//! A kind of `Option` for messages and states.

use std::mem::offset_of;

use annulus_kernel::{
    DeviceType, FieldDescriptor, Primitive, Receiver, Type, TypeDescriptor, TypeKind, Typed, Value,
    VariantDescriptor, device_value,
};
use annulus_macros::device_impl;

use crate::__private::{Derived, Meaning, OwnType, PlainMethods};

/// A value, or nothing. Messages and states use it instead of an `Option`, because the layout of `Option` is
/// not specified and may change with each version of rustc.
///
/// [`get`](Self::get) gives the `Option`, and [`set`](Self::set) and `From` take one, in handlers as well as
/// on the host:
///
/// ```
/// use annulus::prelude::*;
/// # extern crate annulus_runtime as annulus;
///
/// #[derive(RingMessage, Clone, Copy)]
/// #[repr(C)]
/// struct Reading {
///     #[ring(key)]
///     sensor: u32,
///     value: f32,
/// }
///
/// #[derive(RingMessage, Clone, Copy)]
/// #[repr(C)]
/// struct Step {
///     sensor: u32,
///     /// Of the first reading there is none.
///     by: Maybe<f32>,
/// }
///
/// #[ring_kernel]
/// fn steps(reading: &Reading, last: &mut Maybe<f32>, steps: &Outbox<Step>) {
///     let by = last.get().map(|last| reading.value - last);
///     *last = Maybe::Just(reading.value);
///     steps.send(Step { sensor: reading.sensor, by: Maybe::from(by) });
/// }
/// ```
///
/// Its layout is that of an enum with `#[repr(u8)]`: a byte that is 0 or 1, then the value, at the first
/// place that its alignment allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Maybe<T> {
    /// There is no value.
    #[default]
    Nothing,
    /// There is this value.
    Just(T),
}

#[device_impl]
#[diagnostic::do_not_recommend]
impl<T: DeviceType> Maybe<T> {
    /// The value as an `Option`.
    ///
    /// ```
    /// # use annulus_runtime::Maybe;
    /// assert_eq!(Maybe::Just(7).get(), Some(7));
    /// ```
    pub fn get(&self) -> Option<T> {
        match *self {
            Self::Nothing => None,
            Self::Just(value) => Some(value),
        }
    }

    /// Sets this to what the `Option` has.
    ///
    /// ```
    /// # use annulus_runtime::Maybe;
    /// let mut last = Maybe::Nothing;
    /// last.set(Some(7));
    /// assert_eq!(last, Maybe::Just(7));
    /// ```
    pub fn set(&mut self, value: Option<T>) {
        *self = match value {
            None => Self::Nothing,
            Some(value) => Self::Just(value),
        };
    }

    /// Whether there is a value.
    ///
    /// ```
    /// # use annulus_runtime::Maybe;
    /// assert!(Maybe::Just(7).is_just());
    /// ```
    pub fn is_just(&self) -> bool {
        matches!(self, Self::Just(_))
    }

    /// Whether there is no value.
    ///
    /// ```
    /// # use annulus_runtime::Maybe;
    /// assert!(Maybe::<u32>::Nothing.is_nothing());
    /// ```
    pub fn is_nothing(&self) -> bool {
        matches!(self, Self::Nothing)
    }
}

#[device_impl]
#[diagnostic::do_not_recommend]
impl<T: DeviceType> From<Option<T>> for Maybe<T> {
    fn from(value: Option<T>) -> Self {
        match value {
            None => Self::Nothing,
            Some(value) => Self::Just(value),
        }
    }
}

impl<T> From<Maybe<T>> for Option<T> {
    fn from(value: Maybe<T>) -> Self {
        match value {
            Maybe::Nothing => None,
            Maybe::Just(value) => Some(value),
        }
    }
}

/// The layout of the variant with a value: RFC 2195 makes an enum with a primitive representation a union of
/// such structs.
#[repr(C)]
struct Just<T> {
    tag: u8,
    value: T,
}

#[diagnostic::do_not_recommend]
// SAFETY: the compiler gives the size and the alignment; `repr(u8)` fixes the layout, and the value lies
// where it lies in `Just`; the value is a device type.
unsafe impl<T: DeviceType> DeviceType for Maybe<T> {
    const DESCRIPTOR: &'static TypeDescriptor = &TypeDescriptor {
        name: "Maybe",
        size: size_of::<Self>(),
        align: align_of::<Self>(),
        kind: TypeKind::Enum {
            tag: Primitive::U8,
            variants: &[
                VariantDescriptor { name: "Nothing", tag: 0, fields: &[] },
                VariantDescriptor {
                    name: "Just",
                    tag: 1,
                    fields: &[FieldDescriptor {
                        name: "0",
                        offset: offset_of!(Just<T>, value),
                        ty: T::DESCRIPTOR,
                    }],
                },
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

#[diagnostic::do_not_recommend]
impl<T: DeviceType> Typed for Maybe<T> {
    fn ty() -> Type {
        Self::DESCRIPTOR.into()
    }

    fn value(&self) -> Value {
        device_value(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T: DeviceType> Receiver for Maybe<T> {
    type Target = Self;
    type Side = Self;
}

#[diagnostic::do_not_recommend]
impl<T: DeviceType> OwnType for Maybe<T> {}
