/* The block: how several threads copy a turn's messages to scratch memory. */

#if ANN_LAUNCH_THREADS > 1

/* How many words of its share a thread copies at a time. Many, where each word waits for the bus. */
#if ANN_INDEPENDENT
#define ANN_WORDS_UNDER_WAY 16
#else
#define ANN_WORDS_UNDER_WAY 4
#endif

/* Whether the slot of the turn's i-th message is published. Of the host's slots a look acquires where that
   costs less than a fence behind all looks. */
ANN_FUNCTION u32 ann_turn_published(PRIVATE const ann_view *v, u32 i)
{
#if ANN_LAUNCH_CONNECTABLE
    if (v->shared->device_local)
        return ann_device_local_published(v, i);
#endif
    u64 ticket = v->shared->state.next_in + i;
#if ANN_ALONE
    /* SYNC: slot-published (acquire) */
    return ann_load_acquire_u32(ANN_U32(ann_in_slot(v, ticket), ANN_IN_LAP)) == ann_in_lap(v, ticket);
#else
    return ann_published(v, ticket);
#endif
}

/* The fence after slots were seen to be published, and before they are read. */
ANN_FUNCTION void ann_turn_fence(PRIVATE const ann_view *v)
{
#if ANN_LAUNCH_CONNECTABLE
    if (v->shared->device_local) {
        /* SYNC: device-local-published (acquire) */
        ann_device_fence_acquire();
        return;
    }
#endif
#if !ANN_ALONE
    /* SYNC: slot-published (acquire) */
    ann_fence_acquire();
#endif
}

/* The command that the turn's messages come after. */
ANN_FUNCTION u32 ann_turn_command(PRIVATE const ann_view *v)
{
#if ANN_LAUNCH_CONNECTABLE
    if (v->shared->device_local)
        return v->shared->command;
#endif
    return ann_load_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_COMMAND));
}

/* Each thread looks at its share of the slots that may be published. */
ANN_FUNCTION void ann_look(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    u32 window = b->window;
    u32 gap = window;
    /* The leader has seen the first slot. No load waits for the one before. */
    for (u32 i = 1 + ann_thread(v); i < window; i += ANN_LAUNCH_THREADS) {
        u32 published = ann_turn_published(v, i);
        gap = !published && i < gap ? i : gap;
    }
    if (window != 0)
        ann_turn_fence(v);
    if (gap < window)
        ann_shared_min(&b->found, gap);
}

/* Each thread copies its share of the messages' words; the leader decides how many are handled. */
ANN_FUNCTION void ann_bring(PRIVATE const ann_view *v, u32 leader)
{
    LOCAL ann_shared *b = v->shared;
    u32 found = b->found;
    u32 words = (u32)(ann_turn_stride(v) / 8);
    u32 all = found * words;
    u32 command = 0;
    if (leader && found != 0)
        command = ann_turn_command(v);
#ifdef ANN_BRIDGED
    all = 0;
#endif
    for (u32 first = ann_thread(v); first < all; first += ANN_WORDS_UNDER_WAY * ANN_LAUNCH_THREADS) {
        ann_word copied[ANN_WORDS_UNDER_WAY];
        /* Without a condition on each, compilers keep the loads together. */
        if (first + (ANN_WORDS_UNDER_WAY - 1) * ANN_LAUNCH_THREADS < all) {
            for (u32 j = 0; j < ANN_WORDS_UNDER_WAY; j++) {
                u32 word = first + j * ANN_LAUNCH_THREADS;
                copied[j] = ann_load_word(ann_turn_slot(v, word / words) + word % words * 8);
            }
            for (u32 j = 0; j < ANN_WORDS_UNDER_WAY; j++) {
                u32 word = first + j * ANN_LAUNCH_THREADS;
                ann_store_word(ann_message_at(v, word / words) + word % words * 8, copied[j]);
            }
            continue;
        }
        for (u32 j = 0; j < ANN_WORDS_UNDER_WAY; j++) {
            u32 word = first + j * ANN_LAUNCH_THREADS;
            if (word < all)
                copied[j] = ann_load_word(ann_turn_slot(v, word / words) + word % words * 8);
        }
        for (u32 j = 0; j < ANN_WORDS_UNDER_WAY; j++) {
            u32 word = first + j * ANN_LAUNCH_THREADS;
            if (word < all)
                ann_store_word(ann_message_at(v, word / words) + word % words * 8, copied[j]);
        }
    }
    if (leader && found != 0)
        b->count = ann_accept(v, found, command);
}

#endif
