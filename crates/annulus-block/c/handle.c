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

/* Slots that a handled message takes in the outbound ring: its outputs, or the notice to its caller. */
ANN_FUNCTION u32 ann_answers(u32 code, u32 sent, u64 caller)
{
    u32 outputs = code == 0 ? sent : 0;
    return outputs == 0 && caller != 0 ? 1 : outputs;
}

/* Whether what the handler of a message sends goes to another kernel. */
ANN_FUNCTION u32 ann_is_forwarded(const ann_view *v, u64 caller)
{
#if ANN_LAUNCH_LINKED && defined(ANN_OUTPUT)
    return caller == 0 && v->shared->link.grid != 0;
#else
    return 0;
#endif
}

/* The call that a message belongs to. */
ANN_FUNCTION u64 ann_caller(const ann_view *v, GLOBAL const u8 *slot)
{
    u64 offset = v->shared->launch.in_correlation;
    return offset != 0 ? *(GLOBAL const u64 *)(slot + offset) : 0;
}

/* By the leader: counts what became of the message of a slot, or of its copy. */
ANN_FUNCTION void ann_account(const ann_view *v, GLOBAL const u8 *slot, u32 code, u32 sent, u32 answers)
{
    LOCAL ann_shared *b = v->shared;
    b->produced += answers;
    b->state.next_out += answers;
    if (code == 0) {
        b->state.sent += sent;
        ann_note_success(v, b->launch.in_time != 0 ? *(GLOBAL const u64 *)(slot + b->launch.in_time) : 0);
    } else {
        ann_note_failure(v, slot, code);
    }
}

#if ANN_LAUNCH_THREADS == 1

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

/* All messages of the turn one after the other; outputs go straight into their slots. */
ANN_FUNCTION void ann_handle(const ann_view *v ANN_BINDING_PARAMETERS)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_launch *l = &b->launch;
    u32 near = 0;
#if ANN_LAUNCH_LINKED
    near = b->near;
#endif
    for (u32 i = 0; i < b->count; i++) {
        /* Between any two messages of the host's: a batch is no reason to obey late. */
        if (i != 0 && !near && ann_load_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_COMMAND)) != b->command)
            break;
        GLOBAL u8 *slot = ann_turn_slot(v, i);
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
            outbox.first = v->outputs + (u64)b->state.held * ANN_OUTPUT_STRIDE;
            outbox.ticket = 0;
            outbox.mask = ~(u64)0;
            outbox.stride = ANN_OUTPUT_STRIDE;
        }
        u32 code = ann_transact(v, message, ann_actor(v, message), &outbox ANN_BINDING_ARGUMENTS);
        if (forwarded) {
            b->state.held += code == 0 ? outbox.sent : 0;
            ann_account(v, slot, code, outbox.sent, 0);
        } else {
            ann_answer(v, outbox.ticket, code, outbox.sent, caller);
            ann_account(v, slot, code, outbox.sent, ann_answers(code, outbox.sent, caller));
        }
    }
#if ANN_LAUNCH_LINKED && defined(ANN_OUTPUT)
    ann_forward(v);
#endif
}

#else

/* A message of the turn. */
typedef struct {
    u64 actor;
    u64 caller;
    u32 kind;
    u32 code;
    u32 sent;
    u32 padding;
} ann_job;

/* A slot of the outbound ring that the turn fills. */
typedef struct {
    u64 correlation;
    u32 meta;
    u32 source; /* the place of its payload among the outputs */
} ann_reply;

#define ANN_MOST_ANSWERS (ANN_LIMIT > 1 ? ANN_LIMIT : 1)

/* Where the parts of the block's scratch memory lie. Twin of `scratch_bytes`. */
ANN_FUNCTION void ann_cut_scratch(ann_view *v, GLOBAL u8 *scratch, GLOBAL const ann_launch *l)
{
    u64 limit = l->limit;
    v->messages = scratch;
    v->outputs = v->messages + limit * ANN_IMAGE_STRIDE(l);
    v->answers = v->outputs + limit * ANN_LIMIT * ANN_OUTPUT_STRIDE;
    v->jobs = v->answers + limit * ANN_MOST_ANSWERS * sizeof(ann_reply);
#if ANN_LAUNCH_LINKED && defined(ANN_OUTPUT)
    v->parcels = v->jobs + limit * sizeof(ann_job);
    v->owners = v->parcels + limit * ANN_LIMIT * sizeof(ann_parcel);
#else
    v->owners = v->jobs + limit * sizeof(ann_job);
#endif
}

ANN_FUNCTION GLOBAL ann_job *ann_job_at(const ann_view *v, u32 i)
{
    return (GLOBAL ann_job *)v->jobs + i;
}

/* Whether the slot of the turn's i-th message is published. */
ANN_FUNCTION u32 ann_turn_published(const ann_view *v, u32 i)
{
#if ANN_LAUNCH_LINKED
    if (v->shared->near)
        return ann_near_published(v, i);
#endif
    return ann_published(v, v->shared->state.next_in + i);
}

/* After slots were seen to be published, before they are read. */
ANN_FUNCTION void ann_turn_fence(const ann_view *v)
{
#if ANN_LAUNCH_LINKED
    if (v->shared->near) {
        /* SYNC: near-published (acquire) */
        ann_near_fence_acquire();
        return;
    }
#endif
    /* SYNC: slot-published (acquire) */
    ann_fence_acquire();
}

/* The command that the turn's messages come after. */
ANN_FUNCTION u32 ann_turn_command(const ann_view *v)
{
#if ANN_LAUNCH_LINKED
    if (v->shared->near)
        return v->shared->command;
#endif
    return ann_load_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_COMMAND));
}

/* Each thread looks at its share of the slots that may be published. */
ANN_FUNCTION void ann_look(const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    u32 window = b->window;
    u32 gap = window;
    /* The leader has seen the first. No look waits for the one before. */
    for (u32 i = 1 + ann_thread(); i < window; i += ANN_LAUNCH_THREADS) {
        u32 published = ann_turn_published(v, i);
        gap = !published && i < gap ? i : gap;
    }
    if (window != 0)
        ann_turn_fence(v);
    if (gap < window)
        ann_shared_min(&b->found, gap);
}

/* Each thread copies its share of the messages' words; the leader decides how many are handled. */
ANN_FUNCTION void ann_bring(const ann_view *v, u32 leader)
{
    LOCAL ann_shared *b = v->shared;
    u32 found = b->found;
    u32 words = (u32)(ann_turn_stride(v) / 8);
    u32 all = found * words;
    u32 command = 0;
    if (leader && found != 0)
        command = ann_turn_command(v);
    /* Four words are under way at a time. */
    for (u32 first = ann_thread(); first < all; first += 4 * ANN_LAUNCH_THREADS) {
        ann_word copied[4];
        for (u32 j = 0; j < 4; j++) {
            u32 word = first + j * ANN_LAUNCH_THREADS;
            if (word < all)
                copied[j] = ann_load_word(ann_turn_slot(v, word / words) + word % words * 8);
        }
        for (u32 j = 0; j < 4; j++) {
            u32 word = first + j * ANN_LAUNCH_THREADS;
            if (word < all)
                ann_store_word(ann_message_at(v, word / words) + word % words * 8, copied[j]);
        }
    }
    if (leader && found != 0)
        b->count = ann_accept(v, found, command);
}

/* Each thread looks up the actors of its share of the messages, and to whom they are dealt. */
ANN_FUNCTION void ann_look_up(const ann_view *v, u32 count)
{
    for (u32 i = ann_thread(); i < count; i += ANN_LAUNCH_THREADS) {
        GLOBAL const u8 *slot = ann_message_at(v, i);
        GLOBAL ann_job *job = ann_job_at(v, i);
        job->kind = *(GLOBAL const u32 *)(slot + 4) >> 24;
        job->caller = ann_caller(v, slot);
        job->code = 0;
        job->sent = 0;
        job->actor = 0;
        if (job->kind == ANN_KIND_MESSAGE)
            job->actor = ann_actor(v, (GLOBAL const ANN_MESSAGE *)(slot + v->shared->launch.in_payload));
#if ANN_SHAPE == ANN_WHOLE
        u32 owner = 0;
#elif ANN_SHAPE == ANN_PER_ACTOR
        u32 owner = (u32)(job->actor % ANN_LAUNCH_THREADS);
#elif ANN_KEYED
        /* Without state of its own an actor still has an order. The block has every grid-th key. */
        u32 owner = 0;
        if (job->kind == ANN_KIND_MESSAGE) {
            u64 key = ANN_KEY((GLOBAL const ANN_MESSAGE *)(slot + v->shared->launch.in_payload));
            owner = (u32)(key / v->shared->launch.grid % ANN_LAUNCH_THREADS);
        }
#else
        u32 owner = i % ANN_LAUNCH_THREADS;
#endif
        ((GLOBAL u32 *)v->owners)[i] = job->kind == ANN_KIND_MESSAGE ? owner : ANN_LAUNCH_THREADS;
    }
}

/* Each thread handles the messages that are dealt to it, in order. */
ANN_FUNCTION void ann_handle(const ann_view *v, u32 count ANN_BINDING_PARAMETERS)
{
    LOCAL ann_launch *l = &v->shared->launch;
    for (u32 i = 0; i < count; i++) {
        if (((GLOBAL const u32 *)v->owners)[i] != ann_thread())
            continue;
        GLOBAL ann_job *job = ann_job_at(v, i);
        ann_outbox outbox;
        outbox.first = v->outputs + (u64)i * ANN_LIMIT * ANN_OUTPUT_STRIDE;
        outbox.ticket = 0;
        outbox.mask = ~(u64)0;
        outbox.stride = ANN_OUTPUT_STRIDE;
        outbox.limit = ANN_LIMIT;
        outbox.sent = 0;
        outbox.refused = 0;
        GLOBAL const ANN_MESSAGE *message = (GLOBAL const ANN_MESSAGE *)(ann_message_at(v, i) + l->in_payload);
        job->code = ann_transact(v, message, job->actor, &outbox ANN_BINDING_ARGUMENTS);
        job->sent = outbox.sent;
    }
}

/* By the leader: counts, and gives the answers their tickets in the outbound ring, in the messages' order. */
ANN_FUNCTION void ann_number(const ann_view *v, u32 count)
{
    LOCAL ann_shared *b = v->shared;
    for (u32 i = 0; i < count; i++) {
        GLOBAL const ann_job *job = ann_job_at(v, i);
        if (job->kind != ANN_KIND_MESSAGE)
            continue;
        u64 caller = job->caller;
        u32 code = job->code;
        u32 sent = job->sent;
#if ANN_LAUNCH_LINKED && defined(ANN_OUTPUT)
        if (ann_is_forwarded(v, caller)) {
            for (u32 j = 0; code == 0 && j < sent; j++)
                ann_parcel_at(v, b->state.held + j)->source = i * ANN_LIMIT + j;
            b->state.held += code == 0 ? sent : 0;
            ann_account(v, ann_message_at(v, i), code, sent, 0);
            continue;
        }
#endif
        GLOBAL ann_reply *replies = (GLOBAL ann_reply *)v->answers + b->produced;
        if (code == 0 && sent != 0) {
            for (u32 j = 0; j < sent; j++) {
                replies[j].correlation = j == 0 ? caller : 0;
                replies[j].meta = ANN_KIND_MESSAGE << 24 | (u32)b->launch.out_bytes;
                replies[j].source = i * ANN_LIMIT + j;
            }
        } else if (caller != 0) {
            replies[0].correlation = caller;
            replies[0].meta = (code == 0 ? ANN_KIND_NO_REPLY : ANN_KIND_FAILED) << 24 | code;
            replies[0].source = 0;
        }
        ann_account(v, ann_message_at(v, i), code, sent, ann_answers(code, sent, caller));
    }
    b->taken = count;
}

/* Each thread copies its share of the outputs' words into their slots, and writes its share of the slots' headers. */
ANN_FUNCTION void ann_fill_slots(const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    u32 answers = b->produced;
    u64 first = b->state.next_out - answers;
    GLOBAL const ann_reply *replies = (GLOBAL const ann_reply *)v->answers;
#ifdef ANN_OUTPUT
    u32 all = answers * (ANN_OUTPUT_STRIDE / 8);
    u32 words = ANN_OUTPUT_STRIDE != 0 ? ANN_OUTPUT_STRIDE / 8 : 1;
    for (u32 word = ann_thread(); word < all; word += ANN_LAUNCH_THREADS) {
        u32 k = word / words;
        if (replies[k].meta >> 24 != ANN_KIND_MESSAGE)
            continue;
        u64 at = word % words * 8;
        GLOBAL const u8 *output = v->outputs + (u64)replies[k].source * ANN_OUTPUT_STRIDE;
        ann_store_word(ann_out_slot(v, first + k) + b->launch.out_payload + at, ann_load_word(output + at));
    }
#endif
    for (u32 k = ann_thread(); k < answers; k += ANN_LAUNCH_THREADS) {
        GLOBAL u8 *slot = ann_out_slot(v, first + k);
        if (b->launch.out_correlation != 0)
            *ANN_U64(slot, b->launch.out_correlation) = replies[k].correlation;
        *ANN_U32(slot, 4) = replies[k].meta;
    }
}

/* Each thread publishes its share of the answers. */
ANN_FUNCTION void ann_publish_all(const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    u32 answers = b->produced;
    u64 first = b->state.next_out - answers;
    /* SYNC: slot-published (release): of all that threads of the block wrote before the barrier. */
    if (answers != 0)
        ann_fence_release();
    for (u32 k = ann_thread(); k < answers; k += ANN_LAUNCH_THREADS) {
        u64 ticket = first + k;
        ann_store_fenced_u32(ANN_U32(ann_out_slot(v, ticket), 0), (u32)(ticket >> b->launch.out_shift) + 1);
    }
}

#endif
