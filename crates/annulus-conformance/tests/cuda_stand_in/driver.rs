//! CUDA's calls, as the tests make them.

use std::{
    ffi::{CStr, CString, c_void},
    ptr::{self, NonNull},
    time::{Duration, Instant},
};

use annulus_kernel::device::CUDA_PRELUDE;
use annulus_sync::{AtomicU32, yield_now};
use cudarc::{
    driver::sys::{self, CUcontext, CUdeviceptr, CUfunction, CUmodule, CUresult, CUstream},
    nvrtc::sys::{self as nvrtc, nvrtcResult},
};

/// A device with its context, current in this thread.
pub(crate) struct Cuda {
    context: CUcontext,
}

impl Cuda {
    pub(crate) fn new() -> Self {
        assert_eq!(cuda!(sys::cuInit(0)), CUresult::CUDA_SUCCESS);
        let (mut device, mut context) = (0, ptr::null_mut());
        assert_eq!(cuda!(sys::cuDeviceGet(&raw mut device, 0)), CUresult::CUDA_SUCCESS);
        assert_eq!(cuda!(sys::cuDevicePrimaryCtxRetain(&raw mut context, device)), CUresult::CUDA_SUCCESS);
        let cuda = Self { context };
        cuda.enter();
        cuda
    }

    pub(crate) fn enter(&self) {
        assert_eq!(cuda!(sys::cuCtxSetCurrent(self.context)), CUresult::CUDA_SUCCESS);
    }

    /// Memory that host and device share, all zero.
    pub(crate) fn mapped(&self, bytes: usize) -> NonNull<u8> {
        let mut host: *mut c_void = ptr::null_mut();
        let flags = sys::CU_MEMHOSTALLOC_PORTABLE | sys::CU_MEMHOSTALLOC_DEVICEMAP;
        assert_eq!(cuda!(sys::cuMemHostAlloc(&raw mut host, bytes, flags)), CUresult::CUDA_SUCCESS);
        let mut device = 0;
        assert_eq!(
            cuda!(sys::cuMemHostGetDevicePointer_v2(&raw mut device, host, 0)),
            CUresult::CUDA_SUCCESS
        );
        assert_eq!(device, host as u64, "one address space");
        let memory = NonNull::new(host.cast::<u8>()).unwrap();
        // SAFETY: so many bytes were just allocated.
        unsafe { memory.write_bytes(0, bytes) };
        memory
    }

    /// Memory of the device, all zero.
    pub(crate) fn memory(&self, bytes: usize) -> CUdeviceptr {
        let mut memory = 0;
        assert_eq!(cuda!(sys::cuMemAlloc_v2(&raw mut memory, bytes)), CUresult::CUDA_SUCCESS);
        assert_eq!(cuda!(sys::cuMemsetD8_v2(memory, 0, bytes)), CUresult::CUDA_SUCCESS);
        memory
    }

    pub(crate) fn module(&self, source: &str) -> Module {
        let cubin = compile(source, &["--gpu-architecture=sm_90", "--std=c++20"])
            .unwrap_or_else(|error| panic!("{error}"));
        assert!(cubin.starts_with(b"\x7fELF"));
        let mut module = ptr::null_mut();
        assert_eq!(
            cuda!(sys::cuModuleLoadData(&raw mut module, cubin.as_ptr().cast())),
            CUresult::CUDA_SUCCESS
        );
        Module(module)
    }

    /// A stream that does not wait for the legacy one.
    pub(crate) fn stream(&self) -> CUstream {
        let mut stream = ptr::null_mut();
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        assert_eq!(cuda!(sys::cuStreamCreateWithPriority(&raw mut stream, flags, 0)), CUresult::CUDA_SUCCESS);
        stream
    }
}

/// Loaded programs.
pub(crate) struct Module(pub(crate) CUmodule);

impl Module {
    pub(crate) fn function(&self, name: &str) -> CUfunction {
        let name = CString::new(name).unwrap();
        let mut function = ptr::null_mut();
        assert_eq!(
            cuda!(sys::cuModuleGetFunction(&raw mut function, self.0, name.as_ptr())),
            CUresult::CUDA_SUCCESS
        );
        function
    }
}

/// Launches a kernel whose parameters are of eight bytes each.
pub(crate) fn launch(
    function: CUfunction,
    grid: u32,
    threads: u32,
    stream: CUstream,
    arguments: &mut [u64],
) -> CUresult {
    launch_giving(0, function, grid, threads, stream, arguments)
}

/// The same, and gives each block so many bytes of shared memory.
pub(crate) fn launch_giving(
    given: u32,
    function: CUfunction,
    grid: u32,
    threads: u32,
    stream: CUstream,
    arguments: &mut [u64],
) -> CUresult {
    let mut pointers: Vec<*mut c_void> =
        arguments.iter_mut().map(|argument| ptr::from_mut(argument).cast()).collect();
    let parameters = pointers.as_mut_ptr();
    let none = ptr::null_mut();
    cuda!(sys::cuLaunchKernel(function, grid, 1, 1, threads, 1, 1, given, stream, parameters, none))
}

/// Sets what launches of a kernel may give each block.
pub(crate) fn allow(function: CUfunction, given: i32) -> CUresult {
    let attribute = sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    cuda!(sys::cuFuncSetAttribute(function, attribute, given))
}

/// The threads of a block turn the words of its dynamic shared memory round by one place, `words[0]` of them.
pub(crate) const TURN: &str = "extern __shared__ u32 given[];
ANN_KERNEL void turn(u32 *words)
{
    u32 count = words[0];
    words[1] = given[0];
    ann_barrier();
    for (u32 i = ann_thread(); i < count; i += blockDim.x)
        given[i] = i * 3u;
    ann_barrier();
    for (u32 i = ann_thread(); i < count; i += blockDim.x)
        atomicAdd(words + 2, given[(i + 1u) % count] ^ i);
}";

/// Launches all blocks together.
pub(crate) fn launch_together(
    function: CUfunction,
    grid: u32,
    threads: u32,
    stream: CUstream,
    arguments: &mut [u64],
) -> CUresult {
    let mut pointers: Vec<*mut c_void> =
        arguments.iter_mut().map(|argument| ptr::from_mut(argument).cast()).collect();
    let parameters = pointers.as_mut_ptr();
    cuda!(sys::cuLaunchCooperativeKernel(function, grid, 1, 1, threads, 1, 1, 0, stream, parameters))
}

/// Waits for a stream.
pub(crate) fn synchronise(stream: CUstream) -> CUresult {
    cuda!(sys::cuStreamSynchronize(stream))
}

/// What NVRTC's stand-in makes of a program, or its result and log.
pub(crate) fn compile(source: &str, options: &[&str]) -> Result<Vec<u8>, String> {
    let source = CString::new(source).unwrap();
    let options: Vec<_> = options.iter().map(|option| CString::new(*option).unwrap()).collect();
    let pointers: Vec<_> = options.iter().map(|option| option.as_ptr()).collect();
    let mut program = ptr::null_mut();
    let name = c"kernel.cu".as_ptr();
    let created = cuda!(nvrtc::nvrtcCreateProgram(
        &raw mut program,
        source.as_ptr(),
        name,
        0,
        ptr::null(),
        ptr::null()
    ));
    assert_eq!(created, nvrtcResult::NVRTC_SUCCESS);
    let status = cuda!(nvrtc::nvrtcCompileProgram(program, pointers.len() as i32, pointers.as_ptr()));
    let mut bytes = 0;
    let result = if status == nvrtcResult::NVRTC_SUCCESS {
        assert_eq!(cuda!(nvrtc::nvrtcGetCUBINSize(program, &raw mut bytes)), nvrtcResult::NVRTC_SUCCESS);
        let mut cubin = vec![0u8; bytes];
        assert_eq!(
            cuda!(nvrtc::nvrtcGetCUBIN(program, cubin.as_mut_ptr().cast())),
            nvrtcResult::NVRTC_SUCCESS
        );
        Ok(cubin)
    } else {
        assert_eq!(cuda!(nvrtc::nvrtcGetProgramLogSize(program, &raw mut bytes)), nvrtcResult::NVRTC_SUCCESS);
        let mut log = vec![0u8; bytes];
        assert_eq!(
            cuda!(nvrtc::nvrtcGetProgramLog(program, log.as_mut_ptr().cast())),
            nvrtcResult::NVRTC_SUCCESS
        );
        let log = CStr::from_bytes_with_nul(&log).unwrap().to_string_lossy();
        Err(format!("{status:?}: {log}"))
    };
    assert_eq!(cuda!(nvrtc::nvrtcDestroyProgram(&raw mut program)), nvrtcResult::NVRTC_SUCCESS);
    result
}

/// Small kernels, of at most eight threads.
pub(crate) fn small(text: &str) -> String {
    format!("#define ANN_LAUNCH_THREADS 8\n{CUDA_PRELUDE}\n{text}")
}

/// Counts itself, and stays until the second word is not 0.
pub(crate) const STAY: &str = "ANN_KERNEL void stay(u32 *words)
{
    if (ann_thread() == 0)
        atomicAdd(words, 1);
    while (ann_load_acquire_u32(words + 1) == 0)
        ann_pause();
}";

/// A word of mapped memory.
pub(crate) fn word(memory: NonNull<u8>, index: usize) -> &'static AtomicU32 {
    // SAFETY: tests ask for words that they have allocated.
    let word = unsafe { memory.cast::<u32>().add(index) };
    // SAFETY: aligned; it lives to the end unless the test frees it to have that noticed, and is accessed
    // atomically.
    unsafe { AtomicU32::from_ptr(word.as_ptr()) }
}

/// Waits until something is so, for at most a minute.
pub(crate) fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        yield_now();
    }
}

/// Runs a small kernel as one block, to its end.
pub(crate) fn run(cuda: &Cuda, text: &str, name: &str, threads: u32, arguments: &mut [u64]) -> CUresult {
    let (function, stream) = (cuda.module(&small(text)).function(name), cuda.stream());
    assert_eq!(launch(function, 1, threads, stream, arguments), CUresult::CUDA_SUCCESS);
    synchronise(stream)
}
