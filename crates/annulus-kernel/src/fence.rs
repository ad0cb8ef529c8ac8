//! Fences that a handler writes.

use std::sync::atomic::{Ordering, compiler_fence, fence};

use crate::{
    Derived, DeviceType, Meaning, PlainMethods, Primitive, Type, TypeDescriptor, TypeKind, Typed, Value,
    VariantDescriptor, device_value,
};

/// For whom a handler's fence orders memory: see [`Cx::fence`](crate::Cx::fence).
///
/// Take the narrowest scope that has in it all threads that share the memory. A scope that is too narrow
/// orders nothing for those outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum FenceScope {
    /// For the threads of the same block.
    Block,
    /// For all threads of the device: other blocks of the kernel, and other kernels there.
    Device,
    /// For the host and other devices, too.
    System,
}

impl FenceScope {
    /// All of them, from the narrowest on.
    pub const ALL: [Self; 3] = [Self::Block, Self::Device, Self::System];

    /// The part of the name of the text's function.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Device => "device",
            Self::System => "system",
        }
    }

    /// The fence on the CPU, where a block runs in one thread at a time.
    #[inline]
    pub(crate) fn fence(self) {
        match self {
            Self::Block => compiler_fence(Ordering::SeqCst),
            Self::Device | Self::System => fence(Ordering::SeqCst),
        }
    }
}

#[diagnostic::do_not_recommend]
// SAFETY: the enum is `repr(u8)`, and its variants count from 0; size and alignment come from the compiler.
unsafe impl DeviceType for FenceScope {
    const DESCRIPTOR: &'static TypeDescriptor = &TypeDescriptor {
        name: "FenceScope",
        size: size_of::<Self>(),
        align: align_of::<Self>(),
        kind: TypeKind::Enum {
            tag: Primitive::U8,
            variants: &[
                VariantDescriptor { name: "Block", tag: 0, fields: &[] },
                VariantDescriptor { name: "Device", tag: 1, fields: &[] },
                VariantDescriptor { name: "System", tag: 2, fields: &[] },
            ],
        },
        meaning: Meaning::Derived(Derived {
            eq: true,
            partial_ord: false,
            ord: false,
            methods: PlainMethods(|| true),
        }),
    };
}

#[diagnostic::do_not_recommend]
impl Typed for FenceScope {
    fn ty() -> Type {
        Self::DESCRIPTOR.into()
    }

    fn value(&self) -> Value {
        device_value(self)
    }
}
