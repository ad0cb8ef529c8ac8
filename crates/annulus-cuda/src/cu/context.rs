//! A device's context, and what may be done while kernels stay on it.

use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::{result, sys};

use super::{CuError, DeviceId, memory::Chunk};

/// The primary context of a device. It stays until the process ends.
#[derive(Debug)]
pub(crate) struct Context {
    raw: sys::CUcontext,
    device: DeviceId,
    calm: Mutex<Calm>,
}

/// What [`Context::quietly`] is about.
#[derive(Debug, Default)]
struct Calm {
    /// Kernels that stay on the device, or may be about to.
    staying: u32,
    /// Memory to be freed when none does.
    left: Vec<Chunk>,
}

// SAFETY: a context's handle may be used from any thread, which makes it current first.
unsafe impl Send for Context {}
// SAFETY: as for `Send`.
unsafe impl Sync for Context {}

/// A kernel that stays on the device, from before its launch until its run is over.
#[derive(Debug)]
pub(crate) struct Staying {
    context: Arc<Context>,
}

impl Context {
    /// Retains the device's primary context.
    pub(crate) fn new(device: DeviceId) -> Result<Self, CuError> {
        // SAFETY: the device is one that the driver gave. Nothing releases the context.
        let raw = unsafe { result::primary_ctx::retain(device.raw()) }
            .map_err(CuError::of("cuDevicePrimaryCtxRetain"))?;
        Ok(Self { raw, device, calm: Mutex::default() })
    }

    pub(crate) fn device(&self) -> DeviceId {
        self.device
    }

    /// Makes the context this thread's current one: before every call that is about it.
    pub(super) fn enter(&self) -> Result<(), CuError> {
        // SAFETY: the context is retained until the process ends.
        unsafe { result::ctx::set_current(self.raw) }.map_err(CuError::of("cuCtxSetCurrent"))
    }

    /// Says that a kernel is about to stay on the device.
    pub(crate) fn stay(self: &Arc<Self>) -> Staying {
        self.calm.lock().unwrap_or_else(PoisonError::into_inner).staying += 1;
        Staying { context: Arc::clone(self) }
    }

    /// Makes calls that wait for the device: now, if no kernel stays on it, and with none beginning to meanwhile. `None` if one does.
    pub(crate) fn quietly<T>(&self, calls: impl FnOnce() -> T) -> Option<T> {
        let mut calm = self.calm.lock().unwrap_or_else(PoisonError::into_inner);
        if calm.staying != 0 {
            return None;
        }
        calm.left.drain(..).for_each(Chunk::free);
        Some(calls())
    }

    /// Frees memory, once no kernel stays on the device.
    pub(super) fn leave(&self, chunks: Vec<Chunk>) {
        self.calm.lock().unwrap_or_else(PoisonError::into_inner).left.extend(chunks);
        // If a kernel stays, whoever comes next when none does frees it, or the process's end.
        let _ = self.enter().ok().and_then(|()| self.quietly(|| ()));
    }

    /// Sets local memory aside for threads that need so many bytes of it, which a launch would else do, and wait for the device. For
    /// calls within [`quietly`](Self::quietly).
    pub(super) fn set_aside(&self, bytes: usize) -> Result<(), CuError> {
        let limit = sys::CUlimit::CU_LIMIT_STACK_SIZE;
        let now = result::ctx::get_limit(limit).map_err(CuError::of("cuCtxGetLimit"))?;
        if bytes <= now {
            return Ok(());
        }
        result::ctx::set_limit(limit, bytes).map_err(CuError::of("cuCtxSetLimit"))
    }
}

impl Drop for Staying {
    fn drop(&mut self) {
        self.context.calm.lock().unwrap_or_else(PoisonError::into_inner).staying -= 1;
    }
}
