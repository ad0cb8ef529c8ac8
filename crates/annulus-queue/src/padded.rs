//! Keeps words apart that different threads write.

use std::ops::Deref;

/// A value with cache lines of its own, so that a write to it does not slow down threads that use its
/// neighbours.
///
/// 128 bytes: x86-64 fetches lines in pairs, and Apple's cores have lines of 128.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Padded<T>(pub(crate) T);

impl<T> Deref for Padded<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}
