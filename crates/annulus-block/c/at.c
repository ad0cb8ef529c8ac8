/* The block: what it is at, for those who watch. The leader says it, with relaxed stores, and reads no clock. One
   word has the phase, how many messages the threads handle at once, and the number of the first; another has the
   key. */

/* Phases. Those of `annulus_abi::vitals`. */
#define ANN_AT_ASLEEP 1u
#define ANN_AT_LOOKING 2u
#define ANN_AT_HANDLER 3u
#define ANN_AT_PUBLISHING 4u
#define ANN_AT_STALLED_ON_HOST 5u
#define ANN_AT_STALLED_ON_KERNEL 6u
#define ANN_AT_BARRIER 7u
#define ANN_AT_INACTIVE 8u
#define ANN_AT_ENDED 9u
/* The word's parts, from the lowest bit on: the phase, the count, the number. */
#define ANN_AT_COUNT_SHIFT 4
#define ANN_AT_MOST 0xFFFu
#define ANN_AT_NUMBER_SHIFT 16

/* The number of the shard's next message, wherever it comes from. */
/* TWIN: next_number */
ANN_FUNCTION u64 ann_next_number(PRIVATE const ann_view *v)
{
    u64 number = v->shared->state.next_in;
#if ANN_LAUNCH_CONNECTABLE
    number += v->shared->state.taken;
#endif
#ifdef ANN_TIMERS
    number += ((GLOBAL const ann_timers *)v->timers)->taken;
#endif
    return number;
}

/* By the leader: says a phase, with the number of the message that is next. */
/* TWIN: say */
ANN_FUNCTION void ann_say(PRIVATE const ann_view *v, u32 phase)
{
    v->shared->said = phase;
    ann_store_relaxed_u64(&v->record->at, ann_next_number(v) << ANN_AT_NUMBER_SHIFT | phase);
}

/* By the leader: says that the handlers of `count` messages of the turn are called, from the i-th on. The key is
   that of a single one. */
/* TWIN: at_handler */
ANN_FUNCTION void ann_at_handler(PRIVATE const ann_view *v, u32 i, u32 count, GLOBAL const ANN_MESSAGE *message)
{
#if ANN_KEYED
    if (count == 1)
        ann_store_relaxed_u64(&v->record->key, ANN_KEY(message));
#endif
    u32 some = count < ANN_AT_MOST ? count : ANN_AT_MOST;
    v->shared->said = ANN_AT_HANDLER;
    ann_store_relaxed_u64(
        &v->record->at,
        (ann_next_number(v) + i) << ANN_AT_NUMBER_SHIFT | some << ANN_AT_COUNT_SHIFT | ANN_AT_HANDLER);
}

/* By the leader: whether nothing else keeps the block from taking messages. */
ANN_FUNCTION u32 ann_is_free(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    return !ANN_IS_STALLED(&b->state) && (b->state.command & ANN_ACTIVE) != 0 && b->said != ANN_AT_ENDED;
}

/* By the leader: says a phase of a block that has nothing to do, unless it said so before, or says already why it
   takes nothing. */
ANN_FUNCTION void ann_say_if_free(PRIVATE const ann_view *v, u32 phase)
{
    if (v->shared->said != phase && ann_is_free(v))
        ann_say(v, phase);
}

/* By the leader: says that the block found nothing. */
/* TWIN: at_nothing */
ANN_FUNCTION void ann_at_nothing(PRIVATE const ann_view *v)
{
    ann_say_if_free(v, ANN_AT_LOOKING);
}

/* By the leader, before a nap, and before it leaves the device for a while. */
/* TWIN: at_rest */
ANN_FUNCTION void ann_at_rest(PRIVATE const ann_view *v)
{
    ann_say_if_free(v, ANN_AT_ASLEEP);
}

/* By the leader, before it waits for the kernel's other blocks. */
/* TWIN: at_barrier */
ANN_FUNCTION void ann_at_barrier(PRIVATE const ann_view *v)
{
    ann_say_if_free(v, ANN_AT_BARRIER);
}

/* By the leader: says why the block waits for room. */
/* TWIN: at_stall */
ANN_FUNCTION void ann_at_stall(PRIVATE const ann_view *v, u32 by)
{
    ann_say(v, by == ANN_STALLED_BY_KERNEL ? ANN_AT_STALLED_ON_KERNEL : ANN_AT_STALLED_ON_HOST);
}

/* By the leader: says what a command has made of the block. */
/* TWIN: at_command */
ANN_FUNCTION void ann_at_command(PRIVATE const ann_view *v, u32 command)
{
    LOCAL ann_state *s = &v->shared->state;
    if ((command & ANN_TERMINATE) != 0)
        ann_say(v, ANN_AT_ENDED);
    else if ((command & ANN_ACTIVE) == 0)
        ann_say(v, ANN_AT_INACTIVE);
#if ANN_LAUNCH_HOLD
    else if (ANN_IS_STALLED(s))
        ann_at_stall(v, s->stalled);
#else
    else if (s->stalled)
        ann_at_stall(v, s->pending != 0 ? ANN_STALLED_BY_KERNEL : 1);
#endif
    else
        ann_say(v, ANN_AT_LOOKING);
}
