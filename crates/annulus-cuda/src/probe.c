/* Answers the host's numbers from 1 to `rounds` with themselves and the time, each when it is seen, and ends
   with one that is not seen for `patience` nanoseconds. Before, it sees in which steps the clock goes: the
   least by which it changes. */
ANN_KERNEL void ann_probe(u32 *words, u64 rounds, u64 patience)
{
    u64 last = ann_clock(0);
    u32 least = 0xFFFFFFFFu;
    for (u32 changes = 0; changes < 64;) {
        u64 now = ann_clock(0);
        if (now == last)
            continue;
        least = now - last < least ? (u32)(now - last) : least;
        last = now;
        changes++;
    }
    ann_store_relaxed_u32(words + 36, least);
    for (u32 round = 1; round <= rounds; round++) {
        u64 begun = ann_clock(0);
        u32 seen = 1;
        while (ann_load_relaxed_u32(words) < round && seen)
            seen = ann_clock(0) - begun < patience;
        ann_fence_acquire();
        ann_store_relaxed_u64((u64 *)(words + 34), ann_clock(0));
        ann_store_relaxed_u32(words + 33, seen);
        ann_store_release_u32(words + 32, round);
        if (!seen)
            return;
    }
}
