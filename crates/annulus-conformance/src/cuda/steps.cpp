
// Runs two epochs of a launch in step, each of its blocks of one thread. The first file has how many blocks
// there are and the bytes behind each of the entry's pointers, after their number; the second gets those
// behind the first one afterwards. The third argument is the seed.
static u8 *arguments[9];
static u64 lengths[9];
static size_t blocks;

static void *run(void *block)
{
    place = {{0, 0, 0}, {(u32)(size_t)block, 0, 0}, {1, 1, 1}, {(u32)blocks, 1, 1}};
    ann_main(arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5], arguments[6], arguments[7], (u32 *)arguments[8],
             lengths[8] / 4);
    return 0;
}

int main(int argc, char **argv)
{
    FILE *from = argc == 4 ? fopen(argv[1], "rb") : 0;
    seed = argc == 4 ? (u32)atoi(argv[3]) : 0;
    if (!from || fread(&blocks, sizeof blocks, 1, from) != 1) return 2;
    for (int i = 0; i < 9; i += 1) {
        if (fread(&lengths[i], sizeof lengths[i], 1, from) != 1) return 2;
        arguments[i] = (u8 *)aligned_alloc(128, (lengths[i] + 127) / 128 * 128);
        if (fread(arguments[i], 1, lengths[i], from) != lengths[i]) return 2;
    }
    ann_block_record *records = (ann_block_record *)arguments[2];
    for (u32 epoch = 1; epoch <= 2; epoch += 1) {
        pthread_t threads[64];
        for (size_t i = 0; i < blocks; i += 1) records[i].epoch = epoch;
        for (size_t i = 0; i < blocks; i += 1) pthread_create(&threads[i], 0, run, (void *)i);
        for (size_t i = 0; i < blocks; i += 1) pthread_join(threads[i], 0);
        for (size_t i = 0; i < blocks; i += 1)
            if (records[i].ended != epoch) return 3;
    }
    FILE *to = fopen(argv[2], "wb");
    return to && fwrite(arguments[0], 1, lengths[0], to) == lengths[0] && fclose(to) == 0 ? 0 : 2;
}
