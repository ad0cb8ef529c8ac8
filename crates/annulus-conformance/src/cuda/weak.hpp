// A machine whose memory orders as little as CUDA's model lets it, for litmus tests. Fibers of the host run one at a
// time; a seed decides who goes on, and what a load sees.
//
// Each word keeps all values that were stored to it, in order. Each thread has a *view*: of each word, the oldest
// value that it may still see. So a store is seen late by some and early by others (a store buffer, which need not
// be emptied in order), but one word's values are seen in their order. A relaxed load may also be *delayed*: its
// value is guessed, and it happens later, at the latest at the thread's next fence, its next access of that word, or
// its end. A run in which no value of the word fits the guess then has not happened: it is left out.
//
// A release publishes the thread's view with the value; an acquire takes it over. Sequentially consistent fences
// take over, and add to, one view that all of them share. A fence of the block orders nothing here, since each
// thread is a block.
#include <ucontext.h>

#include <functional>
#include <map>
#include <memory>
#include <random>
#include <vector>

typedef const volatile void *weak_word;
typedef std::map<weak_word, size_t> weak_view;
struct weak_value {
    u64 value;
    weak_view view;
};
struct weak_delayed {
    weak_word word;
    u64 guess;
};
struct weak_thread {
    ucontext_t context;
    std::vector<char> stack;
    std::function<void()> body;
    weak_view now, acquired, released;
    std::vector<weak_delayed> delayed;
    bool is_over = false;
};

static std::mt19937 weak_seed;
static std::map<weak_word, std::vector<weak_value>> weak_memory;
static weak_view weak_sc;
static bool weak_happened;
static ucontext_t weak_scheduler;
static weak_thread *weak_self;

static size_t weak_below(size_t bound) { return weak_seed() % bound; }
static void weak_join(weak_view &to, const weak_view &from)
{
    for (const auto &[word, least] : from)
        if (to[word] < least) to[word] = least;
}
static std::vector<weak_value> &weak_values(weak_word word)
{
    auto &values = weak_memory[word];
    if (values.empty()) values.push_back({0, {}});
    return values;
}
static void weak_pause()
{
    if (weak_below(2) == 0) swapcontext(&weak_self->context, &weak_scheduler);
}

// Delayed loads of this word, or of all, happen now.
static void weak_complete(weak_word word)
{
    auto &delayed = weak_self->delayed;
    for (size_t i = 0; i < delayed.size();) {
        weak_delayed load = delayed[i];
        if (word && load.word != word) {
            i += 1;
            continue;
        }
        delayed.erase(delayed.begin() + i);
        auto &values = weak_values(load.word);
        std::vector<size_t> fitting;
        for (size_t at = weak_self->now[load.word]; at < values.size(); at += 1)
            if (values[at].value == load.guess) fitting.push_back(at);
        if (fitting.empty()) {
            weak_happened = false;
            continue;
        }
        size_t at = fitting[weak_below(fitting.size())];
        weak_self->now[load.word] = at;
        weak_join(weak_self->acquired, values[at].view);
    }
}

static u64 weak_load(weak_word word, bool acquires)
{
    weak_pause();
    weak_complete(word);
    auto &values = weak_values(word);
    if (!acquires && weak_below(3) == 0) {
        u64 guess = weak_below(2);
        weak_self->delayed.push_back({word, guess});
        return guess;
    }
    size_t least = weak_self->now[word];
    size_t at = least + weak_below(values.size() - least);
    weak_self->now[word] = at;
    weak_join(acquires ? weak_self->now : weak_self->acquired, values[at].view);
    return values[at].value;
}

static void weak_fence(bool acquires, bool releases, bool is_sc)
{
    weak_pause();
    weak_complete(nullptr);
    if (acquires) weak_join(weak_self->now, weak_self->acquired);
    if (is_sc) {
        weak_join(weak_self->now, weak_sc);
        weak_sc = weak_self->now;
    }
    if (releases) weak_self->released = weak_self->now;
}

static void weak_store(weak_word word, u64 value, bool releases)
{
    weak_pause();
    if (releases) weak_complete(nullptr);
    weak_complete(word);
    auto &values = weak_values(word);
    weak_view view = releases ? weak_self->now : weak_self->released;
    weak_self->now[word] = view[word] = values.size();
    values.push_back({value, view});
}

static void weak_enter()
{
    weak_self->body();
    // Others go on before what is delayed happens.
    for (int i = 0; i < 6; i += 1) weak_pause();
    weak_complete(nullptr);
    weak_self->is_over = true;
    swapcontext(&weak_self->context, &weak_scheduler);
}

// Runs the threads to their ends, from memory of zeros. Returns whether that can happen.
static bool weak_run(unsigned seed, const std::vector<std::function<void()>> &bodies)
{
    weak_seed.seed(seed);
    weak_memory.clear();
    weak_sc.clear();
    weak_happened = true;
    std::vector<std::unique_ptr<weak_thread>> threads;
    for (const auto &body : bodies) {
        auto thread = std::make_unique<weak_thread>();
        thread->stack.resize(1 << 16);
        thread->body = body;
        getcontext(&thread->context);
        thread->context.uc_stack.ss_sp = thread->stack.data();
        thread->context.uc_stack.ss_size = thread->stack.size();
        thread->context.uc_link = &weak_scheduler;
        makecontext(&thread->context, weak_enter, 0);
        threads.push_back(std::move(thread));
    }
    for (size_t left = threads.size(); left != 0;) {
        weak_self = threads[weak_below(threads.size())].get();
        if (weak_self->is_over) continue;
        swapcontext(&weak_scheduler, &weak_self->context);
        left -= weak_self->is_over;
    }
    return weak_happened;
}
// What was stored to a word last.
static u64 weak_last(weak_word word) { return weak_values(word).back().value; }

// CUDA's fences and the words of PTX, on this machine.
static inline void __threadfence_block() { weak_pause(); }
static inline void __threadfence() { weak_fence(true, true, true); }
static inline void __threadfence_system() { weak_fence(true, true, true); }
#define WEAK_WORDS(SCOPE, T)                                                                                                \
    static inline void ptx_ld_relaxed_##SCOPE##_##T(T &to, const T *word) { to = (T)weak_load(word, false); }              \
    static inline void ptx_ld_acquire_##SCOPE##_##T(T &to, const T *word) { to = (T)weak_load(word, true); }               \
    static inline void ptx_st_relaxed_##SCOPE##_##T(T *word, T value) { weak_store(word, value, false); }                  \
    static inline void ptx_st_release_##SCOPE##_##T(T *word, T value) { weak_store(word, value, true); }
#define WEAK_FENCES(SCOPE)                                                                                                  \
    static inline void ptx_fence_acq_rel_##SCOPE() { weak_fence(true, true, false); }                                      \
    static inline void ptx_fence_sc_##SCOPE() { weak_fence(true, true, true); }
WEAK_WORDS(sys, u32)
WEAK_WORDS(sys, u64)
WEAK_WORDS(gpu, u32)
WEAK_FENCES(sys)
WEAK_FENCES(gpu)

// What the prelude names besides, and no litmus test uses.
static inline void ptx_atom_relaxed_gpu_cas_b32(u32 &, u32 *, u32, u32) {}
static inline void ptx_atom_add_acq_rel_gpu_u32(u32 &, u32 *, u32) {}
static inline void ptx_mov_u64(u64 &to, u64 value) { to = value; }
static inline void ptx_nanosleep_u32(u32) {}
static inline void ptx_ld_u64(u64 &to, const u8 *place) { memcpy(&to, place, sizeof to); }
static inline void ptx_st_u64(u8 *place, u64 value) { memcpy(place, &value, sizeof value); }
#define ptx_globaltimer ((u64)0)
static inline int __clzll(i64 value) { return value == 0 ? 64 : __builtin_clzll((u64)value); }
