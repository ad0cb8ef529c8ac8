
// Runs one launch beside a host that reuses the places of messages as soon as the block gives them back. The first file has the bytes behind
// each of the entry's pointers, after their number; the second gets those behind the first pointer when all threads have ended. The third
// argument is the seed.
static u8 *arguments[7];

static void *run(void *thread)
{
    threadIdx.x = (u32)(size_t)thread;
    ann_main(arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5], arguments[6]);
    return 0;
}

static u32 has_ended;

// The host, which writes to every place that it gets back. Whoever still reads there is in a race.
static void *host(void *)
{
    const ann_launch *launch = (const ann_launch *)arguments[3];
    u8 *inbound = arguments[0] + launch->inbound;
    u64 seen = 0;
    for (u32 last = 0;; sched_yield()) {
        u64 given_back = ann_load_acquire_u64((const u64 *)(inbound + ANN_RING_CONSUMED));
        for (; seen < given_back; seen += 1) {
            u8 *slot = inbound + ANN_RING_SLOTS + (seen & (((u64)1 << launch->in_shift) - 1)) * launch->in_stride;
            for (size_t i = 0; i < sizeof(ANN_MESSAGE); i += 1) slot[launch->in_payload + i] = 0xAA;
            *(u64 *)(slot + launch->in_correlation) = 0xAAAAAAAAAAAAAAAA;
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
