//! A device's memory, as kernels take it.

use std::{any::Any, mem::MaybeUninit, ptr::NonNull};

use annulus_runtime::BackendError;

/// A stretch of memory that kernels take as an argument. Dropped when no kernel can touch it any more.
pub trait Memory: Any + Send + Sync {
    /// Where the host sees it, if it does.
    fn host(&self) -> Option<NonNull<u8>>;

    /// Its length.
    fn bytes(&self) -> usize;

    /// Copies out what lies at `offset`. What lies outside the memory is a panic.
    ///
    /// # Errors
    ///
    /// If the device cannot.
    ///
    /// # Safety
    ///
    /// No kernel writes there meanwhile.
    unsafe fn read(&self, offset: usize, to: &mut [MaybeUninit<u8>]) -> Result<(), BackendError>;

    /// Sets what lies at `offset`. What lies outside the memory is a panic.
    ///
    /// # Errors
    ///
    /// If the device cannot.
    ///
    /// # Safety
    ///
    /// No kernel touches it meanwhile.
    unsafe fn write(&self, offset: usize, from: &[MaybeUninit<u8>]) -> Result<(), BackendError>;
}

impl dyn Memory {
    /// As a driver's own kind of memory, which its entries take as arguments.
    ///
    /// # Errors
    ///
    /// If it is another backend's.
    pub fn as_own<M: Memory>(&self) -> Result<&M, BackendError> {
        let memory: &dyn Any = self;
        memory.downcast_ref().ok_or_else(|| BackendError::new("the kernel's memory is another backend's"))
    }
}
