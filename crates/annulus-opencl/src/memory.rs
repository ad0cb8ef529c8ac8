//! The runtime's memory on a device.

use std::{ptr::NonNull, sync::Arc};

use annulus_runtime::{BackendError, Place, SharedMemory};

use crate::{
    cl::{Memory, MemoryKind},
    device::{Device, Opened},
};

/// Keeps shared memory for the runtime, and is how this backend recognises it.
pub(crate) struct Owner(Arc<Memory>);

/// Zeroed memory that host and kernels see.
pub(crate) fn allocate(
    device: &Device,
    opened: &Opened,
    kind: MemoryKind,
    bytes: usize,
) -> Result<SharedMemory, BackendError> {
    let memory = Memory::shared(&opened.context, kind, bytes).map_err(|error| {
        BackendError::new(format!(
            "`{}` has no {bytes} bytes of memory to share ({error}): launch with a smaller capacity or grid",
            device.name
        ))
    })?;
    let base: NonNull<u8> = memory.host().expect("shared memory is seen by the host");
    if base.align_offset(128) != 0 {
        return Err(BackendError::new(format!(
            "`{}` gave memory that is not aligned to 128 bytes: choose another device",
            device.name
        )));
    }
    // SAFETY: the memory is at least that long, zeroed, and stays where it is until the owner is dropped; its alignment was just looked
    // at.
    Ok(unsafe { SharedMemory::from_raw(base, bytes, Box::new(Owner(Arc::new(memory)))) })
}

/// The allocation that a place lies in.
pub(crate) fn allocation<'a>(place: &Place<'a>) -> Result<&'a Arc<Memory>, BackendError> {
    let owner: Option<&Owner> = place.memory.owner().downcast_ref();
    owner
        .map(|owner| &owner.0)
        .ok_or_else(|| BackendError::new("the kernel's memory was not allocated by the OpenCL backend"))
}
