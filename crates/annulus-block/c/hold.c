/* The block: a hold that is longer than what one turn sends (`ANN_LAUNCH_HOLD`, so many outputs). Such a block takes
   messages while outputs wait, as long as there is room for all that their handlers may send. */

#if ANN_LAUNCH_HOLD

#if !ANN_LAUNCH_CONNECTABLE || !defined(ANN_OUTPUT) || ANN_LAUNCH_THREADS != 1 \
    || (!defined(ANN_PORTS) && !defined(ANN_ROWS))
#error "a long hold is that of a block of one thread, with several ways out, or that sends along rows"
#endif

/* By the leader: moves what is held together, in its order, to the front of the hold. */
/* TWIN: squeeze */
ANN_FUNCTION void ann_squeeze(PRIVATE const ann_view *v)
{
    LOCAL ann_state *s = &v->shared->state;
#ifdef ANN_ROWS
    /* What has gone lies in front. */
    if (s->pending_from == 0)
        return;
#endif
    u32 to = 0;
    for (u32 from = s->pending_from; from < s->pending; from++) {
        GLOBAL u8 *output = ann_held_at(v, from);
#ifdef ANN_PORTS
        if (ANN_HAS_GONE(output))
            continue;
#endif
        GLOBAL u8 *place = ann_held_at(v, to);
        for (u32 at = 0; from != to && at < ANN_OUTPUT_STRIDE; at += 8)
            *ANN_U64(place, at) = *ANN_U64(output, at);
        to += 1;
    }
#ifdef ANN_ROWS
    v->shared->counted -= s->pending_from;
#endif
    s->pending = to;
    s->pending_from = 0;
}

/* By the leader: how many of so many messages have room for all that their handlers may send. */
ANN_FUNCTION u32 ann_hold_room(PRIVATE const ann_view *v, u32 found)
{
    LOCAL ann_state *s = &v->shared->state;
    if (s->pending + found * ANN_LIMIT > ANN_LAUNCH_HOLD)
        ann_squeeze(v);
    u32 room = (ANN_LAUNCH_HOLD - s->pending) / ANN_LIMIT;
    return found < room ? found : room;
}

/* By the leader: whether the block takes no message because of outputs that wait. */
/* TWIN: is_held_up */
ANN_FUNCTION u32 ann_is_held_up(PRIVATE const ann_view *v)
{
    if (v->shared->state.pending == 0)
        return 0;
    /* What is for the host goes first: what a later message sends must not overtake it. */
    return v->shared->returns != 0 || ann_hold_room(v, 1) == 0;
}

#endif
