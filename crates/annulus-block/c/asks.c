/* The block: what it has asked other kernels. `asks.rs` describes it. */

#ifdef ANN_ASK_PORT

/* Writes how an ask has ended into the message that comes of it. */
ANN_FUNCTION void ann_write_end(PRIVATE const ann_view *v, GLOBAL u8 *slot, u32 ended, u32 code)
{
    GLOBAL u8 *answer = slot + v->shared->launch.in_payload + ANN_ANSWER;
    *ANN_U32(answer, 0) = ended;
    *ANN_U32(answer, 4) = code;
}

/* A timer is due now, or earlier. */
ANN_FUNCTION void ann_hurry_timer(PRIVATE const ann_view *v, GLOBAL ann_timer *timer, u64 now)
{
    u64 offset = v->shared->launch.in_time;
    if (now < timer->due)
        timer->due = now;
    if (offset != 0)
        *ANN_U64(ann_timer_slot(v, timer->place), offset) = timer->due;
}

/* How asks end: `ended`. */
#define ANN_ANSWERED 1
#define ANN_ASK_FAILED 2
#define ANN_ASK_NO_REPLY 3
#define ANN_ASK_LOST 4
#define ANN_ASK_CLOSED 5
#define ANN_OUT_OF_TIME 6

#if ANN_ASKS

#define ANN_ASK_PLACES (ANN_TIMERS < ANN_MOST_ASKS ? ANN_TIMERS : ANN_MOST_ASKS)

ANN_FUNCTION GLOBAL ann_ask *ann_ask_at(PRIVATE const ann_view *v, u32 entry)
{
    return (GLOBAL ann_ask *)((GLOBAL u8 *)ann_asked_in(v) + ANN_ASK_HEAD) + entry;
}

/* The number of a block's place in the asked kernel, and where its answer comes. */
ANN_FUNCTION u32 ann_ask_place(PRIVATE const ann_view *v, u32 entry)
{
    return v->shared->asked_in.first + ann_block(v) * ANN_ASK_PLACES + entry;
}

ANN_FUNCTION GLOBAL u8 *ann_answer_at(PRIVATE const ann_view *v, u32 entry)
{
    LOCAL const ann_ask_way *in = &v->shared->asked_in;
    return ann_device_local_at(v->device_heap, in->landings + ann_ask_place(v, entry) * in->stride);
}

/* The heap's entry of the timer with this number, which waits. */
/* TWIN: index_of */
ANN_FUNCTION u32 ann_index_of(PRIVATE const ann_view *v, u32 number)
{
    u32 last = ann_timers_of(v)->count - 1;
    u32 i = 0;
    while (i < last && ann_timer_heap(v)[i].number != number)
        i++;
    return i;
}

/* Ends the ask whose timer has this number: its message is due now. */
/* TWIN: end_ask */
ANN_FUNCTION void ann_end_ask(PRIVATE const ann_view *v, u32 number, u32 ended, u32 code)
{
    u32 i = ann_index_of(v, number);
    GLOBAL ann_timer *timer = ann_timer_heap(v) + i;
    ann_write_end(v, ann_timer_slot(v, timer->place), ended, code);
    ann_hurry_timer(v, timer, ann_now(v));
    ann_raise_timer(v, i);
}

/* Whether all places may be written. */
ANN_FUNCTION u32 ann_asks_are_full(PRIVATE const ann_view *v)
{
    u64 all = ANN_ASK_PLACES == 64u ? ~(u64)0 : ((u64)1 << (ANN_ASK_PLACES & 63u)) - 1;
    return ann_timers_of(v)->busy == all;
}

/* Whether the answer is there that this entry waits for. Who has seen that fences before anybody reads it
   (SYNC: slot-published). */
ANN_FUNCTION u32 ann_is_answer_here(PRIVATE const ann_view *v, u32 entry)
{
    return ann_load_relaxed_u32(ANN_U32(ann_answer_at(v, entry), 0)) == ann_ask_at(v, entry)->generation;
}

/* TWIN: has_answer */
ANN_FUNCTION u32 ann_has_answer(PRIVATE const ann_view *v)
{
    u64 busy = v->shared->asked_in.stride != 0 ? ann_timers_of(v)->busy : 0;
    for (u32 entry = 0; busy != 0; entry++, busy >>= 1)
        if ((busy & 1) != 0 && ann_is_answer_here(v, entry))
            return 1;
    return 0;
}

/* These places are not in use any more. */
ANN_FUNCTION void ann_free_asks(PRIVATE const ann_view *v, u64 entries)
{
    GLOBAL ann_timers *t = ann_timers_of(v);
    v->shared->asks_untold |= (t->busy & entries) != 0;
    t->busy &= ~entries;
    t->awaited &= ~entries;
}

/* Tells the host of places that are not in use any more, though no turn takes anything. */
/* TWIN: tell_if_freed */
ANN_FUNCTION void ann_tell_if_freed(PRIVATE const ann_view *v)
{
    if (v->shared->asks_untold)
        ann_tell_timers(v);
}

/* Takes an answer into the message that comes of the ask. */
ANN_FUNCTION void ann_take_answer(PRIVATE const ann_view *v, u32 entry)
{
    GLOBAL const u8 *slot = ann_answer_at(v, entry);
    u32 number = ann_ask_at(v, entry)->number;
    u32 meta = *(GLOBAL const u32 *)(slot + 4);
    u32 kind = meta >> 24;
    u32 ended = ANN_ASK_LOST;
    u32 code = 0;
    if (kind == ANN_KIND_MESSAGE) {
        GLOBAL const u8 *from = slot + v->shared->asked_in.payload;
        GLOBAL u8 *to = ann_timer_slot(v, ann_timer_heap(v)[ann_index_of(v, number)].place)
            + v->shared->launch.in_payload + ANN_ANSWER_VALUE;
        for (u32 i = 0; i < ANN_ANSWER_BYTES; i++)
            to[i] = from[i];
#if ANN_LAUNCH_CAUSAL
        u32 at = v->shared->asked_in.stamp;
        GLOBAL u8 *own = to - v->shared->launch.in_payload - ANN_ANSWER_VALUE;
        if (at != 0 && *(GLOBAL const u64 *)(slot + at) > ann_stamp(v, own))
            *ANN_U64(own, v->shared->launch.in_stamp) = *(GLOBAL const u64 *)(slot + at);
#endif
        ended = ANN_ANSWERED;
    } else if (kind == ANN_KIND_FAILED) {
        ended = ANN_ASK_FAILED;
        code = meta & 0xFFFFu;
    } else if (kind == ANN_KIND_NO_REPLY) {
        ended = ANN_ASK_NO_REPLY;
    } else if (kind == ANN_KIND_ENDED) {
        ended = ANN_ASK_CLOSED;
    }
    ann_end_ask(v, number, ended, code);
}

/* Takes the answers that have come: their messages are due now. */
/* TWIN: look_for_answers */
ANN_FUNCTION void ann_look_for_answers(PRIVATE const ann_view *v)
{
    GLOBAL ann_timers *t = ann_timers_of(v);
    u64 found = 0;
    u64 busy = v->shared->asked_in.stride != 0 ? t->busy : 0;
    for (u32 entry = 0; busy != 0; entry++, busy >>= 1)
        if ((busy & 1) != 0 && ann_is_answer_here(v, entry))
            found |= (u64)1 << entry;
    if (found == 0)
        return;
    /* SYNC: slot-published (acquire) */
    ann_fence_acquire();
    u64 awaited = found & t->awaited;
    ann_free_asks(v, found);
    for (u32 entry = 0; awaited != 0; entry++, awaited >>= 1)
        if ((awaited & 1) != 0)
            ann_take_answer(v, entry);
}

/* The query that carried this ask was lost. */
/* TWIN: lose_ask */
ANN_FUNCTION void ann_lose_ask(PRIVATE const ann_view *v, u64 call)
{
    GLOBAL ann_timers *t = ann_timers_of(v);
    u32 entry = (u32)(call & (ANN_ASK - 1)) - ann_ask_place(v, 0);
    /* What is held never names a place of another kernel (`ann_drop_query`). */
    if (entry >= ANN_ASK_PLACES)
        return;
    u64 bit = (u64)1 << entry;
    u32 is_awaited = (t->awaited & bit) != 0;
    ann_free_asks(v, bit);
    if (is_awaited)
        ann_end_ask(v, ann_ask_at(v, entry)->number, ANN_ASK_LOST, 0);
}

/* A timer was taken whose message is in this slot: if an ask ends with it that nobody has answered, it says so. */
/* TWIN: overdue */
ANN_FUNCTION void ann_end_overdue(PRIVATE const ann_view *v, u32 number, GLOBAL u8 *slot)
{
    GLOBAL ann_timers *t = ann_timers_of(v);
    u64 awaited = t->awaited;
    for (u32 entry = 0; awaited != 0; entry++, awaited >>= 1) {
        if ((awaited & 1) == 0 || ann_ask_at(v, entry)->number != number)
            continue;
        t->awaited &= ~((u64)1 << entry);
        ann_write_end(v, slot, ANN_OUT_OF_TIME, 0);
        return;
    }
}

/* The query that is held, if one is, has no ask any more, since queries go elsewhere: to the host, as other outputs do, but without
   an address; if they go to another kernel, it is lost. So no other kernel gets an address that was not made for it. */
/* TWIN: drop_query */
ANN_FUNCTION void ann_drop_query(PRIVATE const ann_view *v)
{
    LOCAL ann_state *s = &v->shared->state;
    for (u32 k = s->pending_from; k < s->pending; k++) {
        GLOBAL u8 *output = v->outputs + (u64)k * ANN_OUTPUT_STRIDE;
        if (*ANN_U64(output, 0) != ANN_ASK_PORT)
            continue;
        ANN_CARRIED(output) = 0;
        if (!ann_goes_on(v, output))
            continue;
        *ANN_U64(output, 0) = ~(u64)0;
        ann_count_unforwarded_of(v, ANN_ASK_PORT, 1);
        ann_count_unforwarded(v, 1);
    }
}

/* By the leader, which obeys a command: if queries go elsewhere now, whatever was asked ends. The host is told before it is told that
   the command is obeyed. */
/* TWIN: lead_asks */
ANN_FUNCTION void ann_lead_asks(PRIVATE const ann_view *v)
{
    GLOBAL ann_timers *t = ann_timers_of(v);
    LOCAL ann_ask_way *in = &v->shared->asked_in;
    GLOBAL const ann_ask_way *next = (GLOBAL const ann_ask_way *)(v->link + ANN_PORTS);
    /* What has come before is an answer. */
    ann_look_for_answers(v);
    if (next->landings != in->landings || next->stride != in->stride || next->first != in->first) {
        u64 awaited = t->awaited;
        *in = *next;
        *ann_asked_in(v) = *next;
        ann_free_asks(v, ~(u64)0);
        for (u32 entry = 0; awaited != 0; entry++, awaited >>= 1)
            if ((awaited & 1) != 0)
                ann_end_ask(v, ann_ask_at(v, entry)->number, ANN_ASK_CLOSED, 0);
        ann_drop_query(v);
    }
    ann_tell_if_freed(v);
}

#endif

/* This timer of the heap is that of an ask. */
/* TWIN: open_ask */
ANN_FUNCTION void ann_open_ask(PRIVATE const ann_view *v, GLOBAL ann_timer *timer)
{
#if ANN_ASKS
    LOCAL ann_shared *b = v->shared;
    if (b->asks_leave && b->asked_in.stride != 0) {
        GLOBAL ann_timers *t = ann_timers_of(v);
        u32 entry = 0;
        while ((t->busy >> entry & 1) != 0)
            entry++;
        /* Nobody writes there now, and no slot shows an ask that is to come. */
        u32 generation = ann_load_relaxed_u32(ANN_U32(ann_answer_at(v, entry), 0)) + 1;
        if (generation == 0)
            generation = 1;
        ann_ask_at(v, entry)->generation = generation;
        ann_ask_at(v, entry)->number = timer->number;
        t->busy |= (u64)1 << entry;
        t->awaited |= (u64)1 << entry;
        b->asked = (u64)generation << 32 | ANN_THROUGH | ANN_ASK | ann_ask_place(v, entry);
        return;
    }
#endif
    ann_write_end(v, ann_timer_slot(v, timer->place), ANN_ASK_LOST, 0);
    ann_hurry_timer(v, timer, v->shared->now);
}

#endif
