/* The block: messages to itself, which are taken when their time has come. `PROTOCOL.md` describes it. */

#ifdef ANN_TIMERS

#if ANN_LAUNCH_THREADS != 1 || defined(ANN_LAUNCH_SUPERSTEPS)
#error "a block with timers has one thread, and is not in step with others"
#endif

#define ANN_TIMER_PLACES (ANN_TIMERS + 1u)
/* One slot more for what nobody sends. */
#ifdef ANN_EVENTS
#define ANN_TIMER_SLOTS (ANN_TIMER_PLACES + 1u)
#else
#define ANN_TIMER_SLOTS ANN_TIMER_PLACES
#endif
#define ANN_TIMER_HEAD ((64 + ANN_TIMER_PLACES * 16 + 127) / 128 * 128)
/* Twin of `timer_bytes`. */
#define ANN_TIMER_BYTES(launch) \
    (ANN_TIMER_HEAD + (ANN_TIMER_SLOTS * (launch)->in_stride + 127) / 128 * 128 + ANN_ASK_TABLE)

/* The table of asks is the end of them: where answers are, and the entries. */
#define ANN_MOST_ASKS 64u
#ifdef ANN_ASK_PORT
#define ANN_ASK_HEAD 128
#define ANN_ASK_TABLE (ANN_ASK_HEAD + ANN_MOST_ASKS * 8)
#else
#define ANN_ASK_TABLE 0
#endif

ANN_FUNCTION GLOBAL ann_timers *ann_timers_of(PRIVATE const ann_view *v)
{
    return (GLOBAL ann_timers *)v->timers;
}

ANN_FUNCTION GLOBAL ann_timer *ann_timer_heap(PRIVATE const ann_view *v)
{
    return (GLOBAL ann_timer *)(v->timers + 64);
}

ANN_FUNCTION GLOBAL u8 *ann_timer_slot(PRIVATE const ann_view *v, u32 place)
{
    return v->timers + ANN_TIMER_HEAD + place * v->shared->launch.in_stride;
}

#if ANN_ASKS

/* Where the block's answers come: a copy of the host's record, of which it takes a new one by a command alone. */
ANN_FUNCTION GLOBAL ann_ask_way *ann_asked_in(PRIVATE const ann_view *v)
{
    return (GLOBAL ann_ask_way *)(v->timers + ANN_TIMER_BYTES(&v->shared->launch) - ANN_ASK_TABLE);
}

#endif

/* By a block that has not looked at any command yet. */
ANN_FUNCTION void ann_set_no_timers(PRIVATE const ann_view *v)
{
    GLOBAL ann_timers *t = ann_timers_of(v);
    t->count = 0;
    t->number = 0;
    t->after = 0;
    t->taken = 0;
    t->armed = 0;
    t->start = 0;
    t->tick = 0;
    t->stop = 0;
    t->busy = 0;
    t->awaited = 0;
#if ANN_ASKS
    ann_asked_in(v)->landings = 0;
    ann_asked_in(v)->stride = 0;
    ann_asked_in(v)->payload = 0;
    ann_asked_in(v)->first = 0;
#endif
    for (u32 i = 0; i < ANN_TIMER_PLACES; i++)
        ann_timer_heap(v)[i].place = i;
}

/* Whether entry `a` comes before entry `b`. */
ANN_FUNCTION u32 ann_timer_is_before(GLOBAL const ann_timer *a, GLOBAL const ann_timer *b)
{
    return a->due != b->due ? a->due < b->due : (i32)(a->number - b->number) < 0;
}

ANN_FUNCTION void ann_swap_timers(GLOBAL ann_timer *a, GLOBAL ann_timer *b)
{
    ann_timer kept = *a;
    *a = *b;
    *b = kept;
}

/* Moves a timer of the heap, whose time has not become later, to where it belongs. */
ANN_FUNCTION void ann_raise_timer(PRIVATE const ann_view *v, u32 i)
{
    GLOBAL ann_timer *heap = ann_timer_heap(v);
    while (i != 0 && ann_timer_is_before(&heap[i], &heap[(i - 1) / 2])) {
        ann_swap_timers(&heap[i], &heap[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
}

#ifdef ANN_ASK_PORT
ANN_FUNCTION void ann_open_ask(PRIVATE const ann_view *v, GLOBAL ann_timer *timer);
#endif
#if ANN_ASKS
ANN_FUNCTION void ann_look_for_answers(PRIVATE const ann_view *v);
ANN_FUNCTION u32 ann_has_answer(PRIVATE const ann_view *v);
ANN_FUNCTION void ann_end_overdue(PRIVATE const ann_view *v, u32 number, GLOBAL u8 *slot);
#endif

/* The places for what a handler sends to itself. */
ANN_FUNCTION void ann_begin_to_set(PRIVATE const ann_view *v, PRIVATE ann_later *later)
{
    LOCAL ann_shared *b = v->shared;
    u32 count = ann_timers_of(v)->count;
    u32 room = ANN_TIMERS - count;
    u32 most = ANN_MAX_TIMERS;
    later->next = ann_timer_heap(v) + count + b->due;
    later->first = ann_timer_slot(v, 0) + b->launch.in_payload;
    later->stride = b->launch.in_stride;
    later->now = b->now;
    later->limit = room < most ? room : most;
    later->set = 0;
    later->refused = 0;
#ifdef ANN_ASK_PORT
    for (u32 k = 0; k < later->limit; k++)
        later->next[k].number = 0;
#endif
#if ANN_ASKS
    b->asked = 0;
#endif
}

/* Writes the words in front of a message that was not sent through a ring. */
ANN_FUNCTION void ann_head_timer(PRIVATE const ann_view *v, GLOBAL u8 *slot, u64 due)
{
    LOCAL ann_shared *b = v->shared;
    *ANN_U32(slot, 4) = ANN_KIND_MESSAGE << 24 | ANN_MESSAGE_BYTES;
    if (b->launch.in_time != 0)
        *ANN_U64(slot, b->launch.in_time) = due;
    if (b->launch.in_correlation != 0)
        *ANN_U64(slot, b->launch.in_correlation) = 0;
#if ANN_LAUNCH_TRACED
    *ANN_U64(slot, b->launch.in_trace) = 0;
#endif
#if ANN_LAUNCH_CAUSAL
    *ANN_U64(slot, b->launch.in_stamp) = b->stamp;
#endif
}

/* Keeps what a handler has sent to itself: it has succeeded. */
/* TWIN: keep */
ANN_FUNCTION void ann_set_timers(PRIVATE const ann_view *v, PRIVATE const ann_later *later)
{
    LOCAL ann_shared *b = v->shared;
    GLOBAL ann_timers *t = ann_timers_of(v);
    GLOBAL ann_timer *heap = ann_timer_heap(v);
    for (u32 k = 0; k < later->set; k++) {
        u32 i = t->count;
        /* Each moves the place that is in use, if one is, behind itself. */
        ann_swap_timers(&heap[i], &heap[i + b->due]);
#ifdef ANN_ASK_PORT
        u32 asks = heap[i].number == ANN_IS_ASK;
#endif
        heap[i].number = t->number;
        ann_head_timer(v, ann_timer_slot(v, heap[i].place), heap[i].due);
        t->number += 1;
        t->count += 1;
#ifdef ANN_ASK_PORT
        if (asks)
            ann_open_ask(v, &heap[i]);
#endif
        ann_raise_timer(v, i);
    }
}

/* When the first message is due that the block takes when its time has come; 0 if there is none. */
ANN_FUNCTION u64 ann_first_due(PRIVATE const ann_view *v)
{
    u64 due = ann_timers_of(v)->count != 0 ? ann_timer_heap(v)[0].due : 0;
#ifdef ANN_EVENTS
    u64 event = ann_event_due(v);
    if (event != 0 && (due == 0 || event <= due))
        due = event;
#endif
    return due;
}

/* Takes the first timer out of the heap if it is due in this turn. Returns its slot, whose place is in use until
   the next one is taken or the turn ends; else 0. */
/* TWIN: take */
ANN_FUNCTION GLOBAL u8 *ann_take_timer(PRIVATE const ann_view *v)
{
    GLOBAL ann_timers *t = ann_timers_of(v);
    GLOBAL ann_timer *heap = ann_timer_heap(v);
#ifdef ANN_EVENTS
    u64 due = ann_first_due(v);
    if (ann_starts(v) || (due != 0 && due == ann_event_due(v) && due <= v->shared->now))
        return ann_take_event(v);
#endif
    if (t->count == 0 || heap[0].due > v->shared->now)
        return 0;
    t->count -= 1;
    u32 count = t->count;
    ann_swap_timers(&heap[0], &heap[count]);
    u32 i = 0;
    for (;;) {
        u32 first = i;
        for (u32 child = 2 * i + 1; child <= 2 * i + 2 && child < count; child++)
            if (ann_timer_is_before(&heap[child], &heap[first]))
                first = child;
        if (first == i)
            break;
        ann_swap_timers(&heap[i], &heap[first]);
        i = first;
    }
#if ANN_ASKS
    ann_end_overdue(v, heap[count].number, ann_timer_slot(v, heap[count].place));
#endif
    return ann_timer_slot(v, heap[count].place);
}

ANN_FUNCTION u32 ann_accept(PRIVATE const ann_view *v, u32 ready, u32 command);

/* By the leader of an active block: whether this turn takes timers. If the host has a message, too, (`first`) the
   two take turns; a message may also find room that a timer does not. */
/* TWIN: begin_timers */
ANN_FUNCTION u32 ann_begin_timers(PRIVATE const ann_view *v, u32 first)
{
    LOCAL ann_shared *b = v->shared;
    GLOBAL ann_timers *t = ann_timers_of(v);
#if ANN_ASKS
    if (!ANN_IS_HELD_UP(v))
        ann_look_for_answers(v);
#endif
    u32 starts = 0;
    u32 events = 0;
#ifdef ANN_EVENTS
    ann_arm_events(v);
    starts = ann_starts(v);
    /* A turn takes each of them once at most. */
    events = 2;
#endif
    u64 due = ann_first_due(v);
    if (due == 0)
        return 0;
#if ANN_LAUNCH_CONNECTABLE
    if (ANN_IS_HELD_UP(v))
        return 0;
#endif
    first = first && !starts;
    if (first && t->after) {
        t->after = 0;
        return 0;
    }
    if (first && !ann_has_slots(v, b->launch.credit))
        return 0;
    if (!starts && due > ann_now(v))
        return 0;
    t->after = 1;
    b->due = 1;
    u32 waits = t->count + events;
    u32 most = waits < b->launch.limit ? waits : b->launch.limit;
    b->count = ann_accept(v, most, ann_load_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_COMMAND)));
    return 1;
}

#ifdef ANN_STOP_TAG

ANN_FUNCTION void ann_grant(PRIVATE const ann_view *v);

/* By the leader, which has seen a command that it has not obeyed: whether this turn takes the last message. If that has no
   room, or something that was sent still waits for some, it never comes. */
/* TWIN: begin_stop */
ANN_FUNCTION u32 ann_begin_stop(PRIVATE const ann_view *v, u32 command)
{
    LOCAL ann_shared *b = v->shared;
    GLOBAL ann_timers *t = ann_timers_of(v);
    if ((command & ANN_TERMINATE) == 0 || (b->state.command & ANN_ACTIVE) == 0 || t->armed != ANN_EVENTS_ARMED)
        return 0;
    u32 room = 1;
#if ANN_LAUNCH_CONNECTABLE
    room = !ANN_IS_HELD_UP(v);
#endif
    /* It is no call: what lies in the slot of the ring's next message does not matter. */
    b->due = 1;
    if (!room || ann_credit_or_stall(v, 1) == 0) {
        b->due = 0;
        t->armed = ANN_EVENTS_MISSED;
        ann_tell_timers(v);
        return 0;
    }
    ann_grant(v);
    t->stop = b->now != 0 ? b->now : 1;
    b->count = 1;
    return 1;
}

#endif

/* By the leader: tells the host what is set. */
/* TWIN: tell_timers */
ANN_FUNCTION void ann_tell_timers(PRIVATE const ann_view *v)
{
    GLOBAL const ann_timers *t = ann_timers_of(v);
    u32 waits = t->count;
#ifdef ANN_STOP_TAG
    waits += t->armed == ANN_EVENTS_MISSED;
#endif
    u64 word = t->taken << ANN_TIMERS_TAKEN_SHIFT | waits;
#if ANN_ASKS
    for (u64 busy = t->busy; busy != 0; busy &= busy - 1)
        word += (u64)1 << ANN_TIMERS_ASKS_SHIFT;
    /* Whoever sees that an ask has ended, and that what came of it was taken, sees what that did. SYNC: asks (release) */
    if (v->shared->asks_untold || waits < v->shared->timers_told)
        ann_fence_release();
    v->shared->asks_untold = 0;
    v->shared->timers_told = waits;
#endif
    ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_DUE), ann_first_due(v));
    ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_TIMERS), word);
}

/* By a block that found nothing: in how many microseconds a timer is due that it may take; ~0 for none. */
ANN_FUNCTION u32 ann_micros_until_due(PRIVATE const ann_view *v)
{
    LOCAL ann_state *s = &v->shared->state;
    u64 due = ann_first_due(v);
#if ANN_ASKS
    u32 answered = ann_has_answer(v);
#else
    u32 answered = 0;
#endif
    if ((due == 0 && !answered) || (s->command & ANN_ACTIVE) == 0)
        return 0xFFFFFFFFu;
#if ANN_LAUNCH_CONNECTABLE
    /* What is held goes first. */
    if (ANN_IS_HELD_UP(v))
        return 0xFFFFFFFFu;
#endif
    /* Whoever makes room ends the nap. */
    if (ANN_WAITS_FOR_HOST(s) && !ann_has_slots(v, v->shared->launch.credit))
        return 0xFFFFFFFFu;
    if (answered)
        return 0;
    u64 now = ann_now(v);
    if (due <= now)
        return 0;
    u64 micros = (due - now) / 1000 + 1;
    return micros < 0xFFFFFFFEu ? (u32)micros : 0xFFFFFFFEu;
}

#endif
