//! Memory in which kernels send to each other, for devices on which a kernel reaches only the memory that it
//! got as arguments.

use std::{
    ptr::NonNull,
    sync::{Arc, Mutex, PoisonError},
};

use annulus_runtime::BackendError;

use crate::{
    driver::{DeviceLocalMemory, Memory},
    free_list::FreeList,
};

/// One stretch of memory that all kernels get as an argument. Kernels name its parts to each other by their
/// offsets.
pub struct DeviceHeap {
    memory: Arc<dyn Memory>,
    free_list: Mutex<FreeList>,
}

/// A part, given back when it is dropped.
struct Part {
    of: Arc<DeviceHeap>,
    offset: usize,
    bytes: usize,
}

impl DeviceHeap {
    /// A heap in memory that the host sees.
    pub fn new(memory: Arc<dyn Memory>) -> Arc<Self> {
        assert!(memory.host().is_some(), "parts are written by the host");
        let free_list = Mutex::new(FreeList::new(memory.bytes() / crate::PART_ALIGN * crate::PART_ALIGN));
        Arc::new(Self { memory, free_list })
    }

    /// Takes a part and fills it with these contents; `remedy` says how a program makes the heap larger.
    ///
    /// # Errors
    ///
    /// If there is no free part of that length.
    pub fn take(self: &Arc<Self>, contents: &[u8], remedy: &str) -> Result<DeviceLocalMemory, BackendError> {
        let bytes = contents.len();
        let mut free_list = self.free_list.lock().unwrap_or_else(PoisonError::into_inner);
        let offset = free_list.take(bytes).ok_or_else(|| {
            BackendError::new(format!(
                "{bytes} bytes are wanted for rings between kernels, and {} of {} are free, in parts: launch with a smaller capacity or grid, \
                 or raise {remedy}",
                free_list.free(),
                free_list.bytes()
            ))
        })?;
        drop(free_list);
        let part = Part { of: Arc::clone(self), offset, bytes };
        let base = self.memory.host().expect("asked when it was made");
        // SAFETY: the part lies within the memory.
        let place = unsafe { base.add(offset) };
        // SAFETY: as above, for so many bytes. Nobody else has the part, and kernels that had it before do
        // not run any more.
        unsafe { place.copy_from_nonoverlapping(NonNull::from(contents).cast(), bytes) };
        Ok(DeviceLocalMemory { place: offset as u64, base: Arc::clone(&self.memory), owner: Box::new(part) })
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        self.of.free_list.lock().unwrap_or_else(PoisonError::into_inner).give_back(self.offset, self.bytes);
    }
}
