//! Bridged messages as devices see them: what lies where in an archive.
//!
//! A bridged message is an archive of rkyv 0.8, and a handler takes it as `&Archived<T>`. The parts of an
//! archive have C's layout, so they are described like every device type. What is longer than its place lies
//! behind an offset, and its type says so by its [`Meaning`](crate::Meaning): a device follows the offset
//! where the handler takes the bytes or the elements, and compares it with the ends of the payload each time.

use crate::{DeviceType, TypeDescriptor, Value, typed};

/// A type that lies in an archive. `#[derive(RingMessage)]` implements it for the archives of bridged
/// messages.
///
/// # Safety
///
/// * `DESCRIPTOR` has the size, alignment, field offsets and field types that the compiler really uses.
/// * All parts that it names are initialized in each value of the type.
/// * Where it says that an offset stands, rkyv reads the same offset.
#[diagnostic::on_unimplemented(
    message = "nothing says how `{Self}` lies in an archive",
    label = "not the archive of a type that bridged messages may hold",
    note = "a bridged message holds numbers, `bool`, `String`, `Vec`, `Option`, arrays, tuples and types with \
            `#[derive(RingMessage)]` and `#[ring(bridged)]`"
)]
pub unsafe trait ArchivedType: Sized + 'static {
    /// The layout.
    const DESCRIPTOR: &'static TypeDescriptor;
}

/// Stands for devices in the bounds of what they do not read.
#[derive(Debug)]
pub struct Devices;

/// A handler may use the archived type on a device. It is asked of [`Devices`] and not of the type: rustc
/// then tells this trait's own words.
#[diagnostic::on_unimplemented(
    message = "a device does not read `{T}`",
    label = "not a part of a message that devices read",
    note = "for a map or a set send a sorted `Vec`, for 128 bits two `u64`, for a `char` a `u32`, for `Box<T>` and `Arc<T>` \
            the `T` itself",
    note = "to keep the handler on the host, write `#[ring_kernel(cpu_only)]`"
)]
pub trait Reads<T: ?Sized> {}

/// The value of a constant, such as a number in little-endian order.
pub fn archived_value<T: ArchivedType>(value: &T) -> Value {
    // SAFETY: by the trait's promise the descriptor describes the value, and what it names is initialized.
    unsafe { typed::read(T::DESCRIPTOR, std::ptr::from_ref(value).cast()) }
}

macro_rules! as_they_are {
    ($($ty:ty),+) => {$(
        // SAFETY: in an archive it is what it is elsewhere.
        unsafe impl ArchivedType for $ty {
            const DESCRIPTOR: &'static TypeDescriptor = <$ty as DeviceType>::DESCRIPTOR;
        }
    )+};
}

as_they_are!(bool, u8, i8);

#[cfg(feature = "wire")]
mod layouts;

impl crate::KernelDefinition {
    /// The type that a handler reads: of a bridged message its archive's root.
    pub(crate) const fn read_by_handlers(&self) -> &'static TypeDescriptor {
        match &self.bridged {
            Some(bridged) => bridged.archived,
            None => self.message,
        }
    }
}
