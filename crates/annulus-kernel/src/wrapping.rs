//! `core::num::Wrapping`, which a handler may use in its messages and its state: a number whose operators
//! never overflow.

use std::num::Wrapping;

use crate::{
    DeviceType, FieldDescriptor, Meaning, Receiver, Type, TypeDescriptor, TypeKind, Typed, Value,
    device_value,
};

macro_rules! wrapping {
    ($($ty:ty),+) => {$(
        // SAFETY: `Wrapping` is `repr(transparent)` by its documentation, so it is laid out as its number,
        // which is a device type.
        unsafe impl DeviceType for Wrapping<$ty> {
            const DESCRIPTOR: &'static TypeDescriptor = &TypeDescriptor {
                name: concat!("Wrapping_", stringify!($ty)),
                size: size_of::<Self>(),
                align: align_of::<Self>(),
                kind: TypeKind::Struct(&[FieldDescriptor { name: "0", offset: 0, ty: <$ty>::DESCRIPTOR }]),
                meaning: Meaning::Wrapping,
            };
        }

        #[diagnostic::do_not_recommend]
        impl Receiver for Wrapping<$ty> {
            type Target = Self;
            type Side = Self;
        }

        #[diagnostic::do_not_recommend]
        impl Typed for Wrapping<$ty> {
            fn ty() -> Type {
                Self::DESCRIPTOR.into()
            }

            fn value(&self) -> Value {
                device_value(self)
            }
        }
    )+};
}

wrapping!(u8, u16, u32, u64, i8, i16, i32, i64);

#[cfg(target_pointer_width = "64")]
wrapping!(usize, isize);
