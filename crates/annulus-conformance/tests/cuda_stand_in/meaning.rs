//! What CUDA's manual says holds: order, residency, errors.

use std::{
    ffi::CStr,
    ptr,
    time::{Duration, UNIX_EPOCH},
};

use annulus_sync::{AtomicU64, Ordering, thread};
use cudarc::driver::sys::{self, CUresult};

use crate::{
    Case,
    driver::{
        Cuda, STAY, TURN, allow, compile, launch, launch_giving, launch_together, run, small, synchronise,
        wait_for, word,
    },
    has_stand_in, setting, succeeds,
};

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
fn blocks_of_a_cooperative_launch_begin_together() {
    if has_stand_in() {
        succeeds("together", &[("MULTIPROCESSORS", "2"), ("BLOCKS", "1")]);
    }
}

#[test]
fn launches_that_cannot_be_are_refused() {
    if has_stand_in() {
        succeeds("refusals", &[]);
        succeeds("planted refusals", &[("FAIL_LAUNCH", "2"), ("FAIL_ALLOCATION", "2")]);
    }
}

/// a launch gives each block what the kernel's attribute allows, and that may be as much as the device has.
#[test]
fn x02_a_launch_gives_blocks_shared_memory() {
    if has_stand_in() {
        succeeds("dynamic shared memory", &[]);
    }
}

#[test]
fn devices_are_what_the_environment_says() {
    if !has_stand_in() {
        return;
    }
    let two = ("DEVICES", "2");
    succeeds(
        "devices",
        &[
            two,
            ("NAME", "Some GPU"),
            ("CAPABILITY", "7.5"),
            ("MULTIPROCESSORS", "3"),
            ("ATTRIBUTES", "17=1,95=0"),
        ],
    );
    succeeds("no device", &[("DEVICES", "0")]);
}

#[test]
fn a_device_can_die() {
    if has_stand_in() {
        succeeds("death", &[("WATCHDOG_MS", "50")]);
        succeeds("death", &[("DIES_AFTER_MS", "50")]);
    }
}

pub(crate) const CASES: &[Case] = &[
    ("order", order),
    ("residency", residency),
    ("together", together),
    ("refusals", refusals),
    ("planted refusals", planted_refusals),
    ("dynamic shared memory", dynamic_shared_memory),
    ("death", death),
    ("devices", devices),
    ("no device", || assert_eq!(cuda!(sys::cuInit(0)), CUresult::CUDA_ERROR_NO_DEVICE)),
];

/// What is put into a stream happens one after the other; events say when; fresh memory is not zero; the
/// device's clock is its own.
fn order() {
    let cuda = Cuda::new();
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
    let since_the_epoch = UNIX_EPOCH.elapsed().unwrap().as_nanos() as u64;
    assert!(device > 1_700_000_000_000_000_000 && device.abs_diff(since_the_epoch) > 1_000_000_000);
}

/// Of three blocks two run, and the third does when they have ended.
fn residency() {
    let cuda = Cuda::new();
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
    thread::sleep(Duration::from_millis(100));
    assert_eq!(word(words, 0).load(Ordering::Acquire), 2);
    word(words, 1).store(1, Ordering::Release);
    assert_eq!(synchronise(stream), CUresult::CUDA_SUCCESS);
    assert_eq!(word(words, 0).load(Ordering::Acquire), 3);
}

fn refusals() {
    let cuda = Cuda::new();
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
    let cooperative = launch_together(function, 1000, 8, stream, &mut arguments);
    assert_eq!(cooperative, CUresult::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    let other = compile(&small(STAY), &["--gpu-architecture=sm_80"]).unwrap();
    let mut loaded = ptr::null_mut();
    let result = cuda!(sys::cuModuleLoadData(&raw mut loaded, other.as_ptr().cast()));
    assert_eq!(result, CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert_eq!(cuda!(sys::cuCtxSetCurrent(ptr::null_mut())), CUresult::CUDA_SUCCESS);
    let without = cuda!(sys::cuMemAlloc_v2(&mut 0, 64));
    assert_eq!(without, CUresult::CUDA_ERROR_INVALID_CONTEXT);
}

/// Beside a block that stays there is room for one of two, and none begins; afterwards both do, and neither
/// waits for the other in vain.
fn together() {
    let cuda = Cuda::new();
    let text = format!(
        "{STAY}
ANN_KERNEL void meet(u32 *words)
{{
    if (ann_arrive_grid(words) + 1 == gridDim.x)
        ann_device_store_release_u32(words + 1, 1);
    while (ann_device_load_acquire_u32(words + 1) == 0)
        ann_pause();
}}"
    );
    let module = cuda.module(&small(&text));
    let (stay, meet) = (module.function("stay"), module.function("meet"));
    let [(one, stays), (two, meets)] = [(); 2].map(|()| (cuda.stream(), cuda.mapped(64)));
    let arguments = &mut [stays.as_ptr() as u64];
    assert_eq!(launch(stay, 1, 1, one, arguments), CUresult::CUDA_SUCCESS);
    wait_for("the kernel stays", || word(stays, 0).load(Ordering::Relaxed) == 1);
    let arguments = &mut [meets.as_ptr() as u64];
    assert_eq!(launch_together(meet, 2, 1, two, arguments), CUresult::CUDA_SUCCESS);
    thread::sleep(Duration::from_millis(50));
    assert_eq!(word(meets, 0).load(Ordering::Relaxed), 0);
    word(stays, 1).store(1, Ordering::Release);
    assert_eq!([synchronise(one), synchronise(two)], [CUresult::CUDA_SUCCESS; 2]);
    assert_eq!(word(meets, 0).load(Ordering::Relaxed), 2);
}

/// The second allocation and the second launch are refused, and nothing else.
fn planted_refusals() {
    let cuda = Cuda::new();
    let (stream, words) = (cuda.stream(), cuda.mapped(4096));
    let allocated = cuda!(sys::cuMemAlloc_v2(&mut 0, 64));
    assert_eq!(allocated, CUresult::CUDA_ERROR_OUT_OF_MEMORY);
    cuda.memory(64);
    let function = cuda.module(&small(STAY)).function("stay");
    word(words, 1).store(1, Ordering::Release);
    let launched = || launch(function, 1, 1, stream, &mut [words.as_ptr() as u64]);
    assert_eq!(launched(), CUresult::CUDA_SUCCESS);
    assert_eq!(launched(), CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    assert_eq!(launched(), CUresult::CUDA_SUCCESS);
}

/// Without the attribute a launch gives 48 KiB less what the program has itself; with it up to 227 KiB, and no more.
/// Blocks that are given much are fewer on a multiprocessor, and find bytes that are nothing.
fn dynamic_shared_memory() {
    let cuda = Cuda::new();
    let (stream, words) = (cuda.stream(), cuda.mapped(64));
    let text = TURN.replace("= given[0];", "= given[0];\n    own[ann_thread()] = count;");
    let text = small(&format!("__shared__ volatile u32 own[256];\n{text}"));
    let function = cuda.module(&text).function("turn");
    let arguments = &mut [words.as_ptr() as u64];
    let (fine, invalid) = (CUresult::CUDA_SUCCESS, CUresult::CUDA_ERROR_INVALID_VALUE);
    let mut own = 0;
    let attribute = sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES;
    assert_eq!(cuda!(sys::cuFuncGetAttribute(&raw mut own, attribute, function)), fine);
    assert!(own >= 1024, "{own}");
    let own = own as u32;
    word(words, 0).store(64, Ordering::Relaxed);
    assert_eq!(launch_giving((48 << 10) - own, function, 1, 8, stream, arguments), fine);
    assert_eq!(launch_giving((48 << 10) - own + 1, function, 1, 8, stream, arguments), invalid);
    let most = (227 << 10) - own;
    assert_eq!(allow(function, most as i32 + 1), invalid);
    assert_eq!(allow(function, -1), invalid);
    let blocks = |given: u32| {
        let mut blocks = -1;
        let asked = cuda!(sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &raw mut blocks,
            function,
            8,
            given as usize
        ));
        assert_eq!(asked, fine);
        blocks
    };
    assert_eq!(allow(function, most as i32), fine);
    assert_eq!([blocks(most), blocks(most + 1), blocks(100 << 10)], [1, 0, 2]);
    assert_eq!(launch_giving(most + 1, function, 1, 8, stream, arguments), invalid);
    assert_eq!(synchronise(stream), fine);
    let count = most / 4;
    word(words, 0).store(count, Ordering::Relaxed);
    word(words, 2).store(0, Ordering::Relaxed);
    assert_eq!(launch_giving(most, function, 1, 8, stream, arguments), fine);
    assert_eq!(synchronise(stream), fine);
    let sum = (0..count).fold(0u32, |sum, at| sum.wrapping_add(((at + 1) % count * 3) ^ at));
    assert_eq!([word(words, 1), word(words, 2)].map(|word| word.load(Ordering::Relaxed)), [0xCDCD_CDCD, sum]);
}

/// A device that has died says so for ever.
fn death() {
    let cuda = Cuda::new();
    let (stream, mut arguments) = (cuda.stream(), [cuda.mapped(4096).as_ptr() as u64]);
    let expected = if setting("WATCHDOG_MS").is_some() {
        CUresult::CUDA_ERROR_LAUNCH_TIMEOUT
    } else {
        CUresult::CUDA_ERROR_LAUNCH_FAILED
    };
    assert_eq!(run(&cuda, STAY, "stay", 8, &mut arguments), expected);
    assert_eq!(cuda!(sys::cuMemAlloc_v2(&mut 0, 64)), expected);
    assert_eq!(cuda!(sys::cuStreamQuery(stream)), expected);
}

fn devices() {
    use sys::CUdevice_attribute as A;
    assert_eq!(cuda!(sys::cuInit(0)), CUresult::CUDA_SUCCESS);
    let mut count = 0;
    assert_eq!(cuda!(sys::cuDeviceGetCount(&raw mut count)), CUresult::CUDA_SUCCESS);
    assert_eq!(count, 2);
    let mut third = 0;
    assert_eq!(cuda!(sys::cuDeviceGet(&raw mut third, 2)), CUresult::CUDA_ERROR_INVALID_DEVICE);
    for device in 0..count {
        let mut name = [0; 32];
        let room = name.len() as i32;
        assert_eq!(cuda!(sys::cuDeviceGetName(name.as_mut_ptr(), room, device)), CUresult::CUDA_SUCCESS);
        let name = name.map(|byte| byte as u8);
        assert_eq!(CStr::from_bytes_until_nul(&name).unwrap(), c"Some GPU");
        let expected = [
            (A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 7),
            (A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 5),
            (A::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 3),
            (A::CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT, 1),
            (A::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 0),
            (A::CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32),
        ];
        for (attribute, value) in expected {
            let mut found = -1;
            let result = cuda!(sys::cuDeviceGetAttribute(&raw mut found, attribute, device));
            assert_eq!((result, found), (CUresult::CUDA_SUCCESS, value), "{attribute:?}");
        }
    }
}
