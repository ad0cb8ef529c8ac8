// A block: a thread of the host, whose fibers are the block's GPU threads. A fiber runs until it comes to a
// barrier, looks at a word that others may write, has stored one that others may read, or sleeps: there the
// seed says which goes on.
#include "driver.hpp"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static const size_t stack_bytes = (size_t)256 << 10;
// %globaltimer is a clock of its own: so far it is ahead of the host's.
static const unsigned long long clock_offset = 1700000000123456789;
static const unsigned long long most_nap_micros = 1000;

namespace {

struct Fiber {
    ann_place place;
    size_t stack;
    bool is_waiting, has_ended;
#ifdef __x86_64__
    void *at;
#else
    ucontext_t at;
#endif
};

// The threads of a warp that have come to an instruction of it, by their lanes.
struct Warp {
    unsigned come, mask, line;
};

struct Block {
    Launch *launch;
    uint64_t index;
    std::vector<Fiber> fibers;
    std::vector<Warp> warps;
    // Fibers that can go on, in no order.
    std::vector<unsigned> runnable;
    unsigned now, living, waiting, line;
    unsigned looks;
    // When it first slept since it last published something; 0 if it has not.
    unsigned long long idle_since;
    uint32_t bits;
    Fiber scheduler;
};

thread_local Block *block;

uint32_t random_bits()
{
    uint32_t &bits = block->bits;
    bits ^= bits << 13;
    bits ^= bits >> 17;
    bits ^= bits << 5;
    return bits;
}

} // namespace

static void run_fiber()
{
    Block *own = block;
    Launch *launch = own->launch;
    launch->function->kernel->call(launch->parameters.data());
    own->fibers[own->now].has_ended = true;
}

#ifdef __x86_64__
// Saves what a call preserves, and goes on where the other one has saved it.
asm(R"(
.text
.type ann_switch, @function
ann_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
)");
extern "C" void ann_switch(void **from, void *to);

static void go(Fiber &from, Fiber &to) { ann_switch(&from.at, to.at); }

static void start_fiber()
{
    run_fiber();
    Block *own = block;
    go(own->fibers[own->now], own->scheduler);
}

static void prepare(Fiber &fiber)
{
    // As if called: the address to return to lies 8 bytes above a multiple of 16.
    void **top = (void **)(fiber.stack + stack_bytes - 64);
    *--top = nullptr;
    *--top = (void *)start_fiber;
    for (int i = 0; i < 6; i += 1) *--top = nullptr;
    fiber.at = top;
}
#else
static void go(Fiber &from, Fiber &to) { swapcontext(&from.at, &to.at); }

static void prepare(Fiber &fiber)
{
    getcontext(&fiber.at);
    fiber.at.uc_stack.ss_sp = (void *)fiber.stack;
    fiber.at.uc_stack.ss_size = stack_bytes;
    fiber.at.uc_link = &block->scheduler.at;
    makecontext(&fiber.at, run_fiber, 0);
}
#endif

// The scheduler goes on; this fiber when its turn comes.
static void pause_fiber() { go(block->fibers[block->now], block->scheduler); }

// A fiber of a device that has died never goes on.
static void stay_dead()
{
    if (block->launch->is_killed) pause_fiber();
}

static const ann_place *place() { return &block->fibers[block->now].place; }

// The threads of the block of which this is so, for people.
template <class Is>
static std::string threads(Is is)
{
    std::string text;
    unsigned count = 0, shown = 0;
    for (unsigned i = 0; i < block->fibers.size(); i += 1) {
        if (!is(block->fibers[i])) continue;
        count += 1;
        if (shown == 8) continue;
        text += (shown == 0 ? "" : ", ") + std::to_string(i);
        shown += 1;
    }
    return (count == 1 ? "thread " : "threads ") + text + (count > shown ? " and " + std::to_string(count - shown) + " more" : "");
}

// All who wait go on.
static void open_barrier()
{
    for (unsigned i = 0; i < block->fibers.size(); i += 1) {
        if (!block->fibers[i].is_waiting) continue;
        block->fibers[i].is_waiting = false;
        block->runnable.push_back(i);
    }
    block->waiting = 0;
}

static void leave_runnable()
{
    auto &runnable = block->runnable;
    for (unsigned &each : runnable)
        if (each == block->now) {
            each = runnable.back();
            runnable.pop_back();
            return;
        }
}

static void barrier(unsigned line)
{
    Block &own = *block;
    if (own.waiting != 0 && own.line != line) {
        std::string others = threads([](const Fiber &fiber) { return fiber.is_waiting; });
        stop("`%s`, block %llu: thread %u comes to the barrier of line %u, but %s to that of line %u: all threads of a block must come to the same",
             own.launch->function->kernel->name, (unsigned long long)own.index, own.now, line, others.c_str(), own.line);
    }
    own.line = line;
    own.fibers[own.now].is_waiting = true;
    own.waiting += 1;
    leave_runnable();
    if (own.waiting == own.living) open_barrier();
    pause_fiber();
}

static void warp(unsigned mask, unsigned line)
{
    Block &own = *block;
    unsigned lane = own.now % 32;
    Warp &warp = own.warps[own.now / 32];
    const char *name = own.launch->function->kernel->name;
    if ((mask >> lane & 1) == 0)
        stop("`%s`, block %llu: thread %u comes to the warp's instruction of line %u, which names the lanes %#x and not its own", name,
             (unsigned long long)own.index, own.now, line, mask);
    if (warp.come != 0 && (warp.line != line || warp.mask != mask))
        stop("`%s`, block %llu: thread %u comes to the warp's instruction of line %u for the lanes %#x, but lanes %#x to that of line %u for %#x",
             name, (unsigned long long)own.index, own.now, line, mask, warp.come, warp.line, warp.mask);
    warp = {warp.come | 1u << lane, mask, line};
    leave_runnable();
    if (warp.come == mask) {
        for (unsigned other = 0; other < 32; other += 1)
            if (mask >> other & 1) own.runnable.push_back(own.now - lane + other);
        warp.come = 0;
    }
    pause_fiber();
}

// No fiber can go on: some wait for others of their warp that do not come.
static void stuck()
{
    for (unsigned i = 0; i < block->warps.size(); i += 1) {
        const Warp &warp = block->warps[i];
        if (warp.come == 0) continue;
        stop("`%s`, block %llu, warp %u: lanes %#x wait at the warp's instruction of line %u for lanes %#x, which do not come",
             block->launch->function->kernel->name, (unsigned long long)block->index, i, warp.come, warp.line, warp.mask & ~warp.come);
    }
}

static void look()
{
    stay_dead();
    block->looks += 1;
    if (block->runnable.size() > 1 && random_bits() % 4 == 0) return pause_fiber();
    // Whoever writes the word may need this processor.
    if (block->looks % 64 == 0) sched_yield();
}

static void stored(bool is_published)
{
    stay_dead();
    if (is_published) block->idle_since = 0;
    if (block->runnable.size() > 1 && random_bits() % 2 == 0) return pause_fiber();
    // The host may see what was stored so far and no more.
    if (random_bits() % 32 == 0) sched_yield();
}

static unsigned long long clock_now();

// Sleeps for a quarter of the time since the block last published something, however long it asked for: one
// that waits for long should cost little.
static void nap(unsigned)
{
    stay_dead();
    if (block->runnable.size() > 1) return pause_fiber();
    unsigned long long now = clock_now();
    if (block->idle_since == 0) block->idle_since = now;
    unsigned long long micros = (now - block->idle_since) / 4000;
    if (micros < 20) {
        sched_yield();
        return;
    }
    usleep((unsigned)(micros < most_nap_micros ? micros : most_nap_micros));
}

static unsigned long long clock_now()
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    unsigned long long host = (unsigned long long)now.tv_sec * 1000000000 + (unsigned long long)now.tv_nsec;
    static const unsigned long long begun = host;
    unsigned long long ahead = host > begun ? (host - begun) / 1000 * driver().settings.drift_ppm / 1000 : 0;
    unsigned long long step = driver().settings.clock_step;
    return (host + ahead + clock_offset) / step * step;
}

static void fault(const char *what, const void *address)
{
    char where[160];
    describe((size_t)address, where, sizeof where);
    stop("`%s`, block %llu, thread %u: %s at %p, %s", block->launch->function->kernel->name, (unsigned long long)block->index, block->now, what,
         address, where);
}

static void meet()
{
    const Launch &launch = *block->launch;
    if (launch.is_cooperative || launch.blocks == 1) return;
    stop("`%s`, block %llu: waits for the other blocks of its grid, of which nothing says that they run at the same time: launch it with "
         "cuLaunchCooperativeKernel",
         launch.function->kernel->name, (unsigned long long)block->index);
}

const ann_machine machine = {place, barrier, look, stored, nap, clock_now, fault, meet, warp};

// Stacks are kept for the next block.
static std::vector<size_t> &free_stacks()
{
    static auto *all = new std::vector<size_t>;
    return *all;
}

static void take_stacks(Block &own)
{
    Guard guard(driver().lock);
    for (Fiber &fiber : own.fibers) {
        if (free_stacks().empty()) {
            Status status = allocate(Allocation::fiber_stack, stack_bytes, 0, nullptr, &fiber.stack);
            if (status != CUDA_SUCCESS) stop("there is no memory for a GPU thread's stack");
        } else {
            fiber.stack = free_stacks().back();
            free_stacks().pop_back();
        }
    }
}

void run_block(Launch &launch, uint64_t index)
{
    // Where faults of fibers are told of: a stack that is full is one.
    std::vector<char> signal_stack((size_t)64 << 10);
    stack_t alternative = {}, before;
    alternative.ss_sp = signal_stack.data();
    alternative.ss_size = signal_stack.size();
    sigaltstack(&alternative, &before);

    Block own = {};
    own.launch = &launch;
    own.index = index;
    own.living = launch.threads();
    own.bits = (uint32_t)((driver().settings.seed + 1) * 0x9E3779B9u + (uint32_t)index * 0x85EBCA6Bu) | 1;
    own.fibers.resize(own.living);
    own.warps.resize((own.living + 31) / 32);
    block = &own;
    take_stacks(own);
    const Module &module = *launch.function->module;
    poison_shared(module);
    void *given = give(launch.shared_bytes);
    say_given(module, given);
    watch_races(module, own.living, given, launch.shared_bytes);
    ann_index grid = launch.grid;
    ann_index at = {(unsigned)(index % grid.x), (unsigned)(index / grid.x % grid.y), (unsigned)(index / grid.x / grid.y)};
    for (unsigned i = 0; i < own.living; i += 1) {
        ann_index thread = {i % launch.size.x, i / launch.size.x % launch.size.y, i / launch.size.x / launch.size.y};
        own.fibers[i].place = {thread, at, launch.size, launch.grid};
        prepare(own.fibers[i]);
        own.runnable.push_back(i);
    }
    while (own.living > 0 && !launch.is_killed) {
        if (own.runnable.empty()) stuck();
        own.now = own.runnable[random_bits() % own.runnable.size()];
        go(own.scheduler, own.fibers[own.now]);
        if (!own.fibers[own.now].has_ended) continue;
        leave_runnable();
        own.living -= 1;
        if (own.waiting != 0 && own.waiting == own.living) open_barrier();
    }
    {
        Guard guard(driver().lock);
        for (Fiber &fiber : own.fibers) free_stacks().push_back(fiber.stack);
    }
    forget_races();
    take_back(given);
    block = nullptr;
    sigaltstack(&before, nullptr);
}

static struct sigaction segmentation_before, bus_before;

static void on_fault(int number, siginfo_t *info, void *context)
{
    char where[160];
    size_t address = (size_t)info->si_addr;
    // Whoever faults holds no lock of ours, but others may.
    for (int i = 0; i < 1000 && !driver().lock.try_lock(); i += 1) usleep(100);
    describe(address, where, sizeof where);
    const char *what = "an access";
#ifdef __x86_64__
    what = ((ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & 2 ? "a write" : "a read";
#else
    (void)context;
#endif
    if (block) fault(what, info->si_addr);
    if (strstr(where, "never")) {
        // Nothing of ours.
        driver().lock.unlock();
        sigaction(number, number == SIGSEGV ? &segmentation_before : &bus_before, nullptr);
        return;
    }
    stop("the host: %s at %#zx, %s", what, address, where);
}

void watch_faults()
{
    struct sigaction action = {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, &segmentation_before);
    sigaction(SIGBUS, &action, &bus_before);
}
