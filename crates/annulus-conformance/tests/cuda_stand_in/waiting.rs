//! Calls that wait for everything on the device are found beside a kernel that stays.

use std::{
    ptr::{self, NonNull},
    time::Duration,
};

use annulus_sync::{Ordering, thread};
use cudarc::driver::sys::{self, CUdeviceptr, CUfunction, CUmodule, CUresult, CUstream};

use crate::{
    Case,
    driver::{Cuda, STAY, compile, launch, small, synchronise, word},
    has_stand_in, is_found, setting, succeeds,
};

/// A call, given what stands beside a kernel that stays.
type Call = fn(&Waiting) -> CUresult;

/// Calls that wait for all that runs on the device, by what the stand-in says of them.
const WAITING: &[(&str, Call)] = &[
    ("cuMemFree", |w| cuda!(sys::cuMemFree_v2(w.memory))),
    ("cuMemFreeHost", |w| cuda!(sys::cuMemFreeHost(w.mapped.as_ptr().cast()))),
    ("cuMemAlloc", |_| cuda!(sys::cuMemAlloc_v2(&mut 0, 64))),
    ("cuMemHostAlloc", |_| {
        cuda!(sys::cuMemHostAlloc(&mut ptr::null_mut(), 64, sys::CU_MEMHOSTALLOC_DEVICEMAP))
    }),
    ("cuModuleLoadData", |w| cuda!(sys::cuModuleLoadData(&mut ptr::null_mut(), w.cubin.as_ptr().cast()))),
    ("cuModuleUnload", |w| cuda!(sys::cuModuleUnload(w.module))),
    ("cuCtxSynchronize", |_| cuda!(sys::cuCtxSynchronize())),
    ("cuMemcpyHtoD", |w| cuda!(sys::cuMemcpyHtoD_v2(w.memory, (&raw const w.cubin).cast(), 8))),
    ("cuMemcpyDtoH", |w| cuda!(sys::cuMemcpyDtoH_v2(ptr::from_mut(&mut 0u64).cast(), w.memory, 8))),
    ("cuMemsetD8", |w| cuda!(sys::cuMemsetD8_v2(w.memory, 0, 8))),
    ("cuStreamSynchronize in the legacy stream", |_| synchronise(ptr::null_mut())),
    ("cuDevicePrimaryCtxRelease, the last,", |_| cuda!(sys::cuDevicePrimaryCtxRelease_v2(0))),
    ("cuCtxSetLimit", |_| cuda!(sys::cuCtxSetLimit(sys::CUlimit::CU_LIMIT_STACK_SIZE, 4096))),
    (
        "cuModuleGetFunction, which loads the code unless CUDA_MODULE_LOADING was EAGER when the driver was initialised,",
        |w| cuda!(sys::cuModuleGetFunction(&mut ptr::null_mut(), w.module, c"go".as_ptr())),
    ),
];

/// What such a call is given, beside a kernel that stays.
struct Waiting {
    memory: CUdeviceptr,
    mapped: NonNull<u8>,
    cubin: Vec<u8>,
    module: CUmodule,
}

/// A kernel that stays, of one thread.
struct Stay {
    words: NonNull<u8>,
    stream: CUstream,
}

impl Stay {
    fn new(cuda: &Cuda) -> Self {
        Self { words: cuda.mapped(8), stream: cuda.stream() }
    }

    fn launch(&self, function: CUfunction) {
        let arguments = &mut [self.words.as_ptr() as u64];
        assert_eq!(launch(function, 1, 1, self.stream, arguments), CUresult::CUDA_SUCCESS);
    }

    /// Lets it end, which it has not.
    fn finish(&self) {
        assert_eq!(cuda!(sys::cuStreamQuery(self.stream)), CUresult::CUDA_ERROR_NOT_READY);
        word(self.words, 1).store(1, Ordering::Release);
        assert_eq!(synchronise(self.stream), CUresult::CUDA_SUCCESS);
        assert_eq!(word(self.words, 0).load(Ordering::Relaxed), 1);
    }
}

/// Which call the child makes.
const CALL: &str = "CALL";

#[test]
fn calls_that_wait_beside_a_kernel_that_stays_are_found() {
    if !has_stand_in() {
        return;
    }
    for (name, _) in WAITING {
        let words = format!("{name} waits for what runs on device 0, where `stay`");
        is_found("a call", &[(CALL, name), ("GRACE_MS", "50")], &words);
    }
    // What a GPU does, and what it should not.
    succeeds("a call", &[(CALL, "cuMemFree"), ("SYNC", "wait")]);
    succeeds("a call", &[(CALL, "cuMemFree"), ("SYNC", "ignore")]);
}

#[test]
fn local_memory_is_set_aside_before() {
    if !has_stand_in() {
        return;
    }
    let local = ("LOCAL_BYTES", "4096");
    is_found(
        "two launches",
        &[local],
        "whose threads need 4096 bytes of local memory, of which 1024 are set",
    );
    succeeds("two launches", &[]);
    succeeds("two launches", &[local, (LIMIT, "4096")]);
}

/// Sets the limit of local memory before the launches.
const LIMIT: &str = "LIMIT";

#[test]
fn calls_that_do_not_wait_are_let_be() {
    if has_stand_in() {
        succeeds("calls that do not wait", &[]);
    }
}

pub(crate) const CASES: &[Case] =
    &[("a call", a_call), ("two launches", two_launches), ("calls that do not wait", calls_that_do_not_wait)];

/// Makes one call while a kernel stays, which ends after a while.
fn a_call() {
    let cuda = Cuda::new();
    let name = setting(CALL).unwrap();
    let (_, call) = WAITING.iter().find(|(call, _)| *call == name).unwrap();
    let (memory, mapped) = (cuda.memory(4096), cuda.mapped(64));
    let cubin = compile(&small(STAY), &["--gpu-architecture=sm_90"]).unwrap();
    let module = cuda.module(&small(&format!("{STAY}\nANN_KERNEL void go(u32 *words) {{}}")));
    let stay = Stay::new(&cuda);
    stay.launch(module.function("stay"));
    let waits = setting("SYNC").is_some_and(|sync| sync == "wait");
    let end = word(stay.words, 1);
    let releaser = thread::spawn(move || {
        thread::sleep(Duration::from_millis(if waits { 300 } else { 3000 }));
        end.store(1, Ordering::Release);
    });
    let result = call(&Waiting { memory, mapped, cubin, module: module.0 });
    assert_eq!(result, CUresult::CUDA_SUCCESS);
    assert_eq!(end.load(Ordering::Acquire), u32::from(waits));
    releaser.join().unwrap();
    assert_eq!(synchronise(stay.stream), CUresult::CUDA_SUCCESS);
}

fn two_launches() {
    let cuda = Cuda::new();
    let function = cuda.module(&small(STAY)).function("stay");
    if let Some(limit) = setting(LIMIT) {
        let stack = sys::CUlimit::CU_LIMIT_STACK_SIZE;
        let mut bytes = 0;
        assert_eq!(cuda!(sys::cuCtxSetLimit(stack, limit.parse().unwrap())), CUresult::CUDA_SUCCESS);
        assert_eq!(cuda!(sys::cuCtxGetLimit(&raw mut bytes, stack)), CUresult::CUDA_SUCCESS);
        assert_eq!(bytes.to_string(), limit);
    }
    let stays = [(); 2].map(|()| Stay::new(&cuda));
    stays.iter().for_each(|stay| stay.launch(function));
    stays.iter().for_each(Stay::finish);
}

fn calls_that_do_not_wait() {
    let cuda = Cuda::new();
    let (memory, words) = (cuda.memory(4096), cuda.mapped(4096));
    let function = cuda.module(&small(STAY)).function("stay");
    let stays = [(); 2].map(|()| Stay::new(&cuda));
    stays.iter().for_each(|stay| stay.launch(function));
    let third = cuda.stream();
    let host = words.as_ptr().cast();
    assert_eq!(cuda!(sys::cuMemcpyDtoHAsync_v2(host, memory, 64, third)), CUresult::CUDA_SUCCESS);
    let mut more = 0;
    assert_eq!(cuda!(sys::cuMemAllocAsync(&raw mut more, 64, third)), CUresult::CUDA_SUCCESS);
    assert_eq!(cuda!(sys::cuMemFreeAsync(more, third)), CUresult::CUDA_SUCCESS);
    assert_eq!(synchronise(third), CUresult::CUDA_SUCCESS);
    stays.iter().for_each(Stay::finish);
}
