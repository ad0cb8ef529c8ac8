//! What a kernel's status says of its memory is what its launch takes from the allocator, on the CPU.
#![allow(clippy::disallowed_types)] // An allocator counts, and loom does not run here.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

use annulus_conformance::kernels::{policies::gate, ports::spread, sparse::buy, timers::remind, track};
use annulus_cpu::Cpu;
use annulus_kernel::RingKernel;
use annulus_runtime::{Bound, Deduplication, LaunchOptions, NamedQueue, Runtime};

struct Counting;

static BYTES: AtomicU64 = AtomicU64::new(0);

// SAFETY: each call is the system allocator's; only a count is kept beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BYTES.fetch_add(layout.size() as u64, Relaxed);
        // SAFETY: by the caller's word.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        BYTES.fetch_sub(layout.size() as u64, Relaxed);
        // SAFETY: by the caller's word.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Bytes of a block, and of a queue in front, that no option changes: places to wait at, counts, the block itself.
const FIXED: u64 = 16 << 10;

/// What a launch allocated, and what its status says.
fn launched<K: RingKernel>(
    runtime: &Runtime,
    bind: impl Fn() -> Bound<K>,
    options: LaunchOptions,
) -> (u64, u64) {
    // The first launch of a kernel finds out what the process keeps.
    bind().launch(runtime, options.clone()).unwrap().terminate_blocking();
    let before = BYTES.load(Relaxed);
    let kernel = bind().launch(runtime, options).unwrap();
    let allocated = BYTES.load(Relaxed) - before;
    let told = kernel.status().memory.total();
    kernel.terminate_blocking();
    (allocated, told)
}

// One test, so that nobody else allocates meanwhile.
#[test]
fn r05_q37_what_is_told_is_allocated() {
    let runtime = Runtime::builder().backend(Cpu::new().workers(1)).build().unwrap();
    let options = || LaunchOptions::production().capacity(1024).active(false);
    let all = [
        ("rings", launched(&runtime, gate::bind, options())),
        ("policies", launched(&runtime, gate::bind, options().priority(true))),
        (
            "windows",
            launched(
                &runtime,
                gate::bind,
                options()
                    .deduplication(Deduplication::ById)
                    .deduplication_window(1024)
                    .queue(NamedQueue::new("more").capacity(4096)),
            ),
        ),
        ("actors", launched(&runtime, track::bind, options().actors(50_000))),
        (
            "sparse keys",
            launched(&runtime, buy::bind, options().actors(5000).sparse_keys(true).evict_actors(true)),
        ),
        ("timers", launched(&runtime, remind::bind, options().actors(8))),
        ("a hold", launched(&runtime, spread::bind, options().connectable(true).hold(5000))),
    ];
    for (what, (allocated, told)) in all {
        println!("{what}: {allocated} allocated, {told} told");
        assert!((told..told + FIXED).contains(&allocated), "{what}: {allocated} allocated, {told} told");
    }
}
