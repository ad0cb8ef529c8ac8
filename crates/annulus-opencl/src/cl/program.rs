//! Programs and kernels.

use std::{ffi::CString, ptr};

use cl3::{
    info_type::InfoType,
    kernel::{create_kernel, release_kernel, set_kernel_arg, set_kernel_arg_svm_pointer},
    program::{
        CL_PROGRAM_BINARIES, CL_PROGRAM_BUILD_LOG, build_program, create_program_with_binary,
        create_program_with_source, get_program_build_data, get_program_info, release_program,
    },
    types::{cl_kernel, cl_program},
};

use super::{ClError, Context, Memory};

/// A built program.
#[derive(Debug)]
pub(crate) struct Program {
    raw: cl_program,
}

// SAFETY: a program's handle may be used from any thread.
unsafe impl Send for Program {}
// SAFETY: as for `Send`.
unsafe impl Sync for Program {}

/// Why a program was not built.
#[derive(Debug)]
pub(crate) struct BuildError {
    pub(crate) error: ClError,
    /// What the compiler said.
    pub(crate) log: String,
}

impl Program {
    /// Compiles a source.
    pub(crate) fn from_source(context: &Context, source: &str, options: &str) -> Result<Self, BuildError> {
        let raw = create_program_with_source(context.raw(), &[source])
            .map_err(|code| without_log(ClError::of("clCreateProgramWithSource")(code)))?;
        Self { raw }.build(context, options)
    }

    /// Loads what [`binary`](Self::binary) returned.
    pub(crate) fn from_binary(context: &Context, binary: &[u8], options: &str) -> Result<Self, BuildError> {
        // SAFETY: the device is the context's.
        let raw = unsafe { create_program_with_binary(context.raw(), &[context.device().raw()], &[binary]) }
            .map_err(|code| without_log(ClError::of("clCreateProgramWithBinary")(code)))?;
        Self { raw }.build(context, options)
    }

    fn build(self, context: &Context, options: &str) -> Result<Self, BuildError> {
        let device = context.device().raw();
        let Ok(options) = CString::new(options) else {
            return Err(without_log(ClError::of("clBuildProgram")(
                cl3::error_codes::CL_INVALID_BUILD_OPTIONS,
            )));
        };
        match build_program(self.raw, &[device], &options, None, ptr::null_mut()) {
            Ok(()) => Ok(self),
            Err(code) => {
                let log = get_program_build_data(self.raw, device, CL_PROGRAM_BUILD_LOG).unwrap_or_default();
                let log = String::from_utf8_lossy(&log).trim_end_matches(['\0', '\n']).into();
                Err(BuildError { error: ClError::of("clBuildProgram")(code), log })
            }
        }
    }

    /// The compiled program, if the driver returns it.
    pub(crate) fn binary(&self) -> Option<Vec<u8>> {
        match get_program_info(self.raw, CL_PROGRAM_BINARIES) {
            Ok(InfoType::VecVecUchar(binaries)) => binaries.into_iter().next().filter(|b| !b.is_empty()),
            _ => None,
        }
    }

    /// The program's entry of this name.
    pub(crate) fn kernel(&self, name: &str) -> Result<Kernel, ClError> {
        let name = CString::new(name)
            .map_err(|_| ClError::of("clCreateKernel")(cl3::error_codes::CL_INVALID_KERNEL_NAME))?;
        let raw = create_kernel(self.raw, &name).map_err(ClError::of("clCreateKernel"))?;
        Ok(Kernel { raw, arguments: 0 })
    }
}

fn without_log(error: ClError) -> BuildError {
    BuildError { error, log: String::new() }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: the handle is ours, and released once; kernels keep their program.
        let released = unsafe { release_program(self.raw) };
        debug_assert!(released.is_ok());
    }
}

/// A program's entry with its arguments.
#[derive(Debug)]
pub(crate) struct Kernel {
    raw: cl_kernel,
    arguments: u32,
}

// SAFETY: a kernel's handle may be used from any thread. Its arguments may be set by one thread at a time:
// setting them takes `&mut`.
unsafe impl Send for Kernel {}
// SAFETY: as for `Send`.
unsafe impl Sync for Kernel {}

impl Kernel {
    pub(super) fn raw(&self) -> cl_kernel {
        self.raw
    }

    /// The next argument is a pointer to memory, which must live until the kernel's last run has ended.
    pub(crate) fn memory(&mut self, memory: &Memory) -> Result<(), ClError> {
        let index = self.arguments;
        self.arguments += 1;
        match memory.buffer() {
            None => {
                // SAFETY: the address is of shared virtual memory of the same context.
                unsafe { set_kernel_arg_svm_pointer(self.raw, index, memory.address()) }
                    .map_err(ClError::of("clSetKernelArgSVMPointer"))
            }
            Some(buffer) => {
                // SAFETY: the value is a buffer's handle, of a handle's size.
                unsafe { set_kernel_arg(self.raw, index, size_of_val(&buffer), (&raw const buffer).cast()) }
                    .map_err(ClError::of("clSetKernelArg"))
            }
        }
    }

    /// The next argument is a number.
    pub(crate) fn number(&mut self, number: u64) -> Result<(), ClError> {
        let index = self.arguments;
        self.arguments += 1;
        // SAFETY: the value is eight bytes long. If the kernel's argument has another size, the call fails.
        unsafe { set_kernel_arg(self.raw, index, 8, (&raw const number).cast()) }
            .map_err(ClError::of("clSetKernelArg"))
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        // SAFETY: the handle is ours, and released once; runs in flight keep it.
        let released = unsafe { release_kernel(self.raw) };
        debug_assert!(released.is_ok());
    }
}
