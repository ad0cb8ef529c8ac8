/* The device runtime: commands, credit, and what the leader does in a turn. */

/* Acknowledges a new command: telemetry first, then the state, then the command itself (SYNC: state). */
ANN_FUNCTION void ann_obey(const ann_view *v, u32 command)
{
    LOCAL ann_state *s = &v->shared->state;
    u32 epoch = command >> ANN_EPOCH_SHIFT;
    if (!s->looked || epoch != s->shown_epoch) {
        s->shown_processed = 0;
        s->shown_dropped = 0;
        s->shown_last = 0;
        s->shown_total = 0;
        s->shown_max = 0;
        s->shown_min = 0xFFFFFFFFFFFFFFFFul;
        s->shown_depth = 0;
        s->shown_unmeasured = 0;
        s->shown_error = 0;
        s->shown_epoch = epoch;
    }
    s->looked = 1;
    s->command = command;
    ann_write_telemetry(v);
    u32 state = ANN_STATE_INACTIVE;
#if ANN_LAUNCH_LINKED
    /* What the host wrote before the command. */
    v->shared->link = *v->link;
    if ((command & ANN_TERMINATE) != 0)
        ann_unlink(v);
#endif
    if ((command & ANN_TERMINATE) != 0) {
        ann_store_release_u64(ANN_U64(v->outbound, ANN_RING_RESERVED), s->next_out | ANN_CLOSED);
        state = ANN_STATE_TERMINATED;
    } else if ((command & ANN_ACTIVE) != 0) {
        state = ANN_STATE_ACTIVE;
    }
    ann_store_release_u32(ANN_U32(v->shard, ANN_CONTROL_STATE), state);
    ann_store_release_u32(ANN_U32(v->shard, ANN_CONTROL_ACKNOWLEDGED), command);
    ann_store_release_u32(&v->record->obeyed, ann_load_relaxed_u32(&v->record->obeyed) + 1);
    ann_tell(v, 0);
}

/* Ends the block without a command: nobody is there to give one. */
ANN_FUNCTION void ann_give_up(const ann_view *v)
{
#if ANN_LAUNCH_LINKED
    ann_unlink(v);
    v->shared->state.command |= ANN_TERMINATE;
#endif
    ann_store_release_u64(ANN_U64(v->outbound, ANN_RING_RESERVED), v->shared->state.next_out | ANN_CLOSED);
    ann_store_release_u32(ANN_U32(v->shard, ANN_CONTROL_STATE), ANN_STATE_TERMINATED);
    v->shared->ending = 1;
}

/* Messages that there is credit for, of `want`; with a fresh look at the ring only if the last one does not suffice. */
ANN_FUNCTION u32 ann_credit(const ann_view *v, u32 want)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_state *s = &b->state;
    u64 need = (u64)want * b->launch.credit;
    u64 capacity = (u64)1 << b->launch.out_shift;
    if (s->next_out + need - s->out_seen <= capacity)
        return want;
    /* SYNC: slots-returned (acquire) */
    s->out_seen = ann_load_acquire_u64(ANN_U64(v->outbound, ANN_RING_CONSUMED));
    u64 room = (capacity - (s->next_out - s->out_seen)) / b->launch.credit;
    return room < want ? (u32)room : want;
}

/* As above, and says in the control block when there is none, so that the host that makes room wakes this block. */
ANN_FUNCTION u32 ann_credit_or_stall(const ann_view *v, u32 want)
{
    LOCAL ann_state *s = &v->shared->state;
    u32 credit = ann_credit(v, want);
    if ((credit == 0) == (s->stalled != 0))
        return credit;
    if (credit == 0) {
        ann_store_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_STALLED), 1);
        /* SYNC: stalled */
        ann_fence_all();
        credit = ann_credit(v, want);
    }
    if (credit != 0)
        ann_store_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_STALLED), 0);
    s->stalled = credit == 0;
    return credit;
}

/* By the leader, who has seen published messages: how many of them are handled in this turn. */
ANN_FUNCTION u32 ann_accept(const ann_view *v, u32 ready, u32 command)
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
#ifdef ANN_PRINTS
    else
        ann_grant_prints(v);
#endif
    return ready;
}

#if ANN_LAUNCH_LINKED

/* By the leader: whether this turn takes from other kernels. The host's words may be far away, and are looked at now and then only while messages come this way. */
ANN_FUNCTION u32 ann_begin_near(const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_state *s = &b->state;
    u32 active = (s->command & ANN_ACTIVE) != 0;
#if defined(ANN_OUTPUT) && ANN_LAUNCH_THREADS == 1
    ann_forward(v);
    if (b->granted + b->lost != 0)
        b->again = 1;
#endif
    if (b->near_turns >= ANN_NEAR_TURNS || !active || s->held != 0) {
        /* That the host has nothing does not mean that there is nothing. */
        b->again |= b->near_turns >= ANN_NEAR_TURNS;
        b->near_turns = 0;
        return 0;
    }
    for (u32 look = 0; look < ANN_NEAR_LOOKS; look++) {
        if (!ann_near_published(v, 0))
            continue;
        b->command = s->command;
#if ANN_LAUNCH_THREADS == 1
        u32 ready = 1;
        while (ready < b->launch.limit && ann_near_published(v, ready))
            ready++;
        /* SYNC: near-published (acquire) */
        ann_near_fence_acquire();
        b->count = ann_accept(v, ready, s->command);
        b->near = b->count != 0;
#else
        if (!s->stalled || ann_credit(v, 1) != 0) {
            u32 waiting = ann_near_waiting(v);
            b->window = waiting < b->launch.limit ? waiting : b->launch.limit;
            /* Tickets were looked at after the slot, and may be older. */
            if (waiting == 0)
                b->window = 1;
            b->found = b->window;
            b->near = 1;
        }
#endif
        b->near_turns = b->near ? b->near_turns + 1 : 0;
        return b->near;
    }
    b->near_turns = 0;
    return 0;
}

/* By the leader: whether the block would find something to do with other kernels. */
ANN_FUNCTION u32 ann_has_near_work(const ann_view *v)
{
    LOCAL ann_state *s = &v->shared->state;
    if ((s->command & ANN_ACTIVE) == 0 || v->shared->ending)
        return 0;
#ifdef ANN_OUTPUT
    if (s->held != 0)
        return ann_would_forward(v);
#endif
    return ann_near_published(v, 0) && (!s->stalled || ann_credit(v, 1) != 0);
}

#endif

/* By the leader: what this turn has to do. */
ANN_FUNCTION void ann_begin_turn(const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_state *s = &b->state;
    b->window = 0;
    b->found = 0;
    b->count = 0;
    b->again = 0;
    b->taken = 0;
    b->processed = 0;
    b->dropped = 0;
    b->produced = 0;
    b->letters = 0;
    b->error = 0;
    b->latest = 0;
    b->sum = 0;
#if ANN_LAUNCH_LINKED
    b->near = 0;
    b->granted = 0;
    b->lost = 0;
    b->left = 0;
#endif
    /* In step with others an ending block goes on for a while, and does nothing. */
    if (b->ending)
        return;
#if ANN_LAUNCH_LINKED
    if ((s->command & ANN_TERMINATE) != 0) {
        /* It ended in an earlier epoch, and was launched again for others. */
        b->ending = 1;
        return;
    }
    if (ann_begin_near(v))
        return;
#endif
    /* One after the other, and none waits for the one before: the host's memory may be far away. */
    u32 command = ann_load_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_COMMAND));
#if ANN_LAUNCH_SEALED
    ann_first looked;
    ann_load_first(v, &looked);
#else
    u32 first = ann_published(v, s->next_in);
#endif
#if ANN_LAUNCH_THREADS > 1 && !ANN_HOSTED
    b->reserved = ann_load_relaxed_u64(ANN_U64(v->inbound, ANN_RING_RESERVED)) & ~ANN_CLOSED;
#endif
    b->command = command;
#if ANN_LAUNCH_SEALED
    u32 first = ann_keep_first(v, &looked);
#endif
    if (!s->looked || command != s->command) {
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
#if ANN_LAUNCH_LINKED
    first = first && s->held == 0;
#endif
    if (!first) {
        ann_note_depth(v);
        return;
    }
#if ANN_LAUNCH_THREADS == 1
    u32 ready = 1;
    while (ready < b->launch.limit && ann_published(v, s->next_in + ready))
        ready++;
    /* SYNC: slot-published (acquire) */
    ann_fence_acquire();
    b->count = ann_accept(v, ready, ann_load_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_COMMAND)));
#else
    /* Nothing is brought in that could not be handled. The gauge may be older than the slot that was seen. */
    if (!s->stalled || ann_credit(v, 1) != 0) {
#if ANN_HOSTED
        /* Producers write the gauge's line: it is left to them as long as one message is all there is. */
        u64 waiting = 1;
        if (ann_published(v, s->next_in + 1))
            waiting = (ann_load_relaxed_u64(ANN_U64(v->inbound, ANN_RING_RESERVED)) & ~ANN_CLOSED) - s->next_in;
#else
        u64 waiting = b->reserved - s->next_in;
#endif
        b->window = waiting < b->launch.limit ? (u32)waiting : b->launch.limit;
        if (waiting == 0 || waiting > (u64)1 << b->launch.in_shift)
            b->window = 1;
        b->found = b->window;
    } else {
        ann_note_depth(v);
    }
#endif
}

/* By the leader, of a block that stays: whether the host asks it to leave for a while. */
ANN_FUNCTION u32 ann_is_asked_to_leave(const ann_view *v)
{
    return ann_load_relaxed_u32(&v->record->leave) == v->record->epoch;
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

/* By the leader, of a block that found nothing: whether a turn would find something now. */
ANN_FUNCTION u32 ann_has_work(const ann_view *v)
{
    LOCAL ann_state *s = &v->shared->state;
    u32 command = ann_load_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_COMMAND));
    if (command != s->command || ann_is_asked_to_leave(v))
        return 1;
#if ANN_LAUNCH_LINKED
    if (ann_has_near_work(v))
        return 1;
    if (s->held != 0)
        return 0;
#endif
    if ((command & ANN_ACTIVE) == 0 || !ann_published(v, s->next_in))
        return 0;
    return !s->stalled || ann_credit(v, 1) != 0;
}

/* Naps until the host ends it, by `wake`, or other kernels have something for the block; 1 if the whole nap has passed. */
ANN_FUNCTION u32 ann_nap_until_work(const ann_view *v, u32 seen)
{
    u32 micros = v->shared->launch.nap_micros;
#if ANN_LAUNCH_LINKED
    if ((v->shared->state.command & ANN_ACTIVE) == 0)
        return ann_nap(&v->record->wake, seen, micros);
    /* No kernel wakes another one. */
    for (u32 passed = 0; passed < micros; passed += ANN_NEAR_NAP) {
        if (!ann_nap(&v->record->wake, seen, ANN_NEAR_NAP) || ann_has_near_work(v))
            return 0;
    }
    return 1;
#else
    return ann_nap(&v->record->wake, seen, micros);
#endif
}

/* By the leader, of a block that has waited for long: whether its host is gone. */
ANN_FUNCTION u32 ann_host_is_gone(const ann_view *v)
{
    LOCAL ann_state *s = &v->shared->state;
    u64 heartbeat = ann_load_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_HEARTBEAT));
    s->strikes = heartbeat == s->heartbeat ? s->strikes + 1 : 0;
    s->heartbeat = heartbeat;
    return s->strikes > v->shared->launch.patience;
}

/* By the leader, of a block that found nothing: waits a little, and sees whether the host still lives. */
ANN_FUNCTION void ann_idle(const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_state *s = &b->state;
    b->idle += 1;
    if (b->launch.epoch_polls != 0) {
        u32 active = (s->command & ANN_ACTIVE) != 0;
        if (!active || s->stalled || b->idle >= b->launch.epoch_polls)
            b->ending = 1;
        ann_pause();
        return;
    }
    u32 nap = ANN_SYSTEM && (b->idle > b->launch.idle_polls || (s->command & ANN_ACTIVE) == 0);
    if (nap || (b->idle & 15) == 0) {
        ann_attend(v);
        if (ann_is_asked_to_leave(v)) {
            b->ending = 1;
            return;
        }
    }
    if (!nap) {
        ann_pause();
        /* Long enough that another thread on this core may have the answer. */
        if ((b->idle > b->launch.idle_polls / 4 || b->idle > 1024) && (b->idle & 63) == 0)
            ann_yield();
        if (ANN_SYSTEM || b->idle < b->launch.patience_polls)
            return;
        b->idle = 0;
    } else {
        u32 seen = ann_load_relaxed_u32(&v->record->wake);
        ann_store_relaxed_u32(&v->record->asleep, 1);
        /* SYNC: asleep */
        ann_fence_all();
        u32 undisturbed = !ann_has_work(v) && ann_nap_until_work(v, seen);
        ann_store_relaxed_u32(&v->record->asleep, 0);
        if (!undisturbed)
            return;
    }
    if (ann_host_is_gone(v))
        ann_give_up(v);
}

#if ANN_HOSTED && ANN_LAUNCH_THREADS > 1 && !defined(ANN_LAUNCH_SUPERSTEPS)

/* By the leader: begins turns, and ends those that find nothing, until there is something to do. On a processor all threads of a block take one after the other
   what a turn does between two barriers, so an empty turn of all takes many times as long as a look of the leader's. */
ANN_FUNCTION void ann_await_turn(const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    for (;;) {
        ann_begin_turn(v);
        if (b->window != 0 || b->again || b->ending)
            return;
#if ANN_LAUNCH_LINKED
        if (b->state.held != 0)
            return;
        ann_rest(v);
#endif
        ann_idle(v);
        if (b->ending)
            return;
    }
}

#endif

/* By the leader: makes the turn's results visible; whoever sees that a message was consumed sees it counted. */
ANN_FUNCTION void ann_end_turn(const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_state *s = &b->state;
    if (b->ending)
        return;
#if ANN_LAUNCH_LINKED && defined(ANN_OUTPUT) && ANN_LAUNCH_THREADS > 1
    if ((s->command & ANN_ACTIVE) != 0)
        ann_settle(v);
    if (b->granted + b->lost != 0)
        b->again = 1;
#endif
    if (b->taken == 0) {
#if ANN_LAUNCH_LINKED
        if (!b->again)
            ann_rest(v);
#endif
#ifndef ANN_LAUNCH_SUPERSTEPS
        if (!b->again)
            ann_idle(v);
#endif
        return;
    }
    /* An epoch is bounded by all of its looks, so that a block with messages now and then does not keep the others from the next. */
    if (b->launch.epoch_polls == 0) {
        b->idle = 0;
        /* A block that is never idle looks now and then. */
        b->busy += 1;
        if ((b->busy & 15) == 0) {
            ann_attend(v);
            b->ending = ann_is_asked_to_leave(v);
        }
    }
    u32 near = 0;
#if ANN_LAUNCH_LINKED
    near = b->near;
#endif
    if (near)
        s->taken += b->taken;
    else
        s->next_in += b->taken;
#if ANN_LAUNCH_LINKED
    /* Before what became of them is counted. */
    if (near)
        ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_TAKEN), s->taken);
#ifdef ANN_OUTPUT
    ann_say_held(v);
#endif
#endif
    s->processed += b->processed;
    ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_PROCESSED), s->processed);
    if (b->dropped != 0) {
        ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_FAILED), s->failed);
        ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_UNKNOWN), s->unknown_actor);
        ann_store_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_ERROR), b->error);
    }
    ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_SENT), s->sent);
    if (b->letters != 0 || b->produced != 0) {
        /* Who sees in the gauges that there is an answer, or a letter, finds it. */
        ann_fence_release();
        if (b->letters != 0)
            ann_store_fenced_u64(ANN_U64(v->shard + b->launch.letters, ANN_RING_RESERVED), s->next_letter);
        if (b->produced != 0)
            ann_store_fenced_u64(ANN_U64(v->outbound, ANN_RING_RESERVED), s->next_out);
    }
    u32 noted = b->letters;
#ifdef ANN_PRINTS
    if (b->prints.count != 0) {
        ann_count_prints(v);
        noted = 1;
    }
#endif
    ann_count_telemetry(v);
#if ANN_LAUNCH_LINKED
    if (near) {
        /* SYNC: near-returned (release) */
        ann_near_store_release_u32(ANN_U32(v->near, ANN_NEAR_CONSUMED), ann_near_next(v));
    }
#endif
    if (!near) {
        /* SYNC: slots-returned (release) */
        ann_store_release_u64(ANN_U64(v->inbound, ANN_RING_CONSUMED), s->next_in);
    }
    ann_tell(v, noted);
    if (b->launch.epoch_messages != 0) {
        b->handled += b->taken;
        if (b->handled >= b->launch.epoch_messages) {
            b->ending = 1;
#if ANN_LAUNCH_LINKED
            /* There may be nothing to do, and so no other epoch. */
            ann_rest(v);
#endif
        }
    }
}
