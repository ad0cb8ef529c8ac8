//! A device's context, and what may be done while kernels stay on it.

use std::{
    marker::PhantomData,
    ptr,
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::Duration,
};

use annulus_device::Residency;
use cudarc::driver::{result, sys};

use super::{CuError, DeviceId, memory::Chunk};

/// The primary context of a device. It stays until the process ends.
#[derive(Debug)]
pub(crate) struct Context {
    raw: sys::CUcontext,
    device: DeviceId,
    calm: Mutex<Calm>,
    /// One kernel less stays.
    calmer: Condvar,
    /// Through which kernels are asked to leave.
    residency: Arc<Residency>,
}

/// How long kernels may take to leave when they are asked to: as long as a few batches of messages.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

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

/// A context is this thread's current one.
#[must_use = "dropping it leaves the context"]
#[derive(Debug)]
pub(super) struct Entered {
    /// What is current is a thread's own.
    _thread: PhantomData<*const ()>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        let mut left = ptr::null_mut();
        // SAFETY: the place is live. This thread has pushed the context, and popped what it pushed since.
        let popped = unsafe { sys::cuCtxPopCurrent_v2(&raw mut left) };
        // At the process's end there may be nothing to pop any more.
        let _ = popped;
    }
}

/// A kernel that stays on the device, from before its launch until its run is over.
#[derive(Debug)]
pub(crate) struct Staying {
    context: Arc<Context>,
}

impl Context {
    /// Retains the device's primary context.
    pub(crate) fn new(device: DeviceId, residency: &Arc<Residency>) -> Result<Self, CuError> {
        // SAFETY: the device is one that the driver gave. Nothing releases the context.
        let raw = unsafe { result::primary_ctx::retain(device.raw()) }
            .map_err(CuError::of("cuDevicePrimaryCtxRetain"))?;
        Ok(Self {
            raw,
            device,
            calm: Mutex::default(),
            calmer: Condvar::new(),
            residency: Arc::clone(residency),
        })
    }

    pub(crate) fn device(&self) -> DeviceId {
        self.device
    }

    /// Makes the context this thread's current one, as long as the answer lives: for every call that is about it. What was current before
    /// is so again afterwards: other code of the thread may use CUDA as well.
    pub(super) fn enter(&self) -> Result<Entered, CuError> {
        // SAFETY: the context is retained until the process ends.
        unsafe { sys::cuCtxPushCurrent_v2(self.raw) }.result().map_err(CuError::of("cuCtxPushCurrent"))?;
        Ok(Entered { _thread: PhantomData })
    }

    /// Says that a kernel is about to stay on the device.
    pub(crate) fn stay(self: &Arc<Self>) -> Staying {
        self.calm.lock().unwrap_or_else(PoisonError::into_inner).staying += 1;
        Staying { context: Arc::clone(self) }
    }

    /// In the context, makes calls that wait for the device, with no kernel there that stays: those that do are asked to leave, and come again
    /// afterwards. `None` if one did not within [`PATIENCE`]. Not for the pump's thread, which would wait for itself.
    pub(crate) fn quietly<T>(
        &self,
        calls: impl FnOnce() -> Result<T, CuError>,
    ) -> Option<Result<T, CuError>> {
        let calm = self.calm.lock().unwrap_or_else(PoisonError::into_inner);
        // Let go of last of all, when the lock is free for kernels that come again.
        let asked = (calm.staying != 0).then(|| self.residency.ask_to_leave());
        let stays = |calm: &mut Calm| calm.staying != 0;
        let waited = self.calmer.wait_timeout_while(calm, PATIENCE, stays);
        let (mut calm, late) = waited.unwrap_or_else(PoisonError::into_inner);
        if late.timed_out() && calm.staying != 0 {
            return None;
        }
        let result = self.enter().and_then(|_entered| {
            calm.left.drain(..).for_each(Chunk::free);
            calls()
        });
        drop(calm);
        drop(asked);
        Some(result)
    }

    /// Frees memory, once no kernel stays on the device.
    pub(super) fn leave(&self, chunks: Vec<Chunk>) {
        let mut calm = self.calm.lock().unwrap_or_else(PoisonError::into_inner);
        calm.left.extend(chunks);
        // If a kernel stays, whoever comes next when none does frees it, or the process's end: this may be the pump.
        if calm.staying == 0
            && let Ok(_entered) = self.enter()
        {
            calm.left.drain(..).for_each(Chunk::free);
        }
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
        self.context.calmer.notify_all();
    }
}
