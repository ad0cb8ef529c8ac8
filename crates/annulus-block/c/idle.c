/* The block: what it does when a turn finds nothing. */

#if ANN_LAUNCH_CONNECTABLE

/* By the leader: whether the block would find something to do with other kernels. */
ANN_FUNCTION u32 ann_has_device_local_work(PRIVATE const ann_view *v)
{
    LOCAL ann_state *s = &v->shared->state;
    if ((s->command & ANN_ACTIVE) == 0 || v->shared->ending)
        return 0;
#ifdef ANN_OUTPUT
#if ANN_LAUNCH_HOLD
    if (s->pending != 0 && ann_would_forward(v))
        return 1;
    if (ann_is_held_up(v))
        return 0;
#else
    if (s->pending != 0)
        return ann_would_forward(v);
#endif
#endif
#ifdef ANN_LAUNCH_ROUNDS
    if (ann_waits_for_round(v, ann_left_of_kernels(v)))
        return 0;
#endif
#if ANN_LAUNCH_THROUGH
    if (!ann_device_local_published(v, 0))
        return 0;
    /* SYNC: device-local-published (acquire) */
    ann_device_fence_acquire();
    u64 caller = ann_caller(v, ann_device_local_in_slot(v, ann_device_local_next(v)));
    return !ANN_WAITS_FOR_HOST(s) || ann_has_slots(v, v->shared->launch.credit - ann_is_answered(v, caller));
#else
    return ann_device_local_published(v, 0) && (!ANN_WAITS_FOR_HOST(s) || ann_has_slots(v, v->shared->launch.credit));
#endif
}

#endif

/* By the leader of a block that found nothing: whether a turn would find something now. */
/* TWIN: has_work */
ANN_FUNCTION u32 ann_has_work(PRIVATE const ann_view *v)
{
    LOCAL ann_state *s = &v->shared->state;
    u32 command = ann_load_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_COMMAND));
    if (command != s->command || ann_is_asked_to_leave(v))
        return 1;
#if ANN_LAUNCH_CONNECTABLE
    if (ann_has_device_local_work(v))
        return 1;
    if (ANN_IS_HELD_UP(v))
        return 0;
#endif
#ifdef ANN_TIMERS
    if (ann_micros_until_due(v) == 0)
        return 1;
#endif
    if ((command & ANN_ACTIVE) == 0 || !ann_published(v, s->next_in))
        return 0;
#ifdef ANN_BODY
    if (v->shared->leaving)
        return 0;
#endif
#ifdef ANN_LAUNCH_ROUNDS
    if (ann_waits_for_round(v, ann_left_of_host(v)))
        return 0;
#endif
    return !ANN_WAITS_FOR_HOST(s) || ann_has_room_for_next(v);
}

/* Naps until the host ends the nap by `wake`, other kernels have something for the block, or a timer is due.
   Returns 1 if the nap ran its whole time. */
ANN_FUNCTION u32 ann_nap_until_work(PRIVATE const ann_view *v, u32 seen)
{
    u32 micros = v->shared->launch.nap_micros;
    u32 is_whole = 1;
#ifdef ANN_TIMERS
    u32 until_due = ann_micros_until_due(v);
    if (until_due < micros) {
        micros = until_due;
        is_whole = 0;
    }
#endif
#if ANN_LAUNCH_CONNECTABLE
    if ((v->shared->state.command & ANN_ACTIVE) == 0)
        return ann_nap(&v->record->wake, seen, micros);
    /* Kernels do not wake each other. A slice may take longer than it says, so the clock is asked, where there is one. */
    u64 begun = ann_clock(v->shared->launch.clock);
    for (u32 passed = 0; passed < micros;) {
        u32 slice = micros - passed < ANN_DEVICE_LOCAL_NAP ? micros - passed : ANN_DEVICE_LOCAL_NAP;
        if (!ann_nap(&v->record->wake, seen, slice) || ann_has_device_local_work(v))
            return 0;
#if ANN_ASKS
        if (ann_has_answer(v))
            return 0;
#endif
        passed = begun != 0 ? (u32)((ann_clock(v->shared->launch.clock) - begun) / 1000) : passed + slice;
    }
    return is_whole;
#else
    return ann_nap(&v->record->wake, seen, micros) && is_whole;
#endif
}

/* By the leader of a block that has waited for a long time: whether its host is gone. */
ANN_FUNCTION u32 ann_host_is_gone(PRIVATE const ann_view *v)
{
    LOCAL ann_state *s = &v->shared->state;
    u64 heartbeat = ann_load_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_HEARTBEAT));
    s->strikes = heartbeat == s->heartbeat ? s->strikes + 1 : 0;
    s->heartbeat = heartbeat;
    return s->strikes > v->shared->launch.patience;
}

/* By the leader of a block that has found nothing for a while: tells the host all that it was not told, and
   that the block rests. */
ANN_FUNCTION void ann_come_to_rest(PRIVATE const ann_view *v)
{
    ann_settle_up(v);
#if ANN_LAUNCH_CONNECTABLE && ANN_DEFERS
    ann_rest(v);
#endif
}

/* By the leader of a block that found nothing: waits a little, and checks whether the host still lives. */
ANN_FUNCTION void ann_idle_here(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_state *s = &b->state;
    b->idle += 1;
    if (b->idle >= ANN_OWED_LOOKS)
        ann_come_to_rest(v);
    if (b->launch.epoch_polls != 0) {
        u32 active = (s->command & ANN_ACTIVE) != 0;
        if (!active || ANN_IS_STALLED(s) || b->idle >= b->launch.epoch_polls) {
            b->ending = 1;
            ann_come_to_rest(v);
        }
        ann_at_nothing(v);
        ann_pause();
        return;
    }
    u32 nap = ANN_SYSTEM && (b->idle > b->launch.idle_polls || (s->command & ANN_ACTIVE) == 0);
#if ANN_ALONE
    if (nap)
        ann_come_to_rest(v);
    /* Loaded with the next look, without another wait. */
    b->attends |= (b->idle & 15) == 0;
    if (nap) {
#else
    if (nap || (b->idle & 15) == 0) {
#endif
        ann_attend(v);
        if (ann_is_asked_to_leave(v)) {
            b->ending = 1;
            return;
        }
    }
    if (!nap) {
        ann_at_nothing(v);
        ann_pause();
        /* Long enough that another thread on this core may produce the answer. */
        if ((b->idle > b->launch.idle_polls / 4 || b->idle > 1024) && (b->idle & 63) == 0)
            ann_yield();
        if (ANN_SYSTEM || b->idle < b->launch.patience_polls)
            return;
        b->idle = 0;
    } else {
        u32 seen = ann_load_relaxed_u32(&v->record->wake);
        ann_at_rest(v);
        ann_store_relaxed_u32(&v->record->asleep, 1);
        /* SYNC: asleep, nap-ended (acquire) */
        ann_fence_all();
        u32 undisturbed = !ann_has_work(v) && ann_nap_until_work(v, seen);
        ann_store_relaxed_u32(&v->record->asleep, 0);
        if (!undisturbed)
            return;
    }
    if (ann_host_is_gone(v))
        ann_give_up(v);
}

ANN_APART(ann_idle)
