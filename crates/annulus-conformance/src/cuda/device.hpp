// CUDA's device for a program's text on the host: built-in variables, the barrier, and the PTX instructions
// of the program's prelude, which are calls here (`program.hpp` rewrites them). Whoever runs the block gives
// the functions below: `threads.hpp` or the stand-in driver.

#define __global__
#define __launch_bounds__(threads)

// The calling thread's place.
static const ann_place *ann_host_place();
// All living threads of the block come to the barrier of this line.
static void ann_host_barrier(u32 line);
// The threads of the calling one's warp that the mask names come to the warp's instruction of this line, which orders
// memory among them.
static void ann_host_warp(u32 mask, u32 line);
// The same of an instruction by which they exchange values, and which orders no memory.
static void ann_host_exchange(u32 mask, u32 line);
// One word for each thread of the block: what it gives to others of its warp.
static u64 *ann_host_lanes();
// Something that others may write is about to be read.
static void ann_host_look();
// The same of a unit of a sealed slot.
static void ann_host_look_at_unit();
// Something that others may read was written, and published or not: with release, or as a unit of a sealed slot.
static void ann_host_stored(bool is_published);
static void ann_host_sleep(u32 nanos);
// Nanoseconds of %globaltimer.
static u64 ann_host_clock();
// The block comes to where it waits for others of its grid.
static void ann_host_meet();
// The device cannot do what the text says.
[[noreturn]] static void ann_host_fault(const char *what, const void *address);

#define threadIdx (ann_host_place()->thread)
#define blockIdx (ann_host_place()->block)
#define blockDim (ann_host_place()->block_size)
#define gridDim (ann_host_place()->grid_size)

// Whether the thread has fenced since its last barrier, and its last look at what others write. The thread
// sanitizer knows no fences: what one makes of a relaxed store behind it is said of the store itself; and a
// fence acquires of the words that were looked at before it, by name.
static thread_local bool ann_fenced;
#ifdef __SANITIZE_THREAD__
extern "C" void __tsan_acquire(void *word);
static thread_local const void *ann_looked[64];
static thread_local unsigned ann_looked_words;
static inline void ann_note_look(const void *word) { ann_looked[ann_looked_words++ % 64] = word; }
static inline void ann_acquire_looked()
{
    for (unsigned i = 0; i < ann_looked_words && i < 64; i += 1) __tsan_acquire((void *)ann_looked[i]);
    ann_looked_words = 0;
}
#else
static inline void ann_note_look(const void *) {}
static inline void ann_acquire_looked() {}
#endif

// Threads that take turns are slow, and by that clock everything would be owed for long.
#define ANN_OWED_NANOS 0
#define __syncthreads() (ann_fenced = false, ann_host_barrier(__LINE__))
#define __syncwarp(mask) (ann_fenced = false, ann_host_warp(mask, __LINE__))
#define __shfl_sync(mask, value, lane) ann_shuffle_lanes(mask, value, lane, __LINE__)
#define __ballot_sync(mask, answer) ann_ballot_lanes(mask, answer, __LINE__)

// What threads give each other. The words are atomic, so that they neither race nor order anything.
static inline void ann_give(u64 *lane, u64 value) { __atomic_store_n(lane, value, __ATOMIC_RELAXED); }
static inline u64 ann_given(const u64 *lane) { return __atomic_load_n(lane, __ATOMIC_RELAXED); }
template <class T>
static inline T ann_shuffle_lanes(u32 mask, T value, i32 lane, u32 line)
{
    u64 *warp = ann_host_lanes() + (threadIdx.x & ~31u);
    u64 word = 0;
    T got;
    __builtin_memcpy(&word, &value, sizeof value);
    ann_give(warp + threadIdx.x % 32, word);
    ann_host_exchange(mask, line);
    if ((mask >> (lane & 31) & 1) == 0) ann_host_fault("a shuffle from a lane that takes no part", warp + (lane & 31));
    word = ann_given(warp + (lane & 31));
    __builtin_memcpy(&got, &word, sizeof got);
    ann_host_exchange(mask, line);
    return got;
}
static inline u32 ann_ballot_lanes(u32 mask, i32 answer, u32 line)
{
    u64 *warp = ann_host_lanes() + (threadIdx.x & ~31u);
    u32 votes = 0;
    ann_give(warp + threadIdx.x % 32, answer != 0);
    ann_host_exchange(mask, line);
    for (u32 lane = 0; lane < 32; lane += 1)
        if (mask >> lane & 1) votes |= (u32)ann_given(warp + lane) << lane;
    ann_host_exchange(mask, line);
    return votes;
}

static inline int __clzll(i64 value) { return value == 0 ? 64 : __builtin_clzll((u64)value); }
static inline int __clz(i32 value) { return value == 0 ? 32 : __builtin_clz((u32)value); }

template <class T>
static inline const T *ann_aligned(const T *word)
{
    if ((size_t)word % sizeof(T) != 0) ann_host_fault("a misaligned access", word);
    return word;
}

// PTX. A scope smaller than the system's is taken for the system's.
#define PTX_WORDS(SCOPE, T)                                                                                                \
    static inline void ptx_ld_relaxed_##SCOPE##_##T(T &to, const T *word)                                                  \
    {                                                                                                                      \
        ann_fenced = false, ann_host_look();                                                                               \
        to = __atomic_load_n(ann_aligned(word), __ATOMIC_RELAXED);                                                         \
        ann_note_look(word);                                                                                               \
    }                                                                                                                      \
    static inline void ptx_ld_acquire_##SCOPE##_##T(T &to, const T *word)                                                  \
    {                                                                                                                      \
        ann_host_look();                                                                                                   \
        to = __atomic_load_n(ann_aligned(word), __ATOMIC_ACQUIRE);                                                         \
    }                                                                                                                      \
    static inline void ptx_st_relaxed_##SCOPE##_##T(T *word, T value)                                                      \
    {                                                                                                                      \
        if (ann_fenced)                                                                                                    \
            __atomic_store_n((T *)ann_aligned(word), value, __ATOMIC_RELEASE);                                             \
        else                                                                                                               \
            __atomic_store_n((T *)ann_aligned(word), value, __ATOMIC_RELAXED);                                             \
        ann_host_stored(false);                                                                                            \
    }                                                                                                                      \
    static inline void ptx_st_release_##SCOPE##_##T(T *word, T value)                                                      \
    {                                                                                                                      \
        __atomic_store_n((T *)ann_aligned(word), value, __ATOMIC_RELEASE);                                                 \
        ann_host_stored(true);                                                                                             \
    }
#define PTX_FENCES(SCOPE)                                                                                                  \
    static inline void ptx_fence_acq_rel_##SCOPE() { ann_fenced = true, ann_acquire_looked(), __atomic_thread_fence(__ATOMIC_ACQ_REL); } \
    static inline void ptx_fence_sc_##SCOPE() { ann_fenced = true, ann_acquire_looked(), __atomic_thread_fence(__ATOMIC_SEQ_CST); }
PTX_WORDS(sys, u32)
PTX_WORDS(sys, u64)
PTX_WORDS(gpu, u32)
PTX_WORDS(gpu, u64)
PTX_FENCES(sys)
PTX_FENCES(gpu)

static inline void ptx_atom_relaxed_gpu_cas_b32(u32 &to, u32 *word, u32 expected, u32 value)
{
    ann_host_look();
    __atomic_compare_exchange_n((u32 *)ann_aligned(word), &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    to = expected;
    ann_host_stored(false);
}

// What orders other blocks' turns after this one's: a barrier of the grid.
static inline void ptx_atom_add_acq_rel_gpu_u32(u32 &before, u32 *word, u32 value)
{
    ann_host_meet();
    before = __atomic_fetch_add((u32 *)ann_aligned(word), value, __ATOMIC_ACQ_REL);
    ann_host_stored(true);
}
static inline void ptx_atom_add_relaxed_gpu_u32(u32 &before, u32 *word, u32 value)
{
    before = __atomic_fetch_add((u32 *)ann_aligned(word), value, __ATOMIC_RELAXED);
    ann_host_stored(false);
}

#define ptx_globaltimer ann_host_clock()
static inline void ptx_mov_u64(u64 &to, u64 value) { to = value; }
static inline void ptx_nanosleep_u32(u32 nanos) { ann_host_sleep(nanos); }

// Weak accesses.
static inline void ptx_ld_u64(u64 &to, const u8 *place) { __builtin_memcpy(&to, ann_aligned((const u64 *)place), sizeof to); }
static inline void ptx_st_u64(u8 *place, u64 value) { __builtin_memcpy((void *)ann_aligned((const u64 *)place), &value, sizeof value); }

// Sixteen bytes in one access, as processors with AVX promise. The thread sanitizer does not see it: it is
// told that there was a look at this place, so that who writes there without being ordered after it is found;
// that one access is whole is what the protocol asks of the processor, and nothing to find.
struct ptx_b128 {
    u64 low, high;
};
#ifdef __SANITIZE_THREAD__
extern "C" void __tsan_read16(void *place);
extern "C" void __tsan_write16(void *place);
extern "C" void __tsan_release(void *place);
#else
static inline void __tsan_read16(void *) {}
static inline void __tsan_write16(void *) {}
static inline void __tsan_release(void *) {}
#endif
static inline void ann_load_16(ptx_b128 &to, const u8 *place)
{
    if ((size_t)place % 16 != 0) ann_host_fault("a misaligned access", place);
#ifdef __x86_64__
    asm volatile("movdqa (%1), %%xmm0\n\tmovdqu %%xmm0, (%0)" : : "r"(&to), "r"(place) : "xmm0", "memory");
#else
    ann_host_fault("this processor does not load 16 bytes in one access", place);
#endif
}
// The same instruction loads words that others store one by one, atomically. Whoever runs the blocks names their places,
// for each block.
static const u8 *ann_word_places[4][3];
static inline void ann_note_load_of_16(const u8 *place)
{
    for (const u8 *words : ann_word_places[blockIdx.x]) {
        if (words != place) continue;
        for (u32 at = 0; at < 16; at += 8) __atomic_load_n((const u64 *)(place + at), __ATOMIC_RELAXED);
        return;
    }
    __tsan_read16((void *)place);
}
static inline void ptx_ld_relaxed_sys_b128(ptx_b128 &to, const u8 *place)
{
    ann_host_look_at_unit();
    ann_note_load_of_16(place);
    ann_load_16(to, place);
}
// Between kernels a look may meet a store, and units order nothing: not even a later store behind an earlier one. So
// the sanitizer is told of neither, and what is lost or torn shows in what the messages say.
static inline void ptx_ld_relaxed_gpu_b128(ptx_b128 &to, const u8 *place)
{
    ann_host_look();
    ann_load_16(to, place);
}
static inline void ptx_mov_b128(u64 &low, u64 &high, ptx_b128 from) { low = from.low, high = from.high; }
static inline void ptx_mov_b128(ptx_b128 &to, u64 low, u64 high) { to.low = low, to.high = high; }
// The sanitizer is told of a write, and that whoever finds this unit comes after it.
static inline void ann_store_16(u8 *place, const ptx_b128 &from)
{
    if ((size_t)place % 16 != 0) ann_host_fault("a misaligned access", place);
#ifdef __x86_64__
    asm volatile("movdqu (%1), %%xmm0\n\tmovdqa %%xmm0, (%0)" : : "r"(place), "r"(&from) : "xmm0", "memory");
#else
    ann_host_fault("this processor does not store 16 bytes in one access", place);
#endif
    ann_host_stored(true); // Each unit is published by itself.
}
static inline void ptx_st_relaxed_sys_b128(u8 *place, const ptx_b128 &from)
{
    __tsan_write16(place);
    __tsan_release(place);
    ann_store_16(place, from);
}
static inline void ptx_st_relaxed_gpu_b128(u8 *place, const ptx_b128 &from) { ann_store_16(place, from); }

