/* OpenCL C for a C compiler of the host: what the prelude needs, without atomics of OpenCL 2. One thread of
   the host runs all. */
#include <math.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <ucontext.h>

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef uint uint2 __attribute__((vector_size(8), may_alias));

#define __global
#define __local
#define __private
#define __constant static
#define __kernel
#define reqd_work_group_size(x, y, z)
#define cl_khr_fp64 1

#define CLK_GLOBAL_MEM_FENCE 0
#define CLK_LOCAL_MEM_FENCE 0
#define mem_fence(where) __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define atomic_inc(word) __atomic_fetch_add(word, 1, __ATOMIC_RELAXED)
#define atomic_dec(word) __atomic_fetch_sub(word, 1, __ATOMIC_RELAXED)
#define atomic_add(word, number) __atomic_fetch_add(word, number, __ATOMIC_RELAXED)
#define clz(value) __builtin_clzl(value)
#define ANN_ALIGNED(bytes) __attribute__((aligned(bytes)))

static inline uint atomic_cmpxchg(volatile uint *word, uint expected, uint value)
{
    uint found = *word;
    if (found == expected)
        *word = value;
    return found;
}

static inline void atomic_min(volatile uint *word, uint value)
{
    if (value < *word)
        *word = value;
}

/* The block that runs: see `driver.c`. */
static uint twin_thread(void);
static uint twin_block(void);
static void twin_barrier(void);
static void twin_commit(uint *word, uint value);
#define get_local_id(dimension) twin_thread()
#define get_group_id(dimension) twin_block()
