// The Metal language on the host: what a handler's text needs of it, so that g++ or clang++ takes it as it
// is. Address spaces are not told apart.
#include <math.h>
#include <string.h>

#define __METAL_VERSION__ 320
#define device
#define thread
#define constant

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long i64;
typedef float f32;

#define GLOBAL device
#define PRIVATE thread
#define CONSTANT static constant

// A word of the language: it is in no namespace.
template <class To, class From>
static inline To as_type(From from)
{
    static_assert(sizeof(To) == sizeof(From), "the same bits");
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}

namespace metal {

static inline u64 mulhi(u64 a, u64 b) { return (u64)(((unsigned __int128)a * b) >> 64); }

#define FUNCTION(name) static inline f32 name(f32 x) { return name##f(x); }
#define FUNCTION_OF_TWO(name) static inline f32 name(f32 x, f32 y) { return name##f(x, y); }
FUNCTION(floor)
FUNCTION(ceil)
FUNCTION(trunc)
FUNCTION(round)
static inline f32 fma(f32 x, f32 y, f32 z) { return fmaf(x, y, z); }

namespace precise {
FUNCTION(sqrt)
FUNCTION(exp)
FUNCTION(exp2)
FUNCTION(log)
FUNCTION(log2)
FUNCTION(log10)
FUNCTION(sin)
FUNCTION(cos)
FUNCTION(tan)
FUNCTION(asin)
FUNCTION(acos)
FUNCTION(atan)
FUNCTION(sinh)
FUNCTION(cosh)
FUNCTION(tanh)
FUNCTION_OF_TWO(fmod)
FUNCTION_OF_TWO(atan2)
FUNCTION_OF_TWO(pow)
}

enum memory_order { memory_order_relaxed, memory_order_seq_cst };
enum thread_scope { thread_scope_threadgroup, thread_scope_device };
enum class mem_flags { mem_device = 1, mem_threadgroup = 2 };
static inline mem_flags operator|(mem_flags a, mem_flags b) { return (mem_flags)((int)a | (int)b); }
static inline void atomic_thread_fence(mem_flags, memory_order, thread_scope) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

// No integer, so that nothing but these functions reaches one.
template <class T>
struct atomic {
    T value;
};
typedef atomic<u32> atomic_uint;
typedef atomic<i32> atomic_int;

#define ATOMIC(NAME, BUILTIN)                                                                                              \
    template <class T>                                                                                                     \
    static inline T NAME(volatile device atomic<T> *p, T value, memory_order)                                              \
    {                                                                                                                      \
        return BUILTIN(&p->value, value, __ATOMIC_RELAXED);                                                                \
    }
ATOMIC(atomic_fetch_add_explicit, __atomic_fetch_add)
ATOMIC(atomic_fetch_sub_explicit, __atomic_fetch_sub)
ATOMIC(atomic_fetch_and_explicit, __atomic_fetch_and)
ATOMIC(atomic_fetch_or_explicit, __atomic_fetch_or)
ATOMIC(atomic_fetch_xor_explicit, __atomic_fetch_xor)
ATOMIC(atomic_exchange_explicit, __atomic_exchange_n)
template <class T>
static inline T atomic_load_explicit(const volatile device atomic<T> *p, memory_order)
{
    return __atomic_load_n(&p->value, __ATOMIC_RELAXED);
}
template <class T>
static inline void atomic_store_explicit(volatile device atomic<T> *p, T value, memory_order)
{
    __atomic_store_n(&p->value, value, __ATOMIC_RELAXED);
}
// Every third one fails for no reason, as it may.
template <class T>
static inline bool atomic_compare_exchange_weak_explicit(
    volatile device atomic<T> *p, thread T *expected, T value, memory_order, memory_order)
{
    static u32 tries;
    if (__atomic_fetch_add(&tries, 1u, __ATOMIC_RELAXED) % 3 == 2) {
        *expected = __atomic_load_n(&p->value, __ATOMIC_RELAXED);
        return false;
    }
    return __atomic_compare_exchange_n(&p->value, expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
#define ATOMIC_CHOICE(NAME, IS_BETTER)                                                                                     \
    template <class T>                                                                                                     \
    static inline T NAME(volatile device atomic<T> *p, T value, memory_order)                                              \
    {                                                                                                                      \
        T seen = __atomic_load_n(&p->value, __ATOMIC_RELAXED);                                                             \
        while (!__atomic_compare_exchange_n(&p->value, &seen, value IS_BETTER seen ? value : seen, false,                  \
                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}                                        \
        return seen;                                                                                                       \
    }
ATOMIC_CHOICE(atomic_fetch_min_explicit, <)
ATOMIC_CHOICE(atomic_fetch_max_explicit, >)
}

// What every Metal program begins with.
using metal::mulhi;
