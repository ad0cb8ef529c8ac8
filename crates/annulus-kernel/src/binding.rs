//! What a launch binds to a kernel besides messages: launch parameters, tables, shared memory.
#![allow(clippy::disallowed_types)] // These atomics are the user's data, not a protocol of ours.

use std::{
    alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error},
    ptr::NonNull,
    sync::atomic::{AtomicI32, AtomicI64, AtomicU32, AtomicU64},
};

use crate::{DeviceType, TypeDescriptor};

/// One parameter of a handler that is bound at launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BindingDefinition {
    /// The parameter's name in the handler.
    pub name: &'static str,
    /// How the handler sees it.
    pub kind: BindingKind,
    /// The type of the parameter, or of each element.
    pub ty: &'static TypeDescriptor,
}

/// How a handler sees a bound parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BindingKind {
    /// `&P`: read-only launch parameters.
    Parameter,
    /// `&[T]`: a read-only table.
    Table,
    /// `&mut [T]`, or `&Block<[T]>` if a whole block works on one message: memory of the whole kernel; needs a
    /// single block. Not rolled back when a handler fails.
    Whole,
    /// `&[AtomicU32]` and its kin: memory that all blocks share. Not rolled back when a handler fails.
    Shared,
}

/// The atomic types that a handler may share between blocks.
///
/// # Safety
///
/// The type has the size and bit validity of [`Value`](Self::Value), at most 64 bytes of alignment, and can
/// be changed through a shared reference.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an atomic that devices have",
    label = "write `AtomicU32`, `AtomicI32`, `AtomicU64` or `AtomicI64` of `std::sync::atomic`"
)]
pub unsafe trait DeviceAtomic: Send + Sync + 'static {
    /// The plain type of the same size and alignment.
    type Value: DeviceType;
}

// SAFETY: the standard library gives `AtomicU32` the size and bit validity of `u32`, and its alignment, which
// is the type's size.
unsafe impl DeviceAtomic for AtomicU32 {
    type Value = u32;
}
// SAFETY: the standard library gives `AtomicI32` the size and bit validity of `i32`, and its alignment, which
// is the type's size.
unsafe impl DeviceAtomic for AtomicI32 {
    type Value = i32;
}
// SAFETY: the standard library gives `AtomicU64` the size and bit validity of `u64`, and its alignment, which
// is the type's size.
unsafe impl DeviceAtomic for AtomicU64 {
    type Value = u64;
}
// SAFETY: the standard library gives `AtomicI64` the size and bit validity of `i64`, and its alignment, which
// is the type's size.
unsafe impl DeviceAtomic for AtomicI64 {
    type Value = i64;
}

/// The contents of one bound parameter, copied into memory of its own.
#[derive(Debug)]
pub struct Binding {
    ty: &'static TypeDescriptor,
    len: usize,
    layout: Layout,
    data: NonNull<u8>,
}

// SAFETY: the memory is owned and holds plain old data (`DeviceType` is `Send` and has no pointers).
unsafe impl Send for Binding {}
// SAFETY: `&Binding` gives out only the pointer; code that dereferences it makes its own argument.
unsafe impl Sync for Binding {}

impl Binding {
    /// A single value, for a `&P` parameter.
    pub fn parameter<P: DeviceType>(value: P) -> Self {
        Self::slice(&[value])
    }

    /// Several values, for `&[T]`, `&mut [T]` and `&Block<[T]>` (their initial contents) and atomics.
    pub fn slice<T: DeviceType>(values: &[T]) -> Self {
        // SAFETY: these are valid values of the type, and their number is right.
        unsafe { Self::copied(T::DESCRIPTOR, values.len(), values.as_ptr().cast()) }
    }

    /// A copy of `len` values that begin at `values`.
    ///
    /// # Safety
    ///
    /// `values` is valid for reads of `len` valid values of the type that `ty` describes; they may be less
    /// aligned.
    unsafe fn copied(ty: &'static TypeDescriptor, len: usize, values: *const u8) -> Self {
        let layout = Self::layout(ty, len).expect("values that exist have a valid layout");
        let Some(binding) = Self::zeroed(ty, len) else { handle_alloc_error(layout) };
        // SAFETY: source and destination are valid for the values' bytes and distinct allocations; copying
        // bytes keeps padding.
        unsafe { values.copy_to_nonoverlapping(binding.data.as_ptr(), len * ty.size) };
        binding
    }

    /// Room for `len` values, all zero; `None` if there is not enough memory. The caller writes valid values
    /// there before anybody else sees it.
    fn zeroed(ty: &'static TypeDescriptor, len: usize) -> Option<Self> {
        let layout = Self::layout(ty, len)?;
        // SAFETY: the layout's size is not zero.
        let data = unsafe { alloc_zeroed(layout) };
        NonNull::new(data).map(|data| Self { ty, len, layout, data })
    }

    /// The layout of `len` values; `None` if no allocation can be that large.
    fn layout(ty: &TypeDescriptor, len: usize) -> Option<Layout> {
        // A cache line at least, so that neighbours do not share one; never of size zero.
        Layout::from_size_align(len.checked_mul(ty.size)?.max(1), ty.align.max(64)).ok()
    }

    /// Room for `len` values; `None` if there is not enough memory. `fill` gets the bytes, which are zero.
    ///
    /// # Safety
    ///
    /// `fill` leaves valid values of the type that `ty` describes, unless it panics.
    #[cfg(feature = "serde")]
    pub(crate) unsafe fn filled(
        ty: &'static TypeDescriptor,
        len: usize,
        fill: impl FnOnce(&mut [u8]),
    ) -> Option<Self> {
        let binding = Self::zeroed(ty, len)?;
        // SAFETY: the memory belongs to the binding, is as long as the values, is all initialised, and nobody
        // else has it yet.
        fill(unsafe { std::slice::from_raw_parts_mut(binding.data.as_ptr(), len * ty.size) });
        Some(binding)
    }

    /// The type of each element.
    pub fn ty(&self) -> &'static TypeDescriptor {
        self.ty
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The first element: valid for reads and writes of `len` elements as long as the binding lives.
    pub fn as_ptr(&self) -> *mut u8 {
        self.data.as_ptr()
    }
}

impl Drop for Binding {
    fn drop(&mut self) {
        // SAFETY: `data` came from `alloc_zeroed` with this layout and is freed once. Plain old data needs no
        // drop.
        unsafe { dealloc(self.data.as_ptr(), self.layout) };
    }
}
