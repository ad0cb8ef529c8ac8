//! Memory that a device and its host share.

use std::{mem::MaybeUninit, ptr::NonNull};

use annulus_device::Memory;
use annulus_runtime::{BackendError, SharedMemory};

use crate::mtl::{self, Buffer};

/// A buffer that the host sees: of the device's own making, or of the process's memory.
pub(crate) struct MetalMemory {
    pub(crate) buffer: Buffer,
    /// The process's memory. Dropped after the buffer: fields are dropped in their order.
    _adopted: Option<SharedMemory>,
}

impl MetalMemory {
    /// Zeroed memory.
    pub(crate) fn new(device: &mtl::Device, bytes: usize) -> Result<Self, BackendError> {
        let buffer = device.buffer(bytes).map_err(|error| BackendError::new(error.to_string()))?;
        if buffer.contents().align_offset(128) != 0 {
            return Err(BackendError::new("it is not aligned to 128 bytes; choose another device"));
        }
        Ok(Self { buffer, _adopted: None })
    }

    /// The process's memory, where it is.
    pub(crate) fn adopted(device: &mtl::Device, memory: SharedMemory) -> Result<Self, String> {
        let (base, bytes) = (memory.base(), memory.bytes());
        // SAFETY: the memory lives as long as the buffer, which is dropped before it.
        let buffer = unsafe { device.adopt(base, bytes) }.map_err(|error| error.to_string())?;
        if buffer.contents() != base {
            return Err("Metal shows a buffer of it (newBufferWithBytesNoCopy) at another place".into());
        }
        Ok(Self { buffer, _adopted: Some(memory) })
    }

    /// The place of a range within the memory.
    fn range(&self, offset: usize, bytes: usize) -> NonNull<u8> {
        let within = offset.checked_add(bytes).is_some_and(|end| end <= self.buffer.bytes());
        assert!(within, "{bytes} bytes from {offset} on of {}", self.buffer.bytes());
        // SAFETY: the range lies within the buffer.
        unsafe { self.buffer.contents().add(offset) }
    }
}

impl Memory for MetalMemory {
    fn host(&self) -> Option<NonNull<u8>> {
        Some(self.buffer.contents())
    }

    fn bytes(&self) -> usize {
        self.buffer.bytes()
    }

    unsafe fn read(&self, offset: usize, to: &mut [MaybeUninit<u8>]) -> Result<(), BackendError> {
        let from = self.range(offset, to.len());
        // SAFETY: the range is valid, no kernel writes there (the caller's promise), and `to` is the caller's own.
        unsafe { from.copy_to_nonoverlapping(NonNull::from(&mut *to).cast(), to.len()) };
        Ok(())
    }

    unsafe fn write(&self, offset: usize, from: &[MaybeUninit<u8>]) -> Result<(), BackendError> {
        let to = self.range(offset, from.len());
        // SAFETY: the range is valid, no kernel touches it (the caller's promise), and `from` is the caller's own.
        unsafe { to.copy_from_nonoverlapping(NonNull::from(from).cast(), from.len()) };
        Ok(())
    }
}
