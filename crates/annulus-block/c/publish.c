/* The block: how outputs get their tickets and are published. */

#if ANN_LAUNCH_THREADS == 1

/* Publishes a slot, whose payload is written. */
ANN_FUNCTION void ann_publish(GLOBAL u8 *slot, u32 lap, u32 kind, u32 length)
{
    *ANN_U32(slot, 4) = kind << 24 | length;
    /* SYNC: slot-published (release) */
    ann_store_release_u32(ANN_U32(slot, 0), lap);
}

/* Publishes the outbound slot of `ticket`. */
ANN_FUNCTION void ann_publish_output(PRIVATE const ann_view *v, u64 ticket)
{
    LOCAL ann_launch *l = &v->shared->launch;
    u32 lap = (u32)(ticket >> l->out_shift) + 1;
#if ANN_LAUNCH_TRACED
    *ANN_U64(ann_out_slot(v, ticket), l->out_trace) = v->shared->trace;
#endif
#if ANN_LAUNCH_CAUSAL
    *ANN_U64(ann_out_slot(v, ticket), l->out_stamp) = v->shared->stamp;
#endif
    ann_publish(ann_out_slot(v, ticket), lap, ANN_KIND_MESSAGE, (u32)l->out_bytes);
}

/* Copies a call's output, which was put aside, into a slot. */
ANN_FUNCTION void ann_copy_output(PRIVATE const ann_view *v, GLOBAL u8 *slot, u32 place)
{
#ifdef ANN_OUTPUT
    GLOBAL const u8 *output = v->outputs + (u64)(v->shared->state.pending + place) * ANN_OUTPUT_STRIDE;
    if (ANN_OUTPUT_BYTES != 0)
        *(GLOBAL ANN_OUTPUT *)(slot + v->shared->launch.out_payload) = *(GLOBAL const ANN_OUTPUT *)output;
#endif
}

#if ANN_LAUNCH_CONNECTABLE && defined(ANN_PORTS)

/* Of a message's outputs, which were put aside, those of connected outboxes are held, and the others
   published. Returns how many these are. */
/* TWIN: part */
ANN_FUNCTION u32 ann_part(PRIVATE const ann_view *v, u32 outputs)
{
    LOCAL ann_state *s = &v->shared->state;
    u32 stay = 0;
    for (u32 j = 0; j < outputs; j++) {
        GLOBAL u8 *output = v->outputs + (u64)(s->pending + j) * ANN_OUTPUT_STRIDE;
#if defined(ANN_TOPICS)
        if (ann_goes_on(v, output))
            ann_mark_apart(v, output);
#elif defined(ANN_PEERS)
        /* An address that nobody has may look like an output that has gone. */
        if (ANN_HAS_GONE(output) && ann_goes_on(v, output))
            *(GLOBAL u64 *)output = ~(u64)1;
#endif
        if (!ann_goes_on(v, output)) {
            ann_copy_output(v, ann_out_slot(v, s->next_out + stay), j);
            ann_publish_output(v, s->next_out + stay);
            stay += 1;
            continue;
        }
        u32 places = ANN_PLACES_OF(v, output);
        for (u32 port = ANN_FIRST_OF(places); port < ANN_PORTS; port = ANN_NEXT_OF(places, port))
            v->shared->ports[port].wanted += 1;
        if (stay != 0)
            *(GLOBAL ANN_OUTPUT *)(output - (u64)stay * ANN_OUTPUT_STRIDE) = *(GLOBAL const ANN_OUTPUT *)output;
    }
    return stay;
}

#endif

/* Publishes what a call's handler sent. The first is the reply; it is already in its slot if it is the only
   one. All others are outputs. */
ANN_FUNCTION void ann_answer_call(PRIVATE const ann_view *v, u64 call, u32 code, u32 sent)
{
    GLOBAL u8 *slot = ann_reply_slot(v, call);
    u32 is_output = code == 0 && sent != 0;
    u32 kind = is_output ? ANN_KIND_MESSAGE : (code == 0 ? ANN_KIND_NO_REPLY : ANN_KIND_FAILED);
    if (ANN_LIMIT > 1 && is_output)
        ann_copy_output(v, slot, 0);
#if ANN_LAUNCH_CAUSAL
    *ANN_U64(slot, v->shared->launch.out_stamp) = is_output ? v->shared->stamp : 0;
#endif
    ann_publish(slot, ann_reply_lap(call), kind, is_output ? (u32)v->shared->launch.out_bytes : code);
    for (u32 i = 1; is_output && i < sent; i++) {
        u64 ticket = v->shared->state.next_out + i - 1;
        ann_copy_output(v, ann_out_slot(v, ticket), i);
        ann_publish_output(v, ticket);
    }
}

#else

/* The slot of an answer. */
ANN_FUNCTION GLOBAL u8 *ann_answer_slot(PRIVATE const ann_view *v, u64 to, u32 meta)
{
    return (meta & ANN_REPLY) != 0 ? ann_reply_slot(v, to) : ann_out_slot(v, to);
}

/* The lap that an answer is published with. */
ANN_FUNCTION u32 ann_answer_lap(PRIVATE const ann_view *v, u64 to, u32 meta)
{
    return (meta & ANN_REPLY) != 0 ? ann_reply_lap(to) : (u32)(to >> v->shared->launch.out_shift) + 1;
}

#if ANN_LAUNCH_CONNECTABLE && defined(ANN_PORTS)

/* Of a message's outputs, those of connected outboxes become parcels, from number `parcels` on; the others
   get tickets of the outbound ring, from `ticket` on, and answers. Returns how many these are. */
ANN_FUNCTION u32 ann_split(
    PRIVATE const ann_view *v, u32 i, u32 outputs, u32 parcels, GLOBAL ann_answer *answers, u64 ticket)
{
    u32 stay = 0;
    for (u32 j = 0; j < outputs; j++) {
        u32 place = i * ANN_LIMIT + j;
        if (ann_goes_on(v, v->outputs + (u64)place * ANN_OUTPUT_STRIDE)) {
            ann_parcel_at(v, parcels)->source = place;
            parcels += 1;
            continue;
        }
        answers[stay].to = ticket + stay;
        answers[stay].meta = ANN_KIND_MESSAGE << 24 | (u32)v->shared->launch.out_bytes;
        answers[stay].source = place;
        stay += 1;
    }
    return stay;
}

#endif

/* By the leader: counts, and gives the answers their slots, outputs in the messages' order. */
ANN_FUNCTION void ann_number(PRIVATE const ann_view *v, u32 count)
{
    LOCAL ann_shared *b = v->shared;
    for (u32 i = 0; i < count; i++) {
        GLOBAL const ann_job *job = ann_job_at(v, i);
        if (job->kind != ANN_KIND_MESSAGE)
            continue;
        u64 caller = job->caller;
        u32 code = job->code;
        u32 sent = job->sent;
#if ANN_LAUNCH_CONNECTABLE && defined(ANN_OUTPUT)
        if (ann_is_forwarded(v, caller)) {
#ifdef ANN_PORTS
            u32 all = code == 0 ? sent : 0;
            GLOBAL ann_answer *own = (GLOBAL ann_answer *)v->answers + b->answers;
            u32 stay = ann_split(v, i, all, b->state.pending, own, b->state.next_out);
            b->state.pending += all - stay;
            b->answers += stay;
            ann_account(v, ann_message_at(v, i), code, sent, stay);
#else
            for (u32 j = 0; code == 0 && j < sent; j++)
                ann_parcel_at(v, b->state.pending + j)->source = i * ANN_LIMIT + j;
            b->state.pending += code == 0 ? sent : 0;
            ann_account(v, ann_message_at(v, i), code, sent, 0);
#endif
            continue;
        }
#endif
        GLOBAL ann_answer *answers = (GLOBAL ann_answer *)v->answers + b->answers;
        u64 ticket = b->state.next_out;
        u32 outputs = code == 0 ? sent : 0;
        for (u32 j = 0; j < outputs; j++) {
            u32 is_reply = j == 0 && caller != 0;
            answers[j].to = is_reply ? caller : ticket;
            answers[j].meta = (is_reply ? ANN_REPLY : 0) | ANN_KIND_MESSAGE << 24 | (u32)b->launch.out_bytes;
            answers[j].source = i * ANN_LIMIT + j;
            ticket += !is_reply;
        }
        if (outputs == 0 && caller != 0) {
            answers[0].to = caller;
            answers[0].meta = ANN_REPLY | (code == 0 ? ANN_KIND_NO_REPLY : ANN_KIND_FAILED) << 24 | code;
            answers[0].source = 0;
        }
        b->answers += outputs == 0 && caller != 0 ? 1 : outputs;
        ann_account(v, ann_message_at(v, i), code, sent, ann_outputs(code, sent, caller));
    }
    b->taken = count;
}

#if ANN_LAUNCH_SEALED

/* Each thread stores its share of the answers' units. With the last unit all answers are published. */
ANN_FUNCTION void ann_seal_answers(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    u32 units = b->launch.out_units;
    GLOBAL const ann_answer *answers = (GLOBAL const ann_answer *)v->answers;
    u32 all = b->answers * units;
    /* Four units are in flight at a time. */
    for (u32 begin = ann_thread(v); begin < all; begin += 4 * ANN_LAUNCH_THREADS) {
        ann_answer found[4];
        u32 words[4][3];
        for (u32 j = 0; j < 4; j++)
            if (begin + j * ANN_LAUNCH_THREADS < all)
                found[j] = answers[(begin + j * ANN_LAUNCH_THREADS) / units];
        for (u32 j = 0; j < 4; j++) {
            u32 at = (begin + j * ANN_LAUNCH_THREADS) % units * 12;
            for (u32 word = 0; word < 3; word++)
                if (begin + j * ANN_LAUNCH_THREADS < all)
                    words[j][word] = ann_answer_word(
                        v, at + word * 4, found[j].meta & ~ANN_REPLY,
                        v->outputs + (u64)found[j].source * ANN_OUTPUT_STRIDE);
        }
        for (u32 j = 0; j < 4; j++) {
            u32 i = begin + j * ANN_LAUNCH_THREADS;
            if (i < all)
                ann_store_unit(
                    ann_answer_slot(v, found[j].to, found[j].meta) + i % units * 16, words[j][0], words[j][1],
                    words[j][2], ann_answer_lap(v, found[j].to, found[j].meta));
        }
    }
}

#endif

/* Each thread copies its share of the outputs' words into their slots, and writes its share of the slots'
   headers. */
ANN_FUNCTION void ann_fill_slots(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    u32 count = b->answers;
    GLOBAL const ann_answer *answers = (GLOBAL const ann_answer *)v->answers;
#if ANN_LAUNCH_SEALED
    if (b->launch.out_units != 0) {
        ann_seal_answers(v);
        return;
    }
#endif
#ifdef ANN_OUTPUT
    u32 all = count * (ANN_OUTPUT_SPAN / 8);
    u32 words = ANN_OUTPUT_SPAN != 0 ? ANN_OUTPUT_SPAN / 8 : 1;
    for (u32 word = ann_thread(v); word < all; word += ANN_LAUNCH_THREADS) {
        u32 k = word / words;
        u32 meta = answers[k].meta;
        if ((meta & ~ANN_REPLY) >> 24 != ANN_KIND_MESSAGE)
            continue;
        u64 at = word % words * 8;
        GLOBAL const u8 *output = v->outputs + (u64)answers[k].source * ANN_OUTPUT_STRIDE;
        GLOBAL u8 *slot = ann_answer_slot(v, answers[k].to, meta);
        ann_store_word(slot + b->launch.out_payload + at, ann_load_word(output + at));
    }
#endif
#if ANN_LAUNCH_TRACED && defined(ANN_OUTPUT)
    for (u32 k = ann_thread(v); k < count; k += ANN_LAUNCH_THREADS) {
        GLOBAL u8 *output = v->outputs + (u64)answers[k].source * ANN_OUTPUT_STRIDE;
        /* Not of a reply, which nobody sends on. */
        if (answers[k].meta >> 24 == ANN_KIND_MESSAGE)
            *ANN_U64(ann_answer_slot(v, answers[k].to, answers[k].meta), b->launch.out_trace) = ANN_TRACE_OF(output);
    }
#endif
#if ANN_LAUNCH_CAUSAL && defined(ANN_OUTPUT)
    for (u32 k = ann_thread(v); k < count; k += ANN_LAUNCH_THREADS) {
        u32 meta = answers[k].meta;
        GLOBAL u8 *output = v->outputs + (u64)answers[k].source * ANN_OUTPUT_STRIDE;
        u64 stamp = (meta & ~ANN_REPLY) >> 24 == ANN_KIND_MESSAGE ? ANN_STAMP_OF(output) : 0;
        *ANN_U64(ann_answer_slot(v, answers[k].to, meta), b->launch.out_stamp) = stamp;
    }
#endif
    for (u32 k = ann_thread(v); k < count; k += ANN_LAUNCH_THREADS)
        *ANN_U32(ann_answer_slot(v, answers[k].to, answers[k].meta), 4) = answers[k].meta & ~ANN_REPLY;
}

/* Each thread publishes its share of the answers. */
ANN_FUNCTION void ann_publish_all(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    u32 count = b->answers;
    GLOBAL const ann_answer *answers = (GLOBAL const ann_answer *)v->answers;
#if ANN_LAUNCH_SEALED
    /* They were published with their last units. */
    if (b->launch.out_units != 0)
        return;
#endif
    /* SYNC: slot-published (release): of all that threads of the block wrote before the barrier. */
    if (count != 0) {
        u32 owes = ann_thread(v) == 0 && ann_begin_to_pay(v);
        ann_fence_release();
        if (owes)
            ann_store_gauges(v, b->state.next_out - b->produced);
    }
    for (u32 k = ann_thread(v); k < count; k += ANN_LAUNCH_THREADS) {
        u64 to = answers[k].to;
        u32 meta = answers[k].meta;
        ann_store_fenced_u32(ANN_U32(ann_answer_slot(v, to, meta), 0), ann_answer_lap(v, to, meta));
    }
}

#endif
