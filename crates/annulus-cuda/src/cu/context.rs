//! A device's context, and what may be done while kernels stay on it.

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
    /// Its place in [`CALM`].
    index: usize,
}

/// How long kernels may take to leave when they are asked to: as long as a few batches of messages.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// What [`Context::quietly`] is about, for each context of the process.
static CALM: Mutex<Vec<Calm>> = Mutex::new(Vec::new());
/// One kernel less stays.
static CALMER: Condvar = Condvar::new();

#[derive(Debug)]
struct Calm {
    /// Kernels that stay on the device, or may be about to.
    staying: u32,
    /// Memory to be freed when none does.
    left: Vec<Chunk>,
    /// Through which kernels are asked to leave.
    residency: Arc<Residency>,
}

/// For what a call waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// For what runs on its device.
    Device,
    /// For what runs on any: pinned memory is every device's.
    Process,
}

fn calm() -> MutexGuard<'static, Vec<Calm>> {
    CALM.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a kernel stays where such a call of this context waits.
fn some_stay(calm: &[Calm], index: usize, reach: Reach) -> bool {
    match reach {
        Reach::Device => calm[index].staying != 0,
        Reach::Process => calm.iter().any(|device| device.staying != 0),
    }
}

/// Frees what a context has left and may be freed now. The context is this thread's current one.
fn free_left(calm: &mut [Calm], index: usize) {
    for reach in [Reach::Device, Reach::Process] {
        if !some_stay(calm, index, reach) {
            calm[index].left.extract_if(.., |chunk| chunk.reach() == reach).for_each(Chunk::free);
        }
    }
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
    /// Of its context.
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

    /// Makes the context this thread's current one, as long as the answer lives: for every call that is about
    /// it. What was current before is so again afterwards: other code of the thread may use CUDA as well.
    pub(super) fn enter(&self) -> Result<Entered, CuError> {
        // SAFETY: the context is retained until the process ends.
        unsafe { sys::cuCtxPushCurrent_v2(self.raw) }.result().map_err(CuError::of("cuCtxPushCurrent"))?;
        Ok(Entered { _thread: PhantomData })
    }

    /// Says that a kernel is about to stay on the device.
    pub(crate) fn stay(&self) -> Staying {
        calm()[self.index].staying += 1;
        Staying { index: self.index }
    }

    /// In the context, makes calls that wait for what runs, with no kernel there that stays: those that do
    /// are asked to leave, and come again afterwards. `None` if one did not within [`PATIENCE`]. Not for the
    /// pump's thread, which would wait for itself.
    pub(crate) fn quietly<T>(
        &self,
        reach: Reach,
        calls: impl FnOnce() -> Result<T, CuError>,
    ) -> Option<Result<T, CuError>> {
        let calm = calm();
        // Let go of last of all, when the lock is free for kernels that come again.
        let asked: Vec<_> = calm
            .iter()
            .enumerate()
            .filter(|(index, device)| {
                device.staying != 0 && (reach == Reach::Process || *index == self.index)
            })
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

    /// Frees memory, once no kernel stays that this would wait for.
    pub(super) fn leave(&self, chunks: Vec<Chunk>) {
        let mut calm = calm();
        calm[self.index].left.extend(chunks);
        // What cannot be freed now is by whoever comes next when it can, or by the process's end: this may be
        // the pump.
        if let Ok(_entered) = self.enter() {
            free_left(&mut calm, self.index);
        }
    }

    /// Sets local memory aside for threads that need so many bytes of it, which a launch would else do, and
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
