/* Each block copies the host's word into a line of its own, once all blocks have arrived or it has looked often enough; how many had
   arrived when it looked last is the line's second word. */
ANN_KERNEL void ann_probe(
    GLOBAL u32 *words ANN_BUFFER, ANN_NUMBER looks ANN_BUFFER, ANN_NUMBER all ANN_BUFFER ANN_PLACE_PARAMETERS)
{
    struct {
        ANN_PLACE
    } place;
    ann_take_place(&place);
    if (ann_thread(&place) == 0) {
        GLOBAL u32 *own = words + 64 + 32 * ann_block(&place);
        u32 number = ann_load_acquire_u32(words);
        u32 arrived = 0;
        ann_arrive_grid(words + 32);
        for (u64 i = 0; i < looks && arrived < all; i++)
            arrived = ann_load_acquire_u32(words + 32);
        ann_store_relaxed_u32(own + 1, arrived);
        ann_store_release_u32(own, number);
    }
    ann_barrier();
}
