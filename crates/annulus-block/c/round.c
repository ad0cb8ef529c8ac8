/* The block: rounds, where the launch asks for them: what a turn may take of what lies in the rings, and what the block
   says of its part. `annulus_sync::rounds` describes the protocol, of which the barrier's words are in `superstep.c`. */

#ifdef ANN_LAUNCH_ROUNDS

/* A block's vote on the round, beside those in `superstep.c`. The result of all votes uses the same bits. */
#define ANN_STEP_OPEN 8u  /* something is left of its part, or it notes what the next one has; somebody says so */
#define ANN_STEP_MORE 16u /* nothing is, and something waits for the next round; all blocks note that in the next step */

/* By the leader: what is left of the round of the host's messages, */
ANN_FUNCTION u64 ann_left_of_host(PRIVATE const ann_view *v)
{
    return v->shared->round_end - v->shared->state.next_in;
}

/* and of what kernels have sent. */
ANN_FUNCTION u64 ann_left_of_kernels(PRIVATE const ann_view *v)
{
    return v->shared->round_end_near - v->shared->state.taken;
}

/* Of so many messages, those that are in the round. */
ANN_FUNCTION u32 ann_part_of_round(u32 count, u64 left)
{
    return left < count ? (u32)left : count;
}

/* By the leader, of which so much is left: whether messages behind the end are no work for the block, since somebody's part
   is open. Else the next round is about to begin, and has them. */
ANN_FUNCTION u32 ann_waits_for_round(PRIVATE const ann_view *v, u64 left)
{
    return left == 0 && v->shared->round_is_open;
}

/* By the leader: whether nothing is left for the block of a round that is open. */
ANN_FUNCTION u32 ann_has_no_part(PRIVATE const ann_view *v)
{
    return ann_waits_for_round(v, ann_left_of_host(v) + ann_left_of_kernels(v) + v->shared->state.pending);
}

/* By the leader, before its block's first turn of an epoch. */
ANN_FUNCTION void ann_load_round(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    b->rounds = ann_load_relaxed_u64(&v->record->rounds);
    b->round_end = v->record->round_end;
    b->round_end_near = v->record->round_end_near;
    b->round_is_open = 0;
    b->notes = 0;
}

/* By the leader, when its block ends. */
ANN_FUNCTION void ann_keep_round(PRIVATE const ann_view *v)
{
    v->record->round_end = v->shared->round_end;
    v->record->round_end_near = v->shared->round_end_near;
    /* So that the host launches no epoch for what the block would not take. */
    ann_store_relaxed_u32(&v->record->round_waits, ann_has_no_part(v));
}

/* By the leader: where the messages end that lie in the rings now, those of the host, */
ANN_FUNCTION u64 ann_end_of_host(PRIVATE const ann_view *v)
{
    u64 next = v->shared->state.next_in;
    u64 there = ann_load_relaxed_u64(ANN_U64(v->inbound, ANN_RING_RESERVED)) & ~ANN_CLOSED;
    /* The gauge may be older than what the block has taken. */
    return there - next <= (u64)1 << v->shared->launch.in_shift ? there : next;
}

/* and those of kernels. */
ANN_FUNCTION u64 ann_end_of_kernels(PRIVATE const ann_view *v)
{
#if ANN_LAUNCH_CONNECTABLE
    u32 waiting = ann_device_local_waiting(v);
    return v->shared->state.taken + (waiting <= (u32)1 << v->shared->launch.in_shift ? waiting : 0);
#else
    return 0;
#endif
}

/* By the leader, at a turn's end: what the block says. */
/* TWIN: round_vote */
ANN_FUNCTION u32 ann_round_vote(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_state *s = &b->state;
    if (ann_left_of_host(v) != 0 || ann_left_of_kernels(v) != 0 || s->pending != 0)
        return ANN_STEP_OPEN;
    u32 more = ann_end_of_host(v) != s->next_in || ann_end_of_kernels(v) != s->taken;
    u32 wants = (s->command & ANN_ACTIVE) != 0 && !b->ending;
    return more && wants ? ANN_STEP_MORE : 0;
}

/* By the leader, in the step after all have said that the round is over: notes how much lies in the rings. No block takes
   anything in this step. */
ANN_FUNCTION void ann_note_round(PRIVATE const ann_view *v)
{
    v->shared->round_next = ann_end_of_host(v);
    v->shared->round_next_near = ann_end_of_kernels(v);
}

/* By the leader: all blocks begin the next round. */
ANN_FUNCTION void ann_begin_round(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    b->notes = 0;
    b->round_end = b->round_next;
    b->round_end_near = b->round_next_near;
    b->rounds += 1;
    /* For the host, which may count them. */
    ann_store_relaxed_u64(&v->record->rounds, b->rounds);
}

#endif
