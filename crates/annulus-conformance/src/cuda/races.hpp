// For a program whose races are looked for: what the host's compiler calls at each access, as for its thread
// sanitizer (`-fsanitize=thread`), without that one's library. Stands behind the other texts.
//
// The thread sanitizer would see one thread of the host, since a block's GPU threads are fibers of one. The driver
// knows them (`stand_in/races.cpp`).

// What the driver does with an access by the code at `from`, and when the calling GPU thread has met others.
struct ann_races_watch {
    void (*access)(const void *place, size_t bytes, bool writes, const void *from);
    void (*met)(bool block);
};
#ifndef ANN_STAND_IN_DRIVER
extern "C" {
// Set by the driver.
const ann_races_watch *ann_races;
// Memory of the block's thread that is no memory of the block's: its start and its end, in pairs.
const void *ann_races_unwatched(unsigned index);
}

#define ANN_RACES_UNSEEN __attribute__((no_sanitize("thread"), noinline))

ANN_RACES_UNSEEN const void *ann_races_unwatched(unsigned index)
{
    const volatile void *places[] = {&ann_lanes, &ann_lanes + 1, &ann_looked, &ann_looked + 1,
                                     &ann_looked_words, &ann_looked_words + 1, &ann_fenced, &ann_fenced + 1};
    return index < sizeof places / sizeof *places ? (const void *)places[index] : nullptr;
}

// A barrier orders; what a warp's threads exchange otherwise orders no memory.
#undef __syncthreads
#undef __syncwarp
#define __syncthreads() (ann_fenced = false, ann_host_barrier(__LINE__), ann_races->met(true))
#define __syncwarp(mask) (ann_fenced = false, ann_host_warp(mask, __LINE__), ann_races->met(false))

#define ANN_RACES_OF(BYTES)                                                                                                \
    ANN_RACES_UNSEEN void __tsan_read##BYTES(void *place)                                                                  \
    {                                                                                                                      \
        ann_races->access(place, BYTES, false, __builtin_return_address(0));                                               \
    }                                                                                                                      \
    ANN_RACES_UNSEEN void __tsan_write##BYTES(void *place)                                                                 \
    {                                                                                                                      \
        ann_races->access(place, BYTES, true, __builtin_return_address(0));                                                \
    }                                                                                                                      \
    ANN_RACES_UNSEEN void __tsan_unaligned_read##BYTES(void *place)                                                        \
    {                                                                                                                      \
        ann_races->access(place, BYTES, false, __builtin_return_address(0));                                               \
    }                                                                                                                      \
    ANN_RACES_UNSEEN void __tsan_unaligned_write##BYTES(void *place)                                                       \
    {                                                                                                                      \
        ann_races->access(place, BYTES, true, __builtin_return_address(0));                                                \
    }                                                                                                                      \
    ANN_RACES_UNSEEN void __tsan_volatile_read##BYTES(void *) {}                                                           \
    ANN_RACES_UNSEEN void __tsan_volatile_write##BYTES(void *) {}                                                          \
    ANN_RACES_UNSEEN void __tsan_unaligned_volatile_read##BYTES(void *) {}                                                 \
    ANN_RACES_UNSEEN void __tsan_unaligned_volatile_write##BYTES(void *) {}

// Atomics do their work, and race with nothing.
#define ANN_RACES_CHANGE(BITS, T, NAME)                                                                                    \
    ANN_RACES_UNSEEN T __tsan_atomic##BITS##_fetch_##NAME(volatile void *word, T value, int)                               \
    {                                                                                                                      \
        return __atomic_fetch_##NAME((volatile T *)word, value, __ATOMIC_SEQ_CST);                                         \
    }
#define ANN_RACES_ATOMIC(BITS, T)                                                                                          \
    ANN_RACES_UNSEEN T __tsan_atomic##BITS##_load(const volatile void *word, int)                                          \
    {                                                                                                                      \
        return __atomic_load_n((const volatile T *)word, __ATOMIC_SEQ_CST);                                                \
    }                                                                                                                      \
    ANN_RACES_UNSEEN void __tsan_atomic##BITS##_store(volatile void *word, T value, int)                                   \
    {                                                                                                                      \
        __atomic_store_n((volatile T *)word, value, __ATOMIC_SEQ_CST);                                                     \
    }                                                                                                                      \
    ANN_RACES_UNSEEN T __tsan_atomic##BITS##_exchange(volatile void *word, T value, int)                                   \
    {                                                                                                                      \
        return __atomic_exchange_n((volatile T *)word, value, __ATOMIC_SEQ_CST);                                           \
    }                                                                                                                      \
    ANN_RACES_UNSEEN bool __tsan_atomic##BITS##_compare_exchange_strong(volatile void *word, void *expected, T value, int, int) \
    {                                                                                                                      \
        return __atomic_compare_exchange_n((volatile T *)word, (T *)expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    }                                                                                                                      \
    ANN_RACES_UNSEEN bool __tsan_atomic##BITS##_compare_exchange_weak(volatile void *word, void *expected, T value, int, int) \
    {                                                                                                                      \
        return __atomic_compare_exchange_n((volatile T *)word, (T *)expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    }                                                                                                                      \
    ANN_RACES_CHANGE(BITS, T, add)                                                                                         \
    ANN_RACES_CHANGE(BITS, T, sub)                                                                                         \
    ANN_RACES_CHANGE(BITS, T, and)                                                                                         \
    ANN_RACES_CHANGE(BITS, T, or)                                                                                          \
    ANN_RACES_CHANGE(BITS, T, xor)

extern "C" {
ANN_RACES_OF(1)
ANN_RACES_OF(2)
ANN_RACES_OF(4)
ANN_RACES_OF(8)
ANN_RACES_OF(16)
ANN_RACES_ATOMIC(8, u8)
ANN_RACES_ATOMIC(16, u16)
ANN_RACES_ATOMIC(32, u32)
ANN_RACES_ATOMIC(64, u64)
ANN_RACES_UNSEEN void __tsan_read_range(void *place, unsigned long bytes)
{
    ann_races->access(place, bytes, false, __builtin_return_address(0));
}
ANN_RACES_UNSEEN void __tsan_write_range(void *place, unsigned long bytes)
{
    ann_races->access(place, bytes, true, __builtin_return_address(0));
}
ANN_RACES_UNSEEN void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
ANN_RACES_UNSEEN void __tsan_atomic_signal_fence(int) {}
ANN_RACES_UNSEEN void __tsan_acquire(void *) {}
ANN_RACES_UNSEEN void __tsan_release(void *) {}
ANN_RACES_UNSEEN void __tsan_init() {}
ANN_RACES_UNSEEN void __tsan_func_entry(void *) {}
ANN_RACES_UNSEEN void __tsan_func_exit() {}
}
#endif
