/* The block: how a turn begins and ends, by the leader. */

/* By the leader: begins a turn that takes messages. */
ANN_FUNCTION void ann_grant(PRIVATE const ann_view *v)
{
#ifdef ANN_PRINTS
    ann_grant_prints(v);
#endif
#ifdef ANN_TURN_TIME
    /* Once for all messages of the turn. */
    v->shared->now = ann_now(v);
#endif
}

/* By the leader, which has seen published messages: how many of them are handled in this turn. */
ANN_FUNCTION u32 ann_accept(PRIVATE const ann_view *v, u32 ready, u32 command)
{
    LOCAL ann_shared *b = v->shared;
    /* A message that was sent after a command is handled after it. */
    if (command != b->command) {
        b->again = 1;
        return 0;
    }
    ready = ann_credit_or_stall(v, ready);
    if (ready == 0)
        ann_note_depth(v);
    else
        ann_grant(v);
    return ready;
}

#if ANN_LAUNCH_CONNECTABLE

#if ANN_LAUNCH_THREADS > 1

/* By the leader, which has seen the next message of another kernel: how many such slots all threads look at, by
   the tickets that were taken. */
ANN_FUNCTION void ann_window_device_local(PRIVATE const ann_view *v, u32 waiting)
{
    LOCAL ann_shared *b = v->shared;
    if (b->state.stalled && !ann_has_slots(v, b->launch.credit))
        return;
#if ANN_LAUNCH_ADAPTIVE
    u32 limit = ann_adapt(v, ann_plausible_depth(v, waiting));
#else
    u32 limit = b->launch.limit;
#endif
    b->window = waiting < limit ? waiting : limit;
    /* What was loaded of the tickets may be older than the slot. */
    if (waiting == 0 || waiting > (u32)1 << b->launch.in_shift)
        b->window = 1;
#ifdef ANN_LAUNCH_ROUNDS
    b->window = ann_part_of_round(b->window, ann_left_of_kernels(v));
#endif
    b->found = b->window;
    b->device_local = 1;
}

#endif

/* By the leader: whether this turn takes from other kernels. The host's words may be far away, so they are
   loaded only from time to time while messages come from other kernels. */
ANN_FUNCTION u32 ann_begin_device_local(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_state *s = &b->state;
    u32 active = (s->command & ANN_ACTIVE) != 0;
#if defined(ANN_OUTPUT) && ANN_LAUNCH_THREADS == 1
#ifdef ANN_PORTS
    ann_forward_parted(v);
#else
    ann_forward(v);
#endif
    if (b->granted + b->lost != 0)
        b->again = 1;
#endif
#ifdef ANN_EVENTS
    /* Nothing comes before the start, or behind the last one. */
    if (ann_starts(v))
        return 0;
#endif
    if (b->device_local_turns >= ANN_DEVICE_LOCAL_TURNS || !active || ANN_IS_HELD_UP(v)) {
        /* That the host has nothing does not mean that there is nothing. */
        b->again |= b->device_local_turns >= ANN_DEVICE_LOCAL_TURNS;
        b->device_local_turns = 0;
        return 0;
    }
#ifdef ANN_LAUNCH_ROUNDS
    if (ann_left_of_kernels(v) == 0) {
        b->device_local_turns = 0;
        return 0;
    }
#endif
#if ANN_ALONE
    u32 next = ann_device_local_next(v);
    u32 lap = (next >> b->launch.in_shift) + 1;
    GLOBAL u32 *commit = ANN_U32(ann_device_local_in_slot(v, next), 0);
#endif
    for (u32 look = 0; look < ANN_DEVICE_LOCAL_LOOKS; look++) {
#if ANN_ALONE
        u32 reserved = ann_device_load_relaxed_u32(ANN_U32(v->device_local, ANN_DEVICE_LOCAL_RESERVED));
        /* The last, for what comes behind it waits for it. SYNC: device-local-published (acquire) */
        if (ann_device_load_acquire_u32(commit) != lap)
            continue;
#else
        if (!ann_device_local_published(v, 0))
            continue;
#endif
        b->command = s->command;
#if ANN_LAUNCH_SEALED
        /* All threads bring the units. */
        b->kept = 0;
        b->agreed = 0xFFFFFFFFu;
#endif
#if ANN_LAUNCH_THREADS == 1
        u32 ready = 1;
#if ANN_LAUNCH_ADAPTIVE
        u32 waits = ann_device_local_waiting(v);
        u32 limit = ann_adapt(v, ann_plausible_depth(v, waits));
#else
        u32 limit = b->launch.limit;
#endif
#ifdef ANN_LAUNCH_ROUNDS
        limit = ann_part_of_round(limit, ann_left_of_kernels(v));
#endif
        while (ready < limit && ann_device_local_published(v, ready))
            ready++;
        /* SYNC: device-local-published (acquire) */
        ann_device_fence_acquire();
        /* It is not known yet which of them are calls. */
        b->device_local = 1;
        b->count = ann_accept(v, ready, s->command);
        b->device_local = b->count != 0;
#else
#if ANN_ALONE
        ann_window_device_local(v, (reserved - next) & ANN_DEVICE_LOCAL_TICKETS);
#else
        ann_window_device_local(v, ann_device_local_waiting(v));
#endif
#endif
        b->device_local_turns = b->device_local ? b->device_local_turns + 1 : 0;
        return b->device_local;
    }
    b->device_local_turns = 0;
    return 0;
}

#endif

/* By the leader: nothing has been done yet in this turn. */
ANN_FUNCTION void ann_clear_turn(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    b->window = 0;
    b->found = 0;
    b->count = 0;
    b->again = 0;
    b->taken = 0;
    b->processed = 0;
    b->dropped = 0;
    b->produced = 0;
    b->answers = 0;
    b->dead_letters = 0;
    b->error = 0;
    b->latest = 0;
    b->sum = 0;
#if ANN_INDEPENDENT && ANN_LAUNCH_THREADS > 1
    b->tally = 0;
    b->unhandled = 0;
#endif
#if ANN_LAUNCH_TRACED
    b->sampled = 0;
    b->noted = 0;
#endif
#ifdef ANN_TIMERS
    b->due = 0;
#endif
#ifdef ANN_BODY
    b->messages = 0;
    b->next = 0;
    b->body_code = 0;
    b->ends = 0;
#endif
#if ANN_LAUNCH_CONNECTABLE
    b->device_local = 0;
    b->granted = 0;
    b->lost = 0;
    b->left = 0;
#if defined(ANN_OUTPUT) && defined(ANN_PORTS)
    ann_begin_ports(v);
#endif
#endif
}

/* By the leader, which has looked at the host's words: obeys the command, and decides how much the turn takes.
   `first` says whether the next slot is published, or may be. */
ANN_FUNCTION void ann_weigh(PRIVATE const ann_view *v, u32 command, u32 first)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_state *s = &b->state;
    if (!s->looked || command != s->command) {
#ifdef ANN_STOP_TAG
        if (ann_begin_stop(v, command))
            return;
#endif
        ann_settle_up(v);
        /* SYNC: command (acquire) */
        ann_fence_acquire();
        ann_obey(v, command);
        b->again = 1;
    }
    if ((command & ANN_TERMINATE) != 0) {
        b->ending = 1;
        return;
    }
    if ((command & ANN_ACTIVE) == 0) {
        ann_note_depth(v);
        return;
    }
#ifdef ANN_BODY
    first = first && !b->leaving;
#endif
#if ANN_LAUNCH_CONNECTABLE
    first = first && !ANN_IS_HELD_UP(v);
#endif
#ifdef ANN_LAUNCH_ROUNDS
    first = first && ann_left_of_host(v) != 0;
#endif
#ifdef ANN_TIMERS
    if (ann_begin_timers(v, first))
        return;
#endif
    if (!first) {
        ann_note_depth(v);
        return;
    }
#if ANN_LAUNCH_THREADS == 1
    u32 ready = 1;
#if ANN_LAUNCH_ADAPTIVE
    u32 limit = ann_adapt(v, ann_waiting_of_host(v));
#else
    u32 limit = b->launch.limit;
#endif
#ifdef ANN_LAUNCH_ROUNDS
    limit = ann_part_of_round(limit, ann_left_of_host(v));
#endif
    while (ready < limit && ann_published(v, s->next_in + ready))
        ready++;
    /* SYNC: slot-published (acquire) */
    ann_fence_acquire();
    b->count = ann_accept(v, ready, ann_load_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_COMMAND)));
#else
    /* No message is copied that could not be handled. The gauge may be older than the slot that was seen. */
    if (!s->stalled || ann_has_room_for_next(v)) {
#if ANN_HOSTED
        /* Producers write the gauge's line, so it is not loaded as long as there is only one message. */
        u64 waiting = 1;
        if (ann_published(v, s->next_in + 1))
            waiting =
                (ann_load_relaxed_u64(ANN_U64(v->inbound, ANN_RING_RESERVED)) & ~ANN_CLOSED) - s->next_in;
#else
        u64 waiting = b->reserved - s->next_in;
#endif
#if ANN_LAUNCH_ADAPTIVE
        u32 limit = ann_adapt(v, ann_plausible_depth(v, waiting));
#else
        u32 limit = b->launch.limit;
#endif
        b->window = waiting < limit ? (u32)waiting : limit;
        if (waiting == 0 || waiting > (u64)1 << b->launch.in_shift)
            b->window = 1;
#ifdef ANN_LAUNCH_ROUNDS
        b->window = ann_part_of_round(b->window, ann_left_of_host(v));
#endif
        b->found = b->window;
    } else {
        ann_note_depth(v);
    }
#endif
}

/* By the leader: what this turn has to do. */
/* TWIN: iterate */
ANN_FUNCTION void ann_begin_turn(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_state *s = &b->state;
    ann_clear_turn(v);
    /* Computed before the looks begin: a computation between them may wait for one of them. */
    GLOBAL u8 *next = ann_computed(ann_in_slot(v, s->next_in));
    /* In step with others, an ending block goes on for a while without doing anything. */
    if (b->ending)
        return;
#if ANN_LAUNCH_CONNECTABLE
    if ((s->command & ANN_TERMINATE) != 0) {
        /* The block ended in an earlier epoch, and was launched again because of other blocks. */
        b->ending = 1;
        return;
    }
    if (ann_begin_device_local(v))
        return;
#endif
    /* The loads follow each other without waiting, since the host's memory may be far away. */
#if ANN_ALONE
    u32 attends = b->attends;
    ann_asked asked;
    if (attends)
        asked = ann_look_at_asked(v);
#endif
    u32 command = ann_load_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_COMMAND));
#if ANN_LAUNCH_THREADS > 1 && !ANN_HOSTED
    u64 reserved = ann_load_relaxed_u64(ANN_U64(v->inbound, ANN_RING_RESERVED));
#endif
#if ANN_LAUNCH_SEALED
    /* One unit: a GPU lets loads of one thread from one line wait for each other. All threads bring the others. */
    ann_unit looked = ann_load_unit(next);
#elif ANN_ALONE
    /* The last, for what comes behind it waits for it. SYNC: slot-published (acquire) */
    u32 first = ann_load_acquire_u32(ANN_U32(next, 0))
        == (u32)(s->next_in >> b->launch.in_shift) + 1;
#else
    (void)next;
    u32 first = ann_published(v, s->next_in);
#endif
#if ANN_LAUNCH_THREADS > 1 && !ANN_HOSTED
    b->reserved = reserved & ~ANN_CLOSED;
#endif
    b->command = command;
#if ANN_LAUNCH_SEALED
    u32 first = looked.lap == ann_in_lap(v, s->next_in);
    b->kept = 0;
    b->agreed = 0xFFFFFFFFu;
#endif
#if ANN_ALONE
    if (attends) {
        b->attends = 0;
        ann_attend_to(v, &asked);
        if (asked.leave == b->epoch) {
            b->ending = 1;
            return;
        }
    }
#endif
    ann_weigh(v, command, first);
}

#ifdef ANN_BODY

/* By the leader: the body was called, and has taken nothing. It may have printed, and may have ended the kernel. */
ANN_FUNCTION void ann_end_vain_body(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    u32 tells = b->leaving;
#ifdef ANN_PRINTS
    if (b->prints.count != 0) {
        ann_count_prints(v);
        tells = 1;
    }
#endif
    ann_at_nothing(v);
    if (tells)
        ann_tell(v, 1);
}

#endif

/* By the leader: makes the turn's results visible; whoever sees that a message was consumed sees it counted.
   */
/* TWIN: publish */
ANN_FUNCTION void ann_end_turn(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_state *s = &b->state;
    if (b->ending)
        return;
#if ANN_LAUNCH_CONNECTABLE && defined(ANN_OUTPUT) && ANN_LAUNCH_THREADS > 1
    if ((s->command & ANN_ACTIVE) != 0)
        ann_settle(v);
    if (b->granted + b->lost != 0)
        b->again = 1;
#endif
    if (b->taken == 0) {
#ifdef ANN_BODY
        if (b->messages != 0)
            ann_end_vain_body(v);
#endif
#if ANN_ASKS
        ann_tell_if_freed(v);
#endif
#if ANN_LAUNCH_CONNECTABLE && !ANN_DEFERS
        if (!b->again)
            ann_rest(v);
#endif
#ifndef ANN_LAUNCH_SUPERSTEPS
        if (!b->again)
            ann_idle(v);
#endif
        return;
    }
    /* All looks of an epoch count, so a block with occasional messages does not keep the others from the next
       epoch. */
    if (b->launch.epoch_polls == 0) {
        b->idle = 0;
        /* A block that is never idle looks from time to time. */
        b->busy += 1;
#if ANN_ALONE
        b->attends |= (b->busy & 15) == 0;
#else
        if ((b->busy & 15) == 0) {
            ann_attend(v);
            b->ending = ann_is_asked_to_leave(v);
        }
#endif
    }
    u32 device_local = 0;
#if ANN_LAUNCH_CONNECTABLE
    device_local = b->device_local;
#endif
#ifdef ANN_TIMERS
    if (b->due)
        ann_timers_of(v)->taken += b->taken;
    else
#endif
    if (device_local)
        s->taken += b->taken;
    else
        s->next_in += b->taken;
    ann_say(v, ANN_AT_PUBLISHING);
#if ANN_LAUNCH_CONNECTABLE && !ANN_DEFERS
    /* This comes before their results are counted. */
    if (device_local)
        ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_TAKEN), s->taken);
#ifdef ANN_OUTPUT
    ann_publish_pending(v);
#endif
#endif
#ifdef ANN_TIMERS
    /* Likewise. */
    ann_tell_timers(v);
#endif
    s->processed += b->processed;
#if ANN_LAUNCH_COUNTS_TURNS
    b->turns += 1;
    ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_TURNS), b->turns);
#endif
#if ANN_DEFERS
#ifdef ANN_PRINTS
    if (b->prints.count != 0)
        ann_count_prints(v);
#endif
    ann_count_telemetry(v);
    ann_owe(v);
#else
    ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_PROCESSED), s->processed);
    if (b->dropped != 0) {
        ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_FAILED), s->failed);
        ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_UNKNOWN), s->unknown_actor);
        ann_store_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_ERROR), b->error);
    }
    ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_SENT), s->sent);
    if (b->dead_letters != 0 || b->produced != 0) {
        /* Who sees in the gauges that there is an answer, or a dead letter, finds it. SYNC: gauge (release)
           */
        ann_fence_release();
        if (b->dead_letters != 0)
            ann_store_fenced_u64(ANN_U64(v->shard + b->launch.dead_letters, ANN_RING_RESERVED), s->next_dead_letter);
        if (b->produced != 0)
            ann_store_fenced_u64(ANN_U64(v->outbound, ANN_RING_RESERVED), s->next_out);
    }
    u32 noted = b->dead_letters;
#if ANN_LAUNCH_TRACED
    noted |= b->noted;
#endif
#ifdef ANN_PRINTS
    if (b->prints.count != 0) {
        ann_count_prints(v);
        noted = 1;
    }
#endif
    ann_count_telemetry(v);
#if ANN_LAUNCH_CONNECTABLE
    if (device_local) {
        /* SYNC: device-local-returned (release) */
        ann_device_store_release_u32(ANN_U32(v->device_local, ANN_DEVICE_LOCAL_CONSUMED), ann_device_local_next(v));
    }
#endif
    if (!device_local) {
        /* SYNC: slots-returned (release) */
        ann_store_release_u64(ANN_U64(v->inbound, ANN_RING_CONSUMED), s->next_in);
    }
    ann_tell(v, noted);
#endif
    if (b->launch.epoch_messages != 0) {
        b->handled += b->taken;
        if (b->handled >= b->launch.epoch_messages) {
            b->ending = 1;
#if ANN_LAUNCH_CONNECTABLE
            /* There may be nothing to do, and then no other epoch follows. */
            ann_settle_up(v);
            ann_rest(v);
#endif
        }
    }
}
