/* The block: the time, and what the host asks about it. */

/* The time on the runtime's clock: the device's own where it has one, else the host's last heartbeat. */
/* TWIN: now */
ANN_FUNCTION u64 ann_now(PRIVATE const ann_view *v)
{
    u64 clock = ann_clock(v->shared->launch.clock);
    if (clock != 0)
        return clock - v->shared->launch.clock_origin;
    return ann_load_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_HEARTBEAT));
}

/* What the host asks a block from time to time. */
typedef struct {
    u64 origin;
    u32 question;
    u32 leave;
} ann_asked;

/* By the leader: begins to load it. Nothing waits here. */
ANN_FUNCTION ann_asked ann_look_at_asked(PRIVATE const ann_view *v)
{
    ann_asked asked;
    asked.origin = ann_load_relaxed_u64(&v->record->origin);
    asked.question = ann_load_relaxed_u32(&v->record->question);
    asked.leave = ann_load_relaxed_u32(&v->record->leave);
    return asked;
}

/* By the leader: sets its clock, and answers what the host asks. */
ANN_FUNCTION void ann_attend_to(PRIVATE const ann_view *v, PRIVATE const ann_asked *asked)
{
    LOCAL ann_shared *b = v->shared;
    if (asked->origin != 0)
        b->launch.clock_origin = asked->origin;
    if (asked->question == b->state.answered)
        return;
    b->state.answered = asked->question;
    ann_store_relaxed_u64(&v->record->time, ann_clock(b->launch.clock));
    /* SYNC: answer (release) */
    ann_store_release_u32(&v->record->answer, asked->question);
}

#if ANN_ALONE

/* By the leader: whether there is anything in it to do. */
ANN_FUNCTION u32 ann_asks_something(PRIVATE const ann_view *v, PRIVATE const ann_asked *asked)
{
    LOCAL ann_shared *b = v->shared;
    return asked->question != b->state.answered || asked->leave == b->epoch
        || (asked->origin != 0 && asked->origin != b->launch.clock_origin);
}

#endif

/* By the leader, from time to time: does both. */
ANN_FUNCTION void ann_attend(PRIVATE const ann_view *v)
{
    ann_asked asked = ann_look_at_asked(v);
    ann_attend_to(v, &asked);
}
