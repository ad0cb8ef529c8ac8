// Kernels whose blocks run on threads of the host, beside a host that sends to them. Stands behind the texts of their
// programs, each of which is in a namespace of its own, and in front of what the host does. The first argument is a
// file: how many kernels there are, and each of them as `kernel` has it; then which words of their memory are addresses
// in it. The second argument is the seed, and the third the number of the fault that is planted.
#include <sched.h>

struct kernel {
    // As the file has it.
    u64 blocks, threads, shard_stride, message, output;
    u64 inbound, in_stride, in_payload, in_shift;
    u64 outbound, out_stride, out_payload, out_shift;
    u64 in_correlation, replies;
    // What the entry's pointers lead to.
    u8 *arguments[10];
    void (*entry)(u8 **);
    // The host's tickets in each block's rings.
    u64 reserved[4], received[4];
};
static kernel kernels[2];

// A host gives up that waits for longer.
static u64 deadline;

[[noreturn]] static void wrong(const char *what, u64 one = 0, u64 other = 0)
{
    fprintf(stderr, "%s: %llu, %llu\n", what, (unsigned long long)one, (unsigned long long)other);
    _exit(3);
}

static u64 number_of(FILE *from)
{
    u64 number = 0;
    if (fread(&number, sizeof number, 1, from) != 1) wrong("the file is too short");
    return number;
}

static void load_scene(int argc, char **argv)
{
    FILE *from = argc == 4 ? fopen(argv[1], "rb") : 0;
    if (!from) wrong("a file, a seed and a fault");
    seed = (u32)atoi(argv[2]);
    planted = (u32)atoi(argv[3]);
    deadline = ann_host_clock() + (planted != 0 ? 5 : 100) * 1000000000ull;
    u64 count = number_of(from);
    for (kernel *k = kernels; k < kernels + count; k += 1) {
        for (u64 *field = &k->blocks; field <= &k->replies; field += 1) *field = number_of(from);
        for (u8 *&argument : k->arguments) {
            u64 bytes = number_of(from);
            argument = (u8 *)aligned_alloc(128, (bytes + 127) / 128 * 128 + 128);
            if (fread(argument, 1, bytes, from) != bytes) wrong("the file is too short");
        }
    }
    for (u64 left = number_of(from); left != 0; left -= 1) {
        u64 at[6];
        for (u64 &field : at) field = number_of(from);
        *(u64 *)(kernels[at[0]].arguments[at[1]] + at[2]) = (u64)(kernels[at[3]].arguments[at[4]] + at[5]);
    }
    fclose(from);
    place.thread.x = 100;
}

static u8 *shard_of(const kernel &k, size_t block) { return k.arguments[0] + block * k.shard_stride; }
static u64 word(const kernel &k, size_t block, size_t offset)
{
    return __atomic_load_n((const u64 *)(shard_of(k, block) + offset), __ATOMIC_ACQUIRE);
}
static u32 half_word(const kernel &k, size_t block, size_t offset)
{
    return __atomic_load_n((const u32 *)(shard_of(k, block) + offset), __ATOMIC_ACQUIRE);
}
static u64 sum_of(const kernel &k, size_t offset)
{
    u64 sum = 0;
    for (size_t block = 0; block < k.blocks; block += 1) sum += word(k, block, offset);
    return sum;
}
static void command(const kernel &k, u32 command)
{
    for (size_t block = 0; block < k.blocks; block += 1)
        __atomic_store_n((u32 *)(shard_of(k, block) + ANN_CONTROL_COMMAND), command, __ATOMIC_RELEASE);
}

// Between two looks of a host that waits for something.
static void wait_for(const char *what)
{
    if (ann_host_clock() > deadline) wrong(what);
    sched_yield();
}

// Sends a message, of a call or of none, if there is room.
static bool try_send(kernel &k, size_t block, const void *message, u64 call = 0)
{
    u8 *ring = shard_of(k, block) + k.inbound;
    u64 ticket = k.reserved[block];
    if (ticket - __atomic_load_n((const u64 *)(ring + ANN_RING_CONSUMED), __ATOMIC_ACQUIRE) == (u64)1 << k.in_shift)
        return false;
    k.reserved[block] += 1;
    u8 *slot = ring + ANN_RING_SLOTS + (ticket & (((u64)1 << k.in_shift) - 1)) * k.in_stride;
    __atomic_store_n((u64 *)(ring + ANN_RING_RESERVED), ticket + 1, __ATOMIC_RELAXED);
    *(u32 *)(slot + 4) = ANN_KIND_MESSAGE << 24 | (u32)k.message;
    memcpy(slot + k.in_payload, message, k.message);
    if (k.in_correlation != 0) *(u64 *)(slot + k.in_correlation) = call;
    __atomic_store_n((u32 *)slot, (u32)(ticket >> k.in_shift) + 1, __ATOMIC_RELEASE);
    return true;
}

// Takes an output, if there is one.
static bool receive(kernel &k, size_t block, void *to)
{
    u8 *ring = shard_of(k, block) + k.outbound;
    u64 ticket = k.received[block];
    const u8 *slot = ring + ANN_RING_SLOTS + (ticket & (((u64)1 << k.out_shift) - 1)) * k.out_stride;
    if (__atomic_load_n((const u32 *)slot, __ATOMIC_ACQUIRE) != (u32)(ticket >> k.out_shift) + 1) return false;
    memcpy(to, slot + k.out_payload, k.output);
    k.received[block] += 1;
    __atomic_store_n((u64 *)(ring + ANN_RING_CONSUMED), ticket + 1, __ATOMIC_RELEASE);
    return true;
}

struct runner {
    kernel *of;
    u32 block, thread;
    pthread_t id;
};
static runner runners[8];
static size_t running;

static void *run(void *of)
{
    runner &r = *(runner *)of;
    place = {{r.thread, 0, 0}, {r.block, 0, 0}, {(u32)r.of->threads, 1, 1}, {(u32)r.of->blocks, 1, 1}};
    r.of->entry(r.of->arguments);
    return 0;
}

static void launch(kernel &k)
{
    for (u32 block = 0; block < k.blocks; block += 1) {
        if (k.threads > 1) pthread_barrier_init(&barriers[block], 0, (u32)k.threads);
        for (u32 thread = 0; thread < k.threads; thread += 1) {
            runner &r = runners[running++];
            r = {&k, block, thread, 0};
            pthread_create(&r.id, 0, run, &r);
        }
    }
}

static void terminate(kernel &k)
{
    command(k, ANN_ACTIVE | ANN_TERMINATE);
    for (size_t i = 0; i < running; i += 1)
        if (runners[i].of == &k) pthread_join(runners[i].id, 0);
    for (size_t block = 0; block < k.blocks; block += 1)
        if (half_word(k, block, ANN_CONTROL_STATE) != ANN_STATE_TERMINATED) wrong("a block has not ended", block);
}

// One scan of a kernel that is connected to itself, as that of `annulus_runtime`'s links: whether it seems to be at
// rest, and its counts.
struct scan {
    bool rests;
    u64 counts[8];
};
static scan look(const kernel &k, size_t places)
{
    scan found = {true, {}};
    u64 rested[4], fed = 0, sum = 0;
    for (size_t i = 0; i < k.blocks; i += 1) rested[i] = word(k, i, ANN_CONTROL_RESTED);
    for (size_t i = 0; i < k.blocks; i += 1) {
        found.counts[i] = word(k, i, k.inbound + ANN_RING_CONSUMED);
        found.rests = found.rests && found.counts[i] == k.reserved[i];
    }
    for (size_t i = 0; i < k.blocks; i += 1) {
        u32 stalled = half_word(k, i, ANN_CONTROL_STALLED);
        found.rests = found.rests && (stalled == 0 || stalled == ANN_STALLED_HOLDS);
        for (size_t at = 0; at < places; at += 1)
            found.rests = found.rests && word(k, i, k.shard_stride - (places * 64 + 127) / 128 * 128 + at * 64 + 16) == 0;
    }
    for (size_t i = 0; i < k.blocks; i += 1) {
        u64 taken = word(k, i, ANN_CONTROL_TAKEN);
        found.rests = found.rests && taken == rested[i];
        found.counts[k.blocks + i] = taken;
    }
    for (size_t i = 0; i < k.blocks; i += 1) fed += word(k, i, ANN_CONTROL_FORWARDED), sum += found.counts[k.blocks + i];
    found.rests = found.rests && fed == sum;
    return found;
}

// Whether two scans in a row find it at rest.
static bool is_at_rest(const kernel &k, size_t places)
{
    scan first = look(k, places);
    if (!first.rests) return false;
    scan second = look(k, places);
    return second.rests && memcmp(first.counts, second.counts, sizeof first.counts) == 0;
}
