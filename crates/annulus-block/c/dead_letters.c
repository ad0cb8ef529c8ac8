/* The block: messages whose handlers failed. */

/* Puts the message of a failed call into the ring of dead letters. If there is no room, counts it as lost. */
/* TWIN: bury */
ANN_FUNCTION void ann_bury(const ann_view *v, GLOBAL const u8 *message, u32 code)
{
    LOCAL ann_launch *l = &v->shared->launch;
    LOCAL ann_state *s = &v->shared->state;
    if (l->dead_letters == 0)
        return;
    GLOBAL u8 *ring = v->shard + l->dead_letters;
    u64 capacity = (u64)1 << l->dead_letter_shift;
    if (s->next_dead_letter - s->dead_letters_seen >= capacity) {
        /* SYNC: slots-returned (acquire) */
        s->dead_letters_seen = ann_load_acquire_u64(ANN_U64(ring, ANN_RING_CONSUMED));
        if (s->next_dead_letter - s->dead_letters_seen >= capacity) {
            s->dead_letters_lost += 1;
            ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_DEAD_LETTERS_LOST), s->dead_letters_lost);
            return;
        }
    }
    GLOBAL u8 *slot = ring + ANN_RING_SLOTS + (s->next_dead_letter & (capacity - 1)) * l->dead_letter_stride;
    if (ANN_MESSAGE_BYTES != 0)
        *(GLOBAL ANN_MESSAGE *)(slot + l->dead_letter_payload) = *(GLOBAL const ANN_MESSAGE *)message;
    *ANN_U32(slot, 4) = ANN_KIND_DEAD_LETTER << 24 | code;
    /* SYNC: slot-published (release) */
    ann_store_release_u32(ANN_U32(slot, 0), (u32)(s->next_dead_letter >> l->dead_letter_shift) + 1);
    s->next_dead_letter += 1;
    v->shared->dead_letters += 1;
}
