//! A device's context, and what may be done while kernels stay on the device.

use std::{
    marker::PhantomData,
    ptr,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
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
    /// Its index in [`CALM`].
    index: usize,
}

/// How long kernels may take to leave when they are asked to: enough for a few batches of messages.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// The state behind [`Context::quietly`], for each context of the process.
static CALM: Mutex<Vec<Calm>> = Mutex::new(Vec::new());
/// Notified when one kernel less stays.
static CALMER: Condvar = Condvar::new();

#[derive(Debug)]
struct Calm {
    /// Kernels that stay on the device, or may be about to.
    staying: u32,
    /// Memory to be freed when no kernel stays.
    left: Vec<Chunk>,
    /// Used to ask kernels to leave, and those in epochs to wait.
    residency: Arc<Residency>,
}

/// What a call waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// All work on its device.
    Device,
    /// All work on any device: pinned memory belongs to every device.
    Process,
}

fn calm() -> MutexGuard<'static, Vec<Calm>> {
    CALM.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a kernel stays that such a call of this context would wait for.
fn some_stay(calm: &[Calm], index: usize, reach: Reach) -> bool {
    match reach {
        Reach::Device => calm[index].staying != 0,
        Reach::Process => calm.iter().any(|device| device.staying != 0),
    }
}

/// Frees the memory that a context has left over, as far as it may be freed now. The context is this thread's
/// current one.
fn free_left(calm: &mut [Calm], index: usize) {
    for reach in [Reach::Device, Reach::Process] {
        if !some_stay(calm, index, reach) {
            calm[index].left.extract_if(.., |chunk| chunk.reach() == reach).for_each(Chunk::free);
        }
    }
}

// SAFETY: a context's handle may be used from any thread. The thread first makes it current.
unsafe impl Send for Context {}
// SAFETY: as for `Send`.
unsafe impl Sync for Context {}

/// While this lives, a context is this thread's current one.
#[must_use = "dropping it leaves the context"]
#[derive(Debug)]
pub(super) struct Entered {
    /// The current context belongs to one thread.
    _thread: PhantomData<*const ()>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        let mut left = ptr::null_mut();
        // SAFETY: the place is live. This thread has pushed the context, and has popped everything that it
        // pushed later.
        let popped = unsafe { sys::cuCtxPopCurrent_v2(&raw mut left) };
        // At the process's end there may be nothing to pop any more.
        let _ = popped;
    }
}

/// A kernel that stays on the device, from before its launch until its run is over.
#[derive(Debug)]
pub(crate) struct Staying {
    /// The index of its context.
    index: usize,
}

impl Context {
    /// Retains the device's primary context.
    pub(crate) fn new(device: DeviceId, residency: &Arc<Residency>) -> Result<Self, CuError> {
        // SAFETY: the device is one that the driver gave. Nothing releases the context.
        let raw = unsafe { result::primary_ctx::retain(device.raw()) }
            .map_err(CuError::of("cuDevicePrimaryCtxRetain"))?;
        let mut calm = calm();
        calm.push(Calm { staying: 0, left: Vec::new(), residency: Arc::clone(residency) });
        Ok(Self { raw, device, index: calm.len() - 1 })
    }

    pub(crate) fn device(&self) -> DeviceId {
        self.device
    }

    /// Makes the context this thread's current one as long as the returned value lives. Needed for every call
    /// about the context. Afterwards the previous context is current again: other code of the thread may use
    /// CUDA as well.
    pub(super) fn enter(&self) -> Result<Entered, CuError> {
        // SAFETY: the context is retained until the process ends.
        unsafe { sys::cuCtxPushCurrent_v2(self.raw) }.result().map_err(CuError::of("cuCtxPushCurrent"))?;
        Ok(Entered { _thread: PhantomData })
    }

    /// Registers that a kernel is about to stay on the device.
    pub(crate) fn stay(&self) -> Staying {
        calm()[self.index].staying += 1;
        Staying { index: self.index }
    }

    /// Makes `calls` in the context while no kernel stays there: for calls that wait for everything that
    /// runs. Kernels that stay are asked to leave, and come back afterwards; kernels in epochs begin none
    /// meanwhile, and the calls wait for those in flight. `None` if one that stays did not leave within
    /// [`PATIENCE`]. Must not be called on the pump's thread, which would wait for itself.
    pub(crate) fn quietly<T>(
        &self,
        reach: Reach,
        calls: impl FnOnce() -> Result<T, CuError>,
    ) -> Option<Result<T, CuError>> {
        let calm = calm();
        // Dropped last, when the lock is free for the kernels that come back.
        let asked: Vec<_> = calm
            .iter()
            .enumerate()
            .filter(|(index, _)| reach == Reach::Process || *index == self.index)
            .map(|(_, device)| device.residency.ask_to_leave())
            .collect();
        let stay = |calm: &mut Vec<Calm>| some_stay(calm, self.index, reach);
        let waited = CALMER.wait_timeout_while(calm, PATIENCE, stay);
        let (mut calm, late) = waited.unwrap_or_else(PoisonError::into_inner);
        if late.timed_out() && some_stay(&calm, self.index, reach) {
            return None;
        }
        let result = self.enter().and_then(|_entered| {
            free_left(&mut calm, self.index);
            calls()
        });
        drop(calm);
        drop(asked);
        Some(result)
    }

    /// Frees memory, as soon as no kernel stays that the call would wait for.
    pub(super) fn leave(&self, chunks: Vec<Chunk>) {
        let mut calm = calm();
        calm[self.index].left.extend(chunks);
        // What cannot be freed now is freed by a later caller, or at the process's end: this thread may be
        // the pump.
        if let Ok(_entered) = self.enter() {
            free_left(&mut calm, self.index);
        }
    }

    /// Reserves local memory for threads that need this many bytes of it. Otherwise a launch would do it, and
    /// wait for the device. For calls within [`quietly`](Self::quietly).
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
        calm()[self.index].staying -= 1;
        CALMER.notify_all();
    }
}
