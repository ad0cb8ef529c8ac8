// A block of CUDA threads as threads of the host, one block a process: in place of the CUDA prelude, whose ordered accesses are PTX.
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define __global__
#define __shared__ static

struct Index {
    u32 x;
};
static thread_local Index threadIdx;
static const Index blockIdx = {0};

// Threads come to barriers late, and go on late after they have published something, by as much as the seed says: so others have the time to
// do what they should not yet.
static u32 seed;
static inline void dawdle(u32 most)
{
    static thread_local u32 bits;
    if (bits == 0) bits = (seed * 64 + threadIdx.x + 1) * 0x9E3779B9u;
    bits ^= bits << 13;
    bits ^= bits >> 17;
    bits ^= bits << 5;
    if (bits % most != 0) usleep(bits % most);
}

static pthread_barrier_t barrier;
static inline void __syncthreads()
{
    dawdle(200);
    pthread_barrier_wait(&barrier);
}

#define ANN_DOUBLE 1
#define ANN_ATOMICS_64 1
#define ANN_SYSTEM 1
#define ANN_SHARED __shared__
#define ANN_FUNCTION static __device__ __forceinline__
#define ANN_KERNEL extern "C" __global__

#define ann_thread() ((u32)threadIdx.x)
#define ann_block() ((u32)blockIdx.x)
#define ann_barrier() __syncthreads()
#define ann_count_up(count) atomicAdd(count, 1u)
#define ann_count_down(count) atomicSub(count, 1u)

#define ann_fence_acquire() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define ann_fence_release() __atomic_thread_fence(__ATOMIC_RELEASE)
#define ann_fence_all() __atomic_thread_fence(__ATOMIC_SEQ_CST)

#define WORDS(T)                                                                                                           \
    ANN_FUNCTION T ann_load_relaxed_##T(const T *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }                 \
    ANN_FUNCTION T ann_load_acquire_##T(const T *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }                 \
    ANN_FUNCTION void ann_store_relaxed_##T(T *word, T value) { __atomic_store_n(word, value, __ATOMIC_RELAXED); }         \
    ANN_FUNCTION void ann_store_release_##T(T *word, T value)                                                              \
    {                                                                                                                      \
        __atomic_store_n(word, value, __ATOMIC_RELEASE);                                                                   \
        dawdle(20);                                                                                                        \
    }
WORDS(u32)
WORDS(u64)

ANN_FUNCTION u64 ann_clock(u64 needs)
{
    struct timespec now;
    (void)needs;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec;
}
ANN_FUNCTION void ann_pause(void) {}
ANN_FUNCTION void ann_yield(void) {}
ANN_FUNCTION u32 ann_nap(u32 *word, u32 seen, u32 micros)
{
    u64 begun = ann_clock(0);
    while (ann_load_relaxed_u32(word) == seen && ann_clock(0) - begun < (u64)micros * 1000) usleep(50);
    return 1;
}
ANN_FUNCTION void ann_ring(u32 *word) { (void)word; }
#define ann_leading_zeros_u64(value) ((u32)__builtin_clzll(value))
