/* The block: the turn of a body, a handler whose whole block works on all messages that the turn has found. The
   crate's module `body` is its twin, and says what holds. */

#if defined(ANN_BODY) && ANN_LAUNCH_THREADS > 1

/* The next message that no thread has taken; null if there is none. What the thread sends from now on are the
   outputs of this message. */
ANN_FUNCTION GLOBAL const void *ann_take_message(PRIVATE ann_inbox *inbox)
{
    PRIVATE PRIVATE const ann_view *v = (PRIVATE PRIVATE const ann_view *)inbox->view;
    LOCAL ann_shared *b = v->shared;
    u32 count = b->count;
    u32 i;
    do {
        /* A loop that finds nothing more does not count on. Other threads may count at the same time. */
        if (*(volatile LOCAL u32 *)&b->next >= count)
            return 0;
        i = ann_count_up(&b->next);
        if (i >= count)
            return 0;
    } while (ann_job_at(v, i)->kind != ANN_KIND_MESSAGE);
    PRIVATE ann_outbox *outbox = inbox->outbox;
    if (inbox->at != ANN_NONE_TAKEN)
        ann_job_at(v, inbox->at)->sent = outbox->sent;
    inbox->at = i;
    outbox->first = v->outputs + (u64)i * ANN_LIMIT * ANN_OUTPUT_STRIDE;
    outbox->limit = ANN_LIMIT;
    outbox->sent = 0;
    return ann_message_at(v, i) + b->launch.in_payload;
}

/* Several threads may say so, and all say the same. */
ANN_FUNCTION void ann_end_kernel(PRIVATE const ann_inbox *inbox)
{
    PRIVATE PRIVATE const ann_view *v = (PRIVATE PRIVATE const ann_view *)inbox->view;
    *(volatile LOCAL u32 *)&v->shared->ends = 1;
}

/* All threads run the body, if there is a message for it. Before a thread has taken one it sends nothing. */
ANN_FUNCTION void ann_handle(PRIVATE const ann_view *v, u32 count ANN_BINDING_PARAMETERS)
{
    LOCAL ann_shared *b = v->shared;
    (void)count;
    /* A loop and no condition: some compilers take minutes for barriers under one. */
    u32 calls = b->messages != 0;
    if (ann_thread(v) == 0 && calls)
        ann_at_handler(v, 0, b->messages, 0);
    for (u32 i = 0; i < calls; i++) {
        ann_outbox outbox;
        outbox.first = v->outputs;
        outbox.ticket = 0;
        outbox.mask = ~(u64)0;
        outbox.stride = ANN_OUTPUT_STRIDE;
        outbox.limit = 0;
        outbox.sent = 0;
        outbox.refused = 0;
        ann_inbox inbox;
        inbox.view = v;
        inbox.outbox = &outbox;
        inbox.found = b->messages;
        inbox.at = ANN_NONE_TAKEN;
        u32 code = ann_transact(v, &inbox, 0, ann_thread(v), &outbox ANN_BINDING_ARGUMENTS);
        if (inbox.at != ANN_NONE_TAKEN)
            ann_job_at(v, inbox.at)->sent = outbox.sent;
        if (ann_thread(v) == 0)
            b->body_code = code;
    }
}

/* Behind a barrier that follows the body: how many of the turn's slots it has taken, with what is no message
   behind them; the same in all threads. They write down what became of its messages, and a barrier follows. */
/* TWIN: end_body */
ANN_FUNCTION u32 ann_end_body(PRIVATE const ann_view *v, u32 count)
{
    LOCAL ann_shared *b = v->shared;
    u32 code = b->body_code;
    u32 taken = b->next < count ? b->next : count;
    /* If it fails and has taken nothing, the first message fails: else it would be called so for ever. */
    u32 blamed = code != 0 && taken == 0;
    while (taken < count && (blamed || ann_job_at(v, taken)->kind != ANN_KIND_MESSAGE)) {
        if (ann_job_at(v, taken)->kind == ANN_KIND_MESSAGE)
            blamed = 0;
        taken++;
    }
    for (u32 i = ann_thread(v); i < taken; i += ANN_LAUNCH_THREADS)
        if (ann_job_at(v, i)->kind == ANN_KIND_MESSAGE)
            ann_job_at(v, i)->code = code;
    if (ann_thread(v) == 0 && code == 0 && b->ends) {
        b->leaving = 1;
        /* SYNC: leaving (release) */
        ann_store_release_u32(ANN_U32(v->shard, ANN_CONTROL_LEAVING), 1);
    }
    return taken;
}

#endif
