
#include <sched.h>

// Runs one launch beside a host that takes at its word whatever the block says. The first file has the bytes behind
// each of the entry's pointers, after their number; the second gets those behind the first pointer when all threads have ended. The third
// argument is the seed.
static u8 *arguments[7];

static void *run(void *thread)
{
    place = {{(u32)(size_t)thread, 0, 0}, {0, 0, 0}, {ANN_LAUNCH_THREADS, 1, 1}, {1, 1, 1}};
    ann_main(arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5], arguments[6]);
    return 0;
}

static u32 has_ended;
static volatile u64 sum;

static void read_bytes(const void *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 1) sum += ((const u8 *)from)[i];
}

// The host. It writes to every place that it gets back, and reads every answer, letter, print and record as soon as it is there. Whoever still
// reads, or still writes, is in a race. And it finds every answer that the gauge counts.
static void *host(void *)
{
    const ann_launch *l = (const ann_launch *)arguments[3];
    u8 *shard = arguments[0];
    u8 *inbound = shard + l->inbound, *outbound = shard + l->outbound, *letters = shard + l->letters, *prints = shard + l->prints;
    const ann_block_record *record = (const ann_block_record *)arguments[2];
    u64 given_back = 0, answers = 0, buried = 0, shown = 0;
    u32 record_is_read = 0;
    for (u32 last = 0;; sched_yield()) {
        u64 consumed = ann_load_acquire_u64((const u64 *)(inbound + ANN_RING_CONSUMED));
        for (; given_back < consumed; given_back += 1) {
            u8 *slot = inbound + ANN_RING_SLOTS + (given_back & (((u64)1 << l->in_shift) - 1)) * l->in_stride;
            for (size_t i = 0; i < sizeof(ANN_MESSAGE); i += 1) slot[l->in_payload + i] = 0xAA;
            *(u64 *)(slot + l->in_correlation) = 0xAAAAAAAAAAAAAAAA;
        }
        u64 counted = ann_load_acquire_u64((const u64 *)(outbound + ANN_RING_RESERVED)) & ~ANN_CLOSED;
        for (;; answers += 1) {
            u8 *slot = outbound + ANN_RING_SLOTS + (answers & (((u64)1 << l->out_shift) - 1)) * l->out_stride;
            if (ann_load_acquire_u32((const u32 *)slot) != (u32)(answers >> l->out_shift) + 1) break;
            read_bytes(slot + 4, 4);
            read_bytes(slot + l->out_correlation, 8);
            if (*(u32 *)(slot + 4) >> 24 == ANN_KIND_MESSAGE) read_bytes(slot + l->out_payload, l->out_bytes);
        }
        if (answers < counted) {
            fprintf(stderr, "%llu answers are counted, and %llu are there\n", (unsigned long long)counted, (unsigned long long)answers);
            exit(3);
        }
        for (;; buried += 1) {
            u8 *slot = letters + ANN_RING_SLOTS + (buried & (((u64)1 << l->letter_shift) - 1)) * l->letter_stride;
            if (ann_load_acquire_u32((const u32 *)slot) != (u32)(buried >> l->letter_shift) + 1) break;
            read_bytes(slot + 4, 4);
            read_bytes(slot + l->letter_payload, sizeof(ANN_MESSAGE));
        }
        for (;; shown += 1) {
            u8 *slot = prints + ANN_RING_SLOTS + (shown & (((u64)1 << l->print_shift) - 1)) * l->print_stride;
            if (ann_load_acquire_u32((const u32 *)slot) != (u32)(shown >> l->print_shift) + 1) break;
            read_bytes(slot + 4, 4);
            read_bytes(slot + 8, 24);
        }
        if (!record_is_read && ann_load_acquire_u32(&record->ended) == 1) {
            read_bytes(&record->state, sizeof record->state);
            record_is_read = 1;
        }
        if (last) return 0;
        last = ann_load_acquire_u32(&has_ended);
    }
}

int main(int argc, char **argv)
{
    FILE *from = argc == 4 ? fopen(argv[1], "rb") : 0;
    seed = argc == 4 ? (u32)atoi(argv[3]) : 0;
    u64 first = 0;
    for (int i = 0; i < 7; i += 1) {
        u64 bytes = 0;
        if (!from || fread(&bytes, sizeof bytes, 1, from) != 1) return 2;
        arguments[i] = (u8 *)aligned_alloc(128, (bytes + 127) / 128 * 128);
        if (fread(arguments[i], 1, bytes, from) != bytes) return 2;
        if (i == 0) first = bytes;
    }
    pthread_barrier_init(&barrier, 0, ANN_LAUNCH_THREADS);
    pthread_t threads[ANN_LAUNCH_THREADS];
    for (size_t i = 0; i < ANN_LAUNCH_THREADS; i += 1) pthread_create(&threads[i], 0, run, (void *)i);
    pthread_t sender;
    pthread_create(&sender, 0, host, 0);
    for (size_t i = 0; i < ANN_LAUNCH_THREADS; i += 1) pthread_join(threads[i], 0);
    ann_store_release_u32(&has_ended, 1);
    pthread_join(sender, 0);
    FILE *to = fopen(argv[2], "wb");
    return to && fwrite(arguments[0], 1, first, to) == first && fclose(to) == 0 ? 0 : 2;
}
