//! The values that the threads of a block give each other.

use crate::DeviceType;

mod sealed {
    pub trait Sealed {}
}

/// A number that the threads of a block can share and combine: `u8` … `u64`, `i8` … `i64`, `usize`, `isize`,
/// `f32` and `f64`.
#[diagnostic::on_unimplemented(
    message = "the threads of a block share numbers, and `{Self}` is none",
    label = "write a number, such as `u32` or `f32`"
)]
pub trait BlockValue: DeviceType + sealed::Sealed {
    /// The value that a shared array begins with.
    const ZERO: Self;

    /// The value in 64 bits.
    #[doc(hidden)]
    fn to_word(self) -> u64;

    /// The value of such a word.
    #[doc(hidden)]
    fn of_word(word: u64) -> Self;
}

macro_rules! integers {
    ($($ty:ident)+) => {$(
        impl sealed::Sealed for $ty {}
        impl BlockValue for $ty {
            const ZERO: Self = 0;

            #[inline]
            fn to_word(self) -> u64 {
                // A round trip through a wider or equal integer keeps all bits.
                self as u64
            }

            #[inline]
            fn of_word(word: u64) -> Self {
                word as Self
            }
        }
    )+};
}

integers!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);

macro_rules! floats {
    ($($ty:ident as $bits:ident)+) => {$(
        impl sealed::Sealed for $ty {}
        impl BlockValue for $ty {
            const ZERO: Self = 0.0;

            #[inline]
            fn to_word(self) -> u64 {
                self.to_bits().into()
            }

            #[inline]
            fn of_word(word: u64) -> Self {
                Self::from_bits(word as $bits)
            }
        }
    )+};
}

floats!(f32 as u32 f64 as u64);
