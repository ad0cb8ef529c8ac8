/* The block: how it tells the host what it has done. */

#if ANN_DEFERS

/* By the leader: stores the counts. Whoever sees, behind a fence, that a message was consumed sees it
   counted. */
ANN_FUNCTION void ann_store_counts(PRIVATE const ann_view *v)
{
    LOCAL ann_state *s = &v->shared->state;
    ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_PROCESSED), s->processed);
    if (s->failed + s->unknown_actor != 0) {
        ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_FAILED), s->failed);
        ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_UNKNOWN), s->unknown_actor);
        if (s->shown_error != 0)
            ann_store_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_ERROR), s->shown_error);
    }
    ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_SENT), s->sent);
#if ANN_LAUNCH_CONNECTABLE
    ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_TAKEN), s->taken);
#if defined(ANN_OUTPUT) && defined(ANN_ROWS)
    ann_store_copies(v);
#elif defined(ANN_OUTPUT) && defined(ANN_PORTS)
    ann_store_ports(v);
#endif
    ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_FORWARDED), s->forwarded);
#endif
}

/* By the leader, behind a fence: the gauges, and the slots that are given back. Who sees in a gauge that
   there is an answer, or a dead letter, finds it. SYNC: gauge (release) */
ANN_FUNCTION void ann_store_gauges(PRIVATE const ann_view *v, u64 next_out)
{
    LOCAL ann_shared *b = v->shared;
    if (b->launch.dead_letters != 0)
        ann_store_fenced_u64(ANN_U64(v->shard + b->launch.dead_letters, ANN_RING_RESERVED), b->state.next_dead_letter);
    ann_store_fenced_u64(ANN_U64(v->outbound, ANN_RING_RESERVED), next_out);
    /* SYNC: slots-returned (release) */
    ann_store_fenced_u64(ANN_U64(v->inbound, ANN_RING_CONSUMED), b->state.next_in);
#if ANN_LAUNCH_CONNECTABLE
    u32 next = ann_device_local_next(v);
    if (b->returned != next) {
        /* SYNC: device-local-returned (release) */
        ann_device_store_release_u32(ANN_U32(v->device_local, ANN_DEVICE_LOCAL_CONSUMED), next);
        b->returned = next;
    }
#endif
    b->owed = 0;
    b->owing = 0;
}

/* By the leader, before the fence that publishes a turn's answers: stores what is owed for earlier turns, so
   that the fence releases it, too. Returns whether anything is owed. */
ANN_FUNCTION u32 ann_begin_to_pay(PRIVATE const ann_view *v)
{
    u32 owes = v->shared->owed != 0;
    if (owes)
        ann_store_counts(v);
    return owes;
}

/* By the leader: tells the host what it has not been told yet. */
ANN_FUNCTION void ann_settle_up_here(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    if (b->owed == 0)
        return;
    ann_store_counts(v);
    if ((b->state.command & ANN_TELEMETRY) != 0)
        ann_write_telemetry(v);
#if ANN_LAUNCH_CONNECTABLE && defined(ANN_OUTPUT)
    /* Between what was taken and what is given back: whoever sees that the message was consumed whose outputs
       wait sees that they wait. */
    if (b->state.pending != 0)
        ann_publish_pending(v);
#endif
    /* SYNC: gauge, slots-returned (release) */
    ann_fence_release();
    ann_store_gauges(v, b->state.next_out);
#if ANN_LAUNCH_CONNECTABLE && ANN_SEALS_IMAGES && ANN_FORWARDS_ONE && !defined(ANN_PORTS)
    /* Others may send there, so often that tickets begin anew. */
    b->keeps_tickets = 0;
#endif
}

ANN_APART(ann_settle_up)

/* By the leader, at a turn's end: puts off telling the host, unless too much is owed, or for too long. */
ANN_FUNCTION void ann_owe(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    u64 now = ann_clock(b->launch.clock);
    if (b->owed == 0)
        b->owed_since = now;
    b->owed += 1;
    b->owing += b->taken;
    u64 owed_for = now - b->owed_since;
    u32 is_due = (b->owed >= ANN_OWED_TURNS && owed_for >= ANN_OWED_NANOS) || owed_for >= ANN_OWED_NANOS_AT_MOST
        || b->owing * 4 >= (u32)1 << b->launch.in_shift;
#if ANN_LAUNCH_CONNECTABLE
    /* The block is about to wait for another kernel. */
    is_due |= b->state.pending != 0;
#endif
    if (is_due)
        ann_settle_up(v);
}

#else

/* Nothing is ever owed: each turn's end tells the host everything. */
ANN_FUNCTION u32 ann_begin_to_pay(PRIVATE const ann_view *v)
{
    return 0;
}
ANN_FUNCTION void ann_store_gauges(PRIVATE const ann_view *v, u64 next_out) {}
ANN_FUNCTION void ann_settle_up(PRIVATE const ann_view *v) {}

#endif
