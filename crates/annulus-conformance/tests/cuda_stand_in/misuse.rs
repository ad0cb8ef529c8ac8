//! What a GPU would do silently is found: misuse of memory, barriers, and threads that rely on each other's
//! order.

use annulus_sync::Ordering;
use cudarc::driver::sys::{self, CUresult};

use crate::{
    Case,
    driver::{Cuda, STAY, TURN, launch, launch_giving, run, small, synchronise, word},
    has_stand_in, is_found, succeeds,
};

#[test]
fn a_barrier_that_not_all_reach_is_found() {
    if has_stand_in() {
        is_found("divergence", &[], "all threads of a block must come to the same");
    }
}

#[test]
fn x02_a_warp_that_is_not_complete_is_found() {
    if has_stand_in() {
        is_found("a lane stays away", &[], "for lanes 0x8, which do not come");
        is_found("a lane is elsewhere", &[], "comes to the warp's instruction of line");
        is_found("a lane is not named", &[], "and not its own");
        is_found("a shuffle from nobody", &[], "a shuffle from a lane that takes no part");
    }
}

#[test]
fn a_barrier_of_the_grid_without_a_cooperative_launch_is_found() {
    if has_stand_in() {
        is_found("blocks meet", &[], "launch it with cuLaunchCooperativeKernel");
    }
}

#[test]
fn memory_that_is_misused_is_found() {
    if !has_stand_in() {
        return;
    }
    is_found("a kernel uses freed memory", &[], "in page-locked host memory of 4096 bytes");
    is_found("a kernel uses freed device memory", &[], "which was freed");
    is_found("the host uses freed memory", &[], "the host: a");
    is_found("a kernel writes behind its memory", &[], "behind device memory of 256 bytes");
    is_found("freed twice", &[], "was freed before");
    is_found("misaligned", &[], "a misaligned access");
    is_found("a stack is full", &[], "before a GPU thread's stack");
}

/// behind the shared memory that a launch gives a block there is nothing; a launch that gives none leaves a
/// kernel that wants some without.
#[test]
fn x02_shared_memory_that_was_not_given_is_found() {
    if !has_stand_in() {
        return;
    }
    is_found("behind what a launch gives", &[], "a write at ");
    is_found("behind what a launch gives", &[], "behind a block's dynamic shared memory of 4096 bytes");
    is_found("a launch gives nothing", &[], "`turn`, block 0, thread");
}

/// threads that do not meet race in what a launch gives a block, too.
#[test]
fn x02_a_race_in_what_a_launch_gives_is_found() {
    if !has_stand_in() {
        return;
    }
    let watched = [("RACES", "1")];
    succeeds("what a launch gives is used rightly", &watched);
    is_found("a race in what a launch gives", &watched, "of what the launch gives the block at");
}

/// T-08: what host and kernels share is mapped, and not write-combined, which would make the host's polls slow: a backend that asks
/// for anything else does not get through any test.
#[test]
fn t08_memory_that_the_host_reads_slowly_is_found() {
    if has_stand_in() {
        is_found("write-combined memory", &[], "which the host reads slowly");
        is_found("memory that is not mapped", &[], "which no kernel sees");
    }
}

#[test]
fn a_missing_barrier_shows() {
    if has_stand_in() {
        succeeds("a missing barrier", &[]);
    }
}

/// Asks for memory of the host.
fn allocate(flags: u32) {
    let _cuda = Cuda::new();
    let mut host = std::ptr::null_mut();
    let _ = cuda!(sys::cuMemHostAlloc(&raw mut host, 4096, flags));
}

pub(crate) const CASES: &[Case] = &[
    ("divergence", || {
        let cuda = Cuda::new();
        let text = "ANN_KERNEL void diverge(u32 *word)
{
    if (ann_thread() == 3)
        ann_barrier();
    atomicAdd(word, 1);
    ann_barrier();
}";
        run(&cuda, text, "diverge", 8, &mut [cuda.mapped(64).as_ptr() as u64]);
    }),
    ("a lane stays away", || warp("if (ann_thread() != 3) word[0] = __shfl_sync(0xFFu, 1u, 0);")),
    ("a lane is elsewhere", || {
        warp("if (ann_thread() == 3) __syncwarp(0xFFu);\nelse word[0] = __ballot_sync(0xFFu, 1);")
    }),
    ("a lane is not named", || warp("__syncwarp(0x7Fu);")),
    ("a shuffle from nobody", || warp("word[0] = __shfl_sync(0xFFu, 1u, 9);")),
    ("blocks meet", || {
        let cuda = Cuda::new();
        let text = "ANN_KERNEL void meet(u32 *word) { ann_arrive_grid(word); }";
        let arguments = &mut [cuda.mapped(64).as_ptr() as u64];
        let (function, stream) = (cuda.module(&small(text)).function("meet"), cuda.stream());
        // Alone a block waits for nobody.
        assert_eq!(launch(function, 1, 1, stream, arguments), CUresult::CUDA_SUCCESS);
        assert_eq!(synchronise(stream), CUresult::CUDA_SUCCESS);
        assert_eq!(launch(function, 2, 1, stream, arguments), CUresult::CUDA_SUCCESS);
        synchronise(stream);
    }),
    ("a missing barrier", a_missing_barrier),
    ("a kernel uses freed memory", || {
        let cuda = Cuda::new();
        let words = cuda.mapped(4096).as_ptr();
        assert_eq!(cuda!(sys::cuMemFreeHost(words.cast())), CUresult::CUDA_SUCCESS);
        run(&cuda, STAY, "stay", 1, &mut [words as u64]);
    }),
    ("a kernel uses freed device memory", || {
        let cuda = Cuda::new();
        let memory = cuda.memory(256);
        assert_eq!(cuda!(sys::cuMemFree_v2(memory)), CUresult::CUDA_SUCCESS);
        run(&cuda, STAY, "stay", 1, &mut [memory]);
    }),
    ("the host uses freed memory", || {
        let cuda = Cuda::new();
        let words = cuda.mapped(4096);
        assert_eq!(cuda!(sys::cuMemFreeHost(words.as_ptr().cast())), CUresult::CUDA_SUCCESS);
        word(words, 0).load(Ordering::Relaxed);
    }),
    ("a kernel writes behind its memory", || {
        let cuda = Cuda::new();
        let text = "ANN_KERNEL void over(u32 *words) { words[64] = 1; }";
        run(&cuda, text, "over", 1, &mut [cuda.memory(256)]);
    }),
    ("behind what a launch gives", || turn(TURN, 1025, 4096)),
    ("a launch gives nothing", || turn(TURN, 8, 0)),
    ("what a launch gives is used rightly", || turn(TURN, 1024, 4096)),
    ("a race in what a launch gives", || {
        let (first, last) = TURN.rsplit_once("    ann_barrier();\n").unwrap();
        turn(&format!("{first}{last}"), 1024, 4096);
    }),
    ("write-combined memory", || {
        allocate(sys::CU_MEMHOSTALLOC_DEVICEMAP | sys::CU_MEMHOSTALLOC_WRITECOMBINED)
    }),
    ("memory that is not mapped", || allocate(sys::CU_MEMHOSTALLOC_PORTABLE)),
    ("freed twice", || {
        let memory = Cuda::new().memory(64);
        assert_eq!(cuda!(sys::cuMemFree_v2(memory)), CUresult::CUDA_SUCCESS);
        let _ = cuda!(sys::cuMemFree_v2(memory));
    }),
    ("misaligned", || {
        let cuda = Cuda::new();
        run(&cuda, STAY, "stay", 1, &mut [cuda.mapped(64).as_ptr() as u64 + 2]);
    }),
    ("a stack is full", || {
        let cuda = Cuda::new();
        let text = "ANN_KERNEL void large(u32 *words)
{
    volatile u8 local[400000];
    for (u32 i = 0; i < sizeof local; i++)
        local[sizeof local - 1 - i] = (u8)words[0];
    words[1] = local[words[2]];
}";
        run(&cuda, text, "large", 4, &mut [cuda.mapped(64).as_ptr() as u64]);
    }),
];

/// Turns so many words in a block of eight threads that is given so many bytes.
fn turn(text: &str, words: u32, given: u32) {
    let cuda = Cuda::new();
    let (memory, stream) = (cuda.mapped(64), cuda.stream());
    word(memory, 0).store(words, Ordering::Relaxed);
    let function = cuda.module(&small(text)).function("turn");
    let arguments = &mut [memory.as_ptr() as u64];
    assert_eq!(launch_giving(given, function, 1, 8, stream, arguments), CUresult::CUDA_SUCCESS);
    assert_eq!(synchronise(stream), CUresult::CUDA_SUCCESS);
}

/// Runs a statement in eight threads of a warp.
fn warp(statement: &str) {
    let cuda = Cuda::new();
    let text = format!("ANN_KERNEL void exchange(u32 *word)\n{{\n    {statement}\n}}");
    run(&cuda, &text, "exchange", 8, &mut [cuda.mapped(64).as_ptr() as u64]);
}

/// Threads read what another one writes into the block's memory. Without a barrier between, some of sixteen
/// blocks shows it.
fn a_missing_barrier() {
    let cuda = Cuda::new();
    let mut wrong = ["", "ann_barrier();"].into_iter().map(|barrier| {
        let text = format!(
            "ANN_KERNEL void share(u32 *words)
{{
    ANN_SHARED u32 value;
    if (ann_thread() == 0)
        value = 42;
    {barrier}
    if (value != 42)
        atomicAdd(words, 1);
}}"
        );
        let (words, stream) = (cuda.mapped(64), cuda.stream());
        let function = cuda.module(&small(&text)).function("share");
        let arguments = &mut [words.as_ptr() as u64];
        assert_eq!(launch(function, 16, 8, stream, arguments), CUresult::CUDA_SUCCESS);
        assert_eq!(synchronise(stream), CUresult::CUDA_SUCCESS);
        word(words, 0).load(Ordering::Relaxed)
    });
    assert_ne!(wrong.next(), Some(0));
    assert_eq!(wrong.next(), Some(0));
}
