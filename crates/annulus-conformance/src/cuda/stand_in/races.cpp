// Races between the threads of a block, with ANNULUS_STAND_IN_RACES=1: two accesses of one byte of the block's
// memory by two of its threads, of which one writes, with no barrier in between. On a GPU the reader may see either
// value; here the threads run one after the other, and the seed says which.
//
// It is found whatever the seed: each access is compared with all that others did since the block met last. A
// barrier of the block orders all accesses before it before all behind it; one of a warp those of its own threads.
// Nothing else orders: not a fence, nor a shuffle, nor an atomic access, since none of them waits until another
// thread has come. Atomic accesses race with nothing. So it is with ANNULUS_RACES=1 on the CPU, too.
//
// Not seen: memory beside the block's own, other blocks, and what is copied by a call of `memcpy`.
#include "driver.hpp"

#define ANN_STAND_IN_DRIVER
#include "../races.hpp"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <unordered_map>

namespace {

struct Access {
    unsigned thread;
    bool writes;
    // The bytes, of the eight of a cell.
    unsigned char bytes;
    // How often its thread had met its warp.
    uint64_t warps_met;
    const void *from;
};

// Accesses of eight bytes since the block met so often.
struct Cell {
    uint64_t met;
    std::vector<Access> accesses;
};

// What is known of the block of this thread of the host.
struct Watched {
    // Its own memory, and what the launch gives it.
    size_t start, end, given, given_end;
    std::vector<std::pair<size_t, size_t>> unwatched;
    // Of each thread: how often it has met the block, and since then its warp.
    std::vector<uint64_t> met, warps_met;
    std::unordered_map<size_t, Cell> cells;
};

thread_local Watched *watched;

// Where a program's text has these instructions, which follow calls.
std::string lines(const void *first, const void *second)
{
    Dl_info library = {};
    char command[160], found[2][400] = {"?", "?"};
    if (!dladdr(first, &library)) return "?";
    auto offset = [&](const void *at) { return (size_t)at - 1 - (size_t)library.dli_fbase; };
    // The file has no name any more, but is open.
    const char *file = strrchr(library.dli_fname, '/');
    snprintf(command, sizeof command, "addr2line -e /proc/%d/fd/%s %#zx %#zx 2>&1", (int)getpid(), file ? file + 1 : "", offset(first),
             offset(second));
    FILE *from = popen(command, "r");
    for (auto &each : found) {
        if (!from || !fgets(each, sizeof each, from)) break;
        each[strcspn(each, " \n")] = 0;
    }
    if (from) pclose(from);
    auto last = [](const char *path) { return std::string(strrchr(path, '/') ? strrchr(path, '/') + 1 : path); };
    return last(found[0]) + "\n" + last(found[1]);
}

[[noreturn]] void tell(size_t at, unsigned thread, bool writes, const void *from, const Access &other)
{
    std::string both = lines(from, other.from), here = both.substr(0, both.find('\n')), there = both.substr(both.find('\n') + 1);
    bool is_given = at >= watched->given && at < watched->given_end;
    stop("`%s`, block %llu: race: thread %u %s byte %zu of %s at %s, and thread %u %s it at %s, with no barrier in between",
         block->launch->function->kernel->name, (unsigned long long)block->index, thread, writes ? "writes" : "reads",
         at - (is_given ? watched->given : watched->start), is_given ? "what the launch gives the block" : "the block's memory", here.c_str(),
         other.thread, other.writes ? "writes" : "reads", there.c_str());
}

void access_cell(size_t cell, unsigned char bytes, bool writes, const void *from)
{
    Watched &own = *watched;
    unsigned thread = block->now;
    Cell &known = own.cells[cell];
    if (known.met != own.met[thread]) {
        known.met = own.met[thread];
        known.accesses.clear();
    }
    Access *last = nullptr;
    for (Access &other : known.accesses) {
        if (other.thread == thread) {
            if (other.writes == writes && other.bytes == bytes) last = &other;
            continue;
        }
        bool is_before = other.thread / 32 == thread / 32 && other.warps_met < own.warps_met[thread];
        if ((other.bytes & bytes) != 0 && (other.writes || writes) && !is_before)
            tell(cell * 8 + (unsigned)__builtin_ctz(other.bytes & bytes), thread, writes, from, other);
    }
    // Of a thread's equal accesses the last says it all.
    Access now = {thread, writes, bytes, own.warps_met[thread], from};
    if (last)
        *last = now;
    else
        known.accesses.push_back(now);
}

void access_memory(const void *place, size_t bytes, bool writes, const void *from)
{
    size_t at = (size_t)place, end = at + bytes;
    if (!watched) return;
    bool is_own = at >= watched->start && end <= watched->end, is_given = at >= watched->given && end <= watched->given_end;
    if (!is_own && !is_given) return;
    for (const auto &each : watched->unwatched)
        if (at >= each.first && end <= each.second) return;
    while (at < end) {
        size_t first = at % 8, count = end - at < 8 - first ? end - at : 8 - first;
        access_cell(at / 8, (unsigned char)(((1u << count) - 1) << first), writes, from);
        at += count;
    }
}

void have_met(bool all)
{
    if (!watched) return;
    if (all) watched->met[block->now] += 1;
    (all ? watched->warps_met[block->now] = 0 : watched->warps_met[block->now] += 1);
}

const ann_races_watch races = {access_memory, have_met};

} // namespace

void watch_races(const Module &module, unsigned threads, const void *given, size_t given_bytes)
{
    auto *to = (const ann_races_watch **)dlsym(module.library, "ann_races");
    auto *unwatched = (const void *(*)(unsigned))dlsym(module.library, "ann_races_unwatched");
    if (!to || !unwatched) return;
    Shared shared = shared_of(module);
    watched = new Watched{(size_t)shared.start, (size_t)shared.start + shared.bytes, (size_t)given, (size_t)given + given_bytes, {}, {}, {}, {}};
    for (unsigned i = 0; unwatched(i); i += 2) watched->unwatched.push_back({(size_t)unwatched(i), (size_t)unwatched(i + 1)});
    watched->met.resize(threads);
    watched->warps_met.resize(threads);
    __atomic_store_n(to, &races, __ATOMIC_RELEASE);
}

void forget_races()
{
    delete watched;
    watched = nullptr;
}
