//! The runtime's memory on a device.

use std::sync::Arc;

use annulus_runtime::{BackendError, Place, SharedMemory};

use crate::driver::{Driver, Memory};

/// Keeps shared memory alive for the runtime; the host recognises its memory by this type.
struct Owner(Arc<dyn Memory>);

/// Zeroed memory that host and kernels see.
pub(crate) fn allocate(driver: &dyn Driver, bytes: usize) -> Result<SharedMemory, BackendError> {
    let memory = driver.shared(bytes).map_err(|error| {
        BackendError::new(format!(
            "`{}` has no {bytes} bytes of memory to share ({error}): launch with a smaller capacity or grid",
            driver.name()
        ))
    })?;
    let base = memory.host().expect("shared memory is seen by the host");
    // SAFETY: by the driver's promise the memory is at least that long, aligned to 128, zeroed, and stays at
    // its address until the owner is dropped.
    Ok(unsafe { SharedMemory::from_raw(base, bytes, Box::new(Owner(memory))) })
}

/// Memory of this process that host and kernels see from now on.
pub(crate) fn adopt(driver: &dyn Driver, memory: SharedMemory) -> Result<SharedMemory, BackendError> {
    let (base, bytes) = (memory.base(), memory.bytes());
    let adopted = driver.adopt(memory).map_err(|error| {
        BackendError::new(format!(
            "its rings would lie in its file, which `{}` cannot use: {error}",
            driver.name()
        ))
    })?;
    assert!(adopted.host() == Some(base) && adopted.bytes() >= bytes, "adopted memory is where it was");
    // SAFETY: the memory is aligned to a page, as long as it was, and zero, by the driver's promise; it stays at its address
    // until the owner is dropped.
    Ok(unsafe { SharedMemory::from_raw(base, bytes, Box::new(Owner(adopted))) })
}

/// The allocation that this is.
pub(crate) fn whole(memory: &SharedMemory) -> Result<&Arc<dyn Memory>, BackendError> {
    allocation(&Place { memory, offset: 0 })
}

/// The allocation that a place lies in.
pub(crate) fn allocation<'a>(place: &Place<'a>) -> Result<&'a Arc<dyn Memory>, BackendError> {
    let owner: Option<&Owner> = place.memory.owner().downcast_ref();
    owner
        .map(|owner| &owner.0)
        .ok_or_else(|| BackendError::new("the kernel's memory was not allocated by its backend"))
}
