
// Runs blocks whose kernel is connected to itself, by each of its outboxes, beside a host that sends them tokens,
// round after round, and waits after each until everything is drained, as the runtime does. The first file
// has how many blocks there are, how many tokens in how many rounds, how many milliseconds of the processor the
// blocks may take while nothing is counted (0: any), and the bytes behind each of the entry's pointers, after
// their number; the second gets those behind the first pointer when all threads have ended. The third argument is
// the seed.
#include <sched.h>
#include <string.h>
#include <time.h>

static u8 *arguments[9];

// The words that a look of a warp brings along.
static void name_words(size_t block, const u8 *shard, const ann_launch *l, const ann_block_record *record)
{
    const u8 *places[] = {shard + ANN_CONTROL_COMMAND, shard + l->inbound + ANN_RING_RESERVED, (const u8 *)&record->leave};
    memcpy(ann_word_places[block], places, sizeof places);
}
static size_t blocks;

static void *run(void *number)
{
    size_t block = (size_t)number / ANN_LAUNCH_THREADS, thread = (size_t)number % ANN_LAUNCH_THREADS;
    place = {{(u32)thread, 0, 0}, {(u32)block, 0, 0}, {ANN_LAUNCH_THREADS, 1, 1}, {(u32)blocks, 1, 1}};
    ann_main(arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5], arguments[6], arguments[7], arguments[8]);
    return 0;
}

[[noreturn]] static void wrong(const char *what, u64 one, u64 other)
{
    fprintf(stderr, "%s: %llu, %llu\n", what, (unsigned long long)one, (unsigned long long)other);
    exit(3);
}

static u8 *shard_of(size_t block)
{
    return arguments[0] + block * ((const ann_launch *)arguments[3])->shard_stride;
}

static u64 reserved[8];

// Sends a message to a block, which has room: every round is drained before the next.
static void send(size_t block, u32 key, u32 left, u32 copies)
{
    const ann_launch *l = (const ann_launch *)arguments[3];
    u8 *ring = shard_of(block) + l->inbound;
    u64 ticket = reserved[block]++;
    u32 lap = (u32)(ticket >> l->in_shift) + 1;
    u8 *slot = ring + ANN_RING_SLOTS + (ticket & (((u64)1 << l->in_shift) - 1)) * l->in_stride;
    u32 image[6] = {ANN_ACTIVE, ANN_KIND_MESSAGE << 24 | (u32)sizeof(ANN_MESSAGE), key, left, copies, 0};
    ann_store_relaxed_u64((u64 *)(ring + ANN_RING_RESERVED), ticket + 1);
#if ANN_LAUNCH_SEALED
    for (u32 unit = 0; unit < l->in_units; unit += 1) {
        u32 words[4] = {image[unit * 3], image[unit * 3 + 1], image[unit * 3 + 2], lap};
        asm volatile("movdqu (%1), %%xmm0\n\tmovdqa %%xmm0, (%0)" : : "r"(slot + unit * 16), "r"(words) : "xmm0", "memory");
    }
#else
    for (u32 word = 1; word < 6; word += 1) ((u32 *)slot)[word] = image[word];
    ann_store_release_u32((u32 *)slot, lap);
#endif
}

static u64 word(size_t block, size_t offset) { return ann_load_acquire_u64((const u64 *)(shard_of(block) + offset)); }

// One scan, as that of `annulus_runtime`'s links: whether the kernel seems to be at rest, and its counts.
struct scan {
    bool rests;
    u64 counts[16];
};
static scan look()
{
    const ann_launch *l = (const ann_launch *)arguments[3];
    scan found = {true, {}};
    u64 rested[8], fed = 0, sum = 0;
    for (size_t i = 0; i < blocks; i += 1) rested[i] = word(i, ANN_CONTROL_RESTED);
    for (size_t i = 0; i < blocks; i += 1) {
        found.counts[i] = word(i, l->inbound + ANN_RING_CONSUMED);
        found.rests = found.rests && found.counts[i] == reserved[i];
    }
    for (size_t i = 0; i < blocks; i += 1)
        found.rests = found.rests && ann_load_acquire_u32((const u32 *)(shard_of(i) + ANN_CONTROL_STALLED)) == 0;
    for (size_t i = 0; i < blocks; i += 1) {
        u64 taken = word(i, ANN_CONTROL_TAKEN);
        found.rests = found.rests && taken == rested[i];
        found.counts[blocks + i] = taken;
    }
    for (size_t i = 0; i < blocks; i += 1) fed += word(i, ANN_CONTROL_FORWARDED), sum += found.counts[blocks + i];
    found.rests = found.rests && fed == sum;
    return found;
}

static u64 patience;

// Milliseconds of the processor that this process has taken: blocks look for work all the time, so this says how
// much they have looked, however many other processes there are.
static u64 looked()
{
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (u64)now.tv_sec * 1000 + (u64)now.tv_nsec / 1000000;
}

static void await_rest()
{
    u64 last = 0, since = looked();
    for (;; sched_yield()) {
        scan first = look();
        if (!first.rests) {
            u64 all = 0;
            for (size_t i = 0; i < blocks; i += 1)
                all += first.counts[i] + first.counts[blocks + i] + word(i, ANN_CONTROL_FORWARDED) + word(i, ANN_CONTROL_PROCESSED);
            if (all != last) last = all, since = looked();
            else if (patience != 0 && looked() - since > patience) wrong("nothing moves, and not all is drained", all, patience);
            continue;
        }
        scan second = look();
        if (second.rests && memcmp(first.counts, second.counts, sizeof first.counts) == 0) return;
    }
}

int main(int argc, char **argv)
{
    FILE *from = argc == 4 ? fopen(argv[1], "rb") : 0;
    seed = argc == 4 ? (u32)atoi(argv[3]) : 0;
    u64 first = 0, rounds = 0, tokens = 0;
    if (!from || fread(&blocks, sizeof blocks, 1, from) != 1 || fread(&tokens, sizeof tokens, 1, from) != 1 ||
        fread(&rounds, sizeof rounds, 1, from) != 1 || fread(&patience, sizeof patience, 1, from) != 1)
        return 2;
    for (int i = 0; i < 9; i += 1) {
        u64 bytes = 0;
        if (fread(&bytes, sizeof bytes, 1, from) != 1) return 2;
        arguments[i] = (u8 *)aligned_alloc(128, (bytes + 127) / 128 * 128);
        if (fread(arguments[i], 1, bytes, from) != bytes) return 2;
        if (i == 0) first = bytes;
    }
    ((ann_launch *)arguments[3])->device_local = (u64)arguments[7];
#ifdef ANN_PORTS
    for (size_t i = 0; i < ANN_PORTS; i += 1) ((ann_link *)arguments[8])[i].rings = (u64)arguments[7];
#else
    ((ann_link *)arguments[8])->rings = (u64)arguments[7];
#endif
    pthread_t threads[8 * ANN_LAUNCH_THREADS];
    for (size_t i = 0; i < blocks; i += 1) {
        pthread_barrier_init(&barriers[i], 0, ANN_LAUNCH_THREADS);
        name_words(i, shard_of(i), (const ann_launch *)arguments[3], (const ann_block_record *)arguments[2] + i);
    }
    for (size_t i = 0; i < blocks * ANN_LAUNCH_THREADS; i += 1) pthread_create(&threads[i], 0, run, (void *)i);
    place.thread.x = 100;
    u64 handled = 0;
    for (u64 round = 0; round < rounds; round += 1) {
        // One token, of which copies branch off, or as many as the rings hold without all of them being full.
        u32 copies = round % 3 == 0;
        for (u64 i = 0; i < (copies ? 1 : tokens); i += 1) {
            u32 left = copies ? 2 : (u32)(round * 3 + i * 5) % 9;
            send((round + i) % blocks, (u32)((round + i) % blocks), left, copies);
            handled += 1 + left * (copies + 1);
        }
        await_rest();
        u64 told = 0;
        for (size_t i = 0; i < blocks; i += 1) told += word(i, ANN_CONTROL_PROCESSED);
        if (told != handled) wrong("drained, and handled are not all", told, handled);
    }
    for (size_t i = 0; i < blocks; i += 1)
        ann_store_release_u32((u32 *)(shard_of(i) + ANN_CONTROL_COMMAND), ANN_ACTIVE | ANN_TERMINATE);
    for (size_t i = 0; i < blocks * ANN_LAUNCH_THREADS; i += 1) pthread_join(threads[i], 0);
    FILE *to = fopen(argv[2], "wb");
    return to && fwrite(arguments[0], 1, first, to) == first && fclose(to) == 0 ? 0 : 2;
}
