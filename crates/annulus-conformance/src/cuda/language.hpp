// CUDA C++ on the host: what a handler's text needs of the language, so that g++ or clang++ takes it as it
// is.
#include <math.h>
#include <string.h>

#define __CUDACC_RTC__ 1
#define __device__
#define __align__(bytes) alignas(bytes)
#define __constant__
#define __forceinline__ inline
#define ann_shared_at(variable) (variable)

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

#define GLOBAL
#define LOCAL
#define PRIVATE
#define CONSTANT static __constant__

template <class To, class From>
static inline To bits(From from)
{
    static_assert(sizeof(To) == sizeof(From), "the same bits");
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}
static inline u32 __float_as_uint(f32 x) { return bits<u32>(x); }
static inline f32 __uint_as_float(u32 x) { return bits<f32>(x); }
static inline i64 __double_as_longlong(f64 x) { return bits<i64>(x); }
static inline f64 __longlong_as_double(i64 x) { return bits<f64>(x); }
static inline u64 __umul64hi(u64 a, u64 b) { return (u64)(((unsigned __int128)a * b) >> 64); }

// CUDA's atomics take the value for one of the word's type.
template <class T>
struct as_word {
    typedef T type;
};
static inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_block() { __threadfence(); }
static inline void __threadfence_system() { __threadfence(); }
#define ATOMIC(NAME, BUILTIN)                                                                                              \
    template <class T>                                                                                                     \
    static inline T NAME(T *p, typename as_word<T>::type value)                                                            \
    {                                                                                                                      \
        return BUILTIN(p, value, __ATOMIC_RELAXED);                                                                        \
    }
ATOMIC(atomicAdd, __atomic_fetch_add)
ATOMIC(atomicSub, __atomic_fetch_sub)
ATOMIC(atomicAnd, __atomic_fetch_and)
ATOMIC(atomicOr, __atomic_fetch_or)
ATOMIC(atomicXor, __atomic_fetch_xor)
ATOMIC(atomicExch, __atomic_exchange_n)
template <class T>
static inline T atomicCAS(T *p, typename as_word<T>::type expected, typename as_word<T>::type value)
{
    __atomic_compare_exchange_n(p, &expected, value, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
}
#define ATOMIC_CHOICE(NAME, IS_BETTER)                                                                                     \
    template <class T>                                                                                                     \
    static inline T NAME(T *p, typename as_word<T>::type value)                                                            \
    {                                                                                                                      \
        T seen = __atomic_load_n(p, __ATOMIC_RELAXED);                                                                     \
        while (!__atomic_compare_exchange_n(p, &seen, value IS_BETTER seen ? value : seen, 0, __ATOMIC_RELAXED,            \
                                            __ATOMIC_RELAXED)) {}                                                          \
        return seen;                                                                                                       \
    }
ATOMIC_CHOICE(atomicMin, <)
ATOMIC_CHOICE(atomicMax, >)
