//! The libraries that stand in for CUDA's.

use std::{
    ffi::{CStr, CString, c_void},
    ptr,
};

use annulus_kernel::Target;
use cudarc::{
    driver::sys::{self, CUfunction, CUmodule, CUresult, CUstream},
    nvrtc::sys::{self as nvrtc, nvrtcResult},
};

use super::{BLOCKS, KERNELS, Machine, compare, find_faults, found, text, without_barrier};
use crate::quietly;

/// A call of CUDA's, which succeeds.
macro_rules! cuda {
    ($call:expr) => {{
        // SAFETY: out-parameters are live, handles come from the driver, and sizes are those of what is
        // pointed to.
        let result = unsafe { $call };
        if result != CUresult::CUDA_SUCCESS {
            return Err(format!("{} failed with {result:?}", stringify!($call)));
        }
    }};
}

macro_rules! nvrtc {
    ($call:expr) => {{
        // SAFETY: as above.
        unsafe { $call }
    }};
}

/// What a launch gives each block for its arrays: as much as a kernel has that does not say more.
const ARRAYS: u32 = 16 << 10;

/// The first device, whose context is current in this thread.
pub(super) struct Cuda {
    stream: CUstream,
}

impl Cuda {
    pub(super) fn new() -> Result<Self, String> {
        annulus_conformance::cuda::stand_in()?;
        let (mut device, mut context, mut stream) = (0, ptr::null_mut(), ptr::null_mut());
        cuda!(sys::cuInit(0));
        cuda!(sys::cuDeviceGet(&raw mut device, 0));
        cuda!(sys::cuDevicePrimaryCtxRetain(&raw mut context, device));
        cuda!(sys::cuCtxSetCurrent(context));
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        cuda!(sys::cuStreamCreateWithPriority(&raw mut stream, flags, 0));
        Ok(Self { stream })
    }
}

/// A loaded program.
pub(super) struct Module(CUmodule);

impl Module {
    fn function(&self, name: &CStr) -> Result<CUfunction, String> {
        let mut function = ptr::null_mut();
        cuda!(sys::cuModuleGetFunction(&raw mut function, self.0, name.as_ptr()));
        Ok(function)
    }
}

impl Machine for Cuda {
    type Program = Module;

    const TARGET: Target = Target::Cuda;

    fn build(&self, source: &str) -> Result<Module, String> {
        let cubin = compile(source)?;
        let mut module = ptr::null_mut();
        cuda!(sys::cuModuleLoadData(&raw mut module, cubin.as_ptr().cast()));
        Ok(Module(module))
    }

    fn run(
        &self,
        program: &Module,
        kernel: &CString,
        numbers: [u32; 2],
        memories: &mut [Vec<u8>],
        groups: u32,
        threads: u32,
    ) -> Result<(), String> {
        let function = program.function(kernel)?;
        let mut numbers = numbers;
        let mut places = Vec::new();
        for memory in memories.iter() {
            let mut place = 0;
            cuda!(sys::cuMemAlloc_v2(&raw mut place, memory.len().max(1)));
            cuda!(sys::cuMemcpyHtoDAsync_v2(place, memory.as_ptr().cast(), memory.len(), self.stream));
            places.push(place);
        }
        let mut parameters: Vec<*mut c_void> = Vec::new();
        parameters.extend(numbers.iter_mut().map(|number| ptr::from_mut(number).cast::<c_void>()));
        parameters.extend(places.iter_mut().map(|place| ptr::from_mut(place).cast::<c_void>()));
        let parameters = parameters.as_mut_ptr();
        let stream = self.stream;
        cuda!(sys::cuLaunchKernel(
            function,
            groups,
            1,
            1,
            threads,
            1,
            1,
            ARRAYS,
            stream,
            parameters,
            ptr::null_mut()
        ));
        for (memory, place) in memories.iter_mut().zip(&places) {
            cuda!(sys::cuMemcpyDtoHAsync_v2(memory.as_mut_ptr().cast(), *place, memory.len(), stream));
        }
        cuda!(sys::cuStreamSynchronize(stream));
        for place in places {
            cuda!(sys::cuMemFree_v2(place));
        }
        Ok(())
    }
}

fn compile(source: &str) -> Result<Vec<u8>, String> {
    let source = CString::new(source).map_err(|error| error.to_string())?;
    let options = [c"--gpu-architecture=sm_90", c"--std=c++20", c"--fmad=false"].map(CStr::as_ptr);
    let (mut program, name) = (ptr::null_mut(), c"blocks.cu".as_ptr());
    let none = ptr::null();
    let created =
        nvrtc!(nvrtc::nvrtcCreateProgram(&raw mut program, source.as_ptr(), name, 0, none, ptr::null()));
    if created != nvrtcResult::NVRTC_SUCCESS {
        return Err(format!("nvrtcCreateProgram failed with {created:?}"));
    }
    let compiled = nvrtc!(nvrtc::nvrtcCompileProgram(program, options.len() as i32, options.as_ptr()));
    let mut bytes = 0;
    if compiled != nvrtcResult::NVRTC_SUCCESS {
        let _ = nvrtc!(nvrtc::nvrtcGetProgramLogSize(program, &raw mut bytes));
        let mut log = vec![0u8; bytes];
        let _ = nvrtc!(nvrtc::nvrtcGetProgramLog(program, log.as_mut_ptr().cast()));
        return Err(format!("{compiled:?}: {}", String::from_utf8_lossy(&log)));
    }
    let _ = nvrtc!(nvrtc::nvrtcGetCUBINSize(program, &raw mut bytes));
    let mut cubin = vec![0u8; bytes];
    let _ = nvrtc!(nvrtc::nvrtcGetCUBIN(program, cubin.as_mut_ptr().cast()));
    let _ = nvrtc!(nvrtc::nvrtcDestroyProgram(&raw mut program));
    Ok(cubin)
}

/// The stand-in, if there is one.
pub(super) fn stand_in() -> Option<Cuda> {
    Cuda::new().inspect_err(|error| println!("skipped: no stand-in for CUDA: {error}")).ok()
}

#[test]
fn b06_b08_x02_as_cuda_on_the_stand_in() {
    let Some(cuda) = stand_in() else { return };
    quietly(|| {
        compare(KERNELS, &cuda);
        compare(BLOCKS, &cuda);
    });
}

#[test]
fn b06_x02_faults_on_the_stand_in_are_found() {
    let Some(cuda) = stand_in() else { return };
    quietly(|| {
        let difference = found(&cuda, KERNELS[0], |text| without_barrier(&text, 1).expect("it is there"));
        assert!(difference.is_some());
        // What the kernel keeps is other memory. All barriers are needed but the first, which is for the state. Not
        // on PoCL, whose compiler dies of one of these texts.
        let keeps = KERNELS[4];
        let text = text::program(Target::Cuda, &[(0, keeps.0)], keeps.1).expect("it has a text");
        let barriers = (0..).take_while(|&number| without_barrier(&text, number).is_some()).count();
        assert_eq!(barriers, 5);
        for number in 1..barriers {
            let without = |text: String| without_barrier(&text, number).expect("it is there");
            assert!(found(&cuda, keeps, without).is_some(), "barrier {number} is not needed");
        }
        find_faults(
            &cuda,
            &[
                ("exchanges", "lane < rest ? lane : own", "lane < rest ? lane : 0u"),
                ("exchanges", "__ballot_sync(ann_warp_lanes(round), (i32)(answer))", "(u32)(answer)"),
            ],
        );
    });
}
