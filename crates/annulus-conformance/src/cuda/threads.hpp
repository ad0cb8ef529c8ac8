// GPU threads as threads of the host, for the thread sanitizer, which watches every access: those of one
// block, or of some whose programs find their own memory themselves; or, where ANN_HOST_BLOCKS is defined, of
// as many blocks as there are threads, of one each.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#ifdef ANN_HOST_BLOCKS
#define __shared__ static thread_local
#else
#define __shared__ static
#endif

static thread_local ann_place place;
static const ann_place *ann_host_place() { return &place; }

// Threads come to barriers late, and leave them late, look late at sealed slots, and go on late after they
// have published something, by as much as the seed says: so others have the time to do what they should not
// yet.
static u32 seed;
static void dawdle(u32 most)
{
    static thread_local u32 bits;
    if (bits == 0) bits = (seed * 64 + place.block.x * 16 + place.thread.x + 1) * 0x9E3779B9u;
    bits ^= bits << 13;
    bits ^= bits >> 17;
    bits ^= bits << 5;
    if (bits % most != 0) usleep(bits % most);
}

// One of each block.
static pthread_barrier_t barriers[4];
static void ann_host_barrier(u32)
{
#ifdef ANN_HOST_BLOCKS
    return;
#endif
    dawdle(200);
    pthread_barrier_wait(&barriers[place.block.x]);
    dawdle(200);
}

// Now and then a look is late, so that others do something between it and the one before.
static void ann_host_look()
{
    static thread_local u32 looks;
    looks += 1;
    if (place.thread.x < 100 && looks % 8 == 0) dawdle(100);
}
// Counted, so that whoever writes units can do so between looks, or within one.
static u32 looks_at_units;
static void ann_host_look_at_unit()
{
    __atomic_fetch_add(&looks_at_units, 1, __ATOMIC_RELAXED);
    dawdle(300);
}
static void ann_host_stored(bool is_published)
{
    if (is_published) dawdle(20);
}

// A warp's threads meet as a block's do, if all 32 of them do. Of a meeting by which they only exchange values the
// sanitizer is not told: it orders no memory on a device either.
static u64 lanes[4][1024];
static u64 *ann_host_lanes() { return lanes[place.block.x]; }
static pthread_barrier_t warps[4][32];
__attribute__((constructor)) static void ann_make_warps()
{
    for (auto &block : warps)
        for (pthread_barrier_t &warp : block) pthread_barrier_init(&warp, 0, 32);
}
static void ann_meet_at_warp(u32 mask, u32 line)
{
    u32 warp = place.thread.x / 32;
    if (mask != 0xFFFFFFFFu || place.block_size.x < (warp + 1) * 32) {
        fprintf(stderr, "line %u: only whole warps of the host's threads meet\n", line);
        abort();
    }
    pthread_barrier_wait(&warps[place.block.x][warp]);
}
static void ann_host_warp(u32 mask, u32 line)
{
    dawdle(200);
    ann_meet_at_warp(mask, line);
    dawdle(200);
}
#ifdef __SANITIZE_THREAD__
extern "C" void AnnotateIgnoreSyncBegin(const char *file, int line);
extern "C" void AnnotateIgnoreSyncEnd(const char *file, int line);
#else
static void AnnotateIgnoreSyncBegin(const char *, int) {}
static void AnnotateIgnoreSyncEnd(const char *, int) {}
#endif
static void ann_host_exchange(u32 mask, u32 line)
{
    AnnotateIgnoreSyncBegin(__FILE__, __LINE__);
    ann_meet_at_warp(mask, line);
    AnnotateIgnoreSyncEnd(__FILE__, __LINE__);
}
static void ann_host_sleep(u32 nanos) { usleep(nanos / 1000); }
static u64 ann_host_clock()
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec;
}
static void ann_host_meet() { dawdle(200); }
static void ann_host_fault(const char *what, const void *address)
{
    fprintf(stderr, "%s at %p by thread %u\n", what, address, place.thread.x);
    abort();
}
