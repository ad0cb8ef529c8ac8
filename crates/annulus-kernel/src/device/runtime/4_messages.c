/* The device runtime: handling messages. */

/* The place of the message's state in the block's part; ANN_NO_ACTOR if its key names none of this block's actors. */
ANN_FUNCTION u64 ann_actor(const ann_view *v, GLOBAL const ANN_MESSAGE *message)
{
#if ANN_SHAPE == ANN_PER_ACTOR
    u64 key = ANN_KEY(message);
    u64 grid = v->shared->launch.grid;
    u64 place = grid == 1 ? key : key / grid;
    return place < v->shared->own ? place : ANN_NO_ACTOR;
#else
    return 0;
#endif
}

/* Calls the handler as a transaction: the state is a copy, committed on success. */
ANN_FUNCTION u32 ann_transact(
    const ann_view *v, GLOBAL const ANN_MESSAGE *message, u64 actor, PRIVATE ann_outbox *outbox ANN_BINDING_PARAMETERS)
{
    ann_cx cx;
    cx.block_index = ann_block();
    cx.grid_size = v->shared->launch.grid;
    cx.thread_index = ann_thread();
    if (actor == ANN_NO_ACTOR)
        return ANN_UNKNOWN_ACTOR;
#ifdef ANN_PRINTS
    ann_printer to;
    to.turn = &v->shared->prints;
    to.slots = v->shard + v->shared->launch.prints + ANN_RING_SLOTS;
    to.stride = v->shared->launch.print_stride;
    to.shift = v->shared->launch.print_shift;
    PRIVATE ann_printer *printer = &to;
#endif
#ifdef ANN_STATE
    GLOBAL ANN_STATE *cell = (GLOBAL ANN_STATE *)v->states + actor;
    ANN_STATE state = *cell;
    u32 code = ANN_CALL(cx, message, &state, outbox);
#else
    u32 code = ANN_CALL(cx, message, (PRIVATE u8 *)0, outbox);
#endif
    if (code == 0 && outbox->refused)
        code = ANN_TOO_MANY_OUTPUTS;
#ifdef ANN_STATE
    if (code == 0)
        *cell = state;
#endif
    return code;
}

/* Publishes the outbound slot of `ticket`, whose payload is written. */
ANN_FUNCTION void ann_publish(const ann_view *v, u64 ticket, u32 kind, u32 length, u64 correlation)
{
    LOCAL ann_launch *l = &v->shared->launch;
    GLOBAL u8 *slot = ann_out_slot(v, ticket);
    if (l->out_correlation != 0)
        *ANN_U64(slot, l->out_correlation) = correlation;
    *ANN_U32(slot, 4) = kind << 24 | length;
    /* SYNC: slot-published (release) */
    ann_store_release_u32(ANN_U32(slot, 0), (u32)(ticket >> l->out_shift) + 1);
}

#ifdef ANN_OUTPUT
#define ANN_LIMIT ANN_MAX_OUTPUTS
#else
#define ANN_LIMIT 0
#endif

/* Slots that a handled message takes in the outbound ring: its outputs, or the notice to its caller. */
ANN_FUNCTION u32 ann_answers(u32 code, u32 sent, u64 caller)
{
    u32 outputs = code == 0 ? sent : 0;
    return outputs == 0 && caller != 0 ? 1 : outputs;
}

/* Publishes what a handled message sent, from `ticket` on; the payloads lie there already. */
ANN_FUNCTION void ann_answer(const ann_view *v, u64 ticket, u32 code, u32 sent, u64 caller)
{
    if (code == 0 && sent != 0) {
        for (u32 i = 0; i < sent; i++)
            ann_publish(v, ticket + i, ANN_KIND_MESSAGE, (u32)v->shared->launch.out_bytes, i == 0 ? caller : 0);
    } else if (caller != 0) {
        ann_publish(v, ticket, code == 0 ? ANN_KIND_NO_REPLY : ANN_KIND_FAILED, code, caller);
    }
}

ANN_FUNCTION u64 ann_caller(const ann_view *v, GLOBAL u8 *slot)
{
    u64 offset = v->shared->launch.in_correlation;
    return offset != 0 ? *ANN_U64(slot, offset) : 0;
}

/* By the leader: counts what became of a message. */
ANN_FUNCTION void ann_account(const ann_view *v, GLOBAL u8 *slot, u32 code, u32 sent, u64 caller)
{
    LOCAL ann_shared *b = v->shared;
    u32 answers = ann_answers(code, sent, caller);
    b->produced += answers;
    b->state.next_out += answers;
    if (code == 0) {
        b->state.sent += sent;
        ann_note_success(v, slot);
    } else {
        ann_note_failure(v, slot, code);
    }
}

#if ANN_LAUNCH_THREADS == 1

/* All messages of the turn one after the other; outputs go straight into their slots. */
ANN_FUNCTION void ann_handle(const ann_view *v ANN_BINDING_PARAMETERS)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_launch *l = &b->launch;
    for (u32 i = 0; i < b->count; i++) {
        /* Between any two messages: a batch is no reason to obey late. */
        if (i != 0 && ann_load_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_COMMAND)) != b->command)
            return;
        GLOBAL u8 *slot = ann_in_slot(v, b->state.next_in + i);
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
        u32 code = ann_transact(v, message, ann_actor(v, message), &outbox ANN_BINDING_ARGUMENTS);
        ann_answer(v, outbox.ticket, code, outbox.sent, caller);
        ann_account(v, slot, code, outbox.sent, caller);
    }
}

#else

/* A message of the turn, in scratch memory. */
typedef struct {
    u64 actor;
    u64 ticket; /* of its first answer */
    u32 code;
    u32 sent;
    u32 kind;
    u32 padding;
} ann_job;

ANN_FUNCTION GLOBAL ann_job *ann_job_at(const ann_view *v, u32 i)
{
    return (GLOBAL ann_job *)v->scratch + i;
}

/* Where message i's outputs wait until all of the turn's are known. */
ANN_FUNCTION GLOBAL u8 *ann_staged(const ann_view *v, u32 i)
{
    LOCAL ann_launch *l = &v->shared->launch;
    return v->scratch + (u64)l->limit * sizeof(ann_job) + (u64)i * ANN_LIMIT * l->out_bytes;
}

/* Each thread looks up the actors of its share of the messages. */
ANN_FUNCTION void ann_look_up(const ann_view *v, u32 count)
{
    for (u32 i = ann_thread(); i < count; i += ANN_LAUNCH_THREADS) {
        GLOBAL u8 *slot = ann_in_slot(v, v->shared->state.next_in + i);
        GLOBAL ann_job *job = ann_job_at(v, i);
        job->kind = *ANN_U32(slot, 4) >> 24;
        job->code = 0;
        job->sent = 0;
        job->actor = 0;
        if (job->kind == ANN_KIND_MESSAGE)
            job->actor = ann_actor(v, (GLOBAL const ANN_MESSAGE *)(slot + v->shared->launch.in_payload));
    }
}

/* Each thread handles the messages that are dealt to it: every Tth, or those of every Tth actor, in order. */
ANN_FUNCTION void ann_handle(const ann_view *v, u32 count ANN_BINDING_PARAMETERS)
{
    LOCAL ann_launch *l = &v->shared->launch;
    for (u32 i = 0; i < count; i++) {
        GLOBAL ann_job *job = ann_job_at(v, i);
#if ANN_SHAPE == ANN_PER_ACTOR
        u32 owner = (u32)(job->actor % ANN_LAUNCH_THREADS);
#elif ANN_SHAPE == ANN_WHOLE
        u32 owner = 0;
#elif ANN_KEYED
        /* Without state of its own an actor still has an order. */
        u32 owner = (u32)(job->actor % ANN_LAUNCH_THREADS);
#else
        u32 owner = i % ANN_LAUNCH_THREADS;
#endif
        if (owner != ann_thread() || job->kind != ANN_KIND_MESSAGE)
            continue;
        GLOBAL u8 *slot = ann_in_slot(v, v->shared->state.next_in + i);
        ann_outbox outbox;
        outbox.first = ann_staged(v, i);
        outbox.ticket = 0;
        outbox.mask = ~(u64)0;
        outbox.stride = l->out_bytes;
        outbox.limit = ANN_LIMIT;
        outbox.sent = 0;
        outbox.refused = 0;
        job->code = ann_transact(
            v, (GLOBAL const ANN_MESSAGE *)(slot + l->in_payload), job->actor, &outbox ANN_BINDING_ARGUMENTS);
        job->sent = outbox.sent;
    }
}

/* By the leader: counts, and gives each message its tickets in the outbound ring, in the messages' order. */
ANN_FUNCTION void ann_number(const ann_view *v, u32 count)
{
    for (u32 i = 0; i < count; i++) {
        GLOBAL ann_job *job = ann_job_at(v, i);
        job->ticket = v->shared->state.next_out;
        if (job->kind != ANN_KIND_MESSAGE)
            continue;
        GLOBAL u8 *slot = ann_in_slot(v, v->shared->state.next_in + i);
        ann_account(v, slot, job->code, job->sent, ann_caller(v, slot));
    }
    v->shared->taken = count;
}

/* Each thread publishes the answers of its share of the messages. */
ANN_FUNCTION void ann_send_staged(const ann_view *v, u32 count)
{
    for (u32 i = ann_thread(); i < count; i += ANN_LAUNCH_THREADS) {
        GLOBAL ann_job *job = ann_job_at(v, i);
        if (job->kind != ANN_KIND_MESSAGE)
            continue;
#ifdef ANN_OUTPUT
        if (job->code == 0) {
            GLOBAL const ANN_OUTPUT *staged = (GLOBAL const ANN_OUTPUT *)ann_staged(v, i);
            for (u32 j = 0; j < job->sent; j++) {
                GLOBAL u8 *slot = ann_out_slot(v, job->ticket + j);
                *(GLOBAL ANN_OUTPUT *)(slot + v->shared->launch.out_payload) = staged[j];
            }
        }
#endif
        u64 caller = ann_caller(v, ann_in_slot(v, v->shared->state.next_in + i));
        ann_answer(v, job->ticket, job->code, job->sent, caller);
    }
}

#endif
