/* The block: messages that it gets without being sent them. `PROTOCOL.md` describes it. */

#if defined(ANN_TICK) || defined(ANN_START_TAG) || defined(ANN_STOP_TAG)

#define ANN_EVENTS 1

/* How far what nobody sends has come (`ann_timers`). */
#define ANN_EVENTS_ARMED 1u
#define ANN_EVENTS_STOPPED 2u /* the last one was taken */
#define ANN_EVENTS_MISSED 3u  /* it found no room */

ANN_FUNCTION GLOBAL u8 *ann_timer_slot(PRIVATE const ann_view *v, u32 place);
ANN_FUNCTION void ann_head_timer(PRIVATE const ann_view *v, GLOBAL u8 *slot, u64 due);
ANN_FUNCTION void ann_tell_timers(PRIVATE const ann_view *v);

/* By the leader of an active block: if it was not active before, its first tick is due after a period. */
/* TWIN: arm_events */
ANN_FUNCTION void ann_arm_events(PRIVATE const ann_view *v)
{
    GLOBAL ann_timers *t = (GLOBAL ann_timers *)v->timers;
    if (t->armed)
        return;
    u64 now = ann_now(v);
    t->armed = ANN_EVENTS_ARMED;
#ifdef ANN_START_TAG
    t->start = now != 0 ? now : 1;
#endif
#ifdef ANN_TICK
    t->tick = now + ANN_TICK;
#endif
    ann_tell_timers(v);
}

/* Whether the message waits that comes before all others, or the last one. */
/* TWIN: starts */
ANN_FUNCTION u32 ann_starts(PRIVATE const ann_view *v)
{
    GLOBAL const ann_timers *t = (GLOBAL const ann_timers *)v->timers;
    return t->start != 0 || t->stop != 0;
}

/* When the first is due; 0 if there is none. */
ANN_FUNCTION u64 ann_event_due(PRIVATE const ann_view *v)
{
    GLOBAL const ann_timers *t = (GLOBAL const ann_timers *)v->timers;
    if (t->start != 0)
        return t->start;
    return t->stop != 0 ? t->stop : t->tick;
}

/* Takes the first, which is due in this turn, or is the start or the last one. A tick is set again at once, so it comes also if the
   handler fails. Those that were missed come as one. */
/* TWIN: take_event */
ANN_FUNCTION GLOBAL u8 *ann_take_event(PRIVATE const ann_view *v)
{
    GLOBAL ann_timers *t = (GLOBAL ann_timers *)v->timers;
    /* Behind the places of timers. */
    GLOBAL u8 *slot = ann_timer_slot(v, ANN_TIMERS + 1u);
    GLOBAL u8 *payload = slot + v->shared->launch.in_payload;
    for (u32 i = 0; i < ANN_MESSAGE_BYTES; i++)
        payload[i] = 0;
#if ANN_LAUNCH_CAUSAL
    ann_begin_event(v, 0);
#endif
    ann_head_timer(v, slot, ann_event_due(v));
#ifdef ANN_START_TAG
    if (t->start != 0) {
        ((GLOBAL ANN_MESSAGE *)payload)->tag = ANN_START_TAG;
        t->start = 0;
        return slot;
    }
#endif
#ifdef ANN_STOP_TAG
    if (t->stop != 0) {
        ((GLOBAL ANN_MESSAGE *)payload)->tag = ANN_STOP_TAG;
        t->stop = 0;
        t->armed = ANN_EVENTS_STOPPED;
        return slot;
    }
#endif
#ifdef ANN_TICK
    ((GLOBAL ANN_MESSAGE *)payload)->tag = ANN_TICK_TAG;
    u64 now = v->shared->now;
    u64 next = t->tick + ANN_TICK;
    if (next <= now)
        next += ((now - next) / ANN_TICK + 1) * ANN_TICK;
    t->tick = next;
#endif
    return slot;
}

#endif
