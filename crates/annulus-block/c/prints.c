/* The block: what handlers print. */

#ifdef ANN_PRINTS

/* By the leader: how much this turn may print. */
ANN_FUNCTION void ann_grant_prints(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_state *s = &b->state;
    u64 capacity = (u64)1 << b->launch.print_shift;
    /* SYNC: slots-returned (acquire) */
    if (s->next_print != s->prints_seen)
        s->prints_seen = ann_load_acquire_u64(ANN_U64(v->shard + b->launch.prints, ANN_RING_CONSUMED));
    b->prints.first = s->next_print;
    b->prints.room = (u32)(capacity - (s->next_print - s->prints_seen));
    b->prints.count = 0;
}

/* By the leader: counts the turn's prints, which are all published. */
ANN_FUNCTION void ann_count_prints(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_state *s = &b->state;
    u32 lost = b->prints.count > b->prints.room ? b->prints.count - b->prints.room : 0;
    if (lost != 0) {
        s->prints_lost += lost;
        /* SYNC: prints-lost (release): of what lies in the ring. */
        ann_store_release_u64(ANN_U64(v->shard, ANN_CONTROL_PRINTS_LOST), s->prints_lost);
    }
    s->next_print += b->prints.count - lost;
    /* SYNC: gauge (release) */
    ann_store_release_u64(ANN_U64(v->shard + b->launch.prints, ANN_RING_RESERVED), s->next_print);
}

#endif
