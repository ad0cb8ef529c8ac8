/* The block: messages whose handlers failed. */

/* Puts the message of a failed call into the ring of letters; counts it if there is no room. */
ANN_FUNCTION void ann_bury(const ann_view *v, GLOBAL const u8 *message, u32 code)
{
    LOCAL ann_launch *l = &v->shared->launch;
    LOCAL ann_state *s = &v->shared->state;
    if (l->letters == 0)
        return;
    GLOBAL u8 *ring = v->shard + l->letters;
    u64 capacity = (u64)1 << l->letter_shift;
    if (s->next_letter - s->letters_seen >= capacity) {
        /* SYNC: slots-returned (acquire) */
        s->letters_seen = ann_load_acquire_u64(ANN_U64(ring, ANN_RING_CONSUMED));
        if (s->next_letter - s->letters_seen >= capacity) {
            s->letters_lost += 1;
            ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_LETTERS_LOST), s->letters_lost);
            return;
        }
    }
    GLOBAL u8 *slot = ring + ANN_RING_SLOTS + (s->next_letter & (capacity - 1)) * l->letter_stride;
    if (ANN_MESSAGE_BYTES != 0)
        *(GLOBAL ANN_MESSAGE *)(slot + l->letter_payload) = *(GLOBAL const ANN_MESSAGE *)message;
    *ANN_U32(slot, 4) = ANN_KIND_LETTER << 24 | code;
    /* SYNC: slot-published (release) */
    ann_store_release_u32(ANN_U32(slot, 0), (u32)(s->next_letter >> l->letter_shift) + 1);
    s->next_letter += 1;
    v->shared->letters += 1;
}
