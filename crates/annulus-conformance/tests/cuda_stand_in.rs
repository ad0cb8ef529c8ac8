//! The libraries that stand in for NVIDIA's, through cudarc: a kernel that stays answers messages that are sent while it runs, and what a GPU
//! would hang on is found.
#![cfg(target_os = "linux")]

use std::{
    ffi::{CStr, CString, c_void},
    process::Command,
    ptr::{self, NonNull},
    time::Duration,
};

use annulus_abi::{control, kernel::KernelLayout, ring::kind};
use annulus_conformance::{
    cuda,
    epoch::{self, ACTORS, Count, Counted, Item, KERNEL},
};
use annulus_kernel::{
    LANGUAGE_SOURCE, Target,
    device::{
        CUDA_PRELUDE, ENTRY, INTERFACE, RUNTIME,
        layout::{BellRecord, BlockRecord, LaunchRecord, NO_LINE},
    },
};
use annulus_queue::{
    region::Region,
    ring::{Consumer, Header, Producers, Ring},
    sync::{AtomicU32, AtomicU64, Ordering},
};
use cudarc::{
    driver::sys::{self, CUcontext, CUdeviceptr, CUfunction, CUmodule, CUresult, CUstream},
    nvrtc::sys::{self as nvrtc, nvrtcResult},
};

/// A call of CUDA's.
macro_rules! cuda {
    ($call:expr) => {{
        // SAFETY: out-parameters are live, handles come from the driver, and sizes are those of what is pointed to; where a test breaks
        // that, the stand-in is asked to notice.
        unsafe { $call }
    }};
}

/// Loads the stand-in; false, and says why, if there is none.
fn has_stand_in() -> bool {
    cuda::stand_in().inspect_err(|error| println!("skipped: no stand-in for CUDA: {error}")).is_ok()
}

/// Which test the child runs.
const CASE: &str = "ANNULUS_STAND_IN_CASE";

/// Runs a case of [`in_a_child`] in a process of its own, with these variables; gives whether it succeeded, and what it said.
fn child(case: &str, variables: &[(&str, &str)]) -> (bool, String) {
    let mut command = Command::new("timeout");
    command.arg("60").arg(std::env::current_exe().unwrap());
    command.args(["--exact", "in_a_child", "--ignored", "--nocapture"]).env(CASE, case);
    let names = variables.iter().map(|(name, value)| (format!("ANNULUS_STAND_IN_{name}"), value));
    let output = command.envs(names).output().unwrap();
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The case ends with a message of the stand-in that says this.
fn is_found(case: &str, words: &str) {
    let (succeeded, said) = child(case, &[]);
    assert!(!succeeded && said.contains("annulus stand-in: ") && said.contains(words), "{case}: {said}");
}

/// The case runs to its end.
fn succeeds(case: &str, variables: &[(&str, &str)]) {
    let (succeeded, said) = child(case, variables);
    assert!(succeeded, "{case}: {said}");
}

/// A device with its context, current in this thread.
struct Cuda {
    context: CUcontext,
}

impl Cuda {
    fn new() -> Self {
        assert_eq!(cuda!(sys::cuInit(0)), CUresult::CUDA_SUCCESS);
        let (mut device, mut context) = (0, ptr::null_mut());
        assert_eq!(cuda!(sys::cuDeviceGet(&raw mut device, 0)), CUresult::CUDA_SUCCESS);
        assert_eq!(cuda!(sys::cuDevicePrimaryCtxRetain(&raw mut context, device)), CUresult::CUDA_SUCCESS);
        let cuda = Self { context };
        cuda.enter();
        cuda
    }

    fn enter(&self) {
        assert_eq!(cuda!(sys::cuCtxSetCurrent(self.context)), CUresult::CUDA_SUCCESS);
    }

    /// Memory that host and device share, all zero.
    fn mapped(&self, bytes: usize) -> NonNull<u8> {
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
    fn memory(&self, bytes: usize) -> CUdeviceptr {
        let mut memory = 0;
        assert_eq!(cuda!(sys::cuMemAlloc_v2(&raw mut memory, bytes)), CUresult::CUDA_SUCCESS);
        assert_eq!(cuda!(sys::cuMemsetD8_v2(memory, 0, bytes)), CUresult::CUDA_SUCCESS);
        memory
    }

    fn module(&self, source: &str) -> Module {
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
    fn stream(&self) -> CUstream {
        let mut stream = ptr::null_mut();
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        assert_eq!(cuda!(sys::cuStreamCreateWithPriority(&raw mut stream, flags, 0)), CUresult::CUDA_SUCCESS);
        stream
    }
}

struct Module(CUmodule);

impl Module {
    fn function(&self, name: &str) -> CUfunction {
        let name = CString::new(name).unwrap();
        let mut function = ptr::null_mut();
        assert_eq!(
            cuda!(sys::cuModuleGetFunction(&raw mut function, self.0, name.as_ptr())),
            CUresult::CUDA_SUCCESS
        );
        function
    }
}

fn launch(
    function: CUfunction,
    grid: u32,
    threads: u32,
    stream: CUstream,
    arguments: &mut [u64],
) -> CUresult {
    let mut pointers: Vec<*mut c_void> =
        arguments.iter_mut().map(|argument| ptr::from_mut(argument).cast()).collect();
    let parameters = pointers.as_mut_ptr();
    cuda!(sys::cuLaunchKernel(function, grid, 1, 1, threads, 1, 1, 0, stream, parameters, ptr::null_mut()))
}

fn synchronise(stream: CUstream) -> CUresult {
    cuda!(sys::cuStreamSynchronize(stream))
}

/// What NVRTC's stand-in makes of a program, or its result and log.
fn compile(source: &str, options: &[&str]) -> Result<Vec<u8>, String> {
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

/// The kernel's whole program, as a backend puts it together.
fn program(threads: u32) -> String {
    let handler = KERNEL.handler_source(Target::Cuda).unwrap();
    format!(
        "#define ANN_LAUNCH_THREADS {threads}\n#define ANN_LAUNCH_PORTABLE 0\n\
         {CUDA_PRELUDE}\n{INTERFACE}\n{LANGUAGE_SOURCE}\n{handler}\n{RUNTIME}"
    )
}

/// Small kernels, of at most eight threads.
fn small(text: &str) -> String {
    format!("#define ANN_LAUNCH_THREADS 8\n{CUDA_PRELUDE}\n{text}")
}

/// Counts itself, and stays until the second word is not 0.
const STAY: &str = "ANN_KERNEL void stay(u32 *words)
{
    if (ann_thread() == 0)
        atomicAdd(words, 1);
    while (ann_load_acquire_u32(words + 1) == 0)
        ann_pause();
}";

/// A word of mapped memory.
fn word(memory: NonNull<u8>, index: usize) -> &'static AtomicU32 {
    // SAFETY: tests ask for words that they have allocated.
    let word = unsafe { memory.cast::<u32>().add(index) };
    // SAFETY: aligned; it lives to the end unless the test frees it to have that noticed, and is accessed atomically.
    unsafe { AtomicU32::from_ptr(word.as_ptr()) }
}

fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = std::time::Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::yield_now();
    }
}

/// A launch of [`KERNEL`] with the memory that a backend gives it.
struct Resident {
    layout: KernelLayout,
    shards: NonNull<u8>,
    grid: u32,
    stream: CUstream,
}

impl Resident {
    fn launch(cuda: &Cuda, grid: u32, threads: u32) -> Self {
        let layout = epoch::layout();
        let shard_bytes = layout.shard_bytes();
        let record = LaunchRecord {
            idle_polls: 16,
            nap_micros: 100_000,
            patience: 1000,
            ..epoch::launch(&layout, grid)
        };
        let blocks = grid as usize;
        let shards = cuda.mapped(shard_bytes * blocks);
        let records = cuda.mapped(size_of::<BlockRecord>() * blocks);
        let fixed = cuda.mapped(size_of::<LaunchRecord>());
        // SAFETY: as long and aligned as the record, and nobody else knows it yet.
        unsafe { fixed.cast::<LaunchRecord>().write(record) };
        let arena = cuda.mapped(64);
        let bell = cuda.mapped(size_of::<BellRecord>());
        for block in 0..blocks {
            // SAFETY: inside the memory of as many records.
            let mut record = unsafe { records.cast::<BlockRecord>().add(block) };
            // SAFETY: all zero is a record, and nobody else knows it yet.
            let record = unsafe { record.as_mut() };
            record.telemetry = NO_LINE;
            record.epoch = 1;
            word(shards, block * shard_bytes / 4).store(control::command::ACTIVE, Ordering::Relaxed);
        }
        let states = cuda.memory(record.actors_per_block as usize * size_of::<Count>() * blocks);
        let scratch = cuda.memory(record.scratch_stride as usize * blocks);
        let function = cuda.module(&program(threads)).function(ENTRY);
        let stream = cuda.stream();
        let host = |memory: NonNull<u8>| memory.as_ptr() as u64;
        let mut arguments =
            [host(shards), host(arena), host(records), host(fixed), states, scratch, host(bell)];
        assert_eq!(launch(function, grid, threads, stream, &mut arguments), CUresult::CUDA_SUCCESS);
        Self { layout, shards, grid, stream }
    }

    fn region(&self, block: u32) -> Region {
        let bytes = self.layout.shard_bytes();
        // SAFETY: inside the memory of all shards.
        let base = unsafe { self.shards.add(bytes * block as usize) };
        // SAFETY: aligned, since shards are as long as a multiple of 128; it lives to the end.
        unsafe { Region::new(base, bytes) }
    }

    fn producers(&self, block: u32) -> Producers {
        let part = self.region(block).part(self.layout.inbound_offset(), self.layout.inbound.bytes());
        // SAFETY: the part is what the layout says, and lives to the end.
        let ring = unsafe { Ring::new(part, self.layout.inbound) };
        // SAFETY: this shard's one set of producers.
        unsafe { Producers::new(ring) }
    }

    fn consumer(&self, block: u32) -> Consumer {
        let part = self.region(block).part(self.layout.outbound_offset(), self.layout.outbound.bytes());
        // SAFETY: the part is what the layout says, and lives to the end.
        let ring = unsafe { Ring::new(part, self.layout.outbound) };
        // SAFETY: this shard's one consumer.
        unsafe { Consumer::new(ring) }
    }

    /// Tells all blocks to end, and waits for it.
    fn terminate(self) {
        assert_eq!(cuda!(sys::cuStreamQuery(self.stream)), CUresult::CUDA_ERROR_NOT_READY);
        for block in 0..self.grid {
            self.region(block).u32(0).store(control::command::TERMINATE, Ordering::Release);
        }
        assert_eq!(synchronise(self.stream), CUresult::CUDA_SUCCESS);
        assert_eq!(cuda!(sys::cuStreamQuery(self.stream)), CUresult::CUDA_SUCCESS);
        for block in 0..self.grid {
            let state = self.region(block).u32(128).load(Ordering::Acquire);
            assert_eq!(state, control::state::TERMINATED);
        }
    }
}

/// Sends messages to a kernel that stays, a few at a time, and gets each actor's replies in order.
fn exchange(grid: u32, threads: u32) {
    let cuda = Cuda::new();
    let kernel = Resident::launch(&cuda, grid, threads);
    let mut ends: Vec<_> = (0..grid).map(|block| (kernel.producers(block), kernel.consumer(block))).collect();
    let mut counts = [0u64; ACTORS as usize];
    for round in 0..50u64 {
        for key in 0..ACTORS as u32 {
            let item = Item { key, producer: 9, sequence: round * 2 + 1 };
            let producers = &ends[(key % grid) as usize].0;
            producers.reserve(1).unwrap().write(item, Header { enqueue_time: 1, correlation: 0 });
        }
        for key in 0..ACTORS as u32 {
            let consumer = &mut ends[(key % grid) as usize].1;
            wait_for("a reply", || consumer.is_ready());
            let slot = consumer.peek().unwrap();
            assert_eq!(slot.kind, kind::MESSAGE);
            // SAFETY: the slot was just peeked, and the kernel writes `Counted`.
            let counted = unsafe { consumer.read::<Counted>(&slot) };
            consumer.advance(&slot);
            consumer.give_back();
            counts[counted.key as usize] += 1;
            assert_eq!((counted.sequence, counted.count), (round * 2 + 1, counts[counted.key as usize]));
        }
        assert!(counts.iter().all(|count| *count == round + 1));
    }
    kernel.terminate();
}

#[test]
fn a_kernel_that_stays_answers_what_is_sent_to_it() {
    if !has_stand_in() {
        return;
    }
    for (grid, threads) in [(1, 1), (3, 4), (2, 32)] {
        exchange(grid, threads);
    }
}

#[test]
fn errors_of_a_program_are_in_the_log() {
    if !has_stand_in() {
        return;
    }
    let options = ["--gpu-architecture=sm_90"];
    let error =
        compile(&small("ANN_KERNEL void wrong(u32 *word) { word[0] = missing; }"), &options).unwrap_err();
    assert!(error.contains("NVRTC_ERROR_COMPILATION") && error.contains("missing"), "{error}");
    let text =
        "ANN_KERNEL void wrong(u32 *word) { asm volatile(\"st.sideways.sys.u32 [%0], 1;\" ::\"l\"(word)); }";
    let error = compile(&small(text), &options).unwrap_err();
    assert!(error.contains("ptx_st_sideways_sys_u32"), "{error}");
    for option in ["--gpu-architecture=sm_90b", "--gpu-architecture=sm_70", "--fmad=perhaps", "--unheard-of"]
    {
        let error = compile(&small(STAY), &[option]).unwrap_err();
        assert!(error.contains("NVRTC_ERROR_INVALID_OPTION"), "{option}: {error}");
    }
    let of_no_device = compile(&small(STAY), &["--gpu-architecture=compute_90"]).unwrap();
    assert!(of_no_device.is_empty());
}

#[test]
fn streams_keep_their_order() {
    if has_stand_in() {
        succeeds("order", &[]);
    }
}

#[test]
fn blocks_without_room_wait_for_others_to_end() {
    if has_stand_in() {
        succeeds("residency", &[("MULTIPROCESSORS", "1"), ("BLOCKS", "2")]);
    }
}

#[test]
fn launches_that_cannot_be_are_refused() {
    if has_stand_in() {
        succeeds("refusals", &[]);
        succeeds("planted refusals", &[("FAIL_LAUNCH", "2"), ("FAIL_ALLOCATION", "2")]);
    }
}

#[test]
fn a_device_can_die() {
    if has_stand_in() {
        succeeds("death", &[("WATCHDOG_MS", "50")]);
        succeeds("death", &[("DIES_AFTER_MS", "50")]);
    }
}

#[test]
fn calls_that_wait_beside_a_kernel_that_stays_are_found() {
    if !has_stand_in() {
        return;
    }
    for (name, _) in WAITING {
        is_found(name, &format!("{name} waits for what runs on device 0, where `stay`"));
    }
    // What a GPU does: it waits.
    succeeds("cuMemFree", &[("SYNC", "wait")]);
    succeeds("cuMemFree", &[("SYNC", "ignore")]);
    succeeds("calls that do not wait", &[]);
}

#[test]
fn a_barrier_that_not_all_reach_is_found() {
    if has_stand_in() {
        is_found("divergence", "all threads of a block must come to the same");
    }
}

#[test]
fn memory_that_is_misused_is_found() {
    if !has_stand_in() {
        return;
    }
    is_found("a kernel uses freed memory", "in page-locked host memory of 4096 bytes");
    is_found("a kernel uses freed device memory", "which was freed");
    is_found("the host uses freed memory", "the host: a read at");
    is_found("a kernel writes behind its memory", "behind device memory of 256 bytes");
    is_found("freed twice", "was freed before");
    is_found("misaligned", "a misaligned access");
}

/// A call, given what stands beside a kernel that stays.
type Call = fn(&Waiting) -> CUresult;

/// Calls that wait for all that runs on the device, by what the stand-in says of them.
const WAITING: &[(&str, Call)] = &[
    ("cuMemFree", |w| cuda!(sys::cuMemFree_v2(w.memory))),
    ("cuMemFreeHost", |w| cuda!(sys::cuMemFreeHost(w.mapped.as_ptr().cast()))),
    ("cuMemAlloc", |_| cuda!(sys::cuMemAlloc_v2(&mut 0, 64))),
    ("cuMemHostAlloc", |_| cuda!(sys::cuMemHostAlloc(&mut ptr::null_mut(), 64, 0))),
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

/// What the other tests run in a process of its own: not a test of its own.
#[test]
#[ignore = "the other tests run it"]
fn in_a_child() {
    cuda::stand_in().unwrap();
    let case = std::env::var(CASE).expect("run by the other tests");
    let cuda = Cuda::new();
    let (stream, words) = (cuda.stream(), cuda.mapped(4096));
    let mut arguments = [words.as_ptr() as u64];
    let run = |text: &str, name: &str, threads: u32, arguments: &mut [u64]| {
        let function = cuda.module(&small(text)).function(name);
        assert_eq!(launch(function, 1, threads, stream, arguments), CUresult::CUDA_SUCCESS);
        synchronise(stream)
    };
    if let Some((_, call)) = WAITING.iter().find(|(name, _)| *name == case) {
        let memory = cuda.memory(4096);
        let mapped = cuda.mapped(64);
        let cubin = compile(&small(STAY), &["--gpu-architecture=sm_90"]).unwrap();
        let module = cuda.module(&small(&format!("{STAY}\nANN_KERNEL void go(u32 *words) {{}}")));
        assert_eq!(launch(module.function("stay"), 1, 1, stream, &mut arguments), CUresult::CUDA_SUCCESS);
        let waits = std::env::var("ANNULUS_STAND_IN_SYNC").is_ok_and(|sync| sync == "wait");
        let stay = word(words, 1);
        let releaser = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(if waits { 300 } else { 3000 }));
            stay.store(1, Ordering::Release);
        });
        let result = call(&Waiting { memory, mapped, cubin, module: module.0 });
        assert_eq!(result, CUresult::CUDA_SUCCESS);
        assert_eq!(stay.load(Ordering::Acquire), u32::from(waits));
        releaser.join().unwrap();
        assert_eq!(synchronise(stream), CUresult::CUDA_SUCCESS);
        return;
    }
    match case.as_str() {
        "order" => order(&cuda),
        "residency" => residency(&cuda),
        "refusals" => refusals(&cuda),
        "planted refusals" => {
            let mut memory = 0;
            let allocated = cuda!(sys::cuMemAlloc_v2(&raw mut memory, 64));
            assert_eq!(allocated, CUresult::CUDA_ERROR_OUT_OF_MEMORY);
            let function = cuda.module(&small(STAY)).function("stay");
            word(words, 1).store(1, Ordering::Release);
            assert_eq!(launch(function, 1, 1, stream, &mut arguments), CUresult::CUDA_SUCCESS);
            let refused = CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
            assert_eq!(launch(function, 1, 1, stream, &mut arguments), refused);
            assert_eq!(launch(function, 1, 1, stream, &mut arguments), CUresult::CUDA_SUCCESS);
        }
        "death" => {
            let died = run(STAY, "stay", 1, &mut arguments);
            let late = std::env::var_os("ANNULUS_STAND_IN_WATCHDOG_MS").is_some();
            let expected =
                if late { CUresult::CUDA_ERROR_LAUNCH_TIMEOUT } else { CUresult::CUDA_ERROR_LAUNCH_FAILED };
            assert_eq!(died, expected);
            assert_eq!(cuda!(sys::cuMemAlloc_v2(&mut 0, 64)), expected);
            assert_eq!(cuda!(sys::cuStreamQuery(stream)), expected);
        }
        "calls that do not wait" => {
            let (memory, function) = (cuda.memory(4096), cuda.module(&small(STAY)).function("stay"));
            assert_eq!(launch(function, 1, 1, stream, &mut arguments), CUresult::CUDA_SUCCESS);
            let other = cuda.stream();
            assert_eq!(launch(function, 1, 1, other, &mut arguments), CUresult::CUDA_SUCCESS);
            let third = cuda.stream();
            let host = words.as_ptr().wrapping_add(2048).cast();
            assert_eq!(cuda!(sys::cuMemcpyDtoHAsync_v2(host, memory, 64, third)), CUresult::CUDA_SUCCESS);
            let mut more = 0;
            assert_eq!(cuda!(sys::cuMemAllocAsync(&raw mut more, 64, third)), CUresult::CUDA_SUCCESS);
            assert_eq!(cuda!(sys::cuMemFreeAsync(more, third)), CUresult::CUDA_SUCCESS);
            assert_eq!(synchronise(third), CUresult::CUDA_SUCCESS);
            assert_eq!(cuda!(sys::cuStreamQuery(stream)), CUresult::CUDA_ERROR_NOT_READY);
            word(words, 1).store(1, Ordering::Release);
            assert_eq!(synchronise(stream), CUresult::CUDA_SUCCESS);
            assert_eq!(synchronise(other), CUresult::CUDA_SUCCESS);
            assert_eq!(word(words, 0).load(Ordering::Relaxed), 2);
        }
        "divergence" => {
            let text = "ANN_KERNEL void diverge(u32 *word)
{
    if (ann_thread() == 3)
        ann_barrier();
    atomicAdd(word, 1);
    ann_barrier();
}";
            run(text, "diverge", 8, &mut arguments);
        }
        "a kernel uses freed memory" => {
            assert_eq!(cuda!(sys::cuMemFreeHost(words.as_ptr().cast())), CUresult::CUDA_SUCCESS);
            run(STAY, "stay", 1, &mut arguments);
        }
        "a kernel uses freed device memory" => {
            let mut memory = [cuda.memory(256)];
            assert_eq!(cuda!(sys::cuMemFree_v2(memory[0])), CUresult::CUDA_SUCCESS);
            run(STAY, "stay", 1, &mut memory);
        }
        "the host uses freed memory" => {
            assert_eq!(cuda!(sys::cuMemFreeHost(words.as_ptr().cast())), CUresult::CUDA_SUCCESS);
            word(words, 0).load(Ordering::Relaxed);
        }
        "a kernel writes behind its memory" => {
            let mut memory = [cuda.memory(256)];
            run("ANN_KERNEL void over(u32 *words) { words[64] = 1; }", "over", 1, &mut memory);
        }
        "freed twice" => {
            let memory = cuda.memory(64);
            assert_eq!(cuda!(sys::cuMemFree_v2(memory)), CUresult::CUDA_SUCCESS);
            let _ = cuda!(sys::cuMemFree_v2(memory));
        }
        "misaligned" => {
            arguments[0] += 2;
            run(STAY, "stay", 1, &mut arguments);
        }
        other => panic!("no case is called {other}"),
    }
}

/// What is put into a stream happens one after the other; events say when; fresh memory is not zero; the device's clock is its own.
fn order(cuda: &Cuda) {
    let text = "ANN_KERNEL void times_three(u32 *words, u64 *times)
{
    ANN_SHARED u32 fresh;
    if (ann_thread() == 0) {
        words[0] = words[0] * 3 + 1;
        words[1] = fresh;
        fresh = words[0];
        times[0] = ann_clock(0);
    }
}";
    let (stream, mapped) = (cuda.stream(), cuda.mapped(4096));
    let function = cuda.module(&small(text)).function("times_three");
    let mut memory = 0;
    assert_eq!(cuda!(sys::cuMemAlloc_v2(&raw mut memory, 16)), CUresult::CUDA_SUCCESS);
    let (mut events, time) = ([ptr::null_mut(); 2], mapped.as_ptr().wrapping_add(1024));
    for event in &mut events {
        assert_eq!(cuda!(sys::cuEventCreate(ptr::from_mut(event), 0)), CUresult::CUDA_SUCCESS);
    }
    assert_eq!(cuda!(sys::cuEventRecord(events[0], stream)), CUresult::CUDA_SUCCESS);
    word(mapped, 8).store(1, Ordering::Relaxed);
    let one = mapped.as_ptr().wrapping_add(32).cast();
    assert_eq!(cuda!(sys::cuMemcpyHtoDAsync_v2(memory, one, 4, stream)), CUresult::CUDA_SUCCESS);
    for _ in 0..5 {
        assert_eq!(launch(function, 1, 8, stream, &mut [memory, time as u64]), CUresult::CUDA_SUCCESS);
    }
    assert_eq!(
        cuda!(sys::cuMemcpyDtoHAsync_v2(mapped.as_ptr().cast(), memory, 16, stream)),
        CUresult::CUDA_SUCCESS
    );
    assert_eq!(cuda!(sys::cuEventRecord(events[1], stream)), CUresult::CUDA_SUCCESS);
    assert_eq!(cuda!(sys::cuEventSynchronize(events[1])), CUresult::CUDA_SUCCESS);
    assert_eq!(word(mapped, 0).load(Ordering::Relaxed), 364);
    assert_eq!(word(mapped, 1).load(Ordering::Relaxed), 0xCDCD_CDCD);
    assert_eq!(word(mapped, 3).load(Ordering::Relaxed), 0xCDCD_CDCD);
    let mut milliseconds = -1.0;
    assert_eq!(
        cuda!(sys::cuEventElapsedTime_v2(&raw mut milliseconds, events[0], events[1])),
        CUresult::CUDA_SUCCESS
    );
    assert!(milliseconds >= 0.0);
    // SAFETY: inside the mapped memory, aligned, and the kernel has ended.
    let device = unsafe { AtomicU64::from_ptr(time.cast()) }.load(Ordering::Relaxed);
    let since_the_epoch = std::time::UNIX_EPOCH.elapsed().unwrap().as_nanos() as u64;
    assert!(device > 1_700_000_000_000_000_000 && device.abs_diff(since_the_epoch) > 1_000_000_000);
}

/// Of three blocks two run, and the third does when they have ended.
fn residency(cuda: &Cuda) {
    let (stream, words) = (cuda.stream(), cuda.mapped(4096));
    let function = cuda.module(&small(STAY)).function("stay");
    let mut blocks = 0;
    assert_eq!(
        cuda!(sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(&raw mut blocks, function, 8, 0)),
        CUresult::CUDA_SUCCESS
    );
    assert_eq!(blocks, 2);
    assert_eq!(launch(function, 3, 8, stream, &mut [words.as_ptr() as u64]), CUresult::CUDA_SUCCESS);
    wait_for("two blocks begin", || word(words, 0).load(Ordering::Acquire) == 2);
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(word(words, 0).load(Ordering::Acquire), 2);
    word(words, 1).store(1, Ordering::Release);
    assert_eq!(synchronise(stream), CUresult::CUDA_SUCCESS);
    assert_eq!(word(words, 0).load(Ordering::Acquire), 3);
}

fn refusals(cuda: &Cuda) {
    let (stream, words) = (cuda.stream(), cuda.mapped(4096));
    let module = cuda.module(&small(STAY));
    let function = module.function("stay");
    let mut arguments = [words.as_ptr() as u64];
    let invalid = CUresult::CUDA_ERROR_INVALID_VALUE;
    assert_eq!(launch(function, 1, 1025, stream, &mut arguments), invalid);
    assert_eq!(launch(function, 1, 0, stream, &mut arguments), invalid);
    assert_eq!(launch(function, 0, 1, stream, &mut arguments), invalid);
    // More threads than the kernel was compiled for.
    let resources = CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    assert_eq!(launch(function, 1, 16, stream, &mut arguments), resources);
    let mut missing = ptr::null_mut();
    let found = cuda!(sys::cuModuleGetFunction(&raw mut missing, module.0, c"go".as_ptr()));
    assert_eq!(found, CUresult::CUDA_ERROR_NOT_FOUND);
    let mut pointers = [ptr::from_mut(&mut arguments[0]).cast::<c_void>()];
    let cooperative = cuda!(sys::cuLaunchCooperativeKernel(
        function,
        1000,
        1,
        1,
        8,
        1,
        1,
        0,
        stream,
        pointers.as_mut_ptr()
    ));
    assert_eq!(cooperative, CUresult::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    let other = compile(&small(STAY), &["--gpu-architecture=sm_80"]).unwrap();
    let mut loaded = ptr::null_mut();
    let result = cuda!(sys::cuModuleLoadData(&raw mut loaded, other.as_ptr().cast()));
    assert_eq!(result, CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert_eq!(cuda!(sys::cuCtxSetCurrent(ptr::null_mut())), CUresult::CUDA_SUCCESS);
    let without = cuda!(sys::cuMemAlloc_v2(&mut 0, 64));
    assert_eq!(without, CUresult::CUDA_ERROR_INVALID_CONTEXT);
}
