/* Each group answers the host's word with itself, until that is 2 or patience ends. Its answers lie in a line
   of its own; how many groups have arrived so far they count in one that they share. A loop that only counts
   says how long loops may be. */
ANN_KERNEL void ann_probe(GLOBAL u32 *words, u64 looks, u64 turns)
{
    if (ann_thread(0) == 0) {
        GLOBAL u32 *own = words + 96 + 32 * ann_block(0);
        ann_arrive_grid(words + 32);
        for (u64 i = 0; i < looks; i++) {
            u32 number = ann_load_acquire_u32(words);
            ann_store_relaxed_u32(own + 1, ANN_SYSTEM);
            ann_store_relaxed_u32(own + 2, ann_load_acquire_u32(words + 32));
            ann_store_release_u32(own, number);
            if (number == 2)
                break;
            if ((i & 15) == 15)
                ann_yield();
        }
        u32 counted = 0;
        for (u64 i = 0; i < turns; i++)
            counted += 1 + (ann_load_relaxed_u32(words + 64) & 1);
        ann_store_relaxed_u32(own + 3, counted);
    }
    ann_barrier();
}
