/* The block: how it wakes the host. */

/* Tells the host, if it sleeps and wants to hear of it, that something is new (SYNC: doorbell). */
ANN_FUNCTION void ann_tell(PRIVATE const ann_view *v, u32 noted)
{
#if ANN_RINGS
    ann_fence_all();
    u32 asleep = ann_load_relaxed_u32(&v->doorbell->asleep);
    if (asleep == 1 || (asleep == 2 && noted != 0)) {
        /* SYNC: doorbell-rung (release) */
        ann_store_release_u32(&v->doorbell->rung, 1);
        ann_ring(&v->doorbell->rung);
    }
#endif
}
