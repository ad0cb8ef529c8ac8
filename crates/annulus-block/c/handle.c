/* The block: calls of the handler. */

/* The place of the message's state in the block's part; ANN_NO_ACTOR if the key names none of this block's
   actors. */
/* TWIN: of */
ANN_FUNCTION u64 ann_actor(PRIVATE const ann_view *v, GLOBAL const ANN_MESSAGE *message)
{
#if ANN_LAUNCH_SPARSE
    u64 key = ANN_KEY(message);
#ifdef ANN_TIMERS
    if (key % v->shared->launch.grid != ann_block(v))
        return ANN_NO_ACTOR;
#endif
    return ann_place_actor(v, key);
#elif ANN_SHAPE == ANN_PER_ACTOR
    u64 key = ANN_KEY(message);
    u64 grid = v->shared->launch.grid;
#ifdef ANN_TIMERS
    /* A handler may have sent it to itself, though it is for another block. */
    if (key % grid != ann_block(v))
        return ANN_NO_ACTOR;
#endif
    u64 place = grid == 1 ? key : key / grid;
    return place < v->shared->own ? place : ANN_NO_ACTOR;
#else
    return 0;
#endif
}

/* Calls the handler as a transaction: the state is a copy, committed on success. */
/* TWIN: call */
ANN_FUNCTION u32 ann_transact(
    PRIVATE const ann_view *v, ANN_HANDED *message, u64 actor, u32 thread_index,
    PRIVATE ann_outbox *outbox ANN_BINDING_PARAMETERS)
{
    ann_cx cx;
    cx.block_index = ann_block(v);
    cx.grid_size = v->shared->launch.grid;
    cx.thread_index = thread_index;
#ifndef ANN_BLOCK_WIDE
    if (actor == ANN_NO_ACTOR)
        return ANN_UNKNOWN_ACTOR;
#endif
#if ANN_LAUNCH_SPARSE && ANN_BEGINS_ANEW
#ifdef ANN_BLOCK_WIDE
    if (thread_index == 0 && actor != ANN_NO_ACTOR)
#endif
        ann_mark_actor(v, actor);
#endif
#if ANN_LAUNCH_SEQUENTIAL
    /* SYNC: sequential (both ends): such fences of all blocks have one order. */
    ann_fence_all();
#endif
#ifdef ANN_PRINTS
    ann_printer to;
    to.turn = &v->shared->prints;
    to.slots = v->shard + v->shared->launch.prints + ANN_RING_SLOTS;
    to.stride = v->shared->launch.print_stride;
    to.shift = v->shared->launch.print_shift;
    PRIVATE ann_printer *printer = &to;
#endif
#ifdef ANN_ASKS_QUEUE
    /* The slot's second word is in front of the message, wherever that was copied to. */
    GLOBAL const u8 *slot = (GLOBAL const u8 *)message - v->shared->launch.in_payload;
    u32 queue = *(GLOBAL const u32 *)(slot + 4) >> ANN_QUEUE_SHIFT & ANN_QUEUE_MASK;
#endif
#ifdef ANN_ASKS_TIME
    u64 time = v->shared->now;
#endif
#ifdef ANN_ASKS_STAMP
#if ANN_LAUNCH_CAUSAL
    u64 stamp = ann_stamp(v, (GLOBAL const u8 *)message - v->shared->launch.in_payload);
#else
    u64 stamp = 0;
#endif
#endif
#ifdef ANN_ASKS_ROUND
#ifdef ANN_LAUNCH_ROUNDS
    u64 round = v->shared->rounds - 1;
#else
    u64 round = 0;
#endif
#endif
#ifdef ANN_TIMERS
    ann_later setting;
    ann_begin_to_set(v, &setting);
    PRIVATE ann_later *later = &setting;
#endif
#ifdef ANN_ENDS
    u32 ends = 0;
    PRIVATE u32 *ending = &ends;
#endif
#ifdef ANN_BLOCK_WIDE
    /* All threads of the block are here. The state is a copy in the block's memory. A message that has failed
       already takes the same way, so that no barrier is under a condition. */
    u32 first = actor == ANN_NO_ACTOR ? ANN_UNKNOWN_ACTOR : 0;
#ifdef ANN_STATE
    GLOBAL ANN_STATE *cell = (GLOBAL ANN_STATE *)v->states + (first == 0 ? actor : 0);
    if (thread_index == 0)
        v->together->state = *cell;
    u32 code = ANN_CALL(cx, message, &v->together->state, outbox);
#else
    u32 code = ANN_CALL(cx, message, (PRIVATE u8 *)0, outbox);
#endif
    if ((code == 0 || code == ANN_RETURNED) && outbox->refused)
        code = ANN_TOO_MANY_OUTPUTS;
    code = ann_end_meeting(&v->together->meeting, v->rounds, code);
#ifdef ANN_STATE
    if (code == 0 && thread_index == 0)
        *cell = v->together->state;
#endif
    return code;
#else
#ifdef ANN_STATE
    GLOBAL ANN_STATE *cell = (GLOBAL ANN_STATE *)v->states + actor;
    ANN_STATE state = *cell;
    u32 code = ANN_CALL(cx, message, &state, outbox);
#else
    u32 code = ANN_CALL(cx, message, (PRIVATE u8 *)0, outbox);
#endif
    if (code == 0 && outbox->refused)
        code = ANN_TOO_MANY_OUTPUTS;
#ifdef ANN_TIMERS
    if (code == 0 && later->refused)
        code = ANN_TIMERS_FULL;
#if ANN_ASKS
    for (u32 k = 0; code == 0 && k < later->set; k++)
        if (later->next[k].number == ANN_IS_ASK && ann_asks_are_full(v))
            code = ANN_TIMERS_FULL;
#endif
    if (code == 0)
        ann_set_timers(v, later);
#endif
#ifdef ANN_ENDS
    if (code == 0 && ends) {
        state = *ann_new_state(v);
#if ANN_LAUNCH_SPARSE
        ann_end_actor(v, actor);
#endif
    }
#endif
#ifdef ANN_STATE
    if (code == 0)
        *cell = state;
#endif
    return code;
#endif
}

#if ANN_LAUNCH_SPARSE && defined(ANN_ENDS) && ANN_LAUNCH_THREADS > 1

/* By the leader, when all threads have handled theirs: the places of those that have ended are free. */
ANN_FUNCTION void ann_free_ended(PRIVATE const ann_view *v, u32 count)
{
    if (v->shared->ended == 0)
        return;
    ann_tell_ended(v);
    for (u32 i = 0; i < count; i++) {
        GLOBAL const ann_job *job = ann_job_at(v, i);
        if (job->kind == ANN_KIND_MESSAGE && job->actor != ANN_NO_ACTOR)
            ann_free_actor(v, job->actor);
    }
}

#endif

#if ANN_LAUNCH_SPARSE && defined(ANN_ENDS)

/* By the leader, when it has handled one message alone. */
ANN_FUNCTION void ann_free_one(PRIVATE const ann_view *v, u64 actor)
{
    if (v->shared->ended == 0)
        return;
    ann_tell_ended(v);
    ann_free_actor(v, actor);
}

#endif

#if ANN_LAUNCH_THREADS == 1

/* Handles all messages of the turn one after the other. Outputs go straight into their slots. */
/* TWIN: handle */
ANN_FUNCTION void ann_handle(PRIVATE const ann_view *v ANN_BINDING_PARAMETERS)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_launch *l = &b->launch;
    u32 device_local = 0;
#if ANN_LAUNCH_CONNECTABLE
    device_local = b->device_local;
#endif
    for (u32 i = 0; i < b->count; i++) {
        /* The command is checked between any two messages of the host, so a batch does not delay it. */
        if (i != 0 && !device_local && ann_load_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_COMMAND)) != b->command)
            break;
#ifdef ANN_TIMERS
        GLOBAL u8 *slot = b->due ? ann_take_timer(v) : ann_turn_slot(v, i);
        if (slot == 0)
            break;
#else
        GLOBAL u8 *slot = ann_turn_slot(v, i);
#endif
        b->taken += 1;
        if (*ANN_U32(slot, 4) >> 24 != ANN_KIND_MESSAGE)
            continue;
        GLOBAL const ANN_MESSAGE *message = (GLOBAL const ANN_MESSAGE *)(slot + l->in_payload);
        u64 caller = ann_caller(v, slot);
        ann_outbox outbox;
        outbox.first = v->outbound + ANN_RING_SLOTS + l->out_payload;
        outbox.ticket = b->state.next_out;
        outbox.mask = ((u64)1 << l->out_shift) - 1;
        outbox.stride = l->out_stride;
        outbox.limit = ANN_LIMIT;
        outbox.sent = 0;
        outbox.refused = 0;
        u32 forwarded = ann_is_forwarded(v, caller);
        if (forwarded) {
            outbox.first = v->outputs + (u64)b->state.pending * ANN_OUTPUT_STRIDE;
            outbox.ticket = 0;
            outbox.mask = ~(u64)0;
            outbox.stride = ANN_OUTPUT_STRIDE;
        } else if (caller != 0) {
            /* The first output of a call's handler is the reply. A single output is written in its place;
               several are put aside. */
            outbox.first = ANN_LIMIT > 1 ? v->outputs + (u64)b->state.pending * ANN_OUTPUT_STRIDE
                                         : ann_reply_slot(v, caller) + l->out_payload;
            outbox.ticket = 0;
            outbox.mask = ~(u64)0;
            outbox.stride = ANN_OUTPUT_STRIDE;
        }
        ann_at_handler(v, i, 1, message);
#if ANN_ASKS
        b->asks_leave = forwarded;
#endif
#if ANN_LAUNCH_TRACED
        u64 trace = ann_trace(v, slot);
        u64 began = trace != 0 ? ann_now(v) : 0;
#endif
#if ANN_LAUNCH_CAUSAL
        ann_begin_event(v, ann_stamp(v, slot));
#endif
        u64 actor = ann_actor(v, message);
        u32 code = ann_transact(v, message, actor, ann_thread(v), &outbox ANN_BINDING_ARGUMENTS);
#if ANN_LAUNCH_SPARSE && defined(ANN_ENDS)
        ann_free_one(v, actor);
#endif
#if ANN_LAUNCH_CAUSAL
        ann_clear_stamp(v, slot);
#endif
#if ANN_LAUNCH_TRACED
        b->trace = 0;
        if (trace != 0) {
            b->trace = ann_record(v, trace, slot, code, outbox.sent, began, ann_now(v), 1);
            ann_clear_trace(v, slot);
        }
#endif
#ifdef ANN_REPLY_PORT
        u32 replies = caller != 0 && code == 0 && ann_reply_first(&outbox);
#endif
        if (forwarded) {
#if ANN_LAUNCH_CONNECTABLE && defined(ANN_PORTS)
            u32 all = code == 0 ? outbox.sent : 0;
#if defined(ANN_REPLY_PORT) && ANN_LAUNCH_THROUGH
            if (replies) {
                ann_reply_from_here(v, caller, all);
                caller = 0;
                all -= 1;
            }
#endif
            u32 stay = ann_part(v, all);
#if ANN_LAUNCH_TRACED
            ann_mark(v->outputs, b->state.pending, b->state.pending + all - stay, b->trace);
#endif
#if ANN_LAUNCH_CAUSAL
            ann_stamp_outputs(v->outputs, b->state.pending, b->state.pending + all - stay, b->stamp);
#endif
#if ANN_LAUNCH_THROUGH
            ann_hand_on(v, caller, code, b->state.pending, b->state.pending + all - stay);
#endif
#ifdef ANN_TOPICS
            ann_tell_host_row(v, b->state.pending, b->state.pending + all - stay);
#endif
            b->state.pending += all - stay;
            ann_account(v, slot, code, outbox.sent, stay);
#else
            u32 all = code == 0 ? outbox.sent : 0;
#if ANN_LAUNCH_TRACED
            ann_mark(v->outputs, b->state.pending, b->state.pending + all, b->trace);
#endif
#if ANN_LAUNCH_CAUSAL
            ann_stamp_outputs(v->outputs, b->state.pending, b->state.pending + all, b->stamp);
#endif
#if ANN_LAUNCH_THROUGH && ANN_LAUNCH_CONNECTABLE && defined(ANN_OUTPUT)
            ann_hand_on(v, caller, code, b->state.pending, b->state.pending + all);
#endif
            b->state.pending += all;
            ann_account(v, slot, code, outbox.sent, 0);
#endif
#if defined(ANN_REPLY_PORT) && ANN_LAUNCH_THROUGH
        } else if (ann_is_through(caller) && code == 0 && !replies) {
            ann_decline(v, caller, outbox.sent);
            ann_account(v, slot, code, outbox.sent, outbox.sent);
#endif
        } else {
            if (caller != 0)
                ann_answer_call(v, caller, code, outbox.sent);
            for (u32 j = 0; caller == 0 && code == 0 && j < outbox.sent; j++)
                ann_publish_output(v, outbox.ticket + j);
            ann_account(v, slot, code, outbox.sent, ann_outputs(code, outbox.sent, caller));
        }
    }
#if ANN_LAUNCH_CONNECTABLE && defined(ANN_OUTPUT)
#ifdef ANN_PORTS
    ann_forward_parted(v);
#else
    ann_forward(v);
#endif
#endif
}

#else

/* The thread that the turn's i-th message is dealt to. */
ANN_FUNCTION u32 ann_owner(PRIVATE const ann_view *v, GLOBAL const ANN_MESSAGE *message, u64 actor, u32 i)
{
#if ANN_SHAPE == ANN_WHOLE
    return 0;
#elif ANN_SHAPE == ANN_PER_ACTOR
    return (u32)(actor % ANN_LAUNCH_THREADS);
#elif ANN_KEYED
    /* Messages of an actor without state keep their order, too. The block has every grid-th key. */
    return (u32)(ANN_KEY(message) / v->shared->launch.grid % ANN_LAUNCH_THREADS);
#else
    return i % ANN_LAUNCH_THREADS;
#endif
}

/* Each thread looks up the actors of its share of the messages, and the threads that they are dealt to. */
ANN_FUNCTION void ann_look_up(PRIVATE const ann_view *v, u32 count)
{
#ifdef ANN_BODY
    u32 messages = 0;
#endif
    for (u32 i = ann_thread(v); i < count; i += ANN_LAUNCH_THREADS) {
        GLOBAL const u8 *slot = ann_message_at(v, i);
        GLOBAL ann_job *job = ann_job_at(v, i);
        job->kind = *(GLOBAL const u32 *)(slot + 4) >> 24;
        job->caller = ann_caller(v, slot);
        job->code = 0;
        job->sent = 0;
        job->actor = 0;
        GLOBAL const ANN_MESSAGE *message = (GLOBAL const ANN_MESSAGE *)(slot + v->in_payload);
#if ANN_INDEPENDENT && ANN_SHAPE == ANN_PER_ACTOR && !defined(ANN_BRIDGED)
        /* One thread may have to handle them all, one after the other. Now all threads bring them near, and wait for nothing. */
        for (u32 at = 32; at < 128 && at < v->in_payload + ANN_MESSAGE_BYTES; at += 32)
            (void)ann_load_word(slot + at);
#endif
#if ANN_LAUNCH_SPARSE
        if (job->kind == ANN_KIND_MESSAGE) {
            job->actor = ann_known_actor(v, ANN_KEY(message));
            if (job->actor == ANN_NO_ACTOR)
                ann_count_up_by(&v->shared->newcomers, 1);
        }
#else
        if (job->kind == ANN_KIND_MESSAGE)
            job->actor = ann_actor(v, message);
#endif
        u32 owner = job->kind == ANN_KIND_MESSAGE ? ann_owner(v, message, job->actor, i) : 0;
        ((GLOBAL u32 *)v->owners)[i] = job->kind == ANN_KIND_MESSAGE ? owner : ANN_LAUNCH_THREADS;
#ifdef ANN_BODY
        messages += job->kind == ANN_KIND_MESSAGE;
#endif
#if ANN_LAUNCH_TRACED
        if (job->kind == ANN_KIND_MESSAGE && ann_trace(v, slot) != 0)
            ann_count_up_by(&v->shared->sampled, 1);
#endif
    }
#ifdef ANN_BODY
    if (messages != 0)
        ann_count_up_by(&v->shared->messages, messages);
#endif
}

#if ANN_LAUNCH_SPARSE

/* By the leader, when all threads have looked up theirs: gives places to keys that have none, in the order of the turn. */
ANN_FUNCTION void ann_settle_newcomers(PRIVATE const ann_view *v, u32 count)
{
    if (v->shared->newcomers == 0)
        return;
    v->shared->newcomers = 0;
#if ANN_LAUNCH_EVICTS
    /* None of these gives way in this turn, nor do those that get places now. When their messages are handled, they get the mark
       of those that have had one. */
    for (u32 i = 0; i < count; i++) {
        GLOBAL ann_job *job = ann_job_at(v, i);
        if (job->kind == ANN_KIND_MESSAGE && job->actor != ANN_NO_ACTOR)
            ann_place_record(v, job->actor)[1] = ANN_ACTOR_IN_TURN;
    }
#endif
    for (u32 i = 0; i < count; i++) {
        GLOBAL ann_job *job = ann_job_at(v, i);
        if (job->kind != ANN_KIND_MESSAGE || job->actor != ANN_NO_ACTOR)
            continue;
        GLOBAL const ANN_MESSAGE *message = (GLOBAL const ANN_MESSAGE *)(ann_message_at(v, i) + v->in_payload);
        job->actor = ann_actor(v, message);
        ((GLOBAL u32 *)v->owners)[i] = ann_owner(v, message, job->actor, i);
    }
}

#endif

/* The first message from the i-th on that is dealt to this thread, or `count`. Where messages are dealt by
   their places, nothing is looked up but whether it is a message. */
ANN_FUNCTION u32 ann_next_own(PRIVATE const ann_view *v, u32 i, u32 count)
{
#if ANN_SHAPE == ANN_STATELESS && !ANN_KEYED
    i += (ann_thread(v) + ANN_LAUNCH_THREADS - i % ANN_LAUNCH_THREADS) % ANN_LAUNCH_THREADS;
    while (i < count && ann_job_at(v, i)->kind != ANN_KIND_MESSAGE)
        i += ANN_LAUNCH_THREADS;
    return i < count ? i : count;
#else
    while (i < count && ((GLOBAL const u32 *)v->owners)[i] != ann_thread(v))
        i++;
    return i;
#endif
}

#if defined(ANN_BODY)

/* See `body.c`. */

#elif defined(ANN_BLOCK_WIDE)

/* All threads handle all messages together, in order. The leader sends. */
ANN_FUNCTION void ann_handle(PRIVATE const ann_view *v, u32 count ANN_BINDING_PARAMETERS)
{
    for (u32 i = 0; i < count; i++) {
        GLOBAL ann_job *job = ann_job_at(v, i);
        u32 is_message = job->kind == ANN_KIND_MESSAGE;
        u32 leads = ann_thread(v) == 0;
        ann_outbox outbox;
        outbox.first = v->outputs + (u64)i * ANN_LIMIT * ANN_OUTPUT_STRIDE;
        outbox.ticket = 0;
        outbox.mask = ~(u64)0;
        outbox.stride = ANN_OUTPUT_STRIDE;
        outbox.limit = leads ? ANN_LIMIT : 0;
        outbox.sent = 0;
        outbox.refused = 0;
        GLOBAL const ANN_MESSAGE *message =
            (GLOBAL const ANN_MESSAGE *)(ann_message_at(v, i) + v->in_payload);
        /* What is no message is nobody's: all threads go the same way. */
        u64 actor = is_message ? job->actor : ANN_NO_ACTOR;
        if (leads && is_message)
            ann_at_handler(v, i, 1, message);
        u32 code = ann_transact(v, message, actor, ann_thread(v), &outbox ANN_BINDING_ARGUMENTS);
        if (leads && is_message) {
#ifdef ANN_REPLY_PORT
            if (code == 0 && job->caller != 0)
                ann_reply_first(&outbox);
#endif
            job->code = code;
            job->sent = outbox.sent;
#if ANN_LAUNCH_TRACED
            ann_mark(v->outputs, i * ANN_LIMIT, i * ANN_LIMIT + outbox.sent, 0);
#endif
        }
    }
}

#else

/* Each thread handles the messages that are dealt to it, in order. */
ANN_FUNCTION void ann_handle(PRIVATE const ann_view *v, u32 count ANN_BINDING_PARAMETERS)
{
    /* Each thread looks for its next message before any thread handles one, so that threads that run in
       lockstep handle together. */
    for (u32 i = ann_next_own(v, 0, count); i < count; i = ann_next_own(v, i + 1, count)) {
        GLOBAL ann_job *job = ann_job_at(v, i);
        ann_outbox outbox;
        outbox.first = v->outputs + (u64)i * ANN_LIMIT * ANN_OUTPUT_STRIDE;
        outbox.ticket = 0;
        outbox.mask = ~(u64)0;
        outbox.stride = ANN_OUTPUT_STRIDE;
        outbox.limit = ANN_LIMIT;
        outbox.sent = 0;
        outbox.refused = 0;
        GLOBAL const ANN_MESSAGE *message =
            (GLOBAL const ANN_MESSAGE *)(ann_message_at(v, i) + v->in_payload);
        job->code = ann_transact(v, message, job->actor, ann_thread(v), &outbox ANN_BINDING_ARGUMENTS);
#ifdef ANN_REPLY_PORT
        if (job->code == 0 && job->caller != 0)
            ann_reply_first(&outbox);
#endif
        job->sent = outbox.sent;
#if ANN_LAUNCH_TRACED
        ann_mark(v->outputs, i * ANN_LIMIT, i * ANN_LIMIT + outbox.sent, 0);
#endif
    }
}

#endif

#if ANN_LAUNCH_TRACED

/* By the leader, before the turn's outputs are numbered: writes the records of its messages, and marks their outputs.
   Threads have handled them together, so they were all taken and done at the same time. */
ANN_FUNCTION void ann_record_turn(PRIVATE const ann_view *v, u32 count)
{
    LOCAL ann_shared *b = v->shared;
    if (b->sampled == 0)
        return;
    u64 done = ann_now(v);
    for (u32 i = 0; i < count; i++) {
        GLOBAL const ann_job *job = ann_job_at(v, i);
        GLOBAL u8 *image = ann_message_at(v, i);
        u64 trace = job->kind == ANN_KIND_MESSAGE ? ann_trace(v, image) : 0;
        if (trace == 0)
            continue;
        u64 own = ann_record(v, trace, image, job->code, job->sent, b->began, done, count);
        ann_mark(v->outputs, i * ANN_LIMIT, i * ANN_LIMIT + job->sent, own);
        ann_clear_trace(v, ann_turn_slot(v, i));
    }
}

#endif

#if ANN_LAUNCH_CAUSAL

/* By the leader, before the turn's outputs are numbered: each message is an event, in the order of the turn. */
ANN_FUNCTION void ann_stamp_turn(PRIVATE const ann_view *v, u32 count)
{
    for (u32 i = 0; i < count; i++) {
        GLOBAL const ann_job *job = ann_job_at(v, i);
        if (job->kind != ANN_KIND_MESSAGE)
            continue;
        ann_begin_event(v, ann_stamp(v, ann_message_at(v, i)));
        ann_stamp_outputs(v->outputs, i * ANN_LIMIT, i * ANN_LIMIT + job->sent, v->shared->stamp);
        ann_clear_stamp(v, ann_turn_slot(v, i));
    }
}

#endif

#endif
