/* Prelude, OpenCL C. What the runtime and the handler need of the dialect, by names that are the same in all
   of them. */

#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define ANN_ATOMICS_64 1
#endif
#if defined(cl_khr_fp64) || defined(__opencl_c_fp64)
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define ANN_DOUBLE 1
#endif
#pragma OPENCL FP_CONTRACT OFF

typedef uchar u8;
typedef ushort u16;
typedef uint u32;
typedef ulong u64;
typedef char i8;
typedef short i16;
typedef int i32;
typedef long i64;
typedef float f32;
#ifdef ANN_DOUBLE
typedef double f64;
#endif

#define GLOBAL __global
#define LOCAL __local
#define PRIVATE __private
#define CONSTANT __constant
/* A variable of the block. */
#define ANN_SHARED __local
#define ann_shared_at(variable) (variable)

/* A function of the program, and its entry. */
#define ANN_FUNCTION static inline
#define ANN_KERNEL __kernel __attribute__((reqd_work_group_size(ANN_LAUNCH_THREADS, 1, 1)))

/* The thread's number in its block, and the block's number. A dialect that knows them everywhere does not look at `at`, which has
   the fields of ANN_PLACE: a view, or a thread's count of meetings. */
#define ann_thread(at) ((u32)get_local_id(0))
#define ann_block(at) ((u32)get_group_id(0))
#define ANN_PLACE
#define ANN_PLACE_PARAMETERS
#define ann_take_place(at) ((void)0)
#define ANN_BUFFER
#define ANN_NUMBER u64

/* All threads of the block reach it; what they wrote before it, in whatever memory, they see after it. */
#if ANN_LAUNCH_THREADS > 1
#define ann_barrier() barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE)
#else
#define ann_barrier() ((void)0)
#endif

/*
 * Ordered loads and stores of words that the host reads and writes. Three ways, the first that the device has:
 * atomics with the scope of all devices; atomics with the scope of this device, which is all that the host's cache-coherent memory
 * needs where the device is the host's processor; plain 32-bit atomics of OpenCL 1.2, volatile accesses and fences.
 */
#if defined(__opencl_c_atomic_scope_all_devices) || (!defined(__opencl_c_atomic_scope_device) && __OPENCL_C_VERSION__ >= 200 && __OPENCL_C_VERSION__ < 300)
#define ANN_SCOPE memory_scope_all_svm_devices
#elif defined(__opencl_c_atomic_order_acq_rel) && defined(__opencl_c_atomic_scope_device)
#define ANN_SCOPE memory_scope_device
#endif

#ifdef ANN_SCOPE
#define ann_load_32(word, order) atomic_load_explicit((volatile GLOBAL atomic_uint *)(word), order, ANN_SCOPE)
#define ann_store_32(word, value, order) atomic_store_explicit((volatile GLOBAL atomic_uint *)(word), value, order, ANN_SCOPE)
#define ann_fence_as(order) atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, order, ANN_SCOPE)
#ifdef ANN_ATOMICS_64
#define ann_load_64(word, order) atomic_load_explicit((volatile GLOBAL atomic_ulong *)(word), order, ANN_SCOPE)
#define ann_store_64(word, value, order) atomic_store_explicit((volatile GLOBAL atomic_ulong *)(word), value, order, ANN_SCOPE)
#endif
#define ann_fence_acquire() ann_fence_as(memory_order_acquire)
#define ann_fence_release() ann_fence_as(memory_order_release)
#define ann_fence_all() ann_fence_as(memory_order_seq_cst)
#else
#define ann_fence_acquire() mem_fence(CLK_GLOBAL_MEM_FENCE)
#define ann_fence_release() mem_fence(CLK_GLOBAL_MEM_FENCE)
#define ann_fence_all() mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif

/* Counts in the block's memory, beside the block's other threads; gives what the count was. */
#if ANN_LAUNCH_THREADS > 1
#define ann_count_up(count) atomic_inc((volatile LOCAL u32 *)(count))
#define ann_count_down(count) atomic_dec((volatile LOCAL u32 *)(count))
#define ann_count_up_by(count, number) ((void)atomic_add((volatile LOCAL u32 *)(count), number))
#else
#define ann_count_up(count) ((*(count))++)
#define ann_count_down(count) ((*(count))--)
#endif

/* The system that a processor's OpenCL runs under: naps from which the host can wake, and a clock. */
#if defined(POCL_DEVICE_ADDRESS_BITS) && defined(__x86_64__) && defined(__linux__) && !ANN_LAUNCH_PORTABLE
/* The block runs on the host's processor, where its threads take turns. */
#define ANN_HOSTED 1
#define ANN_SYSTEM 1
#undef ann_fence_acquire
#undef ann_fence_release
#undef ann_fence_all
/* This processor orders loads with loads and stores with stores; what remains is the compiler's part, and
   store with load. */
#define ann_fence_acquire() __asm__ volatile("" ::: "memory")
#define ann_fence_release() __asm__ volatile("" ::: "memory")
#define ann_fence_all() __asm__ volatile("mfence" ::: "memory")

ANN_FUNCTION i64 ann_system(i64 number, i64 a, i64 b, i64 c, i64 d)
{
    i64 result;
    __asm__ volatile("movq %5, %%r10\n\tsyscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(d)
                     : "rcx", "r10", "r11", "memory");
    return result;
}
#else
#define ANN_HOSTED 0
#define ANN_SYSTEM 0
#endif

ANN_FUNCTION u32 ann_load_relaxed_u32(GLOBAL const u32 *word)
{
#ifdef ann_load_32
    return ann_load_32(word, memory_order_relaxed);
#else
    return *(volatile GLOBAL const u32 *)word;
#endif
}

ANN_FUNCTION u32 ann_load_acquire_u32(GLOBAL const u32 *word)
{
#ifdef ann_load_32
    return ann_load_32(word, memory_order_acquire);
#else
    u32 value = *(volatile GLOBAL const u32 *)word;
    ann_fence_acquire();
    return value;
#endif
}

ANN_FUNCTION void ann_store_relaxed_u32(GLOBAL u32 *word, u32 value)
{
#ifdef ann_store_32
    ann_store_32(word, value, memory_order_relaxed);
#else
    *(volatile GLOBAL u32 *)word = value;
#endif
}

ANN_FUNCTION void ann_store_release_u32(GLOBAL u32 *word, u32 value)
{
#ifdef ann_store_32
    ann_store_32(word, value, memory_order_release);
#else
    ann_fence_release();
    *(volatile GLOBAL u32 *)word = value;
#endif
}

ANN_FUNCTION u64 ann_load_relaxed_u64(GLOBAL const u64 *word)
{
#ifdef ann_load_64
    return ann_load_64(word, memory_order_relaxed);
#else
    return *(volatile GLOBAL const u64 *)word;
#endif
}

ANN_FUNCTION u64 ann_load_acquire_u64(GLOBAL const u64 *word)
{
#ifdef ann_load_64
    return ann_load_64(word, memory_order_acquire);
#else
    u64 value = *(volatile GLOBAL const u64 *)word;
    ann_fence_acquire();
    return value;
#endif
}

ANN_FUNCTION void ann_store_relaxed_u64(GLOBAL u64 *word, u64 value)
{
#ifdef ann_store_64
    ann_store_64(word, value, memory_order_relaxed);
#else
    *(volatile GLOBAL u64 *)word = value;
#endif
}

ANN_FUNCTION void ann_store_release_u64(GLOBAL u64 *word, u64 value)
{
#ifdef ann_store_64
    ann_store_64(word, value, memory_order_release);
#else
    ann_fence_release();
    *(volatile GLOBAL u64 *)word = value;
#endif
}

/* Sleeps while *word is `seen`, for at most so many microseconds; 1 if all that time has passed. Where that
   cannot be done, 0 at once. */
ANN_FUNCTION u32 ann_nap(GLOBAL u32 *word, u32 seen, u32 micros)
{
#if ANN_SYSTEM
    i64 time[2];
    time[0] = micros / 1000000;
    time[1] = (i64)(micros % 1000000) * 1000;
    /* futex, FUTEX_WAIT_PRIVATE; ETIMEDOUT */
    return ann_system(202, (i64)word, 128, (i64)seen, (i64)time) == -110;
#else
    return 0;
#endif
}

/*
 * What blocks of one kernel tell each other, in the device's own memory. Coming to a place is one step that no other block's comes between;
 * it releases what the block did before, and acquires what those did that came earlier.
 */
ANN_FUNCTION u32 ann_arrive_grid(GLOBAL u32 *word)
{
#ifdef ANN_SCOPE
    return atomic_fetch_add_explicit((volatile GLOBAL atomic_uint *)word, 1u, memory_order_acq_rel, ANN_SCOPE);
#else
    ann_fence_release();
    u32 before = atomic_inc((volatile GLOBAL uint *)word);
    ann_fence_acquire();
    return before;
#endif
}

/* As `ann_nap`, and ends when another block has come to the place: the system sleeps on one word, so it looks
   at the other one now and then. */
ANN_FUNCTION u32 ann_nap_beside(GLOBAL u32 *word, u32 seen, GLOBAL const u32 *arrived, u32 micros)
{
#if ANN_SYSTEM
    u32 slice = 32;
    for (u32 slept = 0; slept < micros; slept += slice) {
        if (ann_load_relaxed_u32(arrived) != 0 || !ann_nap(word, seen, slice))
            return 0;
        slice = slice < 1024 ? slice * 2 : slice;
    }
    return 1;
#else
    return 0;
#endif
}

/* Wakes the host, which sleeps on *word. */
ANN_FUNCTION void ann_ring(GLOBAL u32 *word)
{
#if ANN_SYSTEM
    ann_system(202, (i64)word, 129, 1, 0); /* futex, FUTEX_WAKE_PRIVATE */
#endif
}

/* Lets another thread of this core run. */
ANN_FUNCTION void ann_yield(void)
{
#if ANN_SYSTEM
    ann_system(24, 0, 0, 0, 0); /* sched_yield */
#endif
}

/* Spares the core's other half a little while a word is looked at again and again. */
ANN_FUNCTION void ann_pause(void)
{
#if ANN_SYSTEM
    __asm__ volatile("pause");
#endif
}

/*
 * Nanoseconds on the device's clock; 0 where it has none. `function` is where the host's clock_gettime stands, 0 if that is not known: a
 * kernel that runs in the host's process calls it as the host does, a tenth of a system call's price. It keeps no vector register, and
 * finds the stack aligned, below what the caller may have there without having moved the pointer.
 */
ANN_FUNCTION u64 ann_clock(u64 function)
{
#if ANN_SYSTEM
    i64 time[2];
    if (function == 0) {
        ann_system(228, 1, (i64)time, 0, 0); /* clock_gettime, CLOCK_MONOTONIC */
    } else {
        i64 clock = 1;
        i64 place = (i64)time;
        __asm__ volatile("movq %%rsp, %%r12\n\t"
                         "subq $256, %%rsp\n\t"
                         "andq $-64, %%rsp\n\t"
                         "call *%%rax\n\t"
                         "movq %%r12, %%rsp"
                         : "+a"(function), "+D"(clock), "+S"(place)
                         :
                         : "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",
                           "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory",
                           "cc");
    }
    return (u64)time[0] * 1000000000ul + (u64)time[1];
#else
    return 0;
#endif
}

/* Words in memory that several kernels of the device share. */
#define ann_device_fence_acquire() ann_fence_acquire()
#define ann_device_fence_release() ann_fence_release()
#define ann_device_load_relaxed_u32(word) ann_load_relaxed_u32(word)
#define ann_device_load_acquire_u32(word) ann_load_acquire_u32(word)
#define ann_device_store_relaxed_u32(word, value) ann_store_relaxed_u32(word, value)
#define ann_device_store_release_u32(word, value) ann_store_release_u32(word, value)
/* Stores `value` if the word is `expected`; gives what it was. */
#define ann_device_local_swap_if_u32(word, expected, value) atomic_cmpxchg((volatile GLOBAL u32 *)(word), expected, value)

/* The memory of a place that kernels tell each other: from the start of one buffer, which they all have. */
#define ann_device_local_at(device_heap, place) ((device_heap) + (place))

/* Of a nap of a block that other kernels may have something for, in microseconds. */
#define ANN_DEVICE_LOCAL_NAP 50

#define ann_leading_zeros_u64(value) ((u32)clz((u64)(value)))

/* Stores a word after this thread has fenced. */
#define ann_store_fenced_u32(word, value) ann_store_relaxed_u32(word, value)
#define ann_store_fenced_u64(word, value) ann_store_relaxed_u64(word, value)

/* Eight bytes as they are, whatever type they belong to: compilers let vectors alias everything. */
typedef uint2 ann_word;
ANN_FUNCTION ann_word ann_load_word(GLOBAL const u8 *place)
{
    return *(GLOBAL const ann_word *)place;
}
ANN_FUNCTION void ann_store_word(GLOBAL u8 *place, ann_word word)
{
    *(GLOBAL ann_word *)place = word;
}

/* Lowers a word of the block's memory, which other threads of the block may lower at the same time. */
#define ann_shared_min(word, value) ((void)atomic_min((volatile LOCAL uint *)(word), value))

/* Whether the device can wake the host. */
#define ANN_RINGS ANN_SYSTEM
