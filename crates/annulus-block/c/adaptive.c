/* The block: how many messages a turn takes at most, in the mode Adaptive. */

#if ANN_LAUNCH_ADAPTIVE

/* By the leader, whose turn finds `depth` messages, 1 or more: the most messages of this turn. The size
   doubles where more wait, and is halved where a quarter of it or less does. */
/* TWIN: adapt */
ANN_FUNCTION u32 ann_adapt(PRIVATE const ann_view *v, u64 depth)
{
    LOCAL ann_shared *b = v->shared;
    u32 most = b->launch.limit;
    if (depth > b->turn_size)
        b->turn_size = b->turn_size > most / 2 ? most : b->turn_size * 2;
    else if (depth <= b->turn_size / 4)
        b->turn_size /= 2;
    return b->turn_size;
}

/* What the gauge says of the host's messages that wait. It may be older than the slot that was seen. */
ANN_FUNCTION u64 ann_plausible_depth(PRIVATE const ann_view *v, u64 waiting)
{
    return waiting == 0 || waiting > (u64)1 << v->shared->launch.in_shift ? 1 : waiting;
}

#if ANN_LAUNCH_THREADS == 1

/* By the leader, which has seen the host's next message published: how many of the host's messages wait.
   Producers write the gauge's line, so it is not loaded as long as there is only one. */
ANN_FUNCTION u64 ann_waiting_of_host(PRIVATE const ann_view *v)
{
    u64 next = v->shared->state.next_in;
    if (!ann_published(v, next + 1))
        return 1;
    u64 reserved = ann_load_relaxed_u64(ANN_U64(v->inbound, ANN_RING_RESERVED)) & ~ANN_CLOSED;
    return ann_plausible_depth(v, reserved - next);
}

#endif

#endif
