/* The block: room for what handlers send. A reply has its own slot and needs no credit. */

/* Whether `need` slots of the outbound ring are free. Looks at the ring again only if the last look does not
   suffice. */
ANN_FUNCTION u32 ann_has_slots(PRIVATE const ann_view *v, u64 need)
{
    LOCAL ann_state *s = &v->shared->state;
    u64 capacity = (u64)1 << v->shared->launch.out_shift;
    if (s->next_out + need - s->out_seen <= capacity)
        return 1;
    /* SYNC: slots-returned (acquire) */
    s->out_seen = ann_load_acquire_u64(ANN_U64(v->outbound, ANN_RING_CONSUMED));
    return s->next_out + need - s->out_seen <= capacity;
}

/* The call of message number `i` that the turn has found; 0 if the message is no call. */
ANN_FUNCTION u64 ann_found_caller(PRIVATE const ann_view *v, u32 i)
{
#ifdef ANN_TIMERS
    if (v->shared->due)
        return 0;
#endif
#if ANN_LAUNCH_SEALED
    return ann_caller(v, ann_message_at(v, i));
#else
    return ann_caller(v, ann_turn_slot(v, i));
#endif
}

/* Whether the first output of a message's handler is a reply, which takes no slot of the outbound ring. */
ANN_FUNCTION u32 ann_is_answered(PRIVATE const ann_view *v, u64 caller)
{
#if ANN_LAUNCH_THROUGH && ANN_LAUNCH_CONNECTABLE && defined(ANN_OUTPUT)
    return caller != 0 && !(ann_is_through(caller) && ANN_IS_LINKED(v));
#else
    return caller != 0;
#endif
}

/* How many of the first `found` messages there is room for. Each may need `credit` slots, and a call one
   less. */
/* TWIN: has_credit */
ANN_FUNCTION u32 ann_credit(PRIVATE const ann_view *v, u32 found)
{
    LOCAL ann_launch *l = &v->shared->launch;
    LOCAL ann_state *s = &v->shared->state;
    if (ann_has_slots(v, (u64)found * l->credit))
        return found;
    u64 room = ((u64)1 << l->out_shift) - (s->next_out - s->out_seen);
    u32 granted = 0;
    while (granted < found) {
        u32 need = l->credit - ann_is_answered(v, ann_found_caller(v, granted));
        if (need > room)
            break;
        room -= need;
        granted += 1;
    }
    return granted;
}

/* As above. If there is no room, says so in the control block, so that the host that makes room wakes this
   block. */
/* TWIN: or_stall */
ANN_FUNCTION u32 ann_credit_or_stall(PRIVATE const ann_view *v, u32 found)
{
    LOCAL ann_state *s = &v->shared->state;
#if ANN_LAUNCH_HOLD
    found = ann_hold_room(v, found);
#endif
    u32 credit = ann_credit(v, found);
    if ((credit == 0) == (ANN_WAITS_FOR_HOST(s) != 0))
        return credit;
    if (credit == 0) {
        ann_settle_up(v);
        ann_store_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_STALLED), 1);
        /* SYNC: stalled */
        ann_fence_all();
        credit = ann_credit(v, found);
    }
#if ANN_LAUNCH_HOLD
    s->stalled = credit == 0 ? ANN_STALLED_BY_HOST : s->pending != 0 ? ANN_STALLED_HOLDS : 0;
    if (credit != 0)
        ann_store_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_STALLED), s->stalled);
    if (credit == 0)
        ann_at_stall(v, ANN_STALLED_BY_HOST);
#else
    if (credit != 0)
        ann_store_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_STALLED), 0);
    s->stalled = credit == 0;
    if (s->stalled)
        ann_at_stall(v, 1);
#endif
    return credit;
}

/* Whether the host's next message, which is published, is a call. Loads directly from its slot. Called when
   there is no room. */
ANN_FUNCTION u32 ann_next_is_call(PRIVATE const ann_view *v)
{
    LOCAL ann_launch *l = &v->shared->launch;
    if (l->in_correlation == 0)
        return 0;
    u64 ticket = v->shared->state.next_in;
    GLOBAL const u8 *slot = ann_in_slot(v, ticket);
#if ANN_LAUNCH_SEALED
    /* A generation is never 0. */
    u32 at = (u32)l->in_correlation + 4;
    ann_unit unit = ann_load_unit(slot + at / 12 * 16);
    u32 word = at % 12 == 0 ? unit.a : (at % 12 == 4 ? unit.b : unit.c);
    return word != 0 && unit.lap == (u32)(ticket >> l->in_shift) + 1;
#else
    /* SYNC: slot-published (acquire) */
    ann_fence_acquire();
    return ann_is_answered(v, ann_caller(v, slot));
#endif
}

/* Whether there is room for the host's next message, which is published. */
ANN_FUNCTION u32 ann_has_room_for_next(PRIVATE const ann_view *v)
{
    u32 credit = v->shared->launch.credit;
    if (ann_has_slots(v, credit))
        return 1;
    return ann_next_is_call(v) && ann_has_slots(v, credit - 1);
}
