/* The block: how outputs get their tickets and are published. */

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
            ann_publish(
                v, ticket + i, ANN_KIND_MESSAGE, (u32)v->shared->launch.out_bytes, i == 0 ? caller : 0);
    } else if (caller != 0) {
        ann_publish(v, ticket, code == 0 ? ANN_KIND_NO_REPLY : ANN_KIND_FAILED, code, caller);
    }
}

#else

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
#if ANN_LAUNCH_CONNECTABLE && defined(ANN_OUTPUT)
        if (ann_is_forwarded(v, caller)) {
            for (u32 j = 0; code == 0 && j < sent; j++)
                ann_parcel_at(v, b->state.pending + j)->source = i * ANN_LIMIT + j;
            b->state.pending += code == 0 ? sent : 0;
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

#if ANN_LAUNCH_SEALED

/* Each thread stores its share of the answers' units: with the last of them all are published. */
ANN_FUNCTION void ann_seal_answers(const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    u32 answers = b->produced;
    u64 first = b->state.next_out - answers;
    u32 units = b->launch.out_units;
    GLOBAL const ann_reply *replies = (GLOBAL const ann_reply *)v->answers;
    u32 all = answers * units;
    /* Four units are under way at a time. */
    for (u32 begin = ann_thread(); begin < all; begin += 4 * ANN_LAUNCH_THREADS) {
        ann_reply found[4];
        u32 words[4][3];
        for (u32 j = 0; j < 4; j++)
            if (begin + j * ANN_LAUNCH_THREADS < all)
                found[j] = replies[(begin + j * ANN_LAUNCH_THREADS) / units];
        for (u32 j = 0; j < 4; j++) {
            u32 at = (begin + j * ANN_LAUNCH_THREADS) % units * 12;
            for (u32 word = 0; word < 3; word++)
                if (begin + j * ANN_LAUNCH_THREADS < all)
                    words[j][word] = ann_answer_word(
                        v, at + word * 4, found[j].meta, found[j].correlation,
                        v->outputs + (u64)found[j].source * ANN_OUTPUT_STRIDE);
        }
        for (u32 j = 0; j < 4; j++) {
            u32 i = begin + j * ANN_LAUNCH_THREADS;
            if (i < all)
                ann_store_out_unit(v, first + i / units, i % units, words[j][0], words[j][1], words[j][2]);
        }
    }
}

#endif

/* Each thread copies its share of the outputs' words into their slots, and writes its share of the slots'
   headers. */
ANN_FUNCTION void ann_fill_slots(const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    u32 answers = b->produced;
    u64 first = b->state.next_out - answers;
    GLOBAL const ann_reply *replies = (GLOBAL const ann_reply *)v->answers;
#if ANN_LAUNCH_SEALED
    if (b->launch.out_units != 0) {
        ann_seal_answers(v);
        return;
    }
#endif
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
#if ANN_LAUNCH_SEALED
    /* They were with their last units. */
    if (b->launch.out_units != 0)
        return;
#endif
    /* SYNC: slot-published (release): of all that threads of the block wrote before the barrier. */
    if (answers != 0) {
        u32 owes = ann_thread() == 0 && ann_begin_to_pay(v);
        ann_fence_release();
        if (owes)
            ann_store_gauges(v, first);
    }
    for (u32 k = ann_thread(); k < answers; k += ANN_LAUNCH_THREADS) {
        u64 ticket = first + k;
        ann_store_fenced_u32(ANN_U32(ann_out_slot(v, ticket), 0), (u32)(ticket >> b->launch.out_shift) + 1);
    }
}

#endif
