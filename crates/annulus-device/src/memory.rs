//! A device's memory, as kernels take it.

use std::{any::Any, mem::MaybeUninit, ptr::NonNull};

use annulus_runtime::BackendError;

/// A stretch of memory that kernels take as an argument. It is dropped when no kernel can touch it any more.
pub trait Memory: Any + Send + Sync {
    /// Where the host sees it; `None` if the host does not.
    fn host(&self) -> Option<NonNull<u8>>;

    /// Its length in bytes.
    fn bytes(&self) -> usize;

    /// Copies from the memory at `offset`. Panics if the range is not inside the memory.
    ///
    /// # Errors
    ///
    /// If the device cannot copy.
    ///
    /// # Safety
    ///
    /// No kernel writes there meanwhile.
    unsafe fn read(&self, offset: usize, to: &mut [MaybeUninit<u8>]) -> Result<(), BackendError>;

    /// Writes to the memory at `offset`. Panics if the range is not inside the memory.
    ///
    /// # Errors
    ///
    /// If the device cannot copy.
    ///
    /// # Safety
    ///
    /// No kernel touches it meanwhile.
    unsafe fn write(&self, offset: usize, from: &[MaybeUninit<u8>]) -> Result<(), BackendError>;
}

impl dyn Memory {
    /// As a driver's own memory type, which its entries take as arguments.
    ///
    /// # Errors
    ///
    /// If it belongs to another backend.
    pub fn as_own<M: Memory>(&self) -> Result<&M, BackendError> {
        let memory: &dyn Any = self;
        memory.downcast_ref().ok_or_else(|| BackendError::new("the kernel's memory is another backend's"))
    }
}
