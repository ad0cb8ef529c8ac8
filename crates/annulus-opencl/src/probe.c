/* Answers the host's word with itself, until it is 2 or patience ends. */
ANN_KERNEL void ann_probe(GLOBAL u32 *words, u64 looks)
{
    for (u64 i = 0; i < looks; i++) {
        u32 number = ann_load_acquire_u32(words);
        ann_store_relaxed_u32(words + 65, ANN_SYSTEM);
        ann_store_release_u32(words + 64, number);
        if (number == 2)
            return;
        ann_yield();
    }
}
