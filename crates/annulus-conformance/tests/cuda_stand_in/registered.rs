//! Memory of the program that is registered: kernels see it, and what a driver would do to a wrong call is found.

use std::ptr::{self, NonNull};

use annulus_sync::Ordering;
use cudarc::driver::sys::{self, CUresult};

use crate::{
    Case,
    driver::{Cuda, STAY, launch, small, synchronise, wait_for, word},
    has_stand_in, is_found, setting, succeeds,
};

#[test]
fn memory_of_the_program_is_registered() {
    if has_stand_in() {
        succeeds("registered", &[]);
        succeeds("not registered", &[("ATTRIBUTES", "99=0")]);
        is_found("registered and unmapped", &[], "was unmapped while it was registered");
        is_found("not registered any more", &[], "cuMemHostUnregister waits for what runs on device 0");
    }
}

pub(crate) const CASES: &[Case] = &[
    ("registered", registered),
    ("not registered", || {
        let _cuda = Cuda::new();
        assert_eq!(register(pages(1), 4096), CUresult::CUDA_ERROR_NOT_SUPPORTED);
        assert_eq!(setting("ATTRIBUTES").as_deref(), Some("99=0"));
    }),
    ("registered and unmapped", || {
        let _cuda = Cuda::new();
        let memory = pages(2);
        assert_eq!(register(memory, 8192), CUresult::CUDA_SUCCESS);
        unmap(memory, 8192);
        unregister(memory);
    }),
    ("not registered any more", || {
        let cuda = Cuda::new();
        let memory = pages(1);
        assert_eq!(register(memory, 4096), CUresult::CUDA_SUCCESS);
        let (function, stream) = (cuda.module(&small(STAY)).function("stay"), cuda.stream());
        assert_eq!(launch(function, 1, 1, stream, &mut [memory.as_ptr() as u64]), CUresult::CUDA_SUCCESS);
        unregister(memory);
    }),
];

fn registered() {
    let cuda = Cuda::new();
    let memory = pages(4);
    let behind = |bytes: usize| NonNull::new(memory.as_ptr().wrapping_add(bytes)).unwrap();
    // Whole pages that are mapped, each once, and none of the driver's own.
    assert_eq!(register(behind(128), 4096), CUresult::CUDA_ERROR_INVALID_VALUE);
    assert_eq!(register(memory, 100), CUresult::CUDA_ERROR_INVALID_VALUE);
    assert_eq!(
        register(NonNull::new(ptr::without_provenance_mut(4096)).unwrap(), 4096),
        CUresult::CUDA_ERROR_INVALID_VALUE
    );
    assert_eq!(register(cuda.mapped(4096), 4096), CUresult::CUDA_ERROR_INVALID_VALUE);
    assert_eq!(register(memory, 8192), CUresult::CUDA_SUCCESS);
    assert_eq!(register(behind(4096), 8192), CUresult::CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    assert_eq!(register(behind(8192), 8192), CUresult::CUDA_SUCCESS);
    let mut device = 0;
    let asked = cuda!(sys::cuMemHostGetDevicePointer_v2(&raw mut device, memory.as_ptr().cast(), 0));
    assert_eq!((asked, device), (CUresult::CUDA_SUCCESS, memory.as_ptr() as u64));
    assert_eq!(cuda!(sys::cuMemFreeHost(memory.as_ptr().cast())), CUresult::CUDA_ERROR_INVALID_VALUE);

    // A kernel that stays and the host see each other's writes.
    let (function, stream) = (cuda.module(&small(STAY)).function("stay"), cuda.stream());
    assert_eq!(launch(function, 1, 1, stream, &mut [device]), CUresult::CUDA_SUCCESS);
    wait_for("the kernel counts itself", || word(memory, 0).load(Ordering::Acquire) == 1);
    word(memory, 1).store(1, Ordering::Release);
    assert_eq!(synchronise(stream), CUresult::CUDA_SUCCESS);

    let end = |memory: NonNull<u8>| cuda!(sys::cuMemHostUnregister(memory.as_ptr().cast()));
    assert_eq!(end(behind(4096)), CUresult::CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    assert_eq!(end(memory), CUresult::CUDA_SUCCESS);
    assert_eq!(end(memory), CUresult::CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    assert_eq!(word(memory, 0).load(Ordering::Relaxed), 1, "it is the program's own");
    assert_eq!(register(memory, 4096), CUresult::CUDA_SUCCESS);
    assert_eq!(end(memory), CUresult::CUDA_SUCCESS);
    assert_eq!(end(behind(8192)), CUresult::CUDA_SUCCESS);
    unmap(memory, 4 * 4096);
}

/// Pages of the program's own.
fn pages(count: usize) -> NonNull<u8> {
    let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping changes no memory of ours.
    let base = unsafe { libc::mmap(ptr::null_mut(), count * 4096, protection, flags, -1, 0) };
    assert_ne!(base, libc::MAP_FAILED);
    NonNull::new(base.cast()).unwrap()
}

fn unmap(memory: NonNull<u8>, bytes: usize) {
    // SAFETY: the test has mapped so much there, and uses it no more.
    assert_eq!(unsafe { libc::munmap(memory.as_ptr().cast(), bytes) }, 0);
}

fn register(memory: NonNull<u8>, bytes: usize) -> CUresult {
    let flags = sys::CU_MEMHOSTREGISTER_PORTABLE | sys::CU_MEMHOSTREGISTER_DEVICEMAP;
    cuda!(sys::cuMemHostRegister_v2(memory.as_ptr().cast(), bytes, flags))
}

fn unregister(memory: NonNull<u8>) {
    let _ = cuda!(sys::cuMemHostUnregister(memory.as_ptr().cast()));
}
