/* Prelude, Metal shading language 3.2. What the runtime and the handler need of the dialect, by names that are the same in all
   of them. */
#if ANN_LAUNCH_COHERENT == 2
/* Its compiler knows memory that is coherent with the host by this alone. */
#pragma METAL internals : enable
#endif
#include <metal_stdlib>
using metal::mulhi;
#if __METAL_VERSION__ < 320
#error "Annulus needs version 3.2 of the Metal shading language, which has fences: macOS 15 or later"
#endif
#pragma METAL fp contract(off)

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long i64;
typedef float f32;

/*
 * How far memory of the device is coherent while a kernel runs: 2, with the host; 1, among all threads of the device; 0, among
 * those of a block. Accesses to coherent memory pass by the caches that belong to a core, so that a block sees what the
 * host and other blocks have written. The backend takes the highest number that the compiler knows.
 */
#if ANN_LAUNCH_COHERENT == 2
#define GLOBAL coherent(system) device
#define ANN_SCOPE static_cast<metal::thread_scope>(3)
#elif ANN_LAUNCH_COHERENT == 1
#define GLOBAL coherent(device) device
#define ANN_SCOPE metal::thread_scope_device
#else
#define GLOBAL device
#define ANN_SCOPE metal::thread_scope_device
#endif
#define LOCAL threadgroup
#define PRIVATE thread
#define CONSTANT constant
/* A variable of the block. */
#ifdef ANN_HOST_SHARED
#define ANN_SHARED ANN_HOST_SHARED
#else
#define ANN_SHARED threadgroup
#endif
#define ann_shared_at(variable) (variable)

/* A function of the program, and its entry, whose buffers are numbered from 0 on. */
#define ANN_FUNCTION static inline
#define ANN_KERNEL [[kernel, max_total_threads_per_threadgroup(ANN_LAUNCH_THREADS)]]
enum { ann_first_buffer = __COUNTER__ + 1 };
#define ANN_BUFFER [[buffer(__COUNTER__ - ann_first_buffer)]]
/* A parameter of the entry that is a number. */
#define ANN_NUMBER constant u64 &

/* The thread's number in its block, and the block's number, are parameters of the entry alone: whoever needs them keeps them in the
   fields of ANN_PLACE, a view or a thread's count of meetings. */
#define ANN_PLACE u32 thread_index, block_index;
#define ANN_PLACE_PARAMETERS                                                                                   \
    , u32 ann_thread_index [[thread_position_in_threadgroup]], u32 ann_block_index [[threadgroup_position_in_grid]]
#define ann_take_place(at) ((void)((at)->thread_index = ann_thread_index, (at)->block_index = ann_block_index))
#define ann_thread(at) ((at)->thread_index)
#define ann_block(at) ((at)->block_index)

/* All threads of the block reach it; what they wrote before it, in whatever memory, they see after it. */
#if ANN_LAUNCH_THREADS > 1
#define ann_barrier() metal::threadgroup_barrier(metal::mem_flags::mem_device | metal::mem_flags::mem_threadgroup)
#else
#define ann_barrier() ((void)0)
#endif

/*
 * Ordered loads and stores of words that the host reads and writes. Atomics of this language are relaxed, and have at most 32
 * bits; so the words are volatile, and fences give the order. A fence is sequentially consistent, or none.
 */
#define ann_fence_all() metal::atomic_thread_fence(metal::mem_flags::mem_device, metal::memory_order_seq_cst, ANN_SCOPE)
#define ann_fence_acquire() ann_fence_all()
#define ann_fence_release() ann_fence_all()

/* Counts in the block's memory, beside the block's other threads; gives what the count was. */
#if ANN_LAUNCH_THREADS > 1
#define ann_count_as(function, count, number)                                                                  \
    metal::function((volatile threadgroup metal::atomic_uint *)(count), (u32)(number), metal::memory_order_relaxed)
#define ann_count_up(count) ann_count_as(atomic_fetch_add_explicit, count, 1)
#define ann_count_down(count) ann_count_as(atomic_fetch_sub_explicit, count, 1)
#define ann_count_up_by(count, number) ((void)ann_count_as(atomic_fetch_add_explicit, count, number))
#else
#define ann_count_up(count) ((*(count))++)
#define ann_count_down(count) ((*(count))--)
#endif

/* The device cannot nap, wake the host or tell the time. */
#define ANN_HOSTED 0
#define ANN_SYSTEM 0
#define ANN_RINGS 0

ANN_FUNCTION u32 ann_load_relaxed_u32(GLOBAL const u32 *word)
{
    return *(volatile GLOBAL const u32 *)word;
}

ANN_FUNCTION u32 ann_load_acquire_u32(GLOBAL const u32 *word)
{
    u32 value = *(volatile GLOBAL const u32 *)word;
    ann_fence_acquire();
    return value;
}

ANN_FUNCTION void ann_store_relaxed_u32(GLOBAL u32 *word, u32 value)
{
    *(volatile GLOBAL u32 *)word = value;
}

ANN_FUNCTION void ann_store_release_u32(GLOBAL u32 *word, u32 value)
{
    ann_fence_release();
    *(volatile GLOBAL u32 *)word = value;
}

ANN_FUNCTION u64 ann_load_relaxed_u64(GLOBAL const u64 *word)
{
    return *(volatile GLOBAL const u64 *)word;
}

ANN_FUNCTION u64 ann_load_acquire_u64(GLOBAL const u64 *word)
{
    u64 value = *(volatile GLOBAL const u64 *)word;
    ann_fence_acquire();
    return value;
}

ANN_FUNCTION void ann_store_relaxed_u64(GLOBAL u64 *word, u64 value)
{
    *(volatile GLOBAL u64 *)word = value;
}

ANN_FUNCTION void ann_store_release_u64(GLOBAL u64 *word, u64 value)
{
    ann_fence_release();
    *(volatile GLOBAL u64 *)word = value;
}

ANN_FUNCTION u32 ann_nap(GLOBAL u32 *, u32, u32)
{
    return 0;
}

/*
 * What blocks of one kernel tell each other. Coming to a place is one step that no other block's comes between; it releases what
 * the block did before, and acquires what those did that came earlier.
 */
ANN_FUNCTION u32 ann_arrive_grid(GLOBAL u32 *word)
{
    ann_fence_release();
    u32 before =
        metal::atomic_fetch_add_explicit((volatile device metal::atomic_uint *)word, 1u, metal::memory_order_relaxed);
    ann_fence_acquire();
    return before;
}

ANN_FUNCTION u32 ann_nap_beside(GLOBAL u32 *, u32, GLOBAL const u32 *, u32)
{
    return 0;
}

ANN_FUNCTION void ann_yield() {}
ANN_FUNCTION void ann_pause() {}
ANN_FUNCTION u64 ann_clock(u64)
{
    return 0;
}

/* Words in memory that several kernels of the device share. */
#define ann_device_fence_acquire() ann_fence_acquire()
#define ann_device_fence_release() ann_fence_release()
#define ann_device_load_relaxed_u32(word) ann_load_relaxed_u32(word)
#define ann_device_load_acquire_u32(word) ann_load_acquire_u32(word)
#define ann_device_store_relaxed_u32(word, value) ann_store_relaxed_u32(word, value)
#define ann_device_store_release_u32(word, value) ann_store_release_u32(word, value)
/* Stores `value` if the word is `expected`; gives what it was. The language's own may fail for no reason. */
ANN_FUNCTION u32 ann_device_local_swap_if_u32(GLOBAL u32 *word, u32 expected, u32 value)
{
    u32 seen = expected;
    while (!metal::atomic_compare_exchange_weak_explicit(
               (volatile device metal::atomic_uint *)word, &seen, value, metal::memory_order_relaxed,
               metal::memory_order_relaxed) &&
           seen == expected) {
    }
    return seen;
}

/* The memory of a place that kernels tell each other: from the start of one buffer, which they all have. */
#define ann_device_local_at(device_heap, place) ((device_heap) + (place))

/* Of a nap of a block that other kernels may have something for, in microseconds. */
#define ANN_DEVICE_LOCAL_NAP 50

ANN_FUNCTION u32 ann_leading_zeros_u64(u64 value)
{
    u32 high = (u32)(value >> 32);
    return high != 0 ? metal::clz(high) : 32 + metal::clz((u32)value);
}

/* Stores a word after this thread has fenced. */
#define ann_store_fenced_u32(word, value) ann_store_relaxed_u32(word, value)
#define ann_store_fenced_u64(word, value) ann_store_relaxed_u64(word, value)

/* Eight bytes as they are, whatever type they belong to: compilers let vectors alias everything. */
typedef metal::uint2 ann_word;
ANN_FUNCTION ann_word ann_load_word(GLOBAL const u8 *place)
{
    return *(GLOBAL const ann_word *)place;
}
ANN_FUNCTION void ann_store_word(GLOBAL u8 *place, ann_word word)
{
    *(GLOBAL ann_word *)place = word;
}

/* Lowers a word of the block's memory, which other threads of the block may lower at the same time. */
#define ann_shared_min(word, value)                                                                            \
    ((void)metal::atomic_fetch_min_explicit(                                                                   \
        (volatile threadgroup metal::atomic_uint *)(word), (u32)(value), metal::memory_order_relaxed))
