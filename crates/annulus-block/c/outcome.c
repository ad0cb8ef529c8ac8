/* The block: the result of handling a message. */

/* The handler of a slot's message, or of its copy, succeeded. */
/* TWIN: note_success */
ANN_FUNCTION void ann_note_success(PRIVATE const ann_view *v, GLOBAL const u8 *slot)
{
    LOCAL ann_shared *b = v->shared;
    b->processed += 1;
    /* Values that nobody needs are not loaded. */
    if (b->launch.in_time == 0 || (b->launch.histogram == 0 && (b->command & ANN_TELEMETRY) == 0))
        return;
    u64 enqueued = *(GLOBAL const u64 *)(slot + b->launch.in_time);
    if (b->launch.histogram != 0) {
        u64 now = ann_now(v);
        ann_count_latency(v, now > enqueued ? now - enqueued : 0);
    }
    if ((b->command & ANN_TELEMETRY) != 0) {
        if (b->processed == 1) {
            b->first_time = enqueued;
            b->earliest = enqueued;
        }
        if (enqueued < b->earliest)
            b->earliest = enqueued;
        if (enqueued > b->latest)
            b->latest = enqueued;
        b->sum += enqueued - b->first_time;
    }
}

/* A message failed: its state change and its outputs are discarded. */
ANN_FUNCTION void ann_note_failure(PRIVATE const ann_view *v, GLOBAL const u8 *slot, u32 code)
{
    LOCAL ann_shared *b = v->shared;
    ann_bury(v, slot + b->launch.in_payload, code);
    b->dropped += 1;
    b->error = code;
    if (code == ANN_UNKNOWN_ACTOR)
        b->state.unknown_actor += 1;
    else
        b->state.failed += 1;
}

/* Slots that a handled message takes in the outbound ring: its outputs, but for the first if that is a reply.
   */
ANN_FUNCTION u32 ann_outputs(u32 code, u32 sent, u64 caller)
{
    u32 outputs = code == 0 ? sent : 0;
    return outputs != 0 && caller != 0 ? outputs - 1 : outputs;
}

/* Whether what the handler of a message sends goes to another kernel. */
/* TWIN: is_forwarded */
ANN_FUNCTION u32 ann_is_forwarded(PRIVATE const ann_view *v, u64 caller)
{
#if ANN_LAUNCH_CONNECTABLE && defined(ANN_OUTPUT) && ANN_LAUNCH_THROUGH
    return (caller == 0 || ann_is_through(caller)) && ANN_IS_LINKED(v);
#elif ANN_LAUNCH_CONNECTABLE && defined(ANN_OUTPUT)
    return caller == 0 && ANN_IS_LINKED(v);
#else
    return 0;
#endif
}

/* By the leader: counts the result of the message of a slot, or of its copy, and the outputs that it has in
   the outbound ring. */
ANN_FUNCTION void ann_account(PRIVATE const ann_view *v, GLOBAL const u8 *slot, u32 code, u32 sent, u32 outputs)
{
    LOCAL ann_shared *b = v->shared;
    b->produced += outputs;
    b->state.next_out += outputs;
    if (code == 0) {
        b->state.sent += sent;
        ann_note_success(v, slot);
    } else {
        ann_note_failure(v, slot, code);
    }
}
