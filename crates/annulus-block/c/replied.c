/* The block: what a handler answers by its `&Reply<T>`, which is one of its ways out. */

#ifdef ANN_REPLY_PORT

/* The message of a call was handled, and its outputs are put aside. What was sent by the reply comes first: it is moved in
   front of what was sent by outboxes, whose outputs keep their order. Returns 0 if nothing was sent by it. */
/* TWIN: reply_first */
ANN_FUNCTION u32 ann_reply_first(PRIVATE const ann_outbox *outbox)
{
    u32 k = 0;
    while (k < outbox->sent && *ANN_U64(outbox->first + k * outbox->stride, 0) != ANN_REPLY_PORT)
        k++;
    if (k == outbox->sent)
        return 0;
    for (; k != 0; k--) {
        GLOBAL u8 *here = outbox->first + k * outbox->stride;
        GLOBAL u8 *before = here - outbox->stride;
        for (u32 at = 0; at < ANN_OUTPUT_BYTES; at += 8) {
            u64 reply = *ANN_U64(here, at);
            *ANN_U64(here, at) = *ANN_U64(before, at);
            *ANN_U64(before, at) = reply;
        }
    }
    return 1;
}

#if ANN_LAUNCH_THROUGH

#if ANN_LAUNCH_CONNECTABLE

/* Answers a call from the middle of its pipeline: by the first of the handler's outputs, which were put aside. What is
   behind it moves up. */
/* TWIN: reply_from_here */
ANN_FUNCTION void ann_reply_from_here(PRIVATE const ann_view *v, u64 call, u32 sent)
{
    GLOBAL u8 *slot = ann_reply_slot(v, call);
    ann_copy_output(v, slot, 0);
#if ANN_LAUNCH_CAUSAL
    *ANN_U64(slot, v->shared->launch.out_stamp) = v->shared->stamp;
#endif
    ann_publish(slot, ann_reply_lap(call), ANN_KIND_MESSAGE, (u32)v->shared->launch.out_bytes);
    for (u32 j = 1; j < sent; j++) {
        GLOBAL u8 *output = v->outputs + (u64)(v->shared->state.pending + j) * ANN_OUTPUT_STRIDE;
        *(GLOBAL ANN_OUTPUT *)(output - ANN_OUTPUT_STRIDE) = *(GLOBAL const ANN_OUTPUT *)output;
    }
}

#endif

/* Ends a call through a pipeline whose last kernel has sent nothing by its reply. What it has sent by outboxes was put
   aside, and is for the host. */
/* TWIN: decline */
ANN_FUNCTION void ann_decline(PRIVATE const ann_view *v, u64 call, u32 sent)
{
    ann_end_call(v, call, ANN_KIND_NO_REPLY, 0);
    for (u32 j = 0; j < sent; j++) {
        u64 ticket = v->shared->state.next_out + j;
        ann_copy_output(v, ann_out_slot(v, ticket), j);
        ann_publish_output(v, ticket);
    }
}

#endif

#endif
