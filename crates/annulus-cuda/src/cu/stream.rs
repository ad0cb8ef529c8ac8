//! Streams, and the kernels that run on them.

use std::{ffi::c_void, sync::Arc};

use annulus_device::Shape;
use cudarc::driver::{
    result,
    sys::{self, CUresult},
};

use super::{Context, CuError, Entry, Staying};

/// A stream. Its commands run one after the other, and in parallel with those of all other streams.
#[derive(Debug)]
pub(crate) struct Stream {
    raw: sys::CUstream,
    context: Arc<Context>,
}

// SAFETY: a stream's handle may be used from any thread.
unsafe impl Send for Stream {}
// SAFETY: as for `Send`.
unsafe impl Sync for Stream {}

impl Stream {
    /// A stream of the highest priority that does not wait for the default one: a kernel that stays must get
    /// its slot before kernels that come and go.
    pub(crate) fn new(context: &Arc<Context>) -> Result<Self, CuError> {
        let _entered = context.enter()?;
        let (_, highest) =
            result::stream::get_priority_range().map_err(CuError::of("cuCtxGetStreamPriorityRange"))?;
        let raw = result::stream::create_with_priority(result::stream::StreamKind::NonBlocking, highest)
            .map_err(CuError::of("cuStreamCreateWithPriority"))?;
        Ok(Self { raw, context: Arc::clone(context) })
    }

    pub(super) fn raw(&self) -> sys::CUstream {
        self.raw
    }

    /// Whether everything that was started on it has ended. An error if the stream, or the device, has
    /// failed: then nothing of it runs any more. A query that could not be made (while some thread of the
    /// process captures a graph, or at the process's end) tells nothing.
    pub(crate) fn is_idle(&self) -> Result<bool, CuError> {
        let _entered = self.context.enter()?;
        // SAFETY: the stream is ours.
        match unsafe { sys::cuStreamQuery(self.raw) } {
            CUresult::CUDA_SUCCESS => Ok(true),
            code if is_the_end(code) => Err(CuError::of("a kernel's execution")(result::DriverError(code))),
            _ => Ok(false),
        }
    }

    /// Starts a kernel. A kernel that stays on the device is registered as such. A kernel whose blocks wait
    /// for each other is launched cooperatively: none of its blocks begins before there is room for all.
    ///
    /// # Safety
    ///
    /// The entry's arguments are what its source takes, and the memory they point to lives until the run is
    /// over. The kernel's use of that memory is sound beside all other use of it meanwhile.
    pub(crate) unsafe fn start(
        self: &Arc<Self>,
        entry: &Entry,
        shape: Shape,
        staying: Option<Staying>,
    ) -> Result<Run, CuError> {
        let _entered = self.context.enter()?;
        let mut arguments: Vec<*mut c_void> =
            entry.arguments().iter().map(|argument| std::ptr::from_ref(argument).cast_mut().cast()).collect();
        let (grid, block) = ((shape.blocks, 1, 1), (shape.threads, 1, 1));
        let (function, stream, arrays) = (entry.raw(), self.raw, shape.arrays);
        if shape.supersteps {
            // SAFETY: the entry's program stays loaded. Arguments are read before the call returns, and each
            // has eight bytes, by the caller's promise; so is the rest.
            unsafe {
                result::launch_cooperative_kernel(function, grid, block, arrays, stream, &mut arguments)
            }
            .map_err(CuError::of("cuLaunchCooperativeKernel"))?;
        } else {
            // SAFETY: as above.
            unsafe { result::launch_kernel(function, grid, block, arrays, stream, &mut arguments) }
                .map_err(CuError::of("cuLaunchKernel"))?;
        }
        // Where commands are batched, this submits them. Its answer is not needed: later queries give it
        // again.
        let _ = self.is_idle();
        Ok(Run { stream: Arc::clone(self), staying })
    }
}

/// Whether the device says that it has given up everything that ran in the context.
fn is_the_end(code: CUresult) -> bool {
    matches!(
        code,
        CUresult::CUDA_ERROR_ILLEGAL_ADDRESS
            | CUresult::CUDA_ERROR_LAUNCH_FAILED
            | CUresult::CUDA_ERROR_LAUNCH_TIMEOUT
            | CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
            | CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR
            | CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION
            | CUresult::CUDA_ERROR_MISALIGNED_ADDRESS
            | CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE
            | CUresult::CUDA_ERROR_INVALID_PC
            | CUresult::CUDA_ERROR_ASSERT
            | CUresult::CUDA_ERROR_ECC_UNCORRECTABLE
            | CUresult::CUDA_ERROR_NVLINK_UNCORRECTABLE
            | CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED
            | CUresult::CUDA_ERROR_UNKNOWN
    )
}

impl Drop for Stream {
    fn drop(&mut self) {
        let Ok(_entered) = self.context.enter() else { return };
        // SAFETY: the stream is ours, and destroyed once; commands in flight keep what they need.
        let destroyed = unsafe { result::stream::destroy(self.raw) };
        // A device that has failed destroys nothing.
        let _ = destroyed;
    }
}

/// A kernel in flight, the last that was started on its stream.
#[derive(Debug)]
pub(crate) struct Run {
    stream: Arc<Stream>,
    staying: Option<Staying>,
}

impl Run {
    /// Whether the kernel has ended. An error if the kernel, or its device, has failed.
    pub(crate) fn is_over(&self) -> Result<bool, CuError> {
        self.stream.is_idle()
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // A run that is dropped before it is over was given up: it stays, and no call may wait for it.
        if let (Some(staying), Ok(false)) = (self.staying.take(), self.is_over()) {
            std::mem::forget(staying);
        }
    }
}
