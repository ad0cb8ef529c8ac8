/* The block: messages whose handlers failed. */

#ifdef ANN_BRIDGED

/* Copies a bridged message into the slot of a dead letter, or the archive into the slot's spill block. Both
   rings have the same room. */
ANN_FUNCTION void ann_copy_bridged(
    PRIVATE const ann_view *v, GLOBAL const ANN_MESSAGE *message, GLOBAL u8 *ring, u64 index)
{
    LOCAL ann_launch *l = &v->shared->launch;
    GLOBAL u8 *payload = ring + ANN_RING_SLOTS + index * l->dead_letter_stride + l->dead_letter_payload;
    u64 spill = (u64)l->in_units * 16;
    u64 begin = sizeof(ANN_MESSAGE);
    GLOBAL const u8 *from = ANN_PAYLOAD(message);
    u32 length = ANN_LENGTH(message);
    if (length > l->dead_letter_stride - l->dead_letter_payload - begin)
        begin = (u64)((ring + ANN_RING_SLOTS + ((u64)l->dead_letter_stride << l->dead_letter_shift) + index * spill)
                      - payload);
    for (u32 at = 0; at + 8 <= length; at += 8)
        ann_store_word(payload + begin + at, ann_load_word(from + at));
    for (u32 at = length & ~7u; at < length; at++)
        payload[begin + at] = from[at];
    *(GLOBAL ANN_MESSAGE *)payload = *message;
    *ANN_U32(payload, 4) = (u32)(begin / 16);
}

#endif

/* Puts the message of a failed call into the ring of dead letters. If there is no room, counts it as lost. */
/* TWIN: bury */
ANN_FUNCTION void ann_bury(PRIVATE const ann_view *v, GLOBAL const u8 *message, u32 code)
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
#ifdef ANN_BRIDGED
    ann_copy_bridged(v, (GLOBAL const ANN_MESSAGE *)message, ring, s->next_dead_letter & (capacity - 1));
#else
    if (ANN_MESSAGE_BYTES != 0)
        *(GLOBAL ANN_MESSAGE *)(slot + l->dead_letter_payload) = *(GLOBAL const ANN_MESSAGE *)message;
#endif
    *ANN_U32(slot, 4) = ANN_KIND_DEAD_LETTER << 24 | code;
    /* SYNC: slot-published (release) */
    ann_store_release_u32(ANN_U32(slot, 0), (u32)(s->next_dead_letter >> l->dead_letter_shift) + 1);
    s->next_dead_letter += 1;
    v->shared->dead_letters += 1;
}
