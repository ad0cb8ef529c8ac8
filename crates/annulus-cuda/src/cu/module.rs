//! Programs on a device, and their entries.

use std::{ffi::CString, sync::Arc};

use cudarc::driver::{
    result,
    sys::{self, CUfunction_attribute as Attribute, CUresult},
};

use super::{Context, CuError, Memory, Reach};

/// How much of a multiprocessor's memory is for blocks, in percent of the maximum: on a device of 228 KB this
/// gives 32 blocks more than a kilobyte each. It is a wish: blocks that need more get more.
const BLOCKS_SHARE: i32 = 25;

/// A program on a device. It stays there until the process ends: unloading waits for the device.
#[derive(Debug)]
pub(crate) struct Program {
    raw: sys::CUfunction,
    /// Bytes of a block's shared memory that the program itself takes.
    own_shared: u32,
    context: Arc<Context>,
}

// SAFETY: a function's handle may be used from any thread.
unsafe impl Send for Program {}
// SAFETY: as for `Send`.
unsafe impl Sync for Program {}

impl Program {
    /// Loads machine code, all of it at once, and looks up its entry, whose launches give each block this many bytes.
    /// `None` if a kernel that stays does not leave the device.
    pub(crate) fn load(
        context: &Arc<Context>,
        cubin: &[u8],
        entry: &str,
        arrays: u32,
    ) -> Option<Result<Self, CuError>> {
        context.quietly(Reach::Device, || {
            // SAFETY: the driver reads an image's length from its header. The image was checked to be
            // complete when it was read or made.
            let module = unsafe { result::module::load_data(cubin.as_ptr().cast()) }
                .map_err(CuError::of("cuModuleLoadData"))?;
            let name = CString::new(entry).map_err(|_| {
                CuError::of("cuModuleGetFunction")(result::DriverError(CUresult::CUDA_ERROR_NOT_FOUND))
            })?;
            // SAFETY: the module was just loaded.
            let raw = unsafe { result::module::get_function(module, name) }
                .map_err(CuError::of("cuModuleGetFunction"))?;
            let mut program = Self { raw, own_shared: 0, context: Arc::clone(context) };
            program.own_shared = program.number(Attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?;
            program.share()?;
            program.allow(arrays)?;
            let local = program.number(Attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?;
            context.set_aside(local as usize)?;
            Ok(program)
        })
    }

    /// Divides a multiprocessor's memory between cache and blocks the same way for all programs. A program
    /// with another division than the kernels that stay would have to wait for them.
    fn share(&self) -> Result<(), CuError> {
        self.set(Attribute::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, BLOCKS_SHARE)
    }

    /// Lets launches give each block this many bytes, unless the device has less: then [`shared`](Self::shared) says how
    /// much is wanted. Without this they give what the program leaves of 48 KiB.
    fn allow(&self, arrays: u32) -> Result<(), CuError> {
        if arrays == 0 || self.shared(arrays) > self.context.device().most_shared_memory() {
            return Ok(());
        }
        self.set(Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, arrays as i32)
    }

    /// Bytes of shared memory that a block takes when a launch gives it this many.
    pub(crate) fn shared(&self, arrays: u32) -> u32 {
        self.own_shared.saturating_add(arrays)
    }

    fn set(&self, attribute: Attribute, value: i32) -> Result<(), CuError> {
        // SAFETY: the function's module stays loaded.
        let set = unsafe { result::function::set_function_attribute(self.raw, attribute, value) };
        set.map_err(CuError::of("cuFuncSetAttribute"))
    }

    fn number(&self, attribute: Attribute) -> Result<u32, CuError> {
        // SAFETY: the function's module stays loaded.
        let asked = unsafe { result::function::get_function_attribute(self.raw, attribute) };
        asked.map(|number| number.max(0).unsigned_abs()).map_err(CuError::of("cuFuncGetAttribute"))
    }

    /// How many blocks of this many threads, and with so many bytes from the launch, a multiprocessor keeps at a time.
    pub(crate) fn blocks_per_multiprocessor(&self, threads: u32, arrays: u32) -> Result<u32, CuError> {
        let _entered = self.context.enter()?;
        let (threads, arrays) = (threads as i32, arrays as usize);
        // SAFETY: the function's module stays loaded.
        let asked =
            unsafe { result::occupancy::max_active_block_per_multiprocessor(self.raw, threads, arrays) };
        asked
            .map(|number| number.max(0).unsigned_abs())
            .map_err(CuError::of("cuOccupancyMaxActiveBlocksPerMultiprocessor"))
    }

    /// The program's entry, without arguments yet.
    pub(crate) fn entry(&self) -> Entry {
        Entry { raw: self.raw, arguments: Vec::new() }
    }
}

/// A program's entry with its arguments.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    raw: sys::CUfunction,
    arguments: Vec<u64>,
}

// SAFETY: a function's handle may be used from any thread.
unsafe impl Send for Entry {}
// SAFETY: as for `Send`.
unsafe impl Sync for Entry {}

impl Entry {
    pub(super) fn raw(&self) -> sys::CUfunction {
        self.raw
    }

    pub(super) fn arguments(&self) -> &[u64] {
        &self.arguments
    }

    /// The next argument is a pointer to memory, which must live until the kernel's last run has ended.
    pub(crate) fn memory(&mut self, memory: &Memory) {
        self.arguments.push(memory.device());
    }

    /// The next argument is a number.
    pub(crate) fn number(&mut self, number: u64) {
        self.arguments.push(number);
    }
}
