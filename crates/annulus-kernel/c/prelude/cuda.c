/* Prelude, CUDA C++. What the runtime and the handler need of the dialect, by names that are the same in all
   of them. It needs no header: ordered accesses, clock and sleep are PTX. */

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef float f32;
typedef double f64;
#define ANN_DOUBLE 1
#define ANN_ATOMICS_64 1

/* Pointers of this dialect are generic. */
#define GLOBAL
#define LOCAL
#define PRIVATE
#define CONSTANT static __constant__
/* A variable of the block. */
#define ANN_SHARED __shared__
/* Where a block's variable lies, worked out once. Compilers would rather work it out again and again, which takes some twenty
   cycles where blocks may form clusters. */
#ifndef ann_shared_at
template <typename T> static __device__ __forceinline__ T *ann_shared_at(T *variable)
{
    u32 place = (u32)__cvta_generic_to_shared(variable);
    asm volatile("" : "+r"(place));
    return (T *)__cvta_shared_to_generic(place);
}
#endif

/* A function of the program, one that is not to be put into those that call it, and the program's entry. */
#define ANN_FUNCTION static __device__ __forceinline__
#define ANN_COLD static __device__ __attribute__((noinline))
#define ANN_KERNEL extern "C" __global__ __launch_bounds__(ANN_LAUNCH_THREADS)

/* The thread's number in its block, and the block's number. A dialect that knows them everywhere does not look at `at`, which has
   the fields of ANN_PLACE: a view, or a thread's count of meetings. */
#define ann_thread(at) ((u32)threadIdx.x)
#define ann_block(at) ((u32)blockIdx.x)
#define ANN_PLACE
#define ANN_PLACE_PARAMETERS
#define ann_take_place(at) ((void)0)
#define ANN_BUFFER
#define ANN_NUMBER u64

/* All threads of the block reach it; what they wrote before it, in whatever memory, they see after it. */
#define ann_barrier() __syncthreads()

/* The threads of a warp, and its lanes. All of them reach the meeting; what they wrote before it in the block's memory, they
   see after it. All of them ask whether something holds for each. */
#define ANN_WARP 32u
#define ann_meet_warp() __syncwarp(0xFFFFFFFFu)
#define ann_all_of_warp(holds) (__ballot_sync(0xFFFFFFFFu, holds) == 0xFFFFFFFFu)

/* Counts in the block's memory, beside the block's other threads; gives what the count was. */
#define ann_count_up(count) atomicAdd(count, 1u)
#define ann_count_down(count) atomicSub(count, 1u)
#define ann_count_up_by(count, number) ((void)atomicAdd(count, number))

/*
 * Ordered loads and stores of words that the host, or another kernel, reads and writes: system scope. A relaxed access neither
 * orders nor is it torn; looks are relaxed, and one fence follows the one that found something.
 */
#define ann_fence_acquire() asm volatile("fence.acq_rel.sys;" ::: "memory")
#define ann_fence_release() asm volatile("fence.acq_rel.sys;" ::: "memory")
#define ann_fence_all() asm volatile("fence.sc.sys;" ::: "memory")

ANN_FUNCTION u32 ann_load_relaxed_u32(const u32 *word)
{
    u32 value;
    asm volatile("ld.relaxed.sys.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
}

ANN_FUNCTION u32 ann_load_acquire_u32(const u32 *word)
{
    u32 value;
    asm volatile("ld.acquire.sys.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
}

ANN_FUNCTION void ann_store_relaxed_u32(u32 *word, u32 value)
{
    asm volatile("st.relaxed.sys.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

ANN_FUNCTION void ann_store_release_u32(u32 *word, u32 value)
{
    asm volatile("st.release.sys.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

ANN_FUNCTION u64 ann_load_relaxed_u64(const u64 *word)
{
    u64 value;
    asm volatile("ld.relaxed.sys.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
    return value;
}

ANN_FUNCTION u64 ann_load_acquire_u64(const u64 *word)
{
    u64 value;
    asm volatile("ld.acquire.sys.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
    return value;
}

ANN_FUNCTION void ann_store_relaxed_u64(u64 *word, u64 value)
{
    asm volatile("st.relaxed.sys.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}

ANN_FUNCTION void ann_store_release_u64(u64 *word, u64 value)
{
    asm volatile("st.release.sys.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}

/*
 * The same for words in the device's own memory that other kernels of it read and write: the scope of the device, whose accesses wait for nothing across
 * the bus.
 */
#define ann_device_fence_acquire() asm volatile("fence.acq_rel.gpu;" ::: "memory")
#define ann_device_fence_release() asm volatile("fence.acq_rel.gpu;" ::: "memory")

ANN_FUNCTION u32 ann_device_load_relaxed_u32(const u32 *word)
{
    u32 value;
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
}

ANN_FUNCTION u32 ann_device_load_acquire_u32(const u32 *word)
{
    u32 value;
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
}

ANN_FUNCTION void ann_device_store_relaxed_u32(u32 *word, u32 value)
{
    asm volatile("st.relaxed.gpu.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

ANN_FUNCTION void ann_device_store_release_u32(u32 *word, u32 value)
{
    asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

/* Stores `value` if the word is `expected`; gives what it was. Orders nothing. */
ANN_FUNCTION u32 ann_device_local_swap_if_u32(u32 *word, u32 expected, u32 value)
{
    u32 found;
    asm volatile("atom.relaxed.gpu.cas.b32 %0, [%1], %2, %3;" : "=r"(found) : "l"(word), "r"(expected), "r"(value) : "memory");
    return found;
}

/* The memory of a place that kernels tell each other: its address. */
#define ann_device_local_at(device_heap, place) ((u8 *)(place))

/* Of a nap of a block that other kernels may have something for, in microseconds: as long as it takes to look
   at the host's word once or twice. */
#define ANN_DEVICE_LOCAL_NAP 4

/* Nanoseconds on the device's clock, which needs nothing of the host's to be read. */
ANN_FUNCTION u64 ann_clock(u64 needs)
{
    u64 time;
    (void)needs;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time)::"memory");
    return time;
}

/* Spares the memory system a little while a word is looked at again and again. */
ANN_FUNCTION void ann_pause(void)
{
    asm volatile("nanosleep.u32 20;" ::: "memory");
}

/* Other threads of the device need not be let run: they are resident. */
ANN_FUNCTION void ann_yield(void) {}

/* Sleeps while *word is `seen`, for at most so many microseconds; 1 if all that time has passed. */
ANN_FUNCTION u32 ann_nap(u32 *word, u32 seen, u32 micros)
{
    u64 begun = ann_clock(0);
    u32 nanos = 250;
    while (ann_load_relaxed_u32(word) == seen) {
        if (ann_clock(0) - begun >= (u64)micros * 1000)
            return 1;
        asm volatile("nanosleep.u32 %0;" ::"r"(nanos) : "memory");
        nanos = nanos < 8000 ? nanos * 2 : nanos;
    }
    return 0;
}

/*
 * What blocks of one kernel tell each other, in the device's own memory: the device's scope. Coming to a place is one step that no other
 * block's comes between; it releases what the block did before, and acquires what those did that came earlier.
 */
ANN_FUNCTION u32 ann_arrive_grid(u32 *word)
{
    u32 before;
    asm volatile("atom.add.acq_rel.gpu.u32 %0, [%1], 1;" : "=r"(before) : "l"(word) : "memory");
    return before;
}

/* As `ann_nap`, and ends as soon as another block has come to the place. */
ANN_FUNCTION u32 ann_nap_beside(u32 *word, u32 seen, const u32 *arrived, u32 micros)
{
    u64 begun = ann_clock(0);
    u32 nanos = 250;
    while (ann_load_relaxed_u32(word) == seen && ann_device_load_relaxed_u32(arrived) == 0) {
        if (ann_clock(0) - begun >= (u64)micros * 1000)
            return 1;
        asm volatile("nanosleep.u32 %0;" ::"r"(nanos) : "memory");
        nanos = nanos < 8000 ? nanos * 2 : nanos;
    }
    return 0;
}

/* A device cannot wake the host, which looks. */
#define ANN_RINGS 0

/* Stores a word after this thread has fenced. */
#define ann_store_fenced_u32(word, value) ann_store_relaxed_u32(word, value)
#define ann_store_fenced_u64(word, value) ann_store_relaxed_u64(word, value)

/* Eight bytes as they are, whatever type they belong to. The instructions keep their places, and none waits
   for the one before. */
typedef u64 ann_word;
ANN_FUNCTION ann_word ann_load_word(const u8 *place)
{
    ann_word word;
    asm volatile("ld.u64 %0, [%1];" : "=l"(word) : "l"(place) : "memory");
    return word;
}
ANN_FUNCTION void ann_store_word(u8 *place, ann_word word)
{
    asm volatile("st.u64 [%0], %1;" ::"l"(place), "l"(word) : "memory");
}

#if defined(ANN_LAUNCH_SEALS) && ANN_LAUNCH_SEALS
/* Stores a unit of a sealed slot of another kernel's in one access, which is not torn, and orders nothing. */
ANN_FUNCTION void ann_device_store_unit(u8 *place, u32 a, u32 b, u32 c, u32 lap)
{
    u64 low = (u64)b << 32 | a, high = (u64)lap << 32 | c;
    asm volatile("{ .reg .b128 whole; mov.b128 whole, {%1, %2}; st.relaxed.gpu.b128 [%0], whole; }" ::"l"(place), "l"(low), "l"(high)
                 : "memory");
}
#endif
#if defined(ANN_LAUNCH_SEALED) && ANN_LAUNCH_SEALED
/* A unit of a sealed slot. */
typedef struct {
    u32 a, b, c;
    u32 lap;
} ann_unit;
/* Loads a unit of a slot that another kernel writes in one access, which is not torn, and orders nothing. */
ANN_FUNCTION ann_unit ann_device_load_unit(const u8 *place)
{
    u64 low, high;
    asm volatile("{ .reg .b128 whole; ld.relaxed.gpu.b128 whole, [%2]; mov.b128 {%0, %1}, whole; }"
                 : "=l"(low), "=l"(high)
                 : "l"(place)
                 : "memory");
    ann_unit unit = {(u32)low, (u32)(low >> 32), (u32)high, (u32)(high >> 32)};
    return unit;
}
/* Loads a unit in one access, which is not torn, and orders nothing. */
ANN_FUNCTION ann_unit ann_load_unit(const u8 *place)
{
    u64 low, high;
    asm volatile("{ .reg .b128 whole; ld.relaxed.sys.b128 whole, [%2]; mov.b128 {%0, %1}, whole; }"
                 : "=l"(low), "=l"(high)
                 : "l"(place)
                 : "memory");
    ann_unit unit = {(u32)low, (u32)(low >> 32), (u32)high, (u32)(high >> 32)};
    return unit;
}
/* Stores one in one access, which is not torn, and orders nothing. */
ANN_FUNCTION void ann_store_unit(u8 *place, u32 a, u32 b, u32 c, u32 lap)
{
    u64 low = (u64)b << 32 | a, high = (u64)lap << 32 | c;
    asm volatile("{ .reg .b128 whole; mov.b128 whole, {%1, %2}; st.relaxed.sys.b128 [%0], whole; }" ::"l"(place), "l"(low), "l"(high)
                 : "memory");
}
#endif

/* Lowers a word of the block's memory, which other threads of the block may lower at the same time. */
#define ann_shared_min(word, value) ((void)atomicMin(word, value))

#define ANN_HOSTED 0
#define ANN_SYSTEM 1
/* A block's threads go on independently, so that the leader may work while the others wait at a barrier; and
   pointers to memory may name the block's own. */
#define ANN_INDEPENDENT 1
#define ANN_ALIGNED(bytes) __align__(bytes)
/* The place, computed here, and not where it is used. */
ANN_FUNCTION u8 *ann_computed(u8 *place)
{
    u64 address;
    asm volatile("mov.u64 %0, %1;" : "=l"(address) : "l"((u64)place) : "memory");
    return (u8 *)address;
}
#define ann_computed(place) ann_computed(place)
#define ann_leading_zeros_u64(value) ((u32)__clzll((i64)(value)))
