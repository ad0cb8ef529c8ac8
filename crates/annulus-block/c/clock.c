/* The block: the time, and what the host asks about it. */

/* The time on the runtime's clock: the device's own where it has one, else the host's last heartbeat. */
ANN_FUNCTION u64 ann_now(const ann_view *v)
{
    u64 clock = ann_clock(v->shared->launch.clock);
    if (clock != 0)
        return clock - v->shared->launch.clock_origin;
    return ann_load_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_HEARTBEAT));
}

/* By the leader, now and then: sets its clock, and answers what the host asks of it. */
ANN_FUNCTION void ann_attend(const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    u64 origin = ann_load_relaxed_u64(&v->record->origin);
    if (origin != 0)
        b->launch.clock_origin = origin;
    u32 question = ann_load_relaxed_u32(&v->record->question);
    if (question == b->state.answered)
        return;
    b->state.answered = question;
    ann_store_relaxed_u64(&v->record->time, ann_clock(b->launch.clock));
    /* SYNC: answer (release) */
    ann_store_release_u32(&v->record->answer, question);
}
