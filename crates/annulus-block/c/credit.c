/* The block: room for what handlers send. */

/* Messages that there is credit for, of `want`; with a fresh look at the ring only if the last one does not
   suffice. */
/* TWIN: has_credit */
ANN_FUNCTION u32 ann_credit(const ann_view *v, u32 want)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_state *s = &b->state;
    u64 need = (u64)want * b->launch.credit;
    u64 capacity = (u64)1 << b->launch.out_shift;
    if (s->next_out + need - s->out_seen <= capacity)
        return want;
    /* SYNC: slots-returned (acquire) */
    s->out_seen = ann_load_acquire_u64(ANN_U64(v->outbound, ANN_RING_CONSUMED));
    u64 room = (capacity - (s->next_out - s->out_seen)) / b->launch.credit;
    return room < want ? (u32)room : want;
}

/* As above, and says in the control block when there is none, so that the host that makes room wakes this
   block. */
/* TWIN: or_stall */
ANN_FUNCTION u32 ann_credit_or_stall(const ann_view *v, u32 want)
{
    LOCAL ann_state *s = &v->shared->state;
    u32 credit = ann_credit(v, want);
    if ((credit == 0) == (s->stalled != 0))
        return credit;
    if (credit == 0) {
        ann_settle_up(v);
        ann_store_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_STALLED), 1);
        /* SYNC: stalled */
        ann_fence_all();
        credit = ann_credit(v, want);
    }
    if (credit != 0)
        ann_store_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_STALLED), 0);
    s->stalled = credit == 0;
    return credit;
}
